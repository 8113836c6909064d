// The `system` frames of the agent that have a canonical meaning (docs/protocols/claude.md 6). All others are passed
// unchanged to clients of this protocol.
import type { z } from 'zod';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Dictionary } from '../../../../core/model/content.ts';
import { dictionaryOf, without } from '../../../../core/model/dictionary.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import { NewestMap } from '../../../../core/model/newest.ts';
import { faultIn, systemFrames } from '../../wire/agent.ts';
import type { AgentInfo } from '../agent-info.ts';
import type { Compactions } from './compaction.ts';
import { claudeExtra, otherFields } from './values.ts';

/** The parts that these frames change. */
export interface SystemPorts {
  readonly info: AgentInfo;
  readonly compactions: Compactions;
  /** Called at a sign that this call runs. Without a call: a sign that all calls run that may. */
  atWork(call?: string): void;
  /** Called for a frame that belongs to a run: opens a run if none is open. */
  turnGoesOn(): void;
  /** Called for a frame that comes only between two turns: ends the turn before the frame. */
  betweenTurns(): void;
  /** Whether a user requested the compaction that begins. */
  isCompactionAsked(): boolean;
  retry(attempt: number): void;
}

/** Takes one `system` frame. */
export type SystemDecoder = (frame: Dictionary) => void;

const taskStatuses: ReadonlyMap<string, EventOf<'task-changed'>['status']> = new Map([
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['stopped', 'stopped'],
  ['killed', 'stopped'],
]);

/** Background tasks whose calls are remembered. */
const mostTasks = 4096;

export function createSystemDecoder(out: Outbox, ports: SystemPorts): SystemDecoder {
  const { info, compactions } = ports;
  /** The calls of background tasks. Not every frame of a task repeats its call. */
  const taskCalls = new NewestMap<string, string>(mostTasks);

  function passOn(frame: Dictionary): void {
    out.deliver({ type: 'unknown', protocol: 'claude', payload: frame });
  }

  function status(frame: z.infer<typeof systemFrames.status>): void {
    const fields = otherFields(frame, 'subtype', 'status');
    if (frame.status === 'compacting') {
      ports.turnGoesOn();
      ports.betweenTurns();
      return compactions.start(ports.isCompactionAsked() ? 'manual' : 'threshold', fields);
    }
    if (frame.compact_result === 'success') return compactions.worked(without(fields, 'compact_result'));
    if (typeof frame.compact_result === 'string') {
      const why = frame.compact_error ?? `the compaction ended with ${frame.compact_result}`;
      return compactions.failed(why, without(fields, 'compact_result', 'compact_error'));
    }
    if (frame.status === 'requesting') ports.turnGoesOn();
    if (typeof frame.permissionMode !== 'string') return passOn(frame);
    if (frame.permissionMode === info.known.mode) return passOn(frame);
    info.learn({ mode: frame.permissionMode }, whole(frame));
  }

  function boundary(frame: z.infer<typeof systemFrames.compact_boundary>): void {
    const { trigger, pre_tokens: before, post_tokens: after, ...rest } = frame.compact_metadata ?? {};
    compactions.boundary(trigger === 'manual' ? 'manual' : 'threshold', before ?? undefined, after ?? undefined, {
      ...otherFields(frame, 'subtype', 'compact_metadata'),
      compact_metadata: rest,
    });
  }

  function retry(frame: z.infer<typeof systemFrames.api_retry>): void {
    const { attempt, max_retries: maxAttempts, retry_delay_ms: delayMs, error_status: status, error } = frame;
    ports.retry(attempt);
    out.deliver({
      type: 'retry-start',
      attempt,
      maxAttempts: maxAttempts ?? attempt,
      delayMs: delayMs ?? 0,
      failure: {
        kind: 'provider',
        message: [status, error].filter((part) => part !== null && part !== undefined).join(' ') || 'the call failed',
        ...(typeof status === 'number' ? { status } : {}),
      },
      ...claudeExtra(otherFields(frame, 'subtype', 'attempt', 'max_retries', 'retry_delay_ms', 'error_status')),
    });
  }

  function task(
    frame: { readonly task_id: string; readonly tool_use_id?: string | null | undefined },
    state: EventOf<'task-changed'>['status'],
    text: string | null | undefined,
  ): void {
    const { task_id: id, tool_use_id: callId } = frame;
    if (typeof callId === 'string') taskCalls.set(id, callId);
    const call = taskCalls.get(id);
    if (call !== undefined) ports.atWork(call);
    if (state !== 'running') taskCalls.delete(id);
    out.deliver({
      type: 'task-changed',
      id,
      ...(call === undefined ? {} : { call }),
      status: state,
      ...(typeof text === 'string' ? { text } : {}),
      ...claudeExtra(whole(frame)),
    });
  }

  const readers: ReadonlyMap<string, (frame: Dictionary) => string | null> = new Map([
    [
      'init',
      read(systemFrames.init, (frame) => {
        // Learn before the run begins, so that its start has these values.
        info.init(frame);
        ports.turnGoesOn();
      }),
    ],
    ['status', read(systemFrames.status, status)],
    ['compact_boundary', read(systemFrames.compact_boundary, boundary)],
    ['api_retry', read(systemFrames.api_retry, retry)],
    [
      'notice',
      read(systemFrames.notice, ({ level, text, source }) => {
        // A gateway sends its question before the tool runs, so a notice means that the tool runs.
        ports.atWork();
        out.deliver({ type: 'notice', level, text, source: source ?? 'agent' });
      }),
    ],
    ['task_started', read(systemFrames.task_started, (frame) => task(frame, 'running', frame.description))],
    ['task_progress', read(systemFrames.task_progress, (frame) => task(frame, 'running', frame.description))],
    [
      'task_updated',
      read(systemFrames.task_updated, (frame) =>
        task(frame, taskStatuses.get(frame.patch?.status ?? '') ?? 'running', undefined),
      ),
    ],
    [
      'task_notification',
      read(systemFrames.task_notification, (frame) =>
        task(frame, taskStatuses.get(frame.status ?? '') ?? 'running', frame.summary),
      ),
    ],
  ]);

  return (frame) => {
    const { subtype } = frame;
    const reader = typeof subtype === 'string' ? readers.get(subtype) : undefined;
    if (reader === undefined) return passOn(frame);
    const problem = reader(frame);
    if (problem !== null) out.note('violation', `system ${String(subtype)}: ${problem}`);
  };
}

/** Returns the frame with its `type`, because it is passed on unchanged. */
function whole(frame: object): Dictionary {
  return { type: 'system', ...otherFields(dictionaryOf(frame)) };
}

function read<Schema extends z.ZodType>(
  schema: Schema,
  take: (frame: z.output<Schema>) => void,
): (frame: Dictionary) => string | null {
  return (frame) => {
    const parsed = schema.safeParse(frame);
    if (!parsed.success) return faultIn(parsed.error);
    take(parsed.data);
    return null;
  };
}
