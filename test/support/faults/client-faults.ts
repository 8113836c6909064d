// Faults of clients, F13 to F21. The agent is the demo agent, which does what a prompt says.
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseConfig } from '../../../src/config/config.ts';
import { within } from '../../../src/conformance/bounded-wait.ts';
import { createGateway } from '../../../src/gateway/full-gateway.ts';
import { streamFraming } from '../../../src/transports/framing/framings.ts';
import { stdioChannel } from '../../../src/transports/stdio.ts';
import { createCuttableProxy } from '../cuttable-proxy.ts';
import { type Dialect, dialects, endingsIn } from './dialects.ts';
import { type Kind, type Observer, observe } from './observers.ts';
import { readEvents } from './raw-events.ts';
import { everybody, type FaultRig } from './rig.ts';
import { type FaultRow, must, type Outcome, outcomeOf, withRig } from './row.ts';

const demo = (limits: object = {}, paceMs = 0) => ({
  agents: { demo: { protocol: 'demo', options: { paceMs } } },
  limits,
});
const overSse = everybody.filter(({ transport }) => transport === 'sse');
const overWs = everybody.filter(({ transport }) => transport === 'ws');
const [speaker] = overWs;
const plus = (...kinds: readonly Kind[]): Kind[] => [...(speaker === undefined ? [] : [speaker]), ...kinds];
/** Long enough to be cut many times. */
const slowly = 'slow 2 long 120';

/** Resolves when each of these has so many more frames. */
async function hearMore(some: readonly Observer[], count: number): Promise<void> {
  await Promise.all(
    some.map((one) => {
      const enough = one.frames.length + count;
      return one.until(`${count} more frames`, () => one.frames.length >= enough);
    }),
  );
}

/** Clients of a session behind a proxy that a test cuts. */
async function behindProxy(
  kinds: readonly Kind[],
  act: (rig: FaultRig, proxy: Awaited<ReturnType<typeof createCuttableProxy>>) => Promise<Outcome>,
): Promise<Outcome> {
  let port = 0;
  const proxy = await createCuttableProxy(() => port);
  const host = `127.0.0.1:${proxy.port}`;
  try {
    return await withRig({ config: demo(), clients: kinds, listen: { allowedHosts: [host] } }, (rig) => {
      port = Number(new URL(rig.address.url).port);
      return act(rig, proxy);
    });
  } finally {
    proxy.close();
  }
}

/** Words of a prompt that are in no other one. */
const nextWords = 'zebra';

/** Only who opens a stream without a cursor is greeted. */
const isNoGreeting = (frame: string): boolean => !frame.includes('"type":"server_ready"');

/** Whether a run has ended since these words were said. Streams of editors say the method in the name of the event. */
const endsAfter =
  (said: string, dialect: Dialect) =>
  (frames: readonly string[]): boolean => {
    const from = frames.findIndex((frame) => frame.includes(said));
    const since = from < 0 ? [] : frames.slice(from);
    return endingsIn(dialect, since).length > 0 || since.some((frame) => frame.includes('"state":"finished"'));
  };

