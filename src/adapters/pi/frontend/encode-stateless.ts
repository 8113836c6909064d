// Encodes the events that become one line each, independent of state: retries, compactions, queues, dialogs, notices,
// displays. backend/decode-stateless.ts and backend/dialogs.ts are the inverse.
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary, without } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import { encodeFailure, piFields, present } from '../encode-values.ts';
import { approvalInput, oneLine } from './approval-input.ts';
import type { Dialect } from './dialect.ts';

/** Precedes the id of an approval that is presented as a dialog, because a dialog may have the same id. */
export const approvalPrefix = 'approval:';

/** Newer pi versions use names without `auto_`. The document knows automatic compactions only. */
function compactionName(reason: unknown, trigger: string | undefined, dialect: Dialect, half: 'start' | 'end'): string {
  if (typeof reason === 'string') return reason;
  return dialect === 'delta-only' || trigger === 'manual' ? `compaction_${half}` : `auto_compaction_${half}`;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['manual', 'manual'],
  ['overflow', 'overflow'],
]);

/** The line of a compaction start. */
export function compactionStart(event: EventOf<'compaction-start'>, dialect: Dialect): Dictionary {
  const { type, reason, end, ...rest } = piFields(event.extra);
  const { trigger } = event;
  return {
    type: compactionName(type, trigger, dialect, 'start'),
    reason: reason ?? reasons.get(trigger) ?? 'threshold',
    ...rest,
  };
}

/**
 * The line of a compaction end. `trigger` comes from the start: an agent may learn the trigger from its end only
 * (docs/protocols/claude.md 6.4), and clients of pi hear of the end what the start said.
 */
export function compactionEnd(
  event: EventOf<'compaction-end'>,
  dialect: Dialect,
  trigger: string | undefined,
): Dictionary {
  const speaksPi = event.extra?.pi !== undefined;
  const { type, result, reason, ...rest } = piFields(event.extra);
  const name = compactionName(type, trigger ?? event.trigger, dialect, 'end');
  const { outcome, summary, tokensBefore, tokensAfter } = event;
  const cause = speaksPi ? event.trigger : (trigger ?? event.trigger);
  const isNamed = cause !== undefined && (name === 'compaction_end' || speaksPi);
  const blank = { firstKeptEntryId: '', tokensBefore: 0 };
  const figures = present({ tokensBefore, estimatedTokensAfter: tokensAfter });
  const whole = { summary, ...blank, ...figures, ...(isDictionary(result) ? result : {}) };
  return present({
    type: name,
    reason: reason ?? (isNamed ? (reasons.get(cause) ?? 'threshold') : undefined),
    result: result === null ? null : summary === undefined ? undefined : whole,
    aborted: outcome === 'aborted',
    willRetry: event.willRetry ?? false,
    errorMessage: outcome === 'failed' ? encodeFailure(event.failure) : undefined,
    ...rest,
  });
}

/** The line of a retry that is about to happen. */
export function retryStart({ attempt, maxAttempts, delayMs, failure, extra }: EventOf<'retry-start'>): Dictionary {
  const { end, ...rest } = piFields(extra);
  const errorMessage = encodeFailure(failure);
  return present({ type: 'auto_retry_start', attempt, maxAttempts, delayMs, errorMessage, ...rest });
}

/** The line of a finished retry. */
export function retryEnd({ success, attempt, failure, extra }: EventOf<'retry-end'>): Dictionary {
  const finalError = encodeFailure(failure);
  return present({ type: 'auto_retry_end', success, attempt, finalError, ...piFields(extra) });
}

/**
 * The lines for session changes that pi can express. `known` is the state before. A value that was unknown before has
 * not changed, unless pi itself reported the change, or the event changes the name only: then somebody set the name.
 */
export function sessionLines(event: EventOf<'session-changed'>, known: SessionInfo): Dictionary[] {
  const { changes, extra } = event;
  const { line, type, ...rest } = piFields(extra);
  const isNews = (field: 'name' | 'thinkingLevel') =>
    typeof type === 'string' || (known[field] !== undefined && known[field] !== changes[field]);
  const isGiven = known.name === undefined && Object.keys(changes).length === 1;
  const name = isNews('name') || isGiven ? changes.name : undefined;
  const level = isNews('thinkingLevel') ? changes.thinkingLevel : undefined;
  const named = present({ type: 'session_info_changed', name: name === '' ? undefined : name, ...rest });
  return [
    ...(name === undefined ? [] : [named]),
    ...(level === undefined ? [] : [{ type: 'thinking_level_changed', level, ...rest }]),
  ];
}

/** One request of the extension UI sub-protocol (docs/protocols/pi.md 12.1). */
function request(id: unknown, method: string, fields: Dictionary): Dictionary {
  return present({ type: 'extension_ui_request', id, method, ...fields });
}

