// All sessions by id: who may have which, how many, and what becomes of those that are over.
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import { createHub, type HubEntry } from '../../src/core/hub.ts';
import { createSessionRig } from '../support/core/session-rig.ts';

function entry(principal = 'alice'): HubEntry {
  return { session: createSessionRig().session, agent: 'demo', createdAt: '2026-01-01T00:00:00.000Z', principal };
}

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
    expect(hub.get('a', 'alice')).toBe(added);
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
    expect(hub.get('a', 'alice')).toBe(first);
    expect(first.session.state).toBe('idle');
  });

  test('too many: refused, the others stay (T32)', () => {
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
    expect(codeOf(() => hub.get(id, 'alice'))).toBe('not-found');
    const added = hub.add(id, entry);
    expect(hub.get(id, 'alice')).toBe(added);
  });
});

test('a foreign session looks like none (T20)', () => {
  const hub = createHub({ sessions: 2 });
  hub.add('a', () => entry('alice'));
  const messageOf = (id: string) => {
    try {
      hub.get(id, 'bob');
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
    expect(codeOf(() => hub.get('a', 'alice'))).toBe('not-found');
  });

  test('a session that closed itself is forgotten, and frees its id and its place', () => {
    const hub = createHub({ sessions: 1 });
    const { session } = hub.add('a', entry);
    session.submit({ type: 'delete-session' }, () => {});
    expect(codeOf(() => hub.get('a', 'alice'))).toBe('not-found');
    expect(hub.list()).toEqual([]);
    const again = hub.add('a', entry);
    expect(hub.list()).toEqual([again]);
  });

  test('closing all', () => {
    const hub = createHub({ sessions: 3 });
    const sessions = ['a', 'b', 'c'].map((id) => hub.add(id, entry).session);
    hub.closeAll('the gateway is shutting down');
    expect(sessions.map(({ state }) => state)).toEqual(['closed', 'closed', 'closed']);
    expect(hub.list()).toEqual([]);
  });
});
