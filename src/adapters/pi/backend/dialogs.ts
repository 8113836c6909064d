// The dialogs and displays of extensions (docs/protocols/pi.md 12). Tracks the open dialogs.

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import { without } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { extraOf } from '../decode-values.ts';
import type { ExtensionUiResponse } from '../wire/commands.ts';
import { AnyRequest, DialogRequest, DisplayRequest } from '../wire/extension.ts';
import { problemOf } from '../wire/problem.ts';

type Answer = CommandOf<'answer-dialog'>['answer'];

/** The dialogs of one pi process. */
export interface Dialogs {
  isOpen(): boolean;
  request(line: Record<string, unknown>): void;
  answer(id: string, answer: Answer): Outcome;
  /** Cancels every open dialog: pi does not abort past an open one (docs/protocols/pi.md 10.8). */
  cancelAll(): void;
  /** Ends the dialog whose deadline this timer is. Returns false for any other timer. */
  onTimer(timer: string): boolean;
}

/** The functions of the backend that the dialogs use. */
export interface DialogPorts {
  /** Called when a dialog has opened or ended. */
  changed(): void;
  /** Handles a question that is an approval instead of a dialog. Returns false for a dialog. */
  takes(request: DialogRequest): boolean;
  /** Whether an abort is in progress. Dialogs that pi opens meanwhile are cancelled at once. */
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
    isOpen: () => open.size > 0,
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
      // The session reports the end of the dialog to its clients once the command settles.
      close(id);
      return { ok: true };
    },
    cancelAll() {
      for (const id of [...open.keys()]) cancel(id);
    },
    onTimer(timer) {
      const id = timers.get(timer);
      if (id === undefined) return false;
      timers.delete(timer);
      // pi has answered the dialog itself by now, without notice.
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

/** Fields that have a place in the canonical events. Fields of a newer pi go into `extra`. */
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

/** The event of a dialog. `extra` holds the other fields. */
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

/** The event for a request that only shows something. */
export function displayOf(request: DisplayRequest): EventOf<'notice' | 'display'> {
  const rest = without(request, ...displayFields, ...otherDisplayFields);
  // pi omits the default level.
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
