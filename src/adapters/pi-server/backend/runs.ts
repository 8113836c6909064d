// The runs of one session: what pi says of them, read by the parts of ../pi, and which prompt each belongs to. A prompt is
// over when the server says so, for one of them may end its agent several times (docs/protocols/pi-server.md 7.7, 17.11, 17.12). Knows no command.
import type { Env } from '../../../core/contract/adapter.ts';
import { createCallChanges } from '../../../core/log/call-changes.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { changeOf } from '../../pi/backend/changes.ts';
import { createEventDecoder, type EventContext } from '../../pi/backend/decode-event.ts';
import type { Cut, RunDecoder } from '../../pi/backend/decode-run.ts';
import type { AgentLane } from './lane.ts';

/** What the machine lends to the runs. */
export interface RunPorts extends Pick<EventContext, 'originOf' | 'learn'> {
  /** How long a run that no prompt holds may be prolonged, ms. */
  readonly graceMs: number;
  readonly lane: AgentLane;
  started(): void;
  /** A run begins that nobody wants any more. */
  unwanted(): void;
  /** A prompt is over, or was ended here. */
  over(): void;
}

/** The runs of one session. */
export interface AgentRuns {
  readonly run: Pick<RunDecoder, 'open' | 'aborting' | 'wake' | 'finish' | 'aside'>;
  readonly compacting: boolean;
  /** What the server tells is of a run that was ended here. */
  readonly isMuted: boolean;
  /** What the session says, but for the requests of extensions. */
  line(line: Dictionary): void;
  /** The prompt of that id is over; `cut` where it failed. */
  promptOver(id: string, cut?: Cut): void;
  /** Ends the run of every prompt here: its abort was not heard. */
  disown(): void;
}

/** What a muted run says of the session itself. */
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
  });
  const { run } = events;

  /** What an agent that has ended may still be followed by before its prompt is over. */
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
      // One that joined the run of another has none of its own.
      else if (isCurrent && cut === undefined && !run.open) tellEmptyRun();
      if (cut === undefined) prompt.settle({ ok: true });
    }
    ports.over();
  }

  /** A slash command of an extension, which starts no agent. */
  function tellEmptyRun(): void {
    out.deliver({ type: 'run-start', synthetic: true });
    out.deliver({ type: 'run-end', outcome: 'completed', synthetic: true });
  }

  return {
    run,
    get compacting() {
      return events.compacting;
    },
    get isMuted() {
      return isMuted();
    },
    line(line) {
      const { type } = line;
      const before = lane.current();
      // A 2.0.1 may begin with the next prompt before it says that this one is over.
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

/** How a run ends whose prompt was refused so. */
export function cutFor(error = 'the pi-server gave no reason'): Cut {
  return { outcome: 'failed', failure: { kind: 'agent', message: error } };
}
