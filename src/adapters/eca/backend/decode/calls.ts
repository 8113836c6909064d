// The tool calls of a run, from announcement to result, and their approvals (docs/protocols/eca.md 8.3, 8.6, 4.3 to
// 4.7).

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { CommandOf } from '../../../../core/model/command.ts';
import type { Content, Dictionary } from '../../../../core/model/content.ts';
import { type Outcome, refused } from '../../../../core/model/errors.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import type { CallContent, ContentOf } from '../../wire/server.ts';
import type { Lane } from './message.ts';
import { contentOfOutputs, ecaExtra, inputOf, restOfCall, shownOf } from './values.ts';

/**
 * `announced`: the model writes the call. `asked`: the user must allow the call. `allowed`: the user has allowed it,
 * and the server has not reported that it runs. `denied`: the user has rejected it.
 */
type Stage = 'announced' | 'asked' | 'allowed' | 'denied' | 'running';

interface Call {
  readonly lane: Lane;
  /** The chat of the call, or of the sub-agent that calls. */
  readonly chatId: string;
  readonly name: string;
  stage: Stage;
  /** The last content about the call. */
  lastContent: CallContent | null;
  input: Dictionary;
}

/** The dependencies of the calls of a run. */
export interface CallPorts {
  tell(method: string, params: object): void;
  /** Whether the server reports that a call runs. With other servers, a call runs when it was allowed. */
  reportsRunning(): boolean;
  /** Whether the server can allow a call for the rest of the session (since 0.63). */
  savesApprovals(): boolean;
}

/** The calls of the open run. */
export interface Calls {
  has(id: string): boolean;
  /** The server has reported that the call runs, or asked whether it may. */
  isRun(id: string): boolean;
  laneOf(id: string): Lane;
  announced(id: string, name: string, lane: Lane, chatId: string): void;
  run(content: ContentOf<'toolCallRun'>): void;
  running(content: ContentOf<'toolCallRunning'>): void;
  called(content: ContentOf<'toolCalled'>): void;
  rejected(content: ContentOf<'toolCallRejected'>): void;
  answer(command: CommandOf<'answer-approval'>): Outcome;
  /** Whether a call of the main thread has no result. */
  readonly owed: boolean;
  /** Whether a call waits for its user or runs. The server goes on after that. */
  readonly working: boolean;
  /** Ends all calls, because no result will follow. */
  closeAll(isStopped: boolean): void;
}

/** A standing permission as an approval offers it. In an answer it becomes `save`. */
const wholeSession = { protocol: 'eca', save: 'session' } as const;

