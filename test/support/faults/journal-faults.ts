// Faults F23 and F24 of a gateway with a journal: killed in a run and started again, and a disk that is full for a while.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { within } from '../../../src/conformance/bounded-wait.ts';
import { type Disk, systemDisk } from '../../../src/stores/journal/disk.ts';
import { openJournal } from '../../../src/stores/journal/journal.ts';
import { createVirtualClock } from '../core/virtual-clock.ts';
import { type GatewayServer, startServerWith } from '../gateway.ts';
import { type Connection, connectEvents, connectResumable, type Heard } from '../resuming-readers.ts';
import { createEndings, dialects } from './dialects.ts';
import { eventually } from './eventually.ts';
import { type Kind, nameOf } from './observers.ts';
import * as lines from './pi-lines.ts';
import { startPuppets } from './puppets.ts';
import { everybody, type Judged, judge } from './rig.ts';
import { type FaultRow, must, type Outcome, outcomeOf, withRig } from './row.ts';

/** A client that goes on behind its cursor on another gateway, as if it had been one connection. */
interface Follower extends Judged {
  readonly endedAt: number;
  /** Resolves as soon as that is so: asked with each frame. */
  until(label: string, isSo: () => boolean): Promise<void>;
  /** Connects behind the last frame that was heard. */
  follow(server: GatewayServer): void;
  /** Resolves when the connection has ended. */
  over(): Promise<unknown>;
  end(): void;
}

function follower(session: string, kind: Kind): Follower {
  const { frontend, transport, options = '' } = kind;
  const dialect = dialects.get(frontend);
  if (dialect === undefined) throw new Error(`nobody knows how a run ends for ${frontend}`);
  let cursor: string | null = null;
  const frames: string[] = [];
  const endings = createEndings(dialect);
  const watchers = new Set<() => void>();
  let connection: Connection | undefined;
  let endedAt = 0;
  const name = nameOf(kind);

  /** The rest was for one connection alone. */
  function take(one: Heard): void {
    if (one.frame.startsWith('{"type":"reset"')) throw new Error(`${name} has to begin anew: ${one.frame}`);
    if (one.cursor === null) return;
    cursor = one.cursor;
    // Each connection to pi-server is greeted.
    if (frontend === 'pi-server' && !dialect?.isShared(one.frame)) return;
    frames.push(one.frame);
    endings.take(one.frame);
    for (const watcher of [...watchers]) watcher();
  }

  return {
    ...kind,
    name,
    dialect,
    frames,
    get endings() {
      return endings.places;
    },
    get endedAt() {
      return endedAt;
    },
    until: (label, isSo) =>
      within(
        `${label} for ${name}`,
        watchers,
        () => (isSo() ? true : undefined),
        () => `; it heard at last:\n${frames.slice(-3).join('\n').slice(0, 1_000)}`,
      ).then(() => {}),
    follow(server) {
      const query = frontend === 'eca' ? 'events=frames' : options;
      const place = { port: Number(new URL(server.url).port), token: server.token, frontend, session, options: query };
      const connect = transport === 'ws' ? connectResumable : connectEvents;
      connection = connect(place, cursor, take);
      void connection.over.then(() => {
        endedAt = performance.now();
      });
    },
    over: async () => connection?.over,
    end: () => connection?.end(),
  };
}

