// Writes the events of a session for ACP clients (docs/protocols/acp.md 3 to 5). This file decides which event is shown;
// the other files of the folder write calls, texts and values.
import type { NoteLevel } from '../../../core/contract/adapter/action.ts';
import type { BurstProjection, Projection, SessionView } from '../../../core/contract/adapter/projection.ts';
import { writeStretch } from '../../../core/fast-path/stretch-writer.ts';
import { withoutContexts } from '../../../core/log/context-text.ts';
import type { Burst } from '../../../core/model/burst.ts';
import type { Usage } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf, Logged } from '../../../core/model/event.ts';
import { lateProjection } from '../../../core/stream/late-projection.ts';
import { configOptions, wireCommands } from '../config-options.ts';
import type { Dialect } from '../frontend/dialect.ts';
import { notificationMessage, requestMessage } from '../json-rpc.ts';
import { dialogForm, dialogOptions, formSchema, offersOf, questionId } from '../questions.ts';
import { type BlockWriter, createBlockWriter } from './block-writer.ts';
import { createCallWriter } from './call-writer.ts';
import { acpExtraIn, blockOf, metaOf, oneLine } from './encode-values.ts';

/** One projection of one session, shared by all clients of the dialect. Created with the first event. */
export function createProjection(session: SessionView, dialect: Dialect): Projection {
  return lateProjection(() => startProjection(session, dialect));
}

/** Settings that the option list shows. */
const shownSettings = [
  'mode',
  'modes',
  'model',
  'models',
  'thinkingLevel',
  'thinkingLevels',
  'options',
  'extra',
] as const;
const severities = { info: 'info', warning: 'warning', error: 'error' } as const;
const compactionStatus = { completed: 'completed', aborted: 'cancelled', failed: 'failed' } as const;
const planStatus = { pending: 'pending', 'in-progress': 'in_progress', completed: 'completed' } as const;

