// The shapes of the messages as data. docs/protocols/acp.md 2 to 6. Unknown fields pass, and null counts as absent.
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import { fields, misfit, orNull, type Shape } from '../check/shape.ts';
import { at, itemsOf, shown } from './view/view.ts';
import { callKinds, callStatuses, permissionKinds, stopReasons } from './words.ts';

/** What is wrong with a value; null if nothing is. */
export type Fault = (value: unknown) => string | null;

/** An object whose fields may all be absent or null, unless `needs` names them. */
function object(optional: Readonly<Record<string, Shape>>, needs: Readonly<Record<string, Shape>> = {}): Shape {
  const open = Object.entries(optional).map(([name, shape]) => [`${name}?`, orNull(shape)] as const);
  return fields({ ...needs, ...Object.fromEntries(open) });
}

/** Whether a value has the shape. `name`: what the value is called in words. */
export const fits =
  (shape: Shape, name: string): Fault =>
  (value) =>
    misfit(value, shape, name);

/** The first of several faults. */
export const all =
  (...faults: readonly Fault[]): Fault =>
  (value) =>
    faults.reduce<string | null>((found, fault) => found ?? fault(value), null);

/** A fault of the items of a list, where the list is one. */
export const eachOf =
  (path: readonly string[], fault: Fault): Fault =>
  (value) =>
    itemsOf(at(value, ...path)).reduce<string | null>((found, item) => found ?? fault(item), null);

/** A fault that depends on the word in a field. Unknown words pass: they may be newer. */
function byWord(name: string, field: string, shapes: Readonly<Record<string, Shape>>): Fault {
  const known = new Map(Object.entries(shapes));
  return (value) => {
    const wrong = misfit(value, fields({ [field]: 'string' }), name);
    if (wrong !== null || !isDictionary(value)) return wrong;
    const shape = known.get(String(value[field]));
    return shape === undefined ? null : misfit(value, shape, `${name} of ${field} ${shown(value[field])}`);
  };
}

const ability = orNull('object');
const flag = orNull('boolean');

/** A block of content (docs/protocols/acp.md 4.30). */
export const contentBlock = byWord('content', 'type', {
  text: fields({ text: 'string' }),
  image: fields({ data: 'string', mimeType: 'string' }),
  audio: fields({ data: 'string', mimeType: 'string' }),
  resource_link: fields({ uri: 'string', name: 'string' }),
  resource: fields({ resource: fields({ uri: 'string' }) }),
});

export const implementation: Shape = object({ title: 'string' }, { name: 'string', version: 'string' });

/** What agents can do (docs/protocols/acp.md 2.11). */
export const agentCapabilities: Shape = object({
  loadSession: 'boolean',
  promptCapabilities: fields({ 'image?': flag, 'audio?': flag, 'embeddedContext?': flag }),
  mcpCapabilities: fields({ 'http?': flag, 'sse?': flag }),
  sessionCapabilities: fields({
    ...{ 'list?': ability, 'resume?': ability, 'close?': ability, 'delete?': ability },
    'additionalDirectories?': ability,
  }),
  auth: 'object',
});

/** What clients can do (docs/protocols/acp.md 2.11). */
export const clientCapabilities: Shape = object({
  fs: fields({ 'readTextFile?': flag, 'writeTextFile?': flag }),
  terminal: 'boolean',
  auth: 'object',
  session: object({
    configOptions: fields({ 'boolean?': ability }),
    notices: 'object',
    compaction: 'object',
  }),
  elicitation: fields({ 'form?': ability, 'url?': ability }),
});

/** A way to log in (docs/protocols/acp.md 2.13). */
export const authMethod: Shape = object(
  { description: 'string', type: 'string', args: ['string'], env: 'object' },
  { id: 'string', name: 'string' },
);

/** docs/protocols/acp.md 3.21. */
const modesShape: Shape = fields({
  currentModeId: 'string',
  availableModes: [object({ description: 'string' }, { id: 'string', name: 'string' })],
});
export const modes: Fault = (value) => {
  const of = at(value, 'modes');
  return of === undefined || of === null ? null : misfit(of, modesShape, 'modes');
};

/** An option (docs/protocols/acp.md 3.22). Unknown types pass. */
const choice = object({ description: 'string' }, { value: 'string', name: 'string' });
const group = fields({ group: 'string', name: 'string', options: [choice] });
const optionKinds = byWord('option', 'type', {
  select: fields({ currentValue: 'string', options: { oneOf: [[choice], [group]] } }),
  boolean: fields({ currentValue: 'boolean' }),
});
const optionHead = fits(
  object({ description: 'string', category: 'string' }, { id: 'string', name: 'string' }),
  'option',
);
export const configOptions: Fault = (value) => {
  const of = at(value, 'configOptions');
  if (of === undefined || of === null) return null;
  if (!Array.isArray(of)) return 'configOptions must be an array';
  return eachOf(['configOptions'], all(optionHead, optionKinds))(value);
};

/** docs/protocols/acp.md 4.39. */
const itemOfCall = byWord('item', 'type', {
  content: fields({ content: 'object' }),
  diff: object({ oldText: 'string' }, { path: 'string', newText: 'string' }),
  terminal: fields({ terminalId: 'string' }),
});
export const callContent: Fault = all(
  fits(fields({ 'content?': orNull(['object']) }), 'update'),
  eachOf(
    ['content'],
    all(itemOfCall, (item) => (at(item, 'type') === 'content' ? contentBlock(at(item, 'content')) : null)),
  ),
);