/** The line of a dialog, or null for a kind that pi does not have. */
export function dialogLine(event: EventOf<'dialog-request'>): Dictionary | null {
  const { id, kind, title, message = '', options = [], placeholder, prefill, timeoutMs: timeout } = event;
  const fields = piFields(event.extra);
  switch (kind) {
    case 'select':
      return request(id, kind, { title, options, timeout, ...fields });
    case 'confirm':
      return request(id, kind, { title, message, timeout, ...fields });
    case 'input':
      return request(id, kind, { title, placeholder, timeout, ...fields });
    case 'editor':
      return request(id, kind, { title, prefill, timeout, ...fields });
    case 'interview':
      return null;
    default:
      return kind satisfies never;
  }
}

/** The line of an approval. pi has no approvals; its extensions ask in dialogs (docs/protocols/pi.md 12.5). */
export function approvalLine({ id, name, title, input, timeoutMs }: EventOf<'approval-request'>): Dictionary {
  const asks = title === undefined ? `Allow ${oneLine(name)}?` : `Allow ${oneLine(name)}: ${oneLine(title)}?`;
  return request(`${approvalPrefix}${id}`, 'confirm', {
    title: asks,
    message: approvalInput(input),
    timeout: timeoutMs,
  });
}

/** The line of a notice. `id` is used if the agent gave none. */
export function noticeLine({ level, text, extra }: EventOf<'notice'>, id: string): Dictionary {
  const fields = piFields(extra);
  if (fields.type === 'extension_error') return { ...fields, error: text };
  // A compaction end without a start is sent for its error text.
  if (fields.type === 'compaction_end' || fields.type === 'auto_compaction_end')
    return { ...fields, errorMessage: text };
  const { untyped, ...rest } = fields;
  return request(id, 'notify', { message: text, notifyType: untyped === true ? undefined : level, ...rest });
}

/** An error. Modern pi has no error line, so the error is shown as a notification. */
export function complaintLine(message: string, id: string): Dictionary {
  return request(id, 'notify', { message, notifyType: 'error' });
}

/** The line of a display. */
export function displayLine({ place, key, lines, position, extra }: EventOf<'display'>, id: string): Dictionary {
  const fields = { id, ...piFields(extra) };
  const text = lines?.join('\n');
  switch (place) {
    case 'status':
    case 'working':
      return request(id, 'setStatus', { statusKey: key ?? place, statusText: text, ...fields });
    case 'widget': {
      const shown = { widgetKey: key ?? place, widgetLines: lines ?? undefined, widgetPlacement: position };
      return request(id, 'setWidget', { ...shown, ...fields });
    }
    case 'title':
      return request(id, 'setTitle', { title: text ?? '', ...fields });
    case 'editor':
      return request(id, 'set_editor_text', { text: text ?? '', ...fields });
    default:
      return place satisfies never;
  }
}

/** The line of shell output. Only pi knows the command and the client. */
export function bashLine({ delta, extra }: EventOf<'bash-output'>): Dictionary {
  return present({ type: 'bash_execution_update', ...without(piFields(extra), 'unsaid'), delta });
}

/** The compaction line of 0.13.2, or null for a compaction that changed nothing. */
export function compactionWhole(event: EventOf<'compaction-end'>, trigger: string | undefined): Dictionary | null {
  const { timestamp, firstKeptEntryIndex } = piFields(event.extra);
  if (event.outcome !== 'completed' || event.summary === undefined) return null;
  return present({
    type: 'compaction',
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
    summary: event.summary,
    firstKeptEntryIndex: typeof firstKeptEntryIndex === 'number' ? firstKeptEntryIndex : undefined,
    tokensBefore: event.tokensBefore ?? 0,
    auto: trigger === 'manual' ? undefined : true,
  });
}

/**
 * Writes dialogs, displays and unknown events: in pi's form, or in the form of a protocol that wraps pi's events and
 * has its own lines for these. Null if there is no line.
 */
export interface ShownLines {
  dialog(event: EventOf<'dialog-request'>): Dictionary | null;
  approval(event: EventOf<'approval-request'>): Dictionary;
  /** `id` is used if the agent gave none, also in `display` and `complaint`. */
  notice(event: EventOf<'notice'>, id: string): Dictionary;
  complaint(message: string, id: string): Dictionary;
  display(event: EventOf<'display'>, id: string): Dictionary | null;
  unknown(event: EventOf<'unknown'>): Dictionary | null;
}

/** pi's own form. */
export const shownLines: ShownLines = {
  dialog: dialogLine,
  approval: approvalLine,
  notice: noticeLine,
  complaint: complaintLine,
  display: displayLine,
  unknown: ({ protocol, payload }) => (protocol === 'pi' && isDictionary(payload) ? payload : null),
};
