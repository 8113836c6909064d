// Two ends of one connection inside this process, and nobody else on either of them (docs/threats.md T36).
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { dropSocketPair, openSocketPair, type SocketPair } from '../../src/transports/child/socket-pair.ts';
import { createArrivals } from './support/arrivals.ts';

type Listen = typeof createServer;
type Dial = typeof connect;

const sockets: Socket[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Remembers what is opened. */
const listen = ((options: object, connected: (socket: Socket) => void) => {
  const server = createServer(options, (socket) => {
    sockets.push(socket);
    connected(socket);
  });
  servers.push(server);
  return server;
}) as Listen;
const dial = ((options: { path: string }) => remember(connect(options))) as Dial;

function remember(socket: Socket): Socket {
  sockets.push(socket);
  return socket;
}

/** Another program that connects to the same name. */
function stranger(path: string): Socket {
  return remember(connect(path)).on('error', () => {});
}

async function opened(): Promise<SocketPair> {
  const pair = await openSocketPair(listen, dial);
  if (pair === null) throw new Error('no pair');
  return pair;
}

describe.skipIf(process.platform !== 'linux')('a pair (Linux only)', () => {
  it('carries what is written into the end of the child, and its end', async () => {
    const { ours, theirs, hear } = await opened();
    const texts = createArrivals<string>();
    hear((bytes) => {
      texts.add(bytes.toString());
      return true;
    });
    ours.resume();
    theirs.write('one');
    await texts.first(1);
    theirs.end('two');
    await once(ours, 'end');
    expect(texts.items).toEqual(['one', 'two']);
    expect(servers.every(({ listening }) => !listening)).toBe(true);
  });

  it('reads nothing before it is asked, and stops when it is told', async () => {
    const { ours, theirs, hear } = await opened();
    const texts = createArrivals<string>();
    theirs.write('early');
    await new Promise(setImmediate);
    hear((bytes) => {
      texts.add(bytes.toString());
      return false;
    });
    ours.resume();
    expect(await texts.first(1)).toEqual(['early']);
    await new Promise<void>((written) => theirs.write('late', () => written()));
    await new Promise(setImmediate);
    expect(texts.items).toEqual(['early']);
    ours.resume();
    expect(await texts.first(2)).toEqual(['early', 'late']);
  });

  it('shares its buffer with other pairs', async () => {
    const pairs = [await opened(), await opened()];
    const texts = createArrivals<string>();
    const buffers = new Set<ArrayBufferLike>();
    for (const { ours, hear } of pairs) {
      hear((bytes) => {
        buffers.add(bytes.buffer);
        texts.add(bytes.toString());
        return true;
      });
      ours.resume();
    }
    for (const [index, { theirs }] of pairs.entries()) theirs.write(`text ${index}`);
    expect([...(await texts.first(2))].sort()).toEqual(['text 0', 'text 1']);
    expect(buffers.size).toBe(1);
  });

  it('is none if somebody else connects first', async () => {
    const first = ((options: { path: string }) => {
      stranger(options.path);
      return dial(options);
    }) as Dial;
    expect(await openSocketPair(listen, first)).toBeNull();
    expect(sockets.filter((socket) => !socket.destroyed)).toEqual([sockets[0]]);
  });

  it('goes on without anybody who connects later', async () => {
    let later: Socket | undefined;
    const second = ((options: { path: string }) => {
      const socket = dial(options);
      later = stranger(options.path);
      return socket;
    }) as Dial;
    const pair = await openSocketPair(listen, second);
    expect(pair).not.toBeNull();
    if (later !== undefined && !later.closed) await once(later, 'close');
    dropSocketPair(pair);
  });

  it('is none if the accepted connection is not the one that was dialled', async () => {
    // The server takes our connection, and hands on that of a stranger.
    const swapped = ((options: object, connected: (socket: Socket) => void) => {
      const accepted: Socket[] = [];
      return createServer(options, (socket) => {
        sockets.push(socket);
        accepted.push(socket);
        if (accepted.length === 2) connected(socket);
      });
    }) as Listen;
    const both = ((options: { path: string }) => {
      const socket = dial(options);
      stranger(options.path).resume();
      return socket;
    }) as Dial;
    const pair = openSocketPair(swapped, both);
    await expect.poll(() => sockets.length).toBe(4);
    // As long as what was written to the stranger, and not the same.
    sockets[2]?.write(Buffer.alloc(32));
    expect(await pair).toBeNull();
  });
});

describe('without a pair', () => {
  const failure = Object.assign(new Error('EMFILE'), { code: 'EMFILE' });

  it('nothing stays open: no server', async () => {
    const refused = ((options: object, connected: () => void) => {
      const server = createServer(options, connected);
      server.listen = () => {
        process.nextTick(() => server.emit('error', failure));
        return server;
      };
      return server;
    }) as unknown as Listen;
    expect(await openSocketPair(refused, dial)).toBeNull();
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('nothing stays open: no connection', async () => {
    const refused = (() => dial({ path: '\0no such name' })) as unknown as Dial;
    expect(await openSocketPair(listen, refused)).toBeNull();
    expect(servers.at(-1)?.listening ?? false).toBe(false);
  });

  it('nothing stays open: no descriptor for the other end', async () => {
    const refused = ((options: object) => {
      // What Node does then: the connection is closed, and the server tells the error.
      const server = createServer(options, (socket) => {
        socket.destroy();
        server.emit('error', failure);
      });
      return server;
    }) as Listen;
    expect(await openSocketPair(refused, dial)).toBeNull();
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