function startProjection(session: SessionView, dialect: Dialect): Projection {
  const sessionId = session.id;
  const { epoch } = session;
  let outs: string[] = [];
  let notes: { level: NoteLevel; text: string }[] = [];
  let message: BlockWriter | null = null;
  let isHidden = false;
  let isReplay = false;
  let isRunning = false;
  let commands = '';
  let compactions = 0;

  const send = (frame: string) => {
    if (!isHidden) outs.push(frame);
  };
  const frameAround = (update: object) => JSON.stringify(notificationMessage('session/update', { sessionId, update }));
  const say = (update: object) => send(frameAround(update));
  /** For the connection to complete or to drop: it knows these frames by the order of their fields (mapped-frames.ts). */
  const sayMapped = (update: object) =>
    send(JSON.stringify(notificationMessage('session/update', { update, sessionId })));
  const loss = (text: string) => {
    notes.push({ level: 'loss', text });
  };
  const calls = createCallWriter(say, () => session.transcript.info.cwd ?? session.place);

  function startMessage({ parent }: EventOf<'message-start'>, seq: number): void {
    if (parent !== undefined) return loss('message of a sub-agent');
    message = createBlockWriter({ frameAround, calls, send, say, loss }, `${epoch}-${seq}`);
  }

  function tellUsage(
    used: number | undefined,
    size = session.transcript.info.model?.contextWindow,
    _meta?: unknown,
  ): void {
    if (used === undefined || size === undefined || !(used >= 0) || !(size > 0)) return;
    const { cost } = session.transcript;
    const amount = cost > 0 ? { cost: { amount: cost, currency: 'USD' } } : {};
    say({ sessionUpdate: 'usage_update', used: Math.round(used), size: Math.round(size), ...amount, ...metaOf(_meta) });
  }

  const tokensIn = (usage: Usage | undefined) =>
    usage === undefined ? undefined : usage.input + usage.cacheRead + usage.cacheWrite + usage.output;

  function addMessage(event: EventOf<'message-added'>, seq: number): void {
    const { role, content, parent, call, origin } = event;
    if (parent !== undefined) return loss('message of a sub-agent');
    if (role === 'tool') return calls.pastResult(call ?? '', event);
    if (role === 'assistant') return addAnswer(event, `${epoch}-${seq}`);
    if (role !== 'user') return loss(`message of role ${role}`);
    if (origin === 'agent' && !isRunning && !isReplay) return loss('message of the agent in the user’s name');
    let isFirst = true;
    for (const part of content) {
      const block = blockOf(part.type === 'text' && isFirst ? { ...part, text: withoutContexts(part.text) } : part);
      if (part.type === 'text') isFirst = false;
      if (block === null) loss(`${part.type} in a prompt`);
      else sayMapped({ sessionUpdate: 'user_message_chunk', messageId: `${epoch}-${seq}`, content: block });
    }
  }

  /** A message of the past: one chunk for each part (docs/protocols/acp.md 3.16). */
  function addAnswer({ content }: EventOf<'message-added'>, messageId: string): void {
    for (const part of content) {
      if (part.type === 'tool-call') calls.past(part);
      else if (part.type === 'thinking') {
        if (part.text === '') continue;
        say({ sessionUpdate: 'agent_thought_chunk', messageId, content: { type: 'text', text: part.text } });
      } else {
        const block = blockOf(part);
        if (block === null) loss(`block ${part.type}`);
        else say({ sessionUpdate: 'agent_message_chunk', messageId, content: block });
      }
    }
  }

  function askApproval(event: EventOf<'approval-request'>, isPast: boolean): void {
    if (isPast || event.standing !== undefined) return;
    const toolCall = calls.asked(event);
    const options = offersOf(event).map(({ wire }) => wire);
    const id = questionId('approval', sessionId, event.id);
    send(JSON.stringify(requestMessage(id, 'session/request_permission', { sessionId, toolCall, options })));
  }

  function askDialog(event: EventOf<'dialog-request'>): void {
    const { id, title, message: words } = event;
    const form = dialogForm(event, dialect);
    const wireId = questionId('dialog', sessionId, id);
    const text = words === undefined || words === '' ? title : `${title}\n${words}`;
    if (form === 'form') {
      const params = { sessionId, mode: 'form', message: text, requestedSchema: formSchema(event) };
      return send(JSON.stringify(requestMessage(wireId, 'elicitation/create', params)));
    }
    if (form === 'permission') {
      const params = { sessionId, toolCall: calls.dialog(id, text), options: dialogOptions(event) };
      return send(JSON.stringify(requestMessage(wireId, 'session/request_permission', params)));
    }
    loss(`dialog ${event.kind}`);
    notify('warning', `The agent asks what this client cannot show: ${title}`);
  }

  /** The question is over; a connection that has answered drops this frame (docs/protocols/acp.md 4.50). */
  function withdraw(kind: 'approval' | 'dialog', id: string): void {
    if (isReplay) return;
    send(JSON.stringify(notificationMessage('$/cancel_request', { requestId: questionId(kind, sessionId, id) })));
  }

  function notify(
    level: EventOf<'notice'>['level'],
    text: string,
    said: { title?: unknown; description?: unknown; _meta?: unknown } = {},
  ): void {
    if (!dialect.notices) {
      // Clients without notices are told of errors, where their turn has a place for words.
      if (level !== 'error' || !isRunning) return loss('notice');
      const content = { type: 'text', text };
      return say({ sessionUpdate: 'agent_message_chunk', messageId: `notice-${epoch}`, content });
    }
    const { title: first, description: rest, _meta } = said;
    const line = typeof first === 'string' && first !== '' ? first : oneLine(text.split('\n', 1)[0] ?? '');
    const title = line === '' ? 'Notice' : line;
    const description = typeof rest === 'string' ? rest : title === text.trim() ? undefined : text;
    say({
      sessionUpdate: 'notice',
      severity: severities[level],
      title,
      ...(description === undefined ? {} : { description }),
      ...metaOf(_meta),
    });
  }

  function changeSession({ changes, extra }: EventOf<'session-changed'>): void {
    const { info, update } = acpExtraIn({ extra });
    if (isDictionary(update)) say(update);
    if (changes.commands !== undefined) {
      const availableCommands = wireCommands(changes.commands);
      const text = JSON.stringify(availableCommands);
      // Lists may be long, and agents repeat them (docs/protocols/acp.md 1.5, 9.66).
      if (text !== commands) say({ sessionUpdate: 'available_commands_update', availableCommands });
      commands = text;
    }
    const title = changes.name === undefined ? {} : { title: changes.name };
    if (changes.name !== undefined || isDictionary(info)) {
      say({ sessionUpdate: 'session_info_update', ...title, ...dictionaryOf(info) });
    }
    // The answer that opened the session says the settings of before.
    if (isReplay) return;
    if (changes.mode !== undefined && changes.mode !== '') {
      say({ sessionUpdate: 'current_mode_update', currentModeId: changes.mode });
    }
    if (!shownSettings.some((name) => changes[name] !== undefined)) return;
    const options = configOptions(session.transcript.info, dialect.switches).map(({ wire }) => wire);
    if (options.length > 0) sayMapped({ sessionUpdate: 'config_option_update', configOptions: options });
  }

  function compact(status: string, fields: object, extra: EventOf<'compaction-end'>['extra']): void {
    if (!dialect.compaction) return loss('compaction');
    const { compactionId } = dictionaryOf(extra?.acp);
    const id = typeof compactionId === 'string' ? compactionId : `compaction-${compactions}`;
    say({ sessionUpdate: 'compaction_update', compactionId: id, status, ...fields });
  }

  function tellForeign({ protocol, payload }: EventOf<'unknown'>): void {
    const { method, params, update } = dictionaryOf(payload);
    if (protocol !== 'acp' || typeof method !== 'string') return loss(`event of ${protocol}`);
    if (method !== 'session/update') return send(JSON.stringify(notificationMessage(method, named(params))));
    const said = update ?? dictionaryOf(params).update;
    if (isDictionary(said)) say(said);
  }

  /** A notification of a vendor names the session as its client does. */
  function named(params: unknown): object {
    const fields = dictionaryOf(params);
    return 'sessionId' in fields ? { ...fields, sessionId } : fields;
  }

  function take({ event, seq, replay }: Logged): void {
    switch (event.type) {
      case 'run-start':
        isRunning = true;
        return;
      case 'run-end':
        calls.closeAll();
        isRunning = false;
        return;
      case 'message-start':
        return startMessage(event, seq);
      case 'block-start':
        return event.parent === undefined ? message?.start(event) : undefined;
      case 'block-delta':
        return event.parent === undefined ? message?.delta(event) : undefined;
      case 'block-end':
        return event.parent === undefined ? message?.end(event) : undefined;
      case 'message-end':
        if (event.parent !== undefined) return;
        message = null;
        if (event.stop.reason === 'aborted' || event.stop.reason === 'error') return;
        return tellUsage(tokensIn(event.usage));
      case 'message-added':
        return addMessage(event, seq);
      case 'tool-start':
        return calls.start(event);
      case 'tool-update':
        return calls.update(event, session.transcript.tools.get(event.call)?.progress ?? event.content);
      case 'tool-end':
        return calls.end(event);
      case 'approval-request':
        return askApproval(event, replay === 'past');
      case 'approval-end':
        calls.answered(event);
        return withdraw('approval', event.id);
      case 'dialog-request':
        return askDialog(event);
      case 'dialog-end':
        return withdraw('dialog', event.id);
      case 'notice':
        return notify(event.level, event.text, acpExtraIn(event));
      case 'error':
        return notify('error', event.message);
      case 'retry-start': {
        const { attempt, maxAttempts, failure } = event;
        return notify('warning', `Retrying (${attempt}/${maxAttempts}): ${failure.message}`);
      }
      case 'usage-changed':
        return tellUsage(event.contextTokens ?? tokensIn(event.usage), event.contextWindow, acpExtraIn(event)._meta);
      case 'plan-changed': {
        const entries = event.entries.map(({ text, priority = 'medium', status }) => ({
          content: text,
          priority,
          status: planStatus[status],
        }));
        return say({ sessionUpdate: 'plan', entries });
      }
      case 'session-changed':
        return changeSession(event);
      case 'compaction-start':
        compactions += 1;
        return compact('in_progress', {}, event.extra);
      case 'compaction-end': {
        const { outcome, summary, failure, extra } = event;
        const text = summary === undefined ? {} : { summary: [{ type: 'text', text: summary }] };
        const error = failure === undefined ? {} : { error: failure.message };
        return compact(compactionStatus[outcome], { ...text, ...error }, extra);
      }
      case 'unknown':
        return tellForeign(event);
      case 'turn-start':
      case 'turn-end':
      case 'retry-end':
      case 'agent-changed':
        return;
      case 'history-reset':
        return loss('history-reset');
      case 'display':
      case 'queue-changed':
      case 'tool-server-changed':
      case 'task-changed':
      case 'activity':
      case 'bash-output':
        return loss(event.type);
      default:
        return event satisfies never;
    }
  }

  const mouldOf = (burst: Burst) => message?.mould(burst) ?? null;
  const bursts: BurstProjection = {
    takes: (burst) => mouldOf(burst) !== null,
    write(burst, seq, from, to) {
      const mould = mouldOf(burst);
      if (mould === null) throw new Error('a burst that was not taken');
      return writeStretch(burst, seq, [from, to], () => mould);
    },
  };

  return {
    bursts,
    event(logged) {
      outs = [];
      isReplay = logged.replay !== undefined;
      isHidden = logged.replay === 'past' && !dialect.past;
      take(logged);
      return outs;
    },
    notes() {
      const all = notes;
      if (all.length > 0) notes = [];
      return all;
    },
  };
}
