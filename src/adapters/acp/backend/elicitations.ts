// Questions that an agent asks besides permissions: forms, field by field, and addresses to visit, as dialogs
// (docs/protocols/acp.md 6.55).
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { type RpcId, resultMessage } from '../json-rpc.ts';
import type { ElicitationParams } from '../wire/agent.ts';
import { dialogFor, type FormField, fieldsIn, valuesOf } from './form-fields.ts';

/** The open questions of one session, each with one open dialog. */
export interface Elicitations {
  ask(id: RpcId, params: ElicitationParams): void;
  answer(command: CommandOf<'answer-dialog'>): Outcome;
  /** The agent withdraws its question. False: there is no such question. */
  withdraw(id: RpcId): boolean;
  cancelAll(): void;
}

/** `form`: the first of the fields is asked for now; `content` has the values of those before. */
type Question =
  | { readonly kind: 'address'; readonly rpcId: RpcId }
  | {
      readonly kind: 'form';
      readonly rpcId: RpcId;
      readonly fields: readonly [FormField, ...FormField[]];
      readonly content: Readonly<Record<string, unknown>>;
    };

/** The most questions that an agent may have open (docs/limits.md 5.10). */
const mostOpen = 64;

export function createElicitations(env: Env, out: Outbox): Elicitations {
  /** By the dialog that is open. */
  const open = new Map<string, Question>();

  const reply = (id: RpcId, action: 'accept' | 'decline' | 'cancel', content?: object) =>
    out.send(resultMessage(id, content === undefined ? { action } : { action, content }));

  function show(question: Question, dialog: Omit<EventOf<'dialog-request'>, 'type' | 'id'>): void {
    const id = env.id('dialog');
    open.set(id, question);
    out.deliver({ type: 'dialog-request', id, ...dialog });
  }

  function end(id: string, outcome: 'answered' | 'cancelled'): void {
    open.delete(id);
    out.deliver({ type: 'dialog-end', id, outcome });
  }

  function cancel(id: string, { rpcId }: Question): void {
    reply(rpcId, 'cancel');
    end(id, 'cancelled');
  }

  /** Takes the value of the open field, then asks for the next one or answers the agent. */
  function fill(id: string, question: Extract<Question, { kind: 'form' }>, values: object): void {
    const { rpcId, fields, content } = question;
    const [, next, ...later] = fields;
    const filled = { ...content, ...values };
    if (next === undefined) reply(rpcId, 'accept', filled);
    end(id, 'answered');
    if (next !== undefined) show({ ...question, fields: [next, ...later], content: filled }, dialogFor(next, ''));
  }

  return {
    ask(rpcId, { mode, message, requestedSchema, url }) {
      if (open.size >= mostOpen) return reply(rpcId, 'cancel');
      if (mode === 'url' && typeof url === 'string') {
        const title = message || 'Visit this page?';
        return show({ kind: 'address', rpcId }, { kind: 'confirm', title, message: url });
      }
      const [first, ...others] = fieldsIn(requestedSchema) ?? [];
      if (first === undefined) {
        reply(rpcId, 'cancel');
        const text = `The agent asked with a form that cannot be shown: ${message}`;
        return out.deliver({ type: 'notice', level: 'warning', text, source: 'gateway' });
      }
      show({ kind: 'form', rpcId, fields: [first, ...others], content: {} }, dialogFor(first, message));
    },
    answer({ id, answer, unable }) {
      const question = open.get(id);
      if (question === undefined) return refused('stale', 'no dialog waits for that answer');
      if (unable === true || answer.kind === 'cancelled') cancel(id, question);
      else if (question.kind === 'address') {
        reply(question.rpcId, answer.kind === 'confirmed' && answer.confirmed ? 'accept' : 'decline');
        end(id, 'answered');
      } else {
        const values = valuesOf(answer, question.fields[0]);
        if (values === undefined) return refused('invalid', 'the answer does not fit the question');
        fill(id, question, values);
      }
      return { ok: true };
    },
    withdraw(rpcId) {
      const found = [...open].find(([, question]) => question.rpcId === rpcId);
      if (found !== undefined) cancel(...found);
      return found !== undefined;
    },
    cancelAll() {
      for (const [id, question] of [...open]) cancel(id, question);
    },
  };
}
