// What extensions ask of the user and show to the user (docs/protocols/pi.md 12). Knows which dialogs
// are open; knows no run.
import type { CommandOf } from '../../../core/model/command.ts';
import { without } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { extraOf } from '../values.ts';
import type { ExtensionUiResponse } from '../wire/commands.ts';
import { AnyRequest, DialogRequest, DisplayRequest } from '../wire/extension.ts';
import { problemOf } from '../wire/problem.ts';

type Answer = CommandOf<'answer-dialog'>['answer'];

/** The dialogs of one pi process. */
export interface Dialogs {
  readonly open: boolean;
  request(line: Record<string, unknown>): void;
  answer(id: string, answer: Answer): Outcome;
  /** Answers every open dialog with cancelled: pi does not abort past an open one (docs/protocols/pi.md 10.8). */
  cancelAll(): void;
  /** Whether the timer was one of a dialog. */
  wake(timer: string): boolean;
}

/** What the machine lends to the dialogs. */
export interface DialogPorts {
  /** A dialog has opened or ended. */
  changed(): void;
  /** Takes a question that is an approval, and no dialog. */
  takes(request: DialogRequest): boolean;
  /** An abort is under way: what pi asks on the way is cancelled at once. */
  isStopping(): boolean;
}

export function createDialogs(out: Outbox, { changed, takes, isStopping }: DialogPorts): Dialogs {
  const open = new Map<string, DialogRequest['method']>();
  const timers = new Map<string, string>();

  function ask(request: DialogRequest): void {
    if (open.has(request.id)) {
      out.note('violation', 'extension_ui_request: ignored a dialog whose id is taken');
      return;
    }
    open.set(request.id, request.method);
    out.deliver(dialogOf(request));
    if (request.timeout !== undefined) {
      const timer = `dialog:${request.id}`;
      timers.set(timer, request.id);
      out.timer(timer, request.timeout);
    }
    changed();
    if (isStopping()) cancel(request.id);
  }

  function close(id: string): void {
    open.delete(id);
    const timer = `dialog:${id}`;
    if (timers.delete(timer)) out.timer(timer, null);
    changed();
  }

  function end(id: string, outcome: EventOf<'dialog-end'>['outcome']): void {
    close(id);
    out.deliver({ type: 'dialog-end', id, outcome });
  }

  function cancel(id: string): void {
    out.send({ type: 'extension_ui_response', id, cancelled: true } satisfies ExtensionUiResponse);
    end(id, 'cancelled');
  }

  return {
    get open() {
      return open.size > 0;
    },
    request(line) {
      const dialog = DialogRequest.safeParse(line);
      if (dialog.success) return takes(dialog.data) ? undefined : ask(dialog.data);
      const display = DisplayRequest.safeParse(line);
      if (display.success) return out.deliver(displayOf(display.data));
      const any = AnyRequest.safeParse(line);
      if (!any.success) return out.note('violation', `extension_ui_request: ${problemOf(any.error)}`);
      const problem = methods.has(any.data.method) ? 'does not have the fields of its method' : 'has an unknown method';
      out.note('violation', `extension_ui_request: passed on as it is, for it ${problem}`);
      out.deliver({ type: 'unknown', protocol: 'pi', payload: line });
    },
    answer(id, answer) {
      const method = open.get(id);
      if (method === undefined) return refused('stale', `no dialog ${id} is open`);
      const response = responseTo(id, method, answer);
      if (response === null) return refused('invalid', `a ${method} dialog cannot be answered with "${answer.kind}"`);
      out.send(response);
      // The session tells its clients that the question is answered once this is settled.
      close(id);
      return { ok: true };
    },
    cancelAll() {
      for (const id of [...open.keys()]) cancel(id);
    },
    wake(timer) {
      const id = timers.get(timer);
      if (id === undefined) return false;
      timers.delete(timer);
      // pi has answered itself by now, and tells nobody.
      end(id, 'expired');
      return true;
    },
  };
}

const methods: ReadonlySet<string> = new Set(
  [DialogRequest, DisplayRequest].flatMap((union) => union.options.map((option) => option.shape.method.value)),
);

function responseTo(id: string, method: DialogRequest['method'], answer: Answer): ExtensionUiResponse | null {
  const type = 'extension_ui_response';
  if (answer.kind === 'cancelled') return { type, id, cancelled: true };
  if (answer.kind === 'confirmed' && method === 'confirm') return { type, id, confirmed: answer.confirmed };
  if (answer.kind === 'value' && method !== 'confirm') return { type, id, value: answer.value };
  return null;
}

/** Fields with a place in our events; what a newer pi adds rides along. */
const dialogFields = [
  'type',
  'id',
  'method',
  'title',
  'message',
  'options',
  'placeholder',
  'prefill',
  'timeout',
] as const;
const displayFields = ['type', 'method', 'message', 'notifyType', 'statusKey', 'statusText', 'widgetKey'] as const;
const otherDisplayFields = ['widgetLines', 'widgetPlacement', 'title', 'text'] as const;

/** The event of a question; what has no place in it rides along. */
export function dialogOf(request: DialogRequest): EventOf<'dialog-request'> {
  const base = {
    type: 'dialog-request',
    id: request.id,
    title: request.title,
    timeoutMs: request.timeout,
    ...extraOf(without(request, ...dialogFields)),
  } as const;
  switch (request.method) {
    case 'select':
      return { ...base, kind: 'select', options: request.options };
    case 'confirm':
      return { ...base, kind: 'confirm', message: request.message };
    case 'input':
      return { ...base, kind: 'input', placeholder: request.placeholder };
    case 'editor':
      return { ...base, kind: 'editor', prefill: request.prefill };
    default:
      return request satisfies never;
  }
}

/** The event of what is only shown. */
export function displayOf(request: DisplayRequest): EventOf<'notice' | 'display'> {
  const rest = without(request, ...displayFields, ...otherDisplayFields);
  // pi leaves out the usual level.
  const untyped = request.method === 'notify' && request.notifyType === undefined ? true : undefined;
  const base = { type: 'display', ...extraOf({ ...rest, untyped }) } as const;
  switch (request.method) {
    case 'notify': {
      const level = request.notifyType ?? 'info';
      return { ...base, type: 'notice', level, text: request.message, source: 'extension' };
    }
    case 'setStatus': {
      const text = request.statusText ?? null;
      return { ...base, place: 'status', key: request.statusKey, lines: text === null ? null : [text] };
    }
    case 'setWidget': {
      const lines = request.widgetLines ?? null;
      return { ...base, place: 'widget', key: request.widgetKey, lines, position: request.widgetPlacement };
    }
    case 'setTitle':
      return { ...base, place: 'title', lines: [request.title] };
    case 'set_editor_text':
      return { ...base, place: 'editor', lines: request.text.split('\n') };
    default:
      return request satisfies never;
  }
}
