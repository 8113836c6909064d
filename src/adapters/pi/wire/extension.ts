// The extension UI sub-protocol as pi sends it (docs/protocols/pi.md 12). Knows no canonical types.
import { z } from 'zod';

function request<Method extends string, Shape extends z.ZodRawShape>(method: Method, shape: Shape) {
  return z.looseObject({
    type: z.literal('extension_ui_request'),
    id: z.string(),
    method: z.literal(method),
    ...shape,
  });
}

/** Milliseconds after which pi answers the dialog itself and tells nobody. */
/** 0 means none, as in pi itself. */
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
  /** Without `statusText` it clears. */
  setStatus: request('setStatus', { statusKey: z.string(), statusText: z.string().nullish() }),
  /** Without `widgetLines` it clears. */
  setWidget: request('setWidget', {
    widgetKey: z.string(),
    widgetLines: z.array(z.string()).nullish(),
    widgetPlacement: z.string().optional(),
  }),
  setTitle: request('setTitle', { title: z.string() }),
  set_editor_text: request('set_editor_text', { text: z.string() }),
} as const;

/** What asks the user and waits. */
export const DialogRequest = z.discriminatedUnion('method', [
  requestSchemas.select,
  requestSchemas.confirm,
  requestSchemas.input,
  requestSchemas.editor,
]);
export type DialogRequest = z.infer<typeof DialogRequest>;

/** What only shows something. */
export const DisplayRequest = z.discriminatedUnion('method', [
  requestSchemas.notify,
  requestSchemas.setStatus,
  requestSchemas.setWidget,
  requestSchemas.setTitle,
  requestSchemas.set_editor_text,
]);
export type DisplayRequest = z.infer<typeof DisplayRequest>;

/** Any request, methods of newer versions included. */
export const AnyRequest = z.looseObject({
  type: z.literal('extension_ui_request'),
  id: z.string(),
  method: z.string(),
});
