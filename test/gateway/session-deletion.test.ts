// Deleting what is stored of a session that is not open: who may, which agent is asked, and what stays if something fails. What
// clients see is the subject of test/cli/stand-ins/patchbay-acp.test.ts and test/e2e/acp-sdk.test.ts.
import { describe, expect, test } from 'vitest';
import { owner, type Principal } from '../../src/core/contract/principal.ts';
import { type Outcome, refused } from '../../src/core/model/errors.ts';
import type { Deleted } from '../../src/core/session/deletions.ts';
import type { HubEntry } from '../../src/core/session/hub.ts';
import { SessionDeletion } from '../../src/gateway/commands/session-deletion.ts';

interface Given {
  readonly principal?: Principal;
  /** What becomes of loading the session for its agent; default: nobody has noted it. */
  readonly loaded?: Outcome;
  readonly remove?: () => void;
}

function deleteStored(id: string, { principal = owner, loaded, remove = () => {} }: Given) {
  const said: unknown[] = [];
  const noted = { id: 's1', agent: 'one', cwd: '/p', file: 'theirs' };
  const deletion = new SessionDeletion({
    sessions: {
      agentOf: () => undefined,
      find: (): HubEntry => {
        throw new Error('unreachable');
      },
    },
    agents: { canDelete: () => loaded !== undefined },
    stored: {
      remove(file) {
        said.push(file);
        remove();
      },
    },
    conversations: { find: () => (loaded === undefined ? null : noted) },
    opener: { load: (_command, settle) => settle({ outcome: loaded ?? { ok: true } }) },
    principal,
    list: () => [{ id: 's1', file: '/sessions/s1.jsonl' }],
  });
  deletion.carryOut(id, ({ outcome }) => said.push(outcome));
  return said;
}

describe('A stored session is deleted', () => {
  test('with its file', () => {
    expect(deleteStored('s1', {})).toEqual(['/sessions/s1.jsonl', { ok: true }]);
  });

  test('also if its agent has lost the conversation', () => {
    const loaded = refused('not-found', 'no such session');
    expect(deleteStored('s1', { loaded })).toEqual(['/sessions/s1.jsonl', { ok: true }]);
  });
});

describe('A stored session stays', () => {
  test('if the client may list none', () => {
    const principal: Principal = { name: 'ann', role: 'controller', agents: null, sessions: 'own' };
    expect(deleteStored('s1', { principal })).toEqual([refused('not-found', 'session s1 not found')]);
  });

  test('if its agent cannot be asked', () => {
    const loaded = refused('agent-down', 'no program');
    expect(deleteStored('s1', { loaded })).toEqual([loaded]);
  });

  test('if its file cannot be deleted, and the client is not told the path', () => {
    const remove = () => {
      throw Object.assign(new Error('EACCES: /sessions/s1.jsonl'), { code: 'EACCES' });
    };
    const refusal = refused('internal', 'the file of the session could not be deleted (EACCES)');
    expect(deleteStored('s1', { remove })).toEqual(['/sessions/s1.jsonl', refusal]);
  });
});

test('An open session ends before its file is removed: it writes the rest of the file then', () => {
  const steps: unknown[] = [];
  const session = {
    transcript: { info: { file: '/sessions/s1.jsonl' } },
    delete: (_command: unknown, told: Deleted) => told({ ok: true }, () => void steps.push('closed')),
  };
  const deletion = new SessionDeletion({
    sessions: { agentOf: () => 'one', find: () => ({ session }) as unknown as HubEntry },
    agents: { canDelete: () => true },
    stored: { remove: (file) => void steps.push(file) },
    opener: { load: () => {} },
    principal: owner,
    list: () => [],
  });
  deletion.carryOut('s1', ({ outcome }) => void steps.push(outcome));
  expect(steps).toEqual(['closed', '/sessions/s1.jsonl', { ok: true }]);
});
