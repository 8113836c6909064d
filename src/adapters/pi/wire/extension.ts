// The extension UI sub-protocol, as sent by pi (docs/protocols/pi.md 12).
import { z } from 'zod';

function request<Method extends string, Shape extends z.ZodRawShape>(method: Method, shape: Shape) {
  return z.looseObject({
    type: z.literal('extension_ui_request'),
    id: z.string(),
    method: z.literal(method),
    ...shape,
  });
}

/** Ms after which pi answers the dialog itself without notice. 0 means none, as in pi itself. */
const timeout = z
  .number()
  .nonnegative()
  .optional()
  .transform((ms) => ms || undefined);

/** Requests by method. The first four wait for an answer, the others do not. */
export const requestSchemas = {
  select: request('select', { title: z.string(), options: z.array(z.string()), timeout }),
  confirm: request('confirm', { title: z.string(), message: z.string().optional(), timeout }),
  input: request('input', { title: z.string(), placeholder: z.string().optional(), timeout }),
  editor: request('editor', { title: z.string(), prefill: z.string().optional(), timeout }),
  notify: request('notify', { message: z.string(), notifyType: z.enum(['info', 'warning', 'error']).optional() }),
  /** Clears the status if `statusText` is absent. */
  setStatus: request('setStatus', { statusKey: z.string(), statusText: z.string().nullish() }),
  /** Clears the widget if `widgetLines` is absent. */
  setWidget: request('setWidget', {
    widgetKey: z.string(),
    widgetLines: z.array(z.string()).nullish(),
    widgetPlacement: z.string().optional(),
  }),
  setTitle: request('setTitle', { title: z.string() }),
  set_editor_text: request('set_editor_text', { text: z.string() }),
} as const;

/** Requests that ask the user and wait. */
export const DialogRequest = z.discriminatedUnion('method', [
  requestSchemas.select,
  requestSchemas.confirm,
  requestSchemas.input,
  requestSchemas.editor,
]);
export type DialogRequest = z.infer<typeof DialogRequest>;

/** Requests that only show something. */
export const DisplayRequest = z.discriminatedUnion('method', [
  requestSchemas.notify,
  requestSchemas.setStatus,
  requestSchemas.setWidget,
  requestSchemas.setTitle,
  requestSchemas.set_editor_text,
]);
export type DisplayRequest = z.infer<typeof DisplayRequest>;

/** Any request, including methods of newer versions. */
export const AnyRequest = z.looseObject({
  type: z.literal('extension_ui_request'),
  id: z.string(),
  method: z.string(),
});
