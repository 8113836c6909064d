// The runs of one session: pi's events, decoded by the parts of ../pi, and the prompt of each run. A prompt is over
// when the server says so, because its agent may end several times (docs/protocols/pi-server.md 7.7, 17.11, 17.12).
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Streaming } from '../../../core/fast-path/templates.ts';
import { createCallChanges } from '../../../core/log/call-changes.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { createEventDecoder, type EventContext } from '../../pi/backend/decode/event.ts';
import type { Cut, RunDecoder } from '../../pi/backend/decode/run.ts';
import { changeOf } from '../../pi/backend/file-changes.ts';
import type { PromptLane } from './prompt-lane.ts';

/** The functions of the backend that the runs use. */
export interface RunPorts extends Pick<EventContext, 'originOf' | 'learn'> {
  /** How long to wait after the end of a run without a prompt for a continuation, ms. */
  readonly graceMs: number;
  readonly lane: PromptLane;
  started(): void;
  /** Called when a run begins whose prompt was already aborted. */
  unwanted(): void;
  /** Called when a prompt is over, or the gateway ended it. */
  over(): void;
}

/** The runs of one session. */
export interface AgentRuns {
  readonly run: Pick<RunDecoder, 'isOpen' | 'aborting' | 'onTimer' | 'finish' | 'aside'>;
  isCompacting(): boolean;
  /** Whether the current events belong to a run that the gateway has ended. */
  readonly isMuted: boolean;
  /** The streaming message, for the fast path. */
  readonly streaming: Streaming;
  /** Takes an event line of the session, except extension requests. */
  line(line: Dictionary): void;
  /** Ends the prompt with this id. `cut` is set if it failed. */
  promptOver(id: string, cut?: Cut): void;
  /** Ends the runs of all prompts, because the server did not execute the abort. */
  disown(): void;
}

/** Lines about the session itself, which pass even in a muted run. */
const beyondRuns: ReadonlySet<unknown> = new Set([
  'auto_compaction_start',
  'auto_compaction_end',
  'compaction_start',
  'compaction_end',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
]);

export function createAgentRuns(env: Env, out: Outbox, ports: RunPorts): AgentRuns {
  const { lane } = ports;
  const isMuted = () => lane.current()?.isDisowned === true;

  const events = createEventDecoder(env, out, ports.graceMs, {
    started() {
      const prompt = lane.current();
      if (prompt?.isDisowned === false) {
        prompt.hasRun = true;
        prompt.settle({ ok: true });
      }
      ports.started();
    },
    ended() {},
    isHeld() {
      const prompt = lane.current();
      return prompt?.hasRun === true && !prompt.isDisowned;
    },
    changes: createCallChanges(changeOf),
    originOf: ports.originOf,
    bashId: () => undefined,
    learn: ports.learn,
    expectsRun: () => lane.current() !== null,
  });
  const { run } = events;

  /**
   * Tracks whether the agent of the current prompt has ended. A retry or another agent may follow before the prompt is
   * over.
   */
  function watchAgent(type: unknown): void {
    const prompt = lane.current();
    if (prompt === null) return;
    if (type === 'agent_end') prompt.isQuiet = true;
    if (type === 'agent_start' || type === 'auto_retry_start') prompt.isQuiet = false;
  }

  function promptOver(id: string, cut?: Cut): void {
    const isCurrent = lane.current()?.id === id;
    const prompt = lane.take(id);
    if (prompt === null) return;
    if (!prompt.isDisowned) {
      if (prompt.hasRun) run.over(cut);
      // A prompt that joined another run has no run of its own.
      else if (isCurrent && cut === undefined && !run.isOpen()) tellEmptyRun();
      if (cut === undefined) prompt.settle({ ok: true });
    }
    ports.over();
  }

  /** Delivers an empty run for a slash command of an extension, which starts no agent. */
  function tellEmptyRun(): void {
    out.deliver({ type: 'run-start', synthetic: true });
    out.deliver({ type: 'run-end', outcome: 'completed', synthetic: true });
  }

  return {
    run,
    isCompacting: events.isCompacting,
    get isMuted() {
      return isMuted();
    },
    streaming: {
      block: (index) => (isMuted() ? null : events.streaming.block(index)),
      streamed: events.streaming.streamed,
    },
    line(line) {
      const { type } = line;
      const before = lane.current();
      // pi-server 2.0.1 may start the next prompt before it reports the end of the current one. After `agent_end`, a
      // new `agent_start` then ends the current prompt.
      if (type === 'agent_start' && before?.isQuiet === true && lane.isNextStarted()) promptOver(before.id);
      watchAgent(type);
      if (!isMuted() || beyondRuns.has(type)) return events.line(line);
      if (type === 'agent_start') ports.unwanted();
    },
    promptOver,
    disown() {
      const failure = { kind: 'aborted' as const, message: 'the run was aborted' };
      for (const prompt of lane.live()) {
        if (prompt.hasRun) run.over({ outcome: 'aborted', failure });
        prompt.isDisowned = true;
        prompt.settle({ ok: false, error: { code: 'aborted', message: 'aborted before it began' } });
      }
      ports.over();
    },
  };
}

/** The end of a run whose prompt was refused with this error. */
export function cutFor(error = 'the pi-server gave no reason'): Cut {
  return { outcome: 'failed', failure: { kind: 'agent', message: error } };
}
