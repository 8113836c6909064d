// What a client is told of as done is on disk before: while the disk holds its syncs, no client of any protocol is told, over any
// transport (decision 0026).
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { adapters } from '../../src/adapters/index.ts';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { type Disk, systemDisk } from '../../src/stores/journal/disk.ts';
import { listen } from '../../src/transports/http/server.ts';
import { freshJournal } from '../stores/journal/journal-rig.ts';
import { clientRoles } from '../support/client-roles.ts';

/** A disk whose syncs and removals wait while `gate` is closed. */
function holdable() {
  let gate = Promise.resolve();
  let open = () => {};
  async function pass(): Promise<void> {
    state.waiting += 1;
    for (const watcher of [...state.watchers]) watcher();
    await gate;
  }
  const state = {
    /** Syncs and removals that have come to the gate. */
    waiting: 0,
    watchers: new Set<() => void>(),
    hold() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release: () => open(),
    disk: {
      ...systemDisk,
      async open(...[file, mode]: Parameters<Disk['open']>) {
        const opened = await systemDisk.open(file, mode);
        const datasync = async () => {
          await pass();
          await opened.datasync();
        };
        return { ...opened, datasync };
      },
      async removeFile(file) {
        await pass();
        await systemDisk.removeFile(file);
      },
    } satisfies Disk,
  };
  return state;
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start() {
  const held = holdable();
  const { journal, dispose } = await freshJournal({ disk: held.disk });
  ends.push(dispose);
  const gateway = createGateway(parseConfig({}), { log: () => {}, store: journal });
  const server = await listen({ board: gateway.board });
  ends.push(
    () => gateway.close('the test is over'),
    () => server.close(),
    // What is held would keep all of them.
    () => held.release(),
  );
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const ask = (path: string, body?: string, method = body === undefined ? 'GET' : 'POST', more: object = {}) =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body }),
    });
  async function connect(frontend: string, query: string, isResuming: boolean) {
    const url = `${server.url.replace('http', 'ws')}/v1/${frontend}/ws?${query}`;
    const socket = new WebSocket(url, `${frontend}.v1${isResuming ? '+resume' : ''}`, { headers });
    ends.push(() => socket.terminate());
    const heard: string[] = [];
    const watchers = new Set<() => void>();
    socket.on('message', (data) => {
      heard.push(String(data));
      for (const watcher of [...watchers]) watcher();
    });
    await new Promise((resolve) => socket.on('open', resolve));
    return {
      say: (message: object) => socket.send(JSON.stringify(message)),
      until: (part: string) =>
        within(
          part,
          watchers,
          () => (heard.some((one) => one.includes(part)) ? true : undefined),
          () => heard.join(),
        ),
    };
  }
  return { held, ask, connect };
}

const frontends = [...adapters.values()].filter(({ client }) => client !== undefined).map(({ id }) => id);

test('no client is told before the disk has it, whatever its protocol and transport', async () => {
  const { held, ask, connect } = await start();
  const sessionOf = async (): Promise<string> =>
    ((await (await ask('/v1/sessions', '{}')).json()) as { id: string }).id;
  const told: string[] = [];
  const waits: Promise<unknown>[] = [];
  const wait = (name: string, answer: Promise<unknown>) => waits.push(answer.then(() => told.push(name)));

  const clients = await Promise.all(
    frontends.map(async (frontend) => {
      const session = await sessionOf();
      const resuming = await connect(frontend, '', true);
      resuming.say({ type: 'attach', session });
      return { frontend, session, resuming };
    }),
  );
  const [named, deleted] = [await sessionOf(), await sessionOf()];
  const bound = await connect('pi-server', `session=${named}`, false);
  const many = await connect('pi-server', '', false);
  // Only then is everybody there.
  bound.say({ id: 'state', type: 'get_state', sessionId: named });
  many.say({ id: 'list', type: 'list_sessions' });
  await Promise.all([bound.until('"id":"state"'), many.until('"id":"list"')]);

  held.hold();
  const before = held.waiting;
  for (const { frontend, session, resuming } of clients) {
    const frame = clientRoles.get(frontend)?.prompt('hello') ?? '';
    const key = { 'idempotency-key': 'posted' };
    const posted = ask(`/v1/${frontend}/sessions/${session}/frames`, frame, 'POST', key);
    wait(
      `${frontend}: 202`,
      posted.then(({ status }) => expect(status).toBe(202)),
    );
    resuming.say({ type: 'send', id: 'sent', session, frame: JSON.parse(frame) });
    wait(`${frontend}: accepted`, resuming.until('"id":"sent"'));
  }
  wait(
    '201',
    ask('/v1/sessions', '{}').then(({ status }) => expect(status).toBe(201)),
  );
  const gone = ask(`/v1/sessions/${deleted}`, undefined, 'DELETE');
  wait(
    '204',
    gone.then(({ status }) => expect(status).toBe(204)),
  );
  bound.say({ id: 'name', type: 'set_session_name', sessionId: named, name: 'a name' });
  wait('the outcome of a ticket of a session', bound.until('"id":"name"'));
  many.say({ id: 'create', type: 'create_session' });
  wait('the outcome of a ticket without a session', many.until('"id":"create"'));
  // The journal has at most three pieces of work under way.
  await within('three of them', held.watchers, () => (held.waiting - before === 3 ? true : undefined));
  // Whatever was told is here before the answers to later questions.
  for (let round = 0; round < 20; round += 1) expect((await ask('/v1/agents')).status).toBe(200);
  expect(told).toEqual([]);

  held.release();
  await Promise.all(waits);
  expect(told).toHaveLength(frontends.length * 2 + 4);
});
