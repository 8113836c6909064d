// Shows a session to pi clients in pi's strict order, whatever the agent (docs/protocols/pi.md 6.1). Connects the
// parts; each part writes its own lines.

import type { NoteLevel } from '../../../core/contract/adapter/action.ts';
import type { BurstProjection, Projection, SessionView } from '../../../core/contract/adapter/projection.ts';
import { createUnshownPlans } from '../../../core/contract/adapter/unshown-plans.ts';
import type { Out } from '../../../core/contract/channel.ts';
import { joined, splicedJson } from '../../../core/fast-path/spliced-json.ts';
import { writeStretch } from '../../../core/fast-path/stretch-writer.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Event, EventOf, Logged } from '../../../core/model/event.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import { encodeContent, isUnsaid, piFields } from '../encode-values.ts';
import type { Dialect } from '../frontend/dialect.ts';
import { encodeMessage } from '../frontend/encode-message.ts';
import {
  bashLine,
  compactionEnd,
  compactionStart,
  compactionWhole,
  retryEnd,
  retryStart,
  type ShownLines,
  sessionLines,
  shownLines,
} from '../frontend/encode-stateless.ts';
import { createMessageTeller, encodeFailedMessage, type MessageTeller } from './message.ts';
import { createBrackets, restartIn, type Sink } from './run.ts';
import { createToolTeller } from './tools.ts';

type Of<Type extends Event['type']> = Logged & { readonly event: EventOf<Type> };

/** The roles of docs/protocols/pi-legacy.md 4.4. `tool` is the canonical name of toolResult. */
const legacyRoles: ReadonlySet<string> = new Set(['user', 'assistant', 'tool']);

/** The options of a projection. */
export interface Manner {
  readonly dialect: Dialect;
  /** Default: pi's own form. */
  readonly shown?: ShownLines;
  /**
   * Whether the end of a run says that nothing continues the run, as pi since 0.80.4 does (`agent_settled`,
   * `willRetry`). Current clients wait for these fields, older ones ignore them. Default: true if the dialect has them.
   */
  readonly settles?: boolean;
}

