// The dialogs and displays of extensions behind a pi-server (docs/protocols/pi-server.md 18.1): pi's requests with
// other field names. Tracks the open dialogs. The inverse is ../projection/encode-dialog.ts.
import { z } from 'zod';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { dialogOf, displayOf } from '../../pi/backend/dialogs.ts';
import { extraOf } from '../../pi/decode-values.ts';
import { DialogRequest, DisplayRequest } from '../../pi/wire/extension.ts';

type Answer = CommandOf<'answer-dialog'>['answer'];

/** The dialogs of one session. */
export interface AgentDialogs {
  /** Takes an `extension_ui_request`. `isMuted`: ignores dialogs and keeps displays. */
  request(line: Dictionary, isMuted?: boolean): void;
  /** Closes the dialog and returns the response for the server, or the refusal. */
  answer(id: string, answer: Answer): { readonly response: Dictionary } | { readonly refusal: Outcome };
  /** Closes every open dialog and returns the ids. */
  cancelAll(): string[];
  /** Ends the dialog whose deadline this timer is. Returns false for any other timer. */
  onTimer(timer: string): boolean;
}

/** By method: the field names of pi-server -> the names of pi. */
const names: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'setStatus',
    new Map([
      ['key', 'statusKey'],
      ['text', 'statusText'],
    ]),
  ],
  [
    'setWidget',
    new Map([
      ['key', 'widgetKey'],
      ['content', 'widgetLines'],
      ['placement', 'widgetPlacement'],
    ]),
  ],
]);

const timeout = z
  .number()
  .nonnegative()
  .optional()
  .transform((ms) => ms || undefined);

/**
 * A form (docs/protocols/pi-server.md 18.1). No measured server ever sends one, so the form of its questions is
 * unknown.
 */
const Interview = z.looseObject({
  id: z.string(),
  method: z.literal('interview'),
  title: z.string().default(''),
  questions: z.array(z.unknown()).optional(),
  timeout,
});
const WorkingMessage = z.looseObject({ method: z.literal('setWorkingMessage'), message: z.string().nullish() });

const timerPrefix = 'dialog:';

/** Creates the dialogs of one session. `questionMs`: how long a dialog without its own timeout stays open, ms. */
export function createAgentDialogs(out: Outbox, questionMs: number): AgentDialogs {
  const open = new Map<string, EventOf<'dialog-request'>['kind']>();

  function ask(event: EventOf<'dialog-request'>): void {
    const { id, kind, timeoutMs = questionMs } = event;
    if (open.has(id)) return out.note('violation', 'extension_ui_request: ignored a question whose id is taken');
    open.set(id, kind);
    out.deliver(event);
    out.timer(`${timerPrefix}${id}`, timeoutMs);
  }

  function close(id: string): void {
    open.delete(id);
    out.timer(`${timerPrefix}${id}`, null);
  }

  function end(id: string, outcome: EventOf<'dialog-end'>['outcome']): void {
    close(id);
    out.deliver({ type: 'dialog-end', id, outcome });
  }

  return {
    request(line, isMuted = false) {
      const event = eventOf(piLine(line));
      if (isMuted && (event === null || event.type === 'dialog-request')) return;
      if (event === null) {
        out.note('violation', 'extension_ui_request: passed on as it is, for its method or fields are unknown');
        return out.deliver({ type: 'unknown', protocol: 'pi-server', payload: line });
      }
      if (event.type === 'dialog-request') ask(event);
      else out.deliver(event);
    },
    answer(id, answer) {
      const kind = open.get(id);
      if (kind === undefined) return { refusal: refused('stale', `no dialog ${id} is open`) };
      const response = responseTo(kind, answer);
      if (response === null) {
        return { refusal: refused('invalid', `a question of kind ${kind} cannot be answered with "${answer.kind}"`) };
      }
      // The session reports the end of the dialog to its clients.
      close(id);
      return { response };
    },
    cancelAll() {
      const ids = [...open.keys()];
      for (const id of ids) end(id, 'cancelled');
      return ids;
    },
    onTimer(timer) {
      const id = timer.startsWith(timerPrefix) ? timer.slice(timerPrefix.length) : '';
      if (!open.has(id)) return false;
      end(id, 'expired');
      return true;
    },
  };
}

/** The request with pi's field names. */
function piLine(line: Dictionary): Dictionary {
  const others = typeof line.method === 'string' ? names.get(line.method) : undefined;
  return Object.fromEntries(
    Object.entries(line).map(([name, value]) => [name === 'requestId' ? 'id' : (others?.get(name) ?? name), value]),
  );
}

function eventOf(line: Dictionary): EventOf<'dialog-request' | 'notice' | 'display'> | null {
  const dialog = DialogRequest.safeParse(line);
  if (dialog.success) return dialogOf(dialog.data);
  const display = DisplayRequest.safeParse(line);
  if (display.success) return displayOf(display.data);
  const interview = Interview.safeParse(line);
  if (interview.success) {
    const { id, title, questions, timeout: timeoutMs, ...rest } = interview.data;
    const extra = extraOf(without(rest, 'type', 'method'));
    return { type: 'dialog-request', kind: 'interview', id, title, questions, timeoutMs, ...extra };
  }
  const working = WorkingMessage.safeParse(line);
  if (!working.success) return null;
  const { message } = working.data;
  const extra = extraOf(without(working.data, 'type', 'method', 'message'));
  return { type: 'display', place: 'working', lines: message == null ? null : [message], ...extra };
}

function responseTo(method: EventOf<'dialog-request'>['kind'], answer: Answer): Dictionary | null {
  switch (answer.kind) {
    case 'cancelled':
      return cancelled;
    case 'confirmed':
      return method === 'confirm' ? { method, confirmed: answer.confirmed } : null;
    case 'responses':
      return method === 'interview' ? { method, responses: answer.responses } : null;
    case 'value':
      return method === 'confirm' || method === 'interview' ? null : { method, value: answer.value };
    default:
      return answer satisfies never;
  }
}

/** The response for a user who declines to answer. */
export const cancelled: Dictionary = { method: 'cancelled' };
