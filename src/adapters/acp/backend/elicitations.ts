// Questions that an agent asks besides permissions: forms of one field, and addresses to visit, as dialogs
// (docs/protocols/acp.md 6.55).
import type { Env } from '../../../core/contract/adapter.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { type RpcId, resultMessage } from '../json-rpc.ts';
import type { ElicitationParams, FormProperty } from '../wire/agent.ts';

/** The open dialogs of one session. */
export interface Elicitations {
  ask(id: RpcId, params: ElicitationParams): void;
  answer(command: CommandOf<'answer-dialog'>): Outcome;
  /** The agent withdraws its question. False: there is no such question. */
  withdraw(id: RpcId): boolean;
  cancelAll(): void;
}

type Shape = Pick<EventOf<'dialog-request'>, 'kind' | 'options' | 'prefill'>;

interface Dialog {
  readonly rpcId: RpcId;
  /** The name of the field; null for an address. */
  readonly field: string | null;
  readonly property: FormProperty;
}

/** The most dialogs that an agent may have open (docs/limits.md 5.10). */
const mostOpen = 64;

export function createElicitations(env: Env, out: Outbox): Elicitations {
  const open = new Map<string, Dialog>();

  const reply = (id: RpcId, action: 'accept' | 'decline' | 'cancel', content?: object) =>
    out.send(resultMessage(id, content === undefined ? { action } : { action, content }));

  function request(dialog: Dialog, shape: Shape, title: string, message?: string): void {
    const id = env.id('dialog');
    open.set(id, dialog);
    out.deliver({ type: 'dialog-request', id, title, ...(message === undefined ? {} : { message }), ...shape });
  }

  function end(id: string, outcome: 'answered' | 'cancelled'): void {
    open.delete(id);
    out.deliver({ type: 'dialog-end', id, outcome });
  }

  function cancel(id: string, { rpcId }: Dialog): void {
    reply(rpcId, 'cancel');
    end(id, 'cancelled');
  }

  return {
    ask(rpcId, { mode, message, requestedSchema, url }) {
      if (open.size >= mostOpen) return reply(rpcId, 'cancel');
      if (mode === 'url' && typeof url === 'string') {
        return request({ rpcId, field: null, property: {} }, { kind: 'confirm' }, message || 'Visit this page?', url);
      }
      const [only, ...others] = fieldsIn(requestedSchema);
      const shape = only === undefined || others.length > 0 ? null : shapeOf(only[1]);
      if (only === undefined || shape === null) {
        reply(rpcId, 'cancel');
        const text = `The agent asked with a form that cannot be shown: ${message}`;
        return out.deliver({ type: 'notice', level: 'warning', text, source: 'gateway' });
      }
      const [field, property] = only;
      const about = property.description ?? property.title;
      request({ rpcId, field, property }, shape, message || field, about ?? undefined);
    },
    answer({ id, answer, unable }) {
      const dialog = open.get(id);
      if (dialog === undefined) return refused('stale', 'no dialog waits for that answer');
      if (unable === true || answer.kind === 'cancelled') cancel(id, dialog);
      else {
        const { rpcId, field, property } = dialog;
        if (field === null) {
          reply(rpcId, answer.kind === 'confirmed' && answer.confirmed ? 'accept' : 'decline');
        } else {
          const value = contentValueOf(answer, property);
          if (value === undefined) return refused('invalid', 'the answer does not fit the question');
          reply(rpcId, 'accept', { [field]: value });
        }
        end(id, 'answered');
      }
      return { ok: true };
    },
    withdraw(rpcId) {
      const found = [...open].find(([, dialog]) => dialog.rpcId === rpcId);
      if (found !== undefined) cancel(...found);
      return found !== undefined;
    },
    cancelAll() {
      for (const [id, dialog] of [...open]) cancel(id, dialog);
    },
  };
}

/** The fields that have to be filled: the required ones, or the only one. */
function fieldsIn(schema: ElicitationParams['requestedSchema']): [string, FormProperty][] {
  const all = Object.entries(schema?.properties ?? {});
  const required = all.filter(([name]) => schema?.required?.includes(name) === true);
  return required.length === 0 ? all : required;
}

/** The dialog that asks for one field; null if none can. */
function shapeOf(property: FormProperty): Shape | null {
  const { type, default: preset } = property;
  if (type === 'boolean') return { kind: 'confirm' };
  const choices = choicesIn(property);
  if (type === 'string' && choices.length > 0) return { kind: 'select', options: choices.map(([, title]) => title) };
  const isTyped = type === 'string' || type === 'number' || type === 'integer';
  if (!isTyped) return null;
  return {
    kind: 'input',
    ...(typeof preset === 'string' || typeof preset === 'number' ? { prefill: `${preset}` } : {}),
  };
}

/** Values and their titles. */
function choicesIn({ enum: values, oneOf }: FormProperty): (readonly [value: string, title: string])[] {
  if (oneOf) return oneOf.map(({ const: value, title }) => [value, title ?? value]);
  return (values ?? []).map((value) => [value, value]);
}

function contentValueOf(answer: CommandOf<'answer-dialog'>['answer'], property: FormProperty): unknown {
  if (answer.kind === 'confirmed') return property.type === 'boolean' ? answer.confirmed : undefined;
  if (answer.kind !== 'value') return undefined;
  const { value } = answer;
  const choices = choicesIn(property);
  if (choices.length > 0) return choices.find((choice) => choice.includes(value))?.[0];
  if (property.type !== 'number' && property.type !== 'integer') return value;
  const figure = Number(value);
  return Number.isFinite(figure) && value.trim() !== '' ? figure : undefined;
}
