// All sessions by id: who may have which, how many, and what becomes of those that are over.
import { describe, expect, test } from 'vitest';
import type { Principal } from '../../../src/core/contract/principal.ts';
import { GatewayError } from '../../../src/core/model/errors.ts';
import { createHub, type HubEntry, mostNames } from '../../../src/core/session/hub.ts';
import { createSessionRig } from '../../support/core/session-rig.ts';

function entry(principal = 'alice'): HubEntry {
  return { session: createSessionRig().session, agent: 'demo', createdAt: '2026-01-01T00:00:00.000Z', principal };
}

/** One who reaches the sessions that it has opened. */
const holder = (name: string): Principal => ({ name, role: 'controller', agents: null, sessions: 'own' });

/** The code of what is thrown. */
function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown.code : String(thrown);
  }
  return 'nothing';
}

describe('a session', () => {
  test('is added under a free id, and found again by its principal', () => {
    const hub = createHub({ sessions: 2 });
    const added = hub.add('a', entry);
    expect(hub.get('a', holder('alice'))).toBe(added);
    expect(hub.list()).toEqual([added]);
  });

  test('cannot take the place of another; nothing is opened', () => {
    const hub = createHub({ sessions: 5 });
    const first = hub.add('a', entry);
    let opened = 0;
    const open = () => {
      opened += 1;
      return entry();
    };
    expect(codeOf(() => hub.add('a', open))).toBe('conflict');
    expect(opened).toBe(0);
    expect(hub.get('a', holder('alice'))).toBe(first);
    expect(first.session.state).toBe('idle');
  });

  test('too many: refused, the others stay (docs/threats.md T32)', () => {
    const hub = createHub({ sessions: 2 });
    hub.add('a', entry);
    hub.add('b', entry);
    expect(codeOf(() => hub.add('c', entry))).toBe('limit');
    expect(hub.list()).toHaveLength(2);
    hub.remove('a', 'over');
    expect(codeOf(() => hub.add('c', entry))).toBe('nothing');
  });

  test('that cannot be opened takes no place', () => {
    const hub = createHub({ sessions: 1 });
    const broken = () => {
      throw new GatewayError('invalid', 'no such directory');
    };
    expect(codeOf(() => hub.add('a', broken))).toBe('invalid');
    expect(codeOf(() => hub.add('a', entry))).toBe('nothing');
  });

  test.each(['', '__proto__', 'constructor'])('may be called %j', (id) => {
    const hub = createHub({ sessions: 1 });
    expect(codeOf(() => hub.get(id, holder('alice')))).toBe('not-found');
    const added = hub.add(id, entry);
    expect(hub.get(id, holder('alice'))).toBe(added);
  });
});

describe('a name that a client has given to a session', () => {
  test('leads to it as its id does, and for nobody else', () => {
    const hub = createHub({ sessions: 2 });
    const added = hub.add('a', entry);
    hub.name('a', 'my tab');
    expect(hub.get('my tab', holder('alice'))).toBe(added);
    expect(hub.get('a', holder('alice'))).toBe(added);
    expect(codeOf(() => hub.get('my tab', holder('bob')))).toBe('not-found');
    expect(hub.list()).toEqual([added]);
  });

  test.each(['b', 'taken', '__proto__'])('stays where it is once it is taken: %j', (name) => {
    const hub = createHub({ sessions: 3 });
    hub.add('a', entry);
    const other = hub.add('b', entry);
    hub.name('b', 'taken');
    hub.name('b', '__proto__');
    hub.name('a', name);
    expect(hub.get(name, holder('alice'))).toBe(other);
  });

  test('is no id for a new session', () => {
    const hub = createHub({ sessions: 3 });
    hub.add('a', entry);
    hub.name('a', 'b');
    expect(codeOf(() => hub.add('b', entry))).toBe('conflict');
  });

  test.each([
    ['removed', (hub: ReturnType<typeof createHub>) => hub.remove('a', 'over')],
    ['that closed itself', (hub: ReturnType<typeof createHub>) => hub.get('a', holder('alice')).session.close('over')],
    ['of a hub that was closed', (hub: ReturnType<typeof createHub>) => hub.leaveAll('over')],
  ])('goes with its session: one %s', (_, end) => {
    const hub = createHub({ sessions: 3 });
    hub.add('a', entry);
    hub.name('a', 'n');
    end(hub);
    expect(codeOf(() => hub.get('n', holder('alice')))).toBe('not-found');
    hub.name('a', 'late');
    expect(codeOf(() => hub.get('late', holder('alice')))).toBe('not-found');
    expect(codeOf(() => hub.add('n', entry))).toBe('nothing');
  });

  test('is one of few: further ones lead nowhere', () => {
    const hub = createHub({ sessions: 3 });
    const first = hub.add('a', entry);
    const second = hub.add('b', entry);
    for (let count = 0; count <= mostNames; count += 1) hub.name('a', `a${count}`);
    expect(hub.get(`a${mostNames - 1}`, holder('alice'))).toBe(first);
    expect(codeOf(() => hub.get(`a${mostNames}`, holder('alice')))).toBe('not-found');
    hub.name('b', 'free');
    expect(hub.get('free', holder('alice'))).toBe(second);
  });
});

test('who asks for an id without end does not get all of it back', () => {
  const hub = createHub({ sessions: 1 });
  try {
    hub.get('x'.repeat(100_000), holder('alice'));
    expect.unreachable();
  } catch (thrown) {
    expect(String(thrown).length).toBeLessThan(400);
  }
});

test('a foreign session looks like none (docs/threats.md T20)', () => {
  const hub = createHub({ sessions: 2 });
  hub.add('a', () => entry('alice'));
  const messageOf = (id: string) => {
    try {
      hub.get(id, holder('bob'));
    } catch (thrown) {
      return thrown instanceof GatewayError ? [thrown.code, thrown.message.replace(id, '…')] : [];
    }
    return [];
  };
  expect(messageOf('a')).toEqual(['not-found', 'session … not found']);
  expect(messageOf('a')).toEqual(messageOf('b'));
});

describe('the end', () => {
  test('removing closes and forgets, and does no harm twice', () => {
    const hub = createHub({ sessions: 2 });
    const { session } = hub.add('a', entry);
    hub.remove('a', 'over');
    hub.remove('a', 'over');
    hub.remove('never there', 'over');
    expect(session.state).toBe('closed');
    expect(codeOf(() => hub.get('a', holder('alice')))).toBe('not-found');
  });

  test('a session that closed itself is forgotten, and frees its id and its place', () => {
    const hub = createHub({ sessions: 1 });
    const { session } = hub.add('a', entry);
    session.submit({ type: 'delete-session' }, () => {});
    expect(codeOf(() => hub.get('a', holder('alice')))).toBe('not-found');
    expect(hub.list()).toEqual([]);
    const again = hub.add('a', entry);
    expect(hub.list()).toEqual([again]);
  });

  test('closing all', () => {
    const hub = createHub({ sessions: 3 });
    const sessions = ['a', 'b', 'c'].map((id) => hub.add(id, entry).session);
    hub.leaveAll('the gateway is shutting down');
    expect(sessions.map(({ state }) => state)).toEqual(['closed', 'closed', 'closed']);
    expect(hub.list()).toEqual([]);
  });
});
