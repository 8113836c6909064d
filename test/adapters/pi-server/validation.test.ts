// What is wrong with a command: all of it in one failure, in the words of real servers, with the id as it was sent (docs/protocols/pi-server.md 4.2, 22.3). Nobody else hears of it.
import { describe, expect, test } from 'vitest';
import { connect, type Json } from './client.ts';

const x = (count: number) => 'x'.repeat(count);
const blank = 'Must be a non-empty string if provided';
const long = 'Too long (max 256 chars)';
const missing = "Command must have a string 'type' field";
const noSession = "Session commands must have a non-empty string 'sessionId'";
const noVersion = 'Must be a non-negative integer';
const misplaced = 'Only supported for session-targeted commands';
const dangerous = 'sessionPath contains potentially dangerous path components';
const methods = 'Must be one of: select, confirm, input, editor, interview, cancelled';
const list = { type: 'list_sessions' };
const state = { type: 'get_state', sessionId: 's1' };
const of = (type: string, fields: Json = {}): Json => ({ type, sessionId: 's1', ...fields });
const ui = (response: unknown, requestId: unknown = 'r') => of('extension_ui_response', { requestId, response });

const lines: readonly [line: Json, faults: string][] = [
  [{}, `type: ${missing}`],
  [{ type: 5 }, `type: ${missing}`],
  [{ type: null }, `type: ${missing}`],
  [{ type: '' }, `type: ${missing}; type: Unknown command type ''`],
  [{ type: 'nope' }, "type: Unknown command type 'nope'"],
  [of('constructor'), "type: Unknown command type 'constructor'"],
  [of('__proto__'), "type: Unknown command type '__proto__'"],
  // Of newer servers, and not in the document.
  [of('get_tree'), "type: Unknown command type 'get_tree'"],
  [of('navigate_tree', { targetId: 't' }), "type: Unknown command type 'navigate_tree'"],
  [{ type: 'get_startup_recovery' }, "type: Unknown command type 'get_startup_recovery'"],
  [{ type: 'get_command_history' }, "type: Unknown command type 'get_command_history'"],
  ...['', '  ', 7, null, {}].map((id): [Json, string] => [{ ...list, id }, `id: ${blank}`]),
  [{ ...list, id: x(257) }, `id: ${long}`],
  [{ ...list, id: 'anon:1' }, "id: Cannot use reserved prefix 'anon:'"],
  ...['', ' ', 5, null].map((key): [Json, string] => [{ ...list, idempotencyKey: key }, `idempotencyKey: ${blank}`]),
  [{ ...list, idempotencyKey: x(257) }, `idempotencyKey: ${long}`],
  [{ ...list, id: 'a', dependsOn: 'x' }, 'dependsOn: Must be an array of command IDs'],
  [{ ...list, id: 'a', dependsOn: null }, 'dependsOn: Must be an array of command IDs'],
  [
    { ...list, id: 'a', dependsOn: [1, 'b', ''] },
    'dependsOn[0]: Must be a non-empty command ID string; dependsOn[2]: Must be a non-empty command ID string',
  ],
  [{ ...list, id: 'a', dependsOn: Array(33).fill('b') }, 'dependsOn: Too many dependencies (max 32)'],
  [
    { ...list, id: 'a', dependsOn: [...Array(32).fill('b'), ''] },
    'dependsOn: Too many dependencies (max 32); dependsOn[32]: Must be a non-empty command ID string',
  ],
  [{ ...list, id: 'a', dependsOn: ['b', x(257)] }, `dependsOn[1]: ${long}`],
  [{ ...list, dependsOn: ['b'] }, 'id: Required when dependsOn is provided'],
  [{ ...list, id: 7, dependsOn: ['b'] }, `id: ${blank}; id: Required when dependsOn is provided`],
  ...[-1, 1.5, '1', null].map((ifSessionVersion): [Json, string] => [
    { ...state, ifSessionVersion },
    `ifSessionVersion: ${noVersion}`,
  ]),
  [{ ...list, ifSessionVersion: 0 }, `ifSessionVersion: ${misplaced}`],
  [{ type: 'create_session', ifSessionVersion: 0 }, `ifSessionVersion: ${misplaced}`],
  [of('switch_session', { ifSessionVersion: 0 }), `ifSessionVersion: ${misplaced}`],
  [{ ...list, ifSessionVersion: -1 }, `ifSessionVersion: ${noVersion}; ifSessionVersion: ${misplaced}`],
  [{ type: 'nope', ifSessionVersion: 0 }, `type: Unknown command type 'nope'; ifSessionVersion: ${misplaced}`],
  ...[undefined, '', '  ', 3, null].map((sessionId): [Json, string] => [
    { type: 'get_state', sessionId },
    `sessionId: ${noSession}`,
  ]),
  [{ type: 'prompt' }, `sessionId: ${noSession}; message: Required string`],
  [{ type: 'delete_session' }, 'sessionId: Required non-empty string'],
  [{ type: 'switch_session', sessionId: ' ' }, 'sessionId: Required non-empty string'],
  [{ type: 'create_session', sessionId: '' }, `sessionId: ${blank}`],
  ...['list_sessions', 'get_metrics', 'health_check', 'list_stored_sessions', 'create_session', 'delete_session'].map(
    (type): [Json, string] => [{ type, sessionId: x(257) }, `sessionId: ${long}`],
  ),
  ...['switch_session', 'get_state', 'abort'].map((type): [Json, string] => [
    { type, sessionId: x(257) },
    `sessionId: ${long}`,
  ]),
  [{ type: 'load_session', sessionPath: '/a.jsonl', sessionId: x(257) }, `sessionId: ${long}`],
  [{ type: 'create_session', cwd: 5 }, 'cwd: Must be a string if provided'],
  [{ type: 'create_session', sessionId: 4, cwd: null }, `sessionId: ${blank}; cwd: Must be a string if provided`],
  ...['prompt', 'steer', 'follow_up'].flatMap((type): [Json, string][] => [
    [of(type), 'message: Required string'],
    [of(type, { message: '' }), 'message: Required string'],
    [of(type, { message: 5 }), 'message: Required string'],
    [of(type, { message: x(200_001) }), 'message: Too long (max 200000 chars)'],
    [of(type, { message: 'a', images: 'b' }), 'images: Must be an array of images'],
    [
      of(type, { message: 'a', images: ['b', {}] }),
      "images[0]: Required object; images[1].type: Must be 'image'; images[1].data: Required string; images[1].mimeType: Required string",
    ],
  ]),
  [of('prompt', { message: 'a', streamingBehavior: 'later' }), 'streamingBehavior: Must be one of: steer, followUp'],
  [of('set_model'), 'provider: Required string; modelId: Required string'],
  [of('set_model', { provider: 'p', modelId: '' }), 'modelId: Required string'],
  [of('cycle_model', { direction: 'up' }), "direction: Must be 'forward' or 'backward'"],
  [of('cycle_model', { direction: null }), "direction: Must be 'forward' or 'backward'"],
  ...[undefined, '', 'ultra', 3].map((level): [Json, string] => [
    of('set_thinking_level', { level }),
    'level: Must be one of: none, low, medium, high, xhigh',
  ]),
  [of('set_session_name'), 'name: Required string'],
  [of('set_session_name', { name: x(257) }), `name: ${long}`],
  [of('set_session_name', { name: 'a\nb' }), 'name: Must not contain control characters'],
  [of('set_session_name', { name: 'a\u007f' }), 'name: Must not contain control characters'],
  [of('compact', { customInstructions: 5 }), 'customInstructions: Must be a string if provided'],
  [of('set_auto_compaction'), 'enabled: Required boolean'],
  [of('set_auto_retry', { enabled: 'yes' }), 'enabled: Required boolean'],
  [of('bash'), 'command: Required string'],
  [of('bash', { command: x(20_001) }), 'command: Too long (max 20000 chars)'],
  [of('export_html', { outputPath: 5 }), 'outputPath: Must be a string if provided'],
  [of('new_session', { parentSession: 5 }), 'parentSession: Must be a string if provided'],
  [of('fork'), 'entryId: Required string'],
  ...['load_session', 'switch_session_file'].flatMap((type): [Json, string][] => [
    [of(type), 'sessionPath: Required string'],
    [of(type, { sessionPath: '' }), 'sessionPath: Required string'],
    [of(type, { sessionPath: '/a/../b.jsonl' }), `sessionPath: ${dangerous}`],
    [of(type, { sessionPath: '~/b.jsonl' }), `sessionPath: ${dangerous}`],
    [of(type, { sessionPath: '/a\0.jsonl' }), `sessionPath: ${dangerous}`],
    [of(type, { sessionPath: `/${x(4096)}` }), 'sessionPath: sessionPath too long (max 4096 chars)'],
  ]),
  [{ type: 'load_session', sessionPath: '/a.jsonl', sessionId: ' ' }, `sessionId: ${blank}`],
  [of('extension_ui_response'), 'requestId: Required string; response: Required object'],
  [ui({ method: 'zap' }), `response.method: ${methods}`],
  [ui({}), `response.method: ${methods}`],
  [ui('select'), 'response: Required object'],
  [ui({ method: 'cancelled' }, ''), 'requestId: Required string'],
  [
    ui({ method: 'zap' }, 'a b'),
    `requestId: Must contain only alphanumeric characters, colons, underscores, and dashes; response.method: ${methods}`,
  ],
  [ui({ method: 'cancelled' }, x(257)), `requestId: ${long}`],
];