/** One projection of one session, shared by all clients of the dialect. */
export function createProjection(session: SessionView, manner: Manner): Projection {
  const { dialect, shown = shownLines, settles = dialect !== 'legacy' } = manner;
  const notes: { level: NoteLevel; text: string }[] = [];
  const plans = createUnshownPlans();
  let outs: Out[] = [];
  const sink: Sink = {
    say: (line) => void outs.push(JSON.stringify(line)),
    write: (out) => void outs.push(out),
    loss: (text) => void notes.push({ level: 'loss', text }),
  };
  const brackets = createBrackets(sink, dialect, settles);
  const tools = createToolTeller(sink, dialect, {
    tell: (message) => tellWhole(message),
    inputOf: (call) => session.transcript.tools.get(call)?.input ?? {},
  });
  const nextId = createIds(session.epoch);
  /** The streaming message. */
  let teller: MessageTeller | null = null;
  /** Events that came while a message streamed and that pi never sends before its end. */
  let held: Logged[] = [];
  let trigger: string | undefined;
  /** The settings as last sent. */
  let known: SessionInfo = {};
  /** The provider and model of the last message. */
  let speaker: { readonly provider?: string; readonly model?: string } = {};

  const timeOf = ({ at }: Logged) => Math.round(session.timeOrigin + at);

  function tellWhole(message: Dictionary): void {
    const json = splicedJson(message);
    sink.write(joined('{"type":"message_start","message":', json, '}'));
    tellEnd(message, json);
  }

  function tellEnd(message: Dictionary, json: Out): void {
    sink.write(joined('{"type":"message_end","message":', json, '}'));
    brackets.message(json, message.role, isFailed(message));
  }

  function startMessage(logged: Of<'message-start'>): void {
    brackets.ensure();
    tools.flush();
    if (logged.event.extra?.pi !== undefined) tools.trust();
    teller = createMessageTeller(session, logged, dialect);
    const { provider, model } = teller.head;
    speaker = { provider: String(provider), model: String(model) };
    sink.say({ type: 'message_start', message: teller.head });
  }

  function tellBlock(event: EventOf<'block-start' | 'block-delta' | 'block-end'>, replay: Logged['replay']): void {
    const line = teller?.block(event, replay === 'past') ?? null;
    if (line !== null) outs.push(line);
  }

  function endMessage({ event }: Of<'message-end'>): void {
    if (teller === null) return;
    const message = teller.end(event);
    for (const name of teller.lost) sink.loss(`block ${name}`);
    teller = null;
    tellEnd(message, splicedJson(message));
    if (isFailed(message)) tools.drop(callsIn(message));
    const waiting = held;
    held = [];
    for (const logged of waiting) take(logged);
  }

  function addMessage(logged: Of<'message-added'>): void {
    const { event } = logged;
    // pi clients fetch replayed messages themselves (after a fork, from a stored session).
    if (logged.replay === undefined && (isUnsaid(event) || event.origin === 'replay')) return;
    if (dialect === 'legacy' && !legacyRoles.has(event.role)) return sink.loss(`message of role ${event.role}`);
    // pi 0.13.2 prints no message outside a run. An agent that compacts may add its summary there.
    if (dialect === 'legacy' && session.transcript.run === null) return sink.loss('message between runs');
    if (event.role === 'tool') {
      if (event.extra?.pi !== undefined) tools.trust();
      if (event.call !== undefined && !tools.claim(event.call)) return;
    } else tools.settle();
    for (const content of event.content)
      if (encodeContent(content) === null) sink.loss(`content of type ${content.type}`);
    tellWhole(encodeMessage(event, { timestamp: timeOf(logged) }));
  }

  function endRun(logged: Of<'run-end'>): void {
    const { event } = logged;
    tools.clear();
    brackets.runEnd(event, () => {
      const isInTurn = brackets.turn;
      if (!isInTurn) brackets.turnStart();
      const reason = event.outcome === 'aborted' ? 'aborted' : 'error';
      tellWhole(encodeFailedMessage(session, logged, { ...speaker, stop: { reason }, failure: event.failure }));
      if (!isInTurn) brackets.turnEnd(emptyMessage(logged));
    });
  }

  /** A turn without a message of the model. pi has no such turns. */
  const emptyMessage = (logged: Logged) => () =>
    encodeFailedMessage(session, logged, { ...speaker, stop: { reason: 'end' } });

  function startCompaction({ event }: Of<'compaction-start'>): void {
    trigger = event.trigger;
    brackets.pause(false, event.extra);
    if (dialect !== 'legacy') sink.say(compactionStart(event, dialect));
  }

  function endCompaction({ event }: Of<'compaction-end'>): void {
    if (dialect !== 'legacy') return sink.say(compactionEnd(event, dialect, trigger));
    const cause = event.trigger ?? trigger;
    const whole = compactionWhole(event, cause);
    if (whole !== null) return sink.say(whole);
    // A manual compaction is answered to the client that requested it.
    if (event.outcome === 'completed' || cause === 'manual') return;
    sink.say({ type: 'error', error: `Auto-compaction failed: ${event.failure?.message ?? event.outcome}` });
  }

  function changeSession({ event, replay }: Of<'session-changed'>): void {
    const before = known;
    known = { ...known, ...event.changes };
    const restart = restartIn(event);
    if (restart !== null && dialect !== 'legacy') brackets.restart(restart);
    if (dialect === 'legacy' || replay !== undefined || isUnsaid(event)) return;
    for (const line of sessionLines(event, before)) sink.say(line);
  }

  /** pi 0.13.2 has messages with roles that other agents do not have, and no unknown lines. */
  const mayShow = ({ type }: Dictionary) => dialect !== 'legacy' || type === 'message_start' || type === 'message_end';

  /** Sub-agents have no place in pi. Only their approvals are shown. */
  function takeAside({ type }: Event): void {
    if (type === 'message-start' || type === 'message-added' || type === 'tool-start')
      sink.loss(`${type} of a sub-agent`);
  }

  function sayOrLose(line: Dictionary | null, type: string): void {
    if (line === null || dialect === 'legacy') sink.loss(type);
    else sink.say(line);
  }

  function take(logged: Logged): void {
    const { event, seq, replay } = logged;
    switch (event.type) {
      case 'run-start':
        return brackets.runStart(event);
      case 'run-end':
        return endRun({ ...logged, event });
      case 'turn-start':
        return brackets.turnStart();
      case 'turn-end':
        tools.flush();
        return brackets.turnEnd(emptyMessage(logged));
      case 'message-start':
        return startMessage({ ...logged, event });
      case 'block-start':
      case 'block-delta':
      case 'block-end':
        return tellBlock(event, replay);
      case 'message-end':
        return endMessage({ ...logged, event });
      case 'message-added':
        return addMessage({ ...logged, event });
      case 'tool-start':
        brackets.ensure();
        return tools.start(event);
      case 'tool-update':
        return tools.update(event);
      case 'tool-end':
        return tools.end(event, timeOf(logged));
      case 'retry-start':
        if (dialect !== 'legacy') brackets.pause(true, event.extra);
        return sayOrLose(retryStart(event), event.type);
      case 'retry-end':
        if (dialect !== 'legacy') brackets.pause(false, event.extra);
        return sayOrLose(retryEnd(event), event.type);
      case 'compaction-start':
        return startCompaction({ ...logged, event });
      case 'compaction-end':
        return endCompaction({ ...logged, event });
      case 'approval-request':
        // An approval that the session answers itself is not shown.
        if (replay === 'past' || event.standing !== undefined) return;
        return sayOrLose(shown.approval(event), event.type);
      case 'dialog-request':
        return sayOrLose(shown.dialog(event), event.kind === 'interview' ? 'dialog of kind interview' : event.type);
      case 'notice':
        if (dialect === 'legacy' && event.level === 'error') return sink.say({ type: 'error', error: event.text });
        return sayOrLose(shown.notice(event, nextId(seq)), event.type);
      case 'display':
        return sayOrLose(shown.display(event, nextId(seq)), event.type);
      case 'queue-changed': {
        const { steering, followUp, extra } = event;
        return sayOrLose({ type: 'queue_update', steering, followUp, ...piFields(extra) }, event.type);
      }
      case 'bash-output':
        return sayOrLose(bashLine(event), event.type);
      case 'error':
        return sink.say(
          dialect === 'legacy' ? { type: 'error', error: event.message } : shown.complaint(event.message, nextId(seq)),
        );
      case 'session-changed':
        return changeSession({ ...logged, event });
      case 'unknown': {
        const line = shown.unknown(event);
        return line !== null && mayShow(line) ? sink.say(line) : sink.loss(`event of ${event.protocol}`);
      }
      // pi has no lines for these and needs none: an answer ends its question, a dead agent ends its run.
      case 'history-reset':
      case 'approval-end':
      case 'dialog-end':
      case 'agent-changed':
        return;
      case 'plan-changed':
        return plans.loses(event) ? sink.loss(event.type) : undefined;
      case 'usage-changed':
      case 'tool-server-changed':
      case 'task-changed':
      case 'activity':
        return sink.loss(event.type);
      default:
        event satisfies never;
    }
  }

  /** pi sends neither tool lines nor other messages while a message streams. */
  const mustWait = ({ type }: Event) => teller !== null && (type.startsWith('tool-') || type === 'message-added');

  const bursts: BurstProjection = {
    takes: (burst) => (teller?.mould(burst) ?? null) !== null,
    write(burst, seq, from, to) {
      const mould = teller?.mould(burst) ?? null;
      if (mould === null) throw new Error('a burst that was not taken');
      return writeStretch(burst, seq, [from, to], () => mould);
    },
  };

  return {
    mergesDeltas: dialect !== 'delta-only',
    bursts: dialect === 'delta-only' ? bursts : undefined,
    event(logged) {
      const { event } = logged;
      if (event.type === 'block-delta' && event.parent === undefined) tellBlock(event, logged.replay);
      else if ('parent' in event && event.parent !== undefined && event.type !== 'approval-request') takeAside(event);
      else if (mustWait(event)) held.push(logged);
      else take(logged);
      const told = outs;
      outs = [];
      return told;
    },
    notes: () => (notes.length === 0 ? notes : notes.splice(0)),
  };
}

/** Ids for lines whose agent gave none. The same line gets the same id each time. */
function createIds(epoch: string): (seq: number) => string {
  let last = 0;
  let place = 0;
  return (seq) => {
    place = seq === last ? place + 1 : 0;
    last = seq;
    return `${epoch}-${seq}-${place}`;
  };
}

function isFailed({ stopReason }: Dictionary): boolean {
  return stopReason === 'error' || stopReason === 'aborted';
}

function callsIn({ content }: Dictionary): string[] {
  const blocks = Array.isArray(content) ? content.filter(isDictionary) : [];
  return blocks.flatMap(({ type, id }) => (type === 'toolCall' && typeof id === 'string' ? [id] : []));
}