const returns: readonly FaultRow[] = [
  {
    fault: 'F13',
    what: 'SSE cut six times in a run, resumed by cursor',
    run: () =>
      behindProxy(plus(...overSse), async (rig, proxy) => {
        const address = { ...rig.address, url: `http://127.0.0.1:${proxy.port}` };
        const cut: Observer[] = [];
        for (const kind of overSse) cut.push(await rig.join(kind, { address }));
        rig.prompt(slowly);
        rig.cause();
        for (let n = 0; n < 6; n += 1) {
          await hearMore(cut, 8);
          const streams = proxy.count('GET');
          must(proxy.cut('GET') === cut.length, 'not every stream was there to be cut');
          await proxy.asked('GET', streams + cut.length);
        }
        const toldMs = await rig.told();
        return outcomeOf(rig, toldMs, 'byte for byte the stream of who was not cut');
      }),
  },
  {
    fault: 'F13',
    what: 'WebSockets cut in a run, connected again',
    run: () =>
      behindProxy(overWs, async (rig, proxy) => {
        const address = { ...rig.address, url: `http://127.0.0.1:${proxy.port}` };
        const cut = await Promise.all(overWs.map((kind) => observe(address, rig.session, kind)));
        await rig.hasClients(overWs.length * 2);
        rig.prompt(slowly);
        await hearMore(cut, 8);
        rig.cause();
        proxy.cut('GET');
        await Promise.all(cut.map((one) => one.cut()));
        for (const kind of overWs) await rig.join(kind, { isLate: true });
        const toldMs = await rig.told();
        return outcomeOf(rig, toldMs, 'the run goes on, a snapshot and the rest of it, one ending');
      }),
  },
  {
    fault: 'F14',
    what: 'cursors of another epoch, of the future, and of no stream',
    run: () =>
      withRig({ config: demo() }, async (rig) => {
        rig.prompt('think tool');
        await rig.told();
        const cursors = [null, 'another.1.0', '99999.99999.0', 'nonsense', '-1'];
        const told = [...dialects].filter(([, { tellsAllEnds }]) => tellsAllEnds);
        const streams = told.flatMap(([frontend, dialect]) =>
          cursors.map(async (cursor) => ({
            frontend,
            dialect,
            cursor,
            read: await readEvents(rig.address, rig.session, frontend, cursor),
          })),
        );
        const opened = await Promise.all(streams);
        await rig.hasClients(everybody.length + opened.length);
        rig.prompt(nextWords);
        rig.cause();
        const toldMs = await rig.told();
        for (const { frontend, dialect, cursor, read } of opened) {
          const name = `${frontend} at ${cursor}`;
          await read.until(`the end of the next run for ${name}`, endsAfter(nextWords, dialect));
          must(read.status === 200, `${name}: status ${read.status}`);
          must(read.gateway.length === (cursor === null ? 0 : 1), `${name}: ${read.gateway.length} resets`);
          const fresh = opened.find((one) => one.frontend === frontend)?.read.frames.filter(isNoGreeting);
          must(
            read.frames.filter(isNoGreeting).join('\n') === fresh?.join('\n'),
            `${name}: not what a new client hears`,
          );
        }
        for (const { read } of opened) await read.close();
        return outcomeOf(rig, toldMs, 'status 200, one reset, then all that a new client hears');
      }),
  },
];

/** An agent that says more than the buffers of the system and the window hold, in frames that nobody may join. */
const flooder = fileURLToPath(new URL('../flooding-pi.mjs', import.meta.url));
const flooding = (updates: number, told: string) => ({
  agents: { flood: { protocol: 'pi', command: [process.execPath, flooder, `${updates}`, told] } },
});

const growing = (transport: Kind['transport']): Kind => ({ frontend: 'pi', transport });
const deltas: Kind = { frontend: 'pi', transport: 'ws', options: 'dialect=delta-only' };

const slow: readonly FaultRow[] = [
  {
    fault: 'F19',
    what: 'one of several stops reading its WebSocket',
    run: () =>
      withRig({ config: flooding(2000, '/dev/null'), clients: plus(growing('sse'), deltas) }, async (rig) => {
        const stalled = await rig.join(growing('ws'), { isLate: true });
        rig.dismiss(stalled);
        stalled.pause();
        rig.prompt('go');
        rig.cause();
        const toldMs = await rig.told();
        stalled.resume();
        const reason = await stalled.cut();
        must(/4008|slow/u.test(reason), `the client was let go with ${reason}`);
        await rig.hasClients(rig.observers.length);
        const again = await rig.join(growing('ws'), { isLate: true });
        rig.dismiss(again);
        const outcome = await outcomeOf(rig, toldMs, 'closed with 4008, may come back; the others hear all');
        return { ...outcome, clients: [...outcome.clients, stalled] };
      }),
  },
  {
    fault: 'F19',
    what: 'one of several stops reading its SSE (let go after 300 ms)',
    run: () =>
      withRig(
        {
          config: flooding(2000, '/dev/null'),
          clients: plus(growing('ws'), deltas),
          listen: { stream: { stallMs: 300 } },
        },
        async (rig) => {
          const stalled = await rig.join(growing('sse'), { isLate: true });
          rig.dismiss(stalled);
          const count = rig.observers.length;
          stalled.pause();
          rig.prompt('go');
          rig.cause();
          const toldMs = await rig.told();
          await rig.hasClients(count);
          stalled.close();
          const outcome = await outcomeOf(rig, toldMs, 'cut; the others hear all');
          return { ...outcome, clients: [...outcome.clients, stalled] };
        },
      ),
  },
  {
    fault: 'F14',
    what: 'a cursor that has left the window (8 MiB)',
    run: () =>
      withRig(
        { config: flooding(1000, '/dev/null'), clients: plus(growing('sse'), growing('ws'), deltas) },
        async (rig) => {
          rig.prompt('go');
          await rig.told();
          const before = await readEvents(rig.address, rig.session, 'pi', null);
          await before.until('a place in the stream', ({ length }) => length > 0);
          await before.close();
          must(before.firstId !== null, 'no frame has an id');
          rig.prompt('go');
          rig.cause();
          const toldMs = await rig.told();
          const after = await readEvents(rig.address, rig.session, 'pi', before.firstId);
          await after.until('the snapshot', ({ length }) => length > 0);
          await after.close();
          must(after.gateway.length === 1 && after.gateway[0]?.includes('window') === true, `resets: ${after.gateway}`);
          return outcomeOf(rig, toldMs, 'status 200, one reset, a snapshot');
        },
      ),
  },
  { fault: 'F20', what: 'the only client, on stdio, stops reading in 20 MB', run: stopsReading },
];