export function createCalls(out: Outbox, ports: CallPorts): Calls {
  const calls = new Map<string, Call>();

  function learn(call: Call, content: CallContent): void {
    call.lastContent = content;
    if ('arguments' in content && content.arguments !== null) call.input = inputOf(content.arguments);
  }

  function shown({ lane, lastContent }: Call) {
    return {
      parent: lane,
      ...(lastContent === null ? {} : { ...shownOf(lastContent), ...ecaExtra(restOfCall(lastContent)) }),
    };
  }

  /** Ends the open question of a call, whoever answered it. */
  function answered(id: string, call: Call, outcome: EventOf<'approval-end'>['outcome'], reason?: string): void {
    if (call.stage !== 'asked') return;
    const why = reason === undefined ? {} : { reason };
    const extra = call.lastContent === null ? {} : ecaExtra(restOfCall(call.lastContent));
    out.deliver({ type: 'approval-end', parent: call.lane, id, outcome, ...why, ...extra });
  }

  function start(id: string, call: Call): void {
    if (call.stage === 'running') return;
    answered(id, call, 'allowed');
    call.stage = 'running';
    out.deliver({ type: 'tool-start', ...shown(call), call: id, name: call.name, input: call.input });
  }

  function end(
    id: string,
    call: Call,
    how: Pick<EventOf<'tool-end'>, 'content' | 'isError' | 'skipped' | 'durationMs'>,
  ) {
    calls.delete(id);
    out.deliver({ type: 'tool-end', ...shown(call), call: id, name: call.name, ...how });
  }

  return {
    has: (id) => calls.has(id),
    isRun: (id) => (calls.get(id)?.stage ?? 'announced') !== 'announced',
    laneOf: (id) => calls.get(id)?.lane,
    announced(id, name, lane, chatId) {
      calls.set(id, { lane, chatId, name, stage: 'announced', lastContent: null, input: {} });
    },
    run(content) {
      const { id, manualApproval } = content;
      const call = calls.get(id);
      if (call === undefined || call.stage !== 'announced') return;
      learn(call, content);
      if (manualApproval !== true) return start(id, call);
      call.stage = 'asked';
      const suggestions = ports.savesApprovals() ? { suggestions: [wholeSession] } : {};
      const { name, input } = call;
      out.deliver({ type: 'approval-request', ...shown(call), id, call: id, name, input, ...suggestions });
    },
    running(content) {
      const call = calls.get(content.id);
      if (call === undefined) return;
      learn(call, content);
      start(content.id, call);
    },
    called(content) {
      const { id, outputs, error, totalTimeMs } = content;
      const call = calls.get(id);
      if (call === undefined) return;
      learn(call, content);
      start(id, call);
      const duration = typeof totalTimeMs === 'number' ? { durationMs: totalTimeMs } : {};
      end(id, call, { content: contentOfOutputs(outputs), isError: error === true, ...duration });
    },
    rejected(content) {
      const { id } = content;
      const reason = content.reason ?? 'user';
      const call = calls.get(id);
      if (call === undefined) return;
      const isStop = stops.has(reason);
      answered(id, call, isStop ? 'cancelled' : 'denied', reason);
      learn(call, content);
      const text = isStop ? 'stopped before it ran' : `not allowed to run (${reason})`;
      end(id, call, { content: words(text), isError: true, skipped: isStop ? 'aborted' : 'denied' });
    },
    answer({ id, decision, input, reason, remember = [] }) {
      const call = calls.get(id);
      if (call === undefined || call.stage !== 'asked') return refused('stale', 'no call waits for that answer');
      if (decision === 'allow' && input !== undefined) {
        return refused('unsupported', 'an ECA server cannot be told other arguments');
      }
      const params = { chatId: call.chatId, toolCallId: id };
      if (decision === 'deny') {
        if (reason !== undefined) out.note('loss', 'answer-approval: an ECA server is not told why');
        ports.tell('chat/toolCallReject', params);
        answered(id, call, 'denied', reason);
        call.stage = 'denied';
        return { ok: true };
      }
      const isKept = remember.length > 0;
      const saves = isKept && ports.savesApprovals();
      if (isKept && !saves) out.note('loss', 'answer-approval: an ECA server of that age forgets it');
      ports.tell('chat/toolCallApprove', saves ? { ...params, save: 'session' } : params);
      answered(id, call, 'allowed');
      call.stage = 'allowed';
      if (!ports.reportsRunning()) start(id, call);
      return { ok: true };
    },
    get owed() {
      return [...calls.values()].some(({ lane }) => lane === undefined);
    },
    get working() {
      const isWorking = ({ lane, stage }: Call) => lane === undefined && stage !== 'announced' && stage !== 'denied';
      return [...calls.values()].some(isWorking);
    },
    closeAll(isStopped) {
      const text = isStopped ? 'interrupted: the run was stopped' : 'interrupted: the agent gave no result';
      // Sub-agents end before the calls that contain them.
      const inOrder = [...calls].sort(([, a], [, b]) => Number(a.lane === undefined) - Number(b.lane === undefined));
      for (const [id, call] of inOrder) {
        answered(id, call, 'cancelled');
        const skipped = call.stage === 'running' ? {} : { skipped: 'aborted' as const };
        calls.delete(id);
        const how = { content: words(text), isError: true, ...skipped, synthetic: true };
        out.deliver({ type: 'tool-end', ...shown(call), call: id, name: call.name, ...how });
      }
    },
  };
}

/**
 * Rejection reasons that are no decision about the call. `userPromptStop` is the document's spelling of
 * `user-prompt-stop`.
 */
const stops: ReadonlySet<string> = new Set(['user-prompt-stop', 'userPromptStop', 'userStop', 'user-stop']);

const words = (text: string): Content[] => [{ type: 'text', text }];
