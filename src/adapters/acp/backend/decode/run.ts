// The run of one prompt: it begins when the prompt is sent and ends with the prompt's answer (docs/protocols/acp.md 4.27).
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Content, Failure, Stop } from '../../../../core/model/content.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import { rpcCodes } from '../../json-rpc.ts';
import { PromptResult } from '../../wire/agent.ts';
import type { Answer } from '../requests.ts';
import type { Calls } from './calls.ts';
import type { MessageDecoder } from './message.ts';
import { acpExtra, usageOf } from './values.ts';

/** The parts of a run. */
export interface RunParts {
  readonly messages: MessageDecoder;
  readonly calls: Calls;
  /** Delivers what was held back. */
  release(): void;
  /** Ends the questions of one call, or of the run. */
  cancelQuestions(call?: string): void;
  /** What to do when the agent wants its user to log in; null if nobody knows. */
  loginHint(): string | null;
}

/** The run of one session. */
export interface RunDecoder {
  readonly open: boolean;
  begin(content: Content[]): void;
  /** Must be called before a message of the model begins. */
  turn(): void;
  /** The prompt was answered. */
  answered(answer: Answer): void;
  /** Ends the run without an answer. */
  abandon(): void;
}

const stops: ReadonlyMap<string, Stop['reason']> = new Map([
  ['end_turn', 'end'],
  ['max_tokens', 'length'],
  ['refusal', 'refusal'],
]);

export function createRun(out: Outbox, parts: RunParts): RunDecoder {
  let open = false;
  /** The model has spoken in the open turn. */
  let isSpoken = false;

  function end(outcome: EventOf<'run-end'>['outcome'], stop: Stop, rest: Partial<EventOf<'run-end'>> = {}): void {
    parts.release();
    parts.cancelQuestions();
    parts.messages.close(stop);
    parts.calls.closeAll(outcome === 'aborted');
    out.deliver({ type: 'turn-end' }, { type: 'run-end', outcome, ...rest });
    open = false;
  }

  function fail(failure: Failure): void {
    end('failed', { reason: 'error' }, { failure });
  }

  return {
    get open() {
      return open;
    },
    begin(content) {
      open = true;
      isSpoken = false;
      out.deliver({ type: 'run-start' }, { type: 'turn-start' });
      out.deliver({ type: 'message-added', role: 'user', origin: 'prompt', content });
    },
    turn() {
      if (isSpoken && !parts.calls.owed) out.deliver({ type: 'turn-end' }, { type: 'turn-start' });
      isSpoken = true;
    },
    answered(answer) {
      if (!open) return;
      if ('error' in answer) {
        const isLogin = answer.code === rpcCodes.loginNeeded;
        const hint = isLogin ? parts.loginHint() : null;
        const message = hint === null ? answer.error : `${answer.error}. ${hint}`;
        const status = answer.code !== null && answer.code >= 400 && answer.code < 600 ? { status: answer.code } : {};
        return fail({ kind: isLogin ? 'agent' : 'provider', message, ...status });
      }
      const { data } = PromptResult.safeParse(answer.result);
      if (data === undefined) return fail({ kind: 'agent', message: 'the agent answered the prompt oddly' });
      const { stopReason } = data;
      const usage = usageOf(data.usage);
      if (usage !== undefined && !parts.messages.used(usage)) out.deliver({ type: 'usage-changed', usage });
      if (stopReason === 'cancelled') return end('aborted', { reason: 'aborted', raw: stopReason });
      if (stopReason === 'max_turn_requests') {
        return fail({ kind: 'limit', message: 'the agent has reached the largest number of requests of one turn' });
      }
      const extra = acpExtra({ _meta: data._meta ?? undefined });
      end('completed', { reason: stops.get(stopReason) ?? 'unknown', raw: stopReason }, extra);
    },
    abandon() {
      if (open) end('aborted', { reason: 'aborted' });
    },
  };
}