/** Posts a frame as a client of pi. With a key, the answer comes once everything before is on disk. */
async function post(server: GatewayServer, session: string, frame: string, key?: string): Promise<void> {
  const { status } = await fetch(`${server.url}/v1/pi/sessions/${session}/frames`, {
    method: 'POST',
    headers: {
      ...server.headers,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: frame,
  });
  must(status === 200 || status === 202, `a frame was answered with ${status}`);
}

const prompt = (words: string): string => dialects.get('pi')?.role.prompt(words) ?? '';

async function killedAndStartedAgain(folder: string): Promise<Outcome> {
  const puppets = await startPuppets();
  const config = join(folder, 'patchbay.json');
  const agents = { puppet: { protocol: 'pi', command: puppets.command } };
  writeFileSync(config, JSON.stringify({ agents, journal: join(folder, 'journal') }));
  const servers = [await startServerWith(config)];
  try {
    const [first] = servers as [GatewayServer];
    const session = await first.createSession();
    const clients = everybody.map((kind) => follower(session, kind));
    for (const one of clients) one.follow(first);
    await post(first, session, prompt('one'));
    const puppet = await puppets.next();
    await puppet.told('prompt');
    puppet.say(...lines.halfText);
    const allSee = (words: string) =>
      Promise.all(clients.map((one) => one.until(words, () => one.frames.some((frame) => frame.includes(words)))));
    await allSee('Five sockets');
    // What was heard until now is on disk when this is answered.
    await post(first, session, JSON.stringify({ type: 'get_state' }), 'kept');
    const from = performance.now();
    const gone = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await Promise.all([gone, ...clients.map((one) => one.over())]);
    const toldMs = Math.max(...clients.map(({ endedAt }) => endedAt)) - from;
    await puppets.allGone();

    const next = await startServerWith(config);
    servers.push(next);
    for (const one of clients) one.follow(next);
    const ended = (runs: number) =>
      Promise.all(clients.map((one) => one.until(`the end of run ${runs}`, () => one.endings.length >= runs)));
    await ended(1);
    await post(next, session, prompt('two'));
    const another = await puppets.next();
    await another.told('prompt');
    another.say(...lines.wholeRun);
    await ended(2);
    for (const one of clients) one.end();
    const verdict = 'with a journal: all go on behind their cursors, the run is closed once, the next prompt ran';
    // Places of lost events are never used again.
    return { clients, toldMs, ...judge(clients, { runs: 2, except: /^canonical \w+: a gap/u }), verdict };
  } finally {
    for (const server of servers) await server.close();
    puppets.close();
  }
}

/** A disk that can be full. */
function fillable(): Disk & { isFull: boolean } {
  const disk = {
    ...systemDisk,
    isFull: false,
    async open(...[file, mode]: Parameters<Disk['open']>) {
      const open = await systemDisk.open(file, mode);
      const write: typeof open.write = async (bytes) => {
        if (disk.isFull) throw Object.assign(new Error('write'), { code: 'ENOSPC' });
        await open.write(bytes);
      };
      return { ...open, write };
    },
  };
  return disk;
}

/** Claude's clients hear a warning with the next run, and two protocols have no word for it. */
const hearsAtOnce = ({ frontend }: Kind): boolean => !/claude|rpc|legacy/u.test(frontend);
const hasWord = ({ frontend }: Kind): boolean => !/rpc|legacy/u.test(frontend);
const isWarning = (frame: string): boolean => frame.includes('not kept at the moment');

function fullForAWhile(folder: string): Promise<Outcome> {
  const disk = fillable();
  const clock = createVirtualClock();
  const openStore = () => openJournal({ folder: join(folder, 'journal'), clock, disk });
  const config = { agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } } };
  return withRig({ config, openStore }, async (rig) => {
    rig.prompt('think');
    await rig.told();
    disk.isFull = true;
    rig.prompt('think');
    rig.cause();
    await rig.told();
    const able = rig.observers.filter(hearsAtOnce);
    await Promise.all(able.map((one) => one.waitFor('the warning', isWarning)));
    const toldMs = rig.since(able.map(({ frames, times }) => times[frames.findIndex(isWarning)] ?? 0));
    must(rig.gateway.board.obstacles().join().includes('ENOSPC'), 'the gateway says that it is ready');
    rig.prompt('think');
    await rig.told();
    disk.isFull = false;
    clock.advance(30_000);
    await eventually('a gateway that is ready', () => rig.gateway.board.obstacles().length === 0);
    rig.prompt('think');
    await rig.told();
    for (const { name, frames } of rig.observers.filter(hasWord)) {
      const warnings = frames.filter(isWarning).length;
      must(warnings === 1, `${name} was warned ${warnings} times`);
    }
    return outcomeOf(
      rig,
      toldMs,
      'with a journal: all are warned once but RpcMessage and pi 0.13, not ready, the runs are whole, ready again after 30 s',
    );
  });
}

/** In a folder that is removed again. */
const inFolder = (act: (folder: string) => Promise<Outcome>) => async (): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-fault-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export const journalFaults: readonly FaultRow[] = [
  { fault: 'F23', what: 'SIGKILL in a run with a journal, and a restart', run: inFolder(killedAndStartedAgain) },
  { fault: 'F24', what: 'the disk of the journal is full for a while', run: inFolder(fullForAWhile) },
];
