// The brackets around everything: agent_start, turn_start, turn_end, agent_end (docs/protocols/pi.md 6.1).
// pi ends and restarts its agent around retries and compactions, inside what is one run elsewhere. Knows no block.
import type { Out } from '../../../core/contract/channel.ts';
import type { Dictionary, Extra } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { Dialect } from '../frontend/dialect.ts';
import { isUnsaid, piFields } from '../encode-values.ts';

/** Where every part of a projection puts its lines. */
export interface Sink {
  say(line: Dictionary): void;
  /** A line that is JSON already. */
  write(out: Out): void;
  loss(text: string): void;
}

/** The brackets of one session, as its clients see them. */
export interface Brackets {
  runStart(event: EventOf<'run-start'>): void;
  /** `fail` tells a message that says why: nothing else does in pi. */
  runEnd(event: EventOf<'run-end'>, fail: () => void): void;
  turnStart(): void;
  turnEnd(emptyMessage: () => Dictionary): void;
  /** Something of the run is told: what opens it must have been told before. */
  ensure(): void;
  /** The agent pauses for a retry or a compaction. */
  pause(willRetry: boolean, extra: Extra | undefined): void;
  /** pi's own word on an agent that starts or ends inside a run. */
  restart(line: Dictionary): void;
  /** A whole message, as JSON, was told. */
  message(json: string, role: unknown, failed: boolean): void;
  readonly turn: boolean;
}

/** `settles`: an end of the run is told with the words that pi has for it since 0.80.4. */
export function createBrackets(sink: Sink, dialect: Dialect, settles: boolean): Brackets {
  /** `promised`: a run that an agent without brackets of its own may have left empty; nothing was told of it yet. */
  let run: 'none' | 'promised' | 'open' = 'none';
  /** Between agent_start and agent_end. */
  let agent = false;
  let turn = false;
  let turns = 0;
  let messages: string[] = [];
  let turnMessage: string | null = null;
  let results: string[] = [];
  /** Whether the last message of the model says that something went wrong. */
  let failed = false;

  function agentStart(): void {
    if (agent) return;
    agent = true;
    turns = 0;
    messages = [];
    sink.say({ type: 'agent_start' });
  }

  function agentEnd(fields: Dictionary): void {
    if (!agent) return;
    agent = false;
    const rest = JSON.stringify(fields).slice(1);
    sink.write([`{"type":"agent_end","messages":[`, messages.join(','), rest === '}' ? ']}' : `],${rest}`]);
    messages = [];
  }

  function ensure(): void {
    if (run === 'promised') run = 'open';
    if (run === 'open') agentStart();
  }

  function turnStart(): void {
    ensure();
    turn = true;
    turns += 1;
    turnMessage = null;
    results = [];
    sink.say({ type: 'turn_start' });
  }

  function turnEnd(emptyMessage: () => Dictionary): void {
    if (!turn) return;
    turn = false;
    const message = turnMessage ?? JSON.stringify(emptyMessage());
    sink.write([`{"type":"turn_end","message":`, message, `,"toolResults":[`, results.join(','), ']}']);
  }

  return {
    get turn() {
      return turn;
    },
    ensure,
    turnStart,
    turnEnd,
    runStart({ synthetic }) {
      run = synthetic === true ? 'promised' : 'open';
      failed = false;
      if (run === 'open') agentStart();
    },
    runEnd(event, fail) {
      const isEmpty = run === 'promised' && event.outcome === 'completed';
      const { end, settled } = piFields(event.extra);
      if (!isEmpty) {
        // A run that ended badly and does not say so is no news for a client of pi, which reads messages only.
        if (event.outcome !== 'completed' && !failed && !isDictionary(end) && !isDictionary(settled)) {
          ensure();
          fail();
        } else if (run === 'promised') ensure();
        const isUntold = settles && !isDictionary(settled);
        const word = isUntold ? { willRetry: false } : {};
        agentEnd({ ...word, ...(isDictionary(end) && dialect !== 'legacy' ? end : {}) });
        if (isDictionary(settled) && dialect !== 'legacy') sink.say({ type: 'agent_settled', ...settled });
        else if (isUntold) sink.say({ type: 'agent_settled', aborted: event.outcome === 'aborted' });
      }
      run = 'none';
      turn = false;
    },
    pause(willRetry, extra) {
      // Before the first turn there is nothing to end yet.
      if (run === 'none' || turn || turns === 0) return;
      const { end } = piFields(extra);
      const word = settles ? { willRetry } : {};
      agentEnd({ ...word, ...(isDictionary(end) && dialect !== 'legacy' ? end : {}) });
    },
    restart(line) {
      const { type, ...fields } = line;
      if (type === 'agent_start') agentStart();
      if (type === 'agent_end') agentEnd(fields);
    },
    message(json, role, isFailed) {
      if (agent) messages.push(json);
      if (role === 'assistant') {
        turnMessage = json;
        failed = isFailed;
      }
      if (role === 'toolResult') results.push(json);
    },
  };
}

/** Whether the event carries a line of pi for `restart`, and which. */
export function restartIn(event: EventOf<'session-changed'>): Dictionary | null {
  const { line } = piFields(event.extra);
  return isDictionary(line) && !isUnsaid(event) ? line : null;
}