/** The fields of a call but its contents and its words (docs/protocols/acp.md 4.35). */
const callFields = {
  name: 'string',
  locations: [object({ line: 'integer' }, { path: 'string' })],
} as const satisfies Readonly<Record<string, Shape>>;
export const callCreated: Fault = fits(object(callFields, { toolCallId: 'string', title: 'string' }), 'call');
export const callChanged: Fault = fits(object({ ...callFields, title: 'string' }, { toolCallId: 'string' }), 'call');
export const callStatus: Fault = fits(object({ status: { words: callStatuses } }), 'call');
export const callKind: Fault = fits(object({ kind: { words: callKinds } }), 'call');

export const stopReason: Fault = fits(fields({ stopReason: { words: stopReasons } }), 'result');

const permissionFields = fields({
  sessionId: 'string',
  toolCall: fields({ toolCallId: 'string' }),
  options: [fields({ optionId: 'string', name: 'string', kind: 'string' })],
});
const permissionCall = all(callChanged, callKind, callStatus);
export const permissionRequest: Fault = all(fits(permissionFields, 'params'), (params) =>
  permissionCall(at(params, 'toolCall')),
);
export const permissionKind: Fault = eachOf(['options'], fits(fields({ kind: { words: permissionKinds } }), 'option'));

/** docs/protocols/acp.md 4.43. */
export const plan: Fault = fits(
  fields({
    entries: [
      fields({
        content: 'string',
        priority: { words: ['high', 'medium', 'low'] },
        status: { words: ['pending', 'in_progress', 'completed'] },
      }),
    ],
  }),
  'plan',
);

/** docs/protocols/acp.md 3.26. */
export const commands: Fault = fits(
  fields({
    availableCommands: [object({ input: 'object' }, { name: 'string', description: 'string' })],
  }),
  'update',
);

/** docs/protocols/acp.md 5. */
export const usage: Fault = fits(
  object({ cost: fields({ amount: 'number', currency: 'string' }) }, { used: 'integer', size: 'integer' }),
  'update',
);
export const sessionInfo: Fault = fits(object({ title: 'string', updatedAt: 'string' }), 'update');
export const notice: Fault = fits(
  object({ description: 'string' }, { severity: { words: ['info', 'warning', 'error'] }, title: 'string' }),
  'update',
);
export const compaction: Fault = fits(
  object({ status: { words: ['in_progress', 'completed', 'failed', 'cancelled'] } }, { compactionId: 'string' }),
  'update',
);

/** An entry of session/list (docs/protocols/acp.md 3.18). */
export const sessionList: Fault = fits(
  object(
    { nextCursor: 'string' },
    { sessions: [object({ title: 'string', updatedAt: 'string' }, { sessionId: 'string', cwd: 'string' })] },
  ),
  'result',
);

/** A tool server (docs/protocols/acp.md 3.15). */
const pair = fields({ name: 'string', value: 'string' });
export const toolServer: Fault = (server) =>
  at(server, 'type') === undefined
    ? misfit(server, fields({ name: 'string', command: 'string', args: ['string'], env: [pair] }), 'server')
    : misfit(server, fields({ type: 'string', name: 'string', url: 'string', headers: [pair] }), 'server');

/** docs/protocols/acp.md 6.55. */
const form = fields({
  message: 'string',
  requestedSchema: object({ required: ['string'] }, { type: { words: ['object'] }, properties: 'object' }),
});
const elicitationByMode = byWord('params', 'mode', {
  form,
  url: fields({ message: 'string', url: 'string', elicitationId: 'string' }),
});
/** Of a session, or of a request that is open. */
const elicitationOf: Shape = { oneOf: [fields({ sessionId: 'string' }), fields({ requestId: 'any' })] };
const formField = fits(object({ title: 'string', description: 'string' }, { type: 'string' }), 'field');
const formFields: Fault = (params) =>
  Object.values(dictionaryOf(at(params, 'requestedSchema', 'properties'))).reduce<string | null>(
    (found, field) => found ?? formField(field),
    null,
  );
export const elicitation: Fault = all(elicitationByMode, fits(elicitationOf, 'params'), formFields);

/** Params of the requests for files and terminals, by method (docs/protocols/acp.md 6.53). */
export const environmentRequest: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['fs/read_text_file', object({ line: 'integer', limit: 'integer' }, { sessionId: 'string', path: 'string' })],
  ['fs/write_text_file', fields({ sessionId: 'string', path: 'string', content: 'string' })],
  [
    'terminal/create',
    object(
      { args: ['string'], env: [pair], cwd: 'string', outputByteLimit: 'integer' },
      { sessionId: 'string', command: 'string' },
    ),
  ],
  ...['output', 'wait_for_exit', 'kill', 'release'].map(
    (word) => [`terminal/${word}`, fields({ sessionId: 'string', terminalId: 'string' })] as const,
  ),
]);

/** Results of the same (docs/protocols/acp.md 6.53). */
const exit = object({ exitCode: 'integer', signal: 'string' });
export const environmentResult: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['fs/read_text_file', fields({ content: 'string' })],
  ['fs/write_text_file', orNull('object')],
  ['terminal/create', fields({ terminalId: 'string' })],
  ['terminal/output', object({ exitStatus: exit }, { output: 'string', truncated: 'boolean' })],
  ['terminal/wait_for_exit', exit],
  ['terminal/kill', orNull('object')],
  ['terminal/release', orNull('object')],
]);

/** docs/protocols/acp.md 1.8. */
export const rpcError: Fault = fits(fields({ code: 'integer', message: 'string' }), 'error');
