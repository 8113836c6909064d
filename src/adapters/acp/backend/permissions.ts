// Questions for permission, from the agent to the user and back (docs/protocols/acp.md 4.44 to 4.48).
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import { type RpcId, resultMessage } from '../json-rpc.ts';
import type { PermissionOption, PermissionParams } from '../wire/agent.ts';
import type { Calls } from './decode/calls.ts';
import { acpExtra } from './decode/values.ts';

/** The open questions for permission of one session. */
export interface Permissions {
  ask(id: RpcId, params: PermissionParams): void;
  answer(command: CommandOf<'answer-approval'>): Outcome;
  /** The agent withdraws its question. False: there is no such question. */
  withdraw(id: RpcId): boolean;
  /** The call is over: nobody can allow the call any more. */
  cancelOf(call: string): void;
  /** Answers all open questions: their turn is cancelled or over. */
  cancelAll(): void;
}

interface Question {
  readonly rpcId: RpcId;
  readonly call: string;
  readonly options: readonly PermissionOption[];
}

/** The most questions that an agent may have open (docs/limits.md 5.10). */
const mostOpen = 256;

/** `rejected`: called after a rejection that also stops the run. */
export function createPermissions(env: Env, out: Outbox, calls: Calls, rejected: () => void): Permissions {
  const open = new Map<string, Question>();

  const send = (id: RpcId, outcome: object) => out.send(resultMessage(id, { outcome }));
  const cancelled = { outcome: 'cancelled' };

  function end(id: string, outcome: 'allowed' | 'denied' | 'cancelled', reason?: string): void {
    open.delete(id);
    out.deliver({ type: 'approval-end', id, outcome, ...(reason === undefined ? {} : { reason }) });
  }

  function cancel(id: string, { rpcId }: Question): void {
    send(rpcId, cancelled);
    end(id, 'cancelled');
  }

  function chosenBy({ options }: Question, command: CommandOf<'answer-approval'>): PermissionOption | undefined {
    const { decision, remember = [], forSession = false } = command;
    const ids = remember.map((one) => (isDictionary(one) && one.protocol === 'acp' ? one.optionId : undefined));
    const named = options.find(({ optionId }) => ids.includes(optionId));
    if (named !== undefined) return named;
    const of = (kind: string) => options.find((option) => option.kind === kind);
    const [once, always] = decision === 'allow' ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
    return (forSession ? of(always) : undefined) ?? of(once) ?? of(always);
  }

  return {
    ask(rpcId, { toolCall, options }) {
      if (open.size >= mostOpen) return send(rpcId, cancelled);
      const { name, input, shown, extra } = calls.asked(toolCall);
      const call = toolCall.toolCallId;
      // Never used again, also by the agent that follows this one: a late answer must not meet another question.
      const id = env.id('permission');
      open.set(id, { rpcId, call, options });
      // Each standing permission is a suggestion; a client returns those that its user chose.
      const suggestions = options
        .filter(({ kind }) => kind === 'allow_always' || kind === 'reject_always')
        .map(({ optionId, name: title, kind }) => ({ protocol: 'acp', optionId, kind, ...(title ? { title } : {}) }));
      out.deliver({
        type: 'approval-request',
        ...shown,
        id,
        call,
        name,
        input,
        ...(suggestions.length === 0 ? {} : { suggestions }),
        ...acpExtra({ ...extra, options }),
      });
    },
    answer(command) {
      const { id, decision, reason, input } = command;
      const question = open.get(id);
      if (question === undefined) return refused('stale', 'no call waits for that answer');
      if (decision === 'allow' && input !== undefined) {
        return refused('unsupported', 'an ACP agent cannot be told other arguments');
      }
      if (decision === 'deny' && reason !== undefined)
        out.note('loss', 'answer-approval: an ACP agent is not told why');
      const option = chosenBy(question, command);
      send(question.rpcId, option === undefined ? cancelled : { outcome: 'selected', optionId: option.optionId });
      end(id, decision === 'allow' ? 'allowed' : 'denied', reason);
      calls.answered(question.call, decision);
      if (decision === 'deny' && command.interrupt === true) rejected();
      return { ok: true };
    },
    withdraw(rpcId) {
      const found = [...open].find(([, question]) => question.rpcId === rpcId);
      if (found !== undefined) cancel(...found);
      return found !== undefined;
    },
    cancelOf(call) {
      for (const [id, question] of [...open]) if (question.call === call) cancel(id, question);
    },
    cancelAll() {
      for (const [id, question] of [...open]) cancel(id, question);
    },
  };
}
