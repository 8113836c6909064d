// Which connection stays and which goes (docs/limits.md 7.1 to 7.5).
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createConnectionTable } from '../../src/transports/http/connection-table.ts';

/** A table with small limits, and the names of the sockets that were sent away, in order. */
function rig(limits: { connections: number; perToken?: number; reserve?: number }) {
  const gone: string[] = [];
  const names = new Map<Socket, string>();
  const table = createConnectionTable({ perToken: limits.connections, reserve: 2, ...limits }, (socket) => {
    gone.push(names.get(socket) ?? '?');
    socket.emit('close', false);
  });
  const open = (name: string): Socket => {
    // The table only listens for the end of a socket.
    const socket = new EventEmitter() as Socket;
    names.set(socket, name);
    table.opened(socket);
    return socket;
  };
  return { table, gone, open };
}

describe('connections without a token', () => {
  test('have a quarter; the oldest of them goes first', () => {
    const { gone, open } = rig({ connections: 8 });
    for (const name of ['a', 'b', 'c', 'd']) open(name);
    expect(gone).toEqual(['a', 'b']);
  });

  test('that have shown one are not counted among them any more', () => {
    const { table, gone, open } = rig({ connections: 8 });
    table.asked(open('a'));
    for (const name of ['b', 'c']) open(name);
    expect(gone).toEqual([]);
    open('d');
    expect(gone).toEqual(['b']);
  });

  test('that have closed leave their place', () => {
    const { gone, open } = rig({ connections: 8 });
    open('a').emit('close', false);
    for (const name of ['b', 'c']) open(name);
    expect(gone).toEqual([]);
  });
});

describe('a table that is full', () => {
  test('lets go of one without a use, the one that has waited longest', () => {
    const { table, gone, open } = rig({ connections: 2, reserve: 1 });
    const [a, b] = ['a', 'b'].map((name) => {
      const socket = open(name);
      table.asked(socket);
      return socket;
    });
    if (a === undefined || b === undefined) throw new Error('unreachable');
    table.asked(open('busy'));
    table.answered(b);
    table.answered(a);
    open('new');
    expect(gone).toEqual(['b']);
  });

  test('of busy and held ones refuses the new one', () => {
    const { table, gone, open } = rig({ connections: 2, reserve: 1 });
    expect(['a', 'b'].map((name) => table.hold(open(name), 'token'))).toEqual([null, null]);
    table.asked(open('busy'));
    open('new');
    expect(gone).toEqual(['new']);
  });

  test('a connection with two requests at once is busy until both are over', () => {
    const { table, gone, open } = rig({ connections: 1, reserve: 0 });
    const a = open('a');
    table.asked(a);
    table.asked(a);
    table.answered(a);
    open('b');
    table.answered(a);
    open('c');
    expect(gone).toEqual(['b', 'a']);
  });
});

describe('streams and WebSockets', () => {
  test('fill the places but not the reserve', () => {
    const { table, open } = rig({ connections: 2, reserve: 2 });
    const results = ['a', 'b', 'c'].map((name) => table.hold(open(name), 'token'));
    expect([results, table.isCrowded]).toEqual([[null, null, 'port'], true]);
  });

  test('of one token are limited apart', () => {
    const { table, open } = rig({ connections: 8, perToken: 1 });
    const hold = (name: string, token: string) => table.hold(open(name), token);
    expect([hold('a', 'one'), hold('b', 'one'), hold('c', 'two')]).toEqual([null, 'token', null]);
  });

  test('leave their place when they end, with or without their connection', () => {
    const { table, open } = rig({ connections: 1 });
    const a = open('a');
    expect(table.hold(a, 'token')).toBeNull();
    table.release(a);
    const b = open('b');
    expect(table.hold(b, 'token')).toBeNull();
    b.emit('close', false);
    expect(table.hold(open('c'), 'token')).toBeNull();
    expect(table.hold(open('d'), 'token')).toBe('port');
  });
});