/** The agent says when nobody reads it, in a file. */
async function stopsReading(): Promise<Outcome> {
  const updates = 2000;
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-fault-'));
  const told = join(folder, 'told');
  writeFileSync(told, '');
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const watcher = watch(folder, look);
  const gateway = createGateway(parseConfig(flooding(updates, told)), { log: () => {} });
  const [toUs, fromUs] = [new PassThrough(), new PassThrough()];
  const framing = streamFraming('jsonl');
  const near = stdioChannel({ input: toUs, output: fromUs, label: 'gateway', framing });
  const client = stdioChannel({ input: fromUs, output: toUs, label: 'client', framing });
  const numbers: number[] = [];
  let isOver = false;
  const served = gateway.serveClient(near, { frontend: 'pi', agent: 'flood', options: {} });
  client.open({
    frame({ text }) {
      numbers.push(...[...text.matchAll(/^.{0,200}"text":"(\d+) x/gu)].map(([, number]) => Number(number)));
      isOver ||= text.includes('"type":"agent_end"');
      look();
    },
    fault: () => {},
    end: () => {},
  });
  try {
    client.pause();
    client.send(dialects.get('pi')?.role.prompt('go') ?? '');
    await within('an agent that waits', watchers, () =>
      readFileSync(told, 'utf8').includes('stuck') ? true : undefined,
    );
    const from = performance.now();
    client.resume();
    await within('the end of the run', watchers, () => (isOver ? true : undefined));
    const toldMs = performance.now() - from;
    const repeated = numbers.length - new Set(numbers).size;
    must(
      numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0)),
      'the order is another one',
    );
    const clients = [{ frontend: 'pi', transport: 'stdio' as const }];
    return {
      clients,
      toldMs,
      lost: updates - new Set(numbers).size,
      repeated,
      verdict: 'the agent waits, then all of it in order',
    };
  } finally {
    watcher.close();
    client.close('normal', 'the test is over');
    gateway.close('the test is over');
    await served;
    rmSync(folder, { recursive: true });
  }
}

const malformed: readonly FaultRow[] = [
  {
    fault: 'F21',
    what: 'eleven bad frames in a run, of a client of each dialect over WebSocket',
    run: () =>
      withRig({ config: demo() }, async (rig) => {
        rig.prompt(slowly);
        await hearMore(rig.observers, 4);
        const bad: Observer[] = [];
        for (const kind of overWs) bad.push(await rig.join(kind, { isLate: true }));
        rig.cause();
        const closed = await Promise.all(
          bad.map(async (one) => {
            rig.dismiss(one);
            for (let n = 0; n < 11; n += 1) one.say(`{"n":${n}`);
            return one.cut();
          }),
        );
        for (const reason of closed) must(reason.includes('4400'), `a client of bad frames was closed with ${reason}`);
        const toldMs =
          Math.max(...bad.map(({ endedAt }) => endedAt)) - Math.min(...bad.map(({ times }) => times[0] ?? 0));
        await rig.told();
        return outcomeOf(rig, toldMs, 'errors, then 4400; the run and the others go on');
      }),
  },
];

export const clientFaults: readonly FaultRow[] = [...returns, ...slow, ...malformed];
