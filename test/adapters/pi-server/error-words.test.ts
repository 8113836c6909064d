// Why commands failed, in the words of real servers (docs/protocols/pi-server.md 22).
import { expect, test } from 'vitest';
import { type ErrorCode, refused } from '../../../src/core/model/errors.ts';
import { connect, type Json } from './client.ts';

const get = (rest: Json = {}): Json => ({ type: 'get_state', sessionId: 's1', ...rest });
const create = (rest: Json): Json => ({ type: 'create_session', ...rest });
const load = (sessionPath: string, rest: Json = {}): Json => ({ type: 'load_session', sessionPath, ...rest });
const answer: Json = {
  type: 'extension_ui_response',
  sessionId: 's1',
  requestId: 'r1',
  response: { method: 'cancelled' },
};
const word = 'a session id must match ^x$';
const folder = 'cwd must be the absolute path of an existing directory';
const notFound = 'session s1 not found';

const rows: readonly [line: Json, code: ErrorCode, message: string, words: string][] = [
  [get(), 'not-found', notFound, 'Session s1 not found'],
  [get(), 'not-found', 'Session s1 not found', 'Session s1 not found'],
  [get({ ifSessionVersion: 3 }), 'not-found', 'Session s1 not found', 'Session s1 not found for ifSessionVersion=3'],
  [
    get({ ifSessionVersion: 3 }),
    'stale',
    'Session version mismatch: expected 3, got 4',
    'Session version mismatch: expected 3, got 4',
  ],
  [{ type: 'switch_session', sessionId: 's1' }, 'not-found', notFound, 'Session s1 not found'],
  [{ type: 'delete_session', sessionId: 's1' }, 'not-found', notFound, 'Session s1 not found'],
  [create({ sessionId: 's1' }), 'conflict', 'session s1 exists already', 'Session s1 already exists'],
  [load('/a.jsonl', { sessionId: 's1' }), 'conflict', 'session s1 exists already', 'Session s1 already exists'],
  [create({}), 'limit', 'session limit reached (100 sessions)', 'Session limit reached (100 sessions)'],
  [
    get({ id: 'd', dependsOn: ['a'] }),
    'agent-refused',
    `Dependency 'a' failed: ${notFound}`,
    "Dependency 'a' failed: Session s1 not found",
  ],
  [
    get({ id: 'd', dependsOn: ['a'] }),
    'agent-refused',
    "Dependency 'a' failed: session s1 exists already",
    "Dependency 'a' failed: Session s1 already exists",
  ],
  [
    create({ sessionId: 'bad id!' }),
    'invalid',
    word,
    'Session ID must contain only alphanumeric characters, underscores, dashes, and dots',
  ],
  [create({ sessionId: '.a' }), 'invalid', word, word],
  [create({ cwd: '../x' }), 'invalid', folder, 'CWD contains potentially dangerous path components'],
  [create({ cwd: '~/x' }), 'invalid', folder, 'CWD contains potentially dangerous path components'],
  [create({ cwd: 'x' }), 'invalid', folder, 'CWD must be an absolute path'],
  [create({ cwd: '' }), 'invalid', folder, 'CWD must be a non-empty string'],
  [create({ cwd: `/${'x'.repeat(4096)}` }), 'invalid', folder, 'CWD too long (max 4096 characters)'],
  [create({ cwd: '/x' }), 'invalid', folder, folder],
  [create({ cwd: 'x' }), 'agent-down', 'it did not start', 'it did not start'],
  [load('a.jsonl'), 'invalid', 'no', 'sessionPath must be an absolute path'],
  [load('/a.txt'), 'invalid', 'no', 'sessionPath must point to a .jsonl or .json session file'],
  [load('/a.jsonl'), 'invalid', 'sessionPath must be under …', 'sessionPath must be under …'],
  [
    load('/a.jsonl', { sessionId: 'a b' }),
    'invalid',
    word,
    'Session ID must contain only alphanumeric characters, underscores, dashes, and dots',
  ],
  [
    { type: 'switch_session_file', sessionId: 's1', sessionPath: 'a.json' },
    'invalid',
    'no',
    'sessionPath must be an absolute path',
  ],
  [
    { type: 'switch_session_file', sessionId: 's1', sessionPath: '/a.json' },
    'invalid',
    'session path: must name a stored session inside one of the configured roots',
    'sessionPath must point to an existing session file under an allowed session directory',
  ],
  [
    { type: 'switch_session_file', sessionId: 's1', sessionPath: '/a.json' },
    'invalid',
    'session path: must not hold control characters or backslashes',
    'sessionPath contains potentially dangerous path components',
  ],
  [
    { type: 'new_session', sessionId: 's1', parentSession: '/a.json' },
    'invalid',
    'session path: must name a stored session inside one of the configured roots',
    'parentSession must point to an existing session file under an allowed session directory',
  ],
  [answer, 'stale', 'no open question "r1": answered, withdrawn or never asked', 'No pending UI request with id r1'],
  [answer, 'not-found', notFound, 'Session s1 not found'],
  [
    { ...answer, ifSessionVersion: 1 },
    'stale',
    'Session version mismatch: expected 1, got 0',
    'Session version mismatch: expected 1, got 0',
  ],
  [get(), 'shutting-down', 'Server is shutting down', 'Server is shutting down'],
  [get(), 'not-found', 'there is no message session s1', 'there is no message session s1'],
];

test.each(rows)('%o: %s, %s', (line, code, message, words) => {
  const client = connect();
  client.send(line);
  const { sent } = client.settle(refused(code, message));
  expect(sent).toEqual([
    { ...('id' in line ? { id: line.id } : {}), type: 'response', command: line.type, success: false, error: words },
  ]);
});