describe('a command that is not valid', () => {
  test.each(lines)('%o: %s', (line, faults) => {
    const { sent, delivered, notes } = connect().send(line);
    const command = typeof line.type === 'string' ? line.type : 'unknown';
    expect(sent).toEqual([
      {
        ...('id' in line ? { id: line.id } : {}),
        type: 'response',
        command,
        success: false,
        error: `Validation failed: ${faults}`,
      },
    ]);
    expect(delivered).toEqual([]);
    expect(notes).toEqual(['violation: a command that is not valid']);
  });

  test('whose type is too long to be said again', () => {
    const [told] = connect().send({ type: x(3_000_000) }).sent;
    const type = `${x(256)}…`;
    expect(told).toMatchObject({ command: type, error: `Validation failed: type: Unknown command type '${type}'` });
  });

  test('the longest that may be', () => {
    const longest = [
      { ...list, id: x(256), idempotencyKey: x(256), dependsOn: Array(32).fill(x(256)) },
      of('get_state', { sessionId: x(256) }),
      { ...list, sessionId: x(256) },
      { type: 'create_session', sessionId: x(256) },
      of('prompt', { message: x(200_000) }),
      of('bash', { command: x(20_000) }),
      of('set_session_name', { name: x(256) }),
      of('load_session', { sessionPath: `/${x(4095)}` }),
      ui({ method: 'cancelled' }, x(256)),
    ];
    expect(longest.flatMap((line) => connect().send(line).sent)).toEqual([]);
  });
});
