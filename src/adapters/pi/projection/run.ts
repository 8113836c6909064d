// Writes the brackets of a run: agent_start, turn_start, turn_end, agent_end (docs/protocols/pi.md 6.1). pi ends and
// restarts its agent around retries and compactions, inside what other protocols call one run.
import type { Out } from '../../../core/contract/channel.ts';
import { joined } from '../../../core/fast-path/spliced-json.ts';
import type { Dictionary, Extra } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { isUnsaid, piFields } from '../encode-values.ts';
import type { Dialect } from '../frontend/dialect.ts';

/** The output of all parts of a projection. */
export interface Sink {
  say(line: Dictionary): void;
  /** Writes a line that is already JSON. */
  write(out: Out): void;
  loss(text: string): void;
}

/** The start and end lines of runs and turns of one session, as clients see them. */
export interface Brackets {
  runStart(event: EventOf<'run-start'>): void;
  /** Ends the run. `fail` writes a message with the reason: pi has no other place for the reason. */
  runEnd(event: EventOf<'run-end'>, fail: () => void): void;
  turnStart(): void;
  turnEnd(emptyMessage: () => Dictionary): void;
  /** Writes the opening lines, if missing, before a part of the run is written. */
  ensure(): void;
  /** Writes a pause of the agent for a retry or a compaction. */
  pause(willRetry: boolean, extra: Extra | undefined): void;
  /** Writes pi's own agent_start or agent_end inside a run. */
  restart(line: Dictionary): void;
  /** Must be called after a whole message, as JSON, was written. */
  message(json: Out, role: unknown, failed: boolean): void;
  readonly turn: boolean;
}

/**
 * Creates the writer of a run's start and end lines. `settles`: write the end of a run with the fields and the line
 * that pi has since 0.80.4.
 */
export function createBrackets(sink: Sink, dialect: Dialect, settles: boolean): Brackets {
  /** `promised`: a synthetic run, which may stay empty. No line was written for it yet. */
  let run: 'none' | 'promised' | 'open' = 'none';
  /** Between agent_start and agent_end. */
  let agent = false;
  let turn = false;
  let turns = 0;
  let messages: Out[] = [];
  let turnMessage: Out | null = null;
  let results: Out[] = [];
  /** Whether the last message of the model reports a failure. */
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
    sink.write(joined('{"type":"agent_end","messages":', listOf(messages), rest === '}' ? rest : `,${rest}`));
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
    sink.write(joined('{"type":"turn_end","message":', message, ',"toolResults":', listOf(results), '}'));
    // An idle session keeps no text of its last turn.
    turnMessage = null;
    results = [];
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
        // pi clients learn of a failed run only from messages, so a failed run without such a message needs one.
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
      // Before the first turn there is nothing to end.
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

/** The JSON of a list of these values. */
function listOf(values: readonly Out[]): Out {
  return joined('[', ...values.flatMap((json, place) => (place === 0 ? [json] : [',', json])), ']');
}

/** The line of pi for `restart` in the event, or null. */
export function restartIn(event: EventOf<'session-changed'>): Dictionary | null {
  const { line } = piFields(event.extra);
  return isDictionary(line) && !isUnsaid(event) ? line : null;
}
