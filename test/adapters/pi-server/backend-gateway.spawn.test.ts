// Scripted pi-servers behind a whole gateway, over a pipe and a WebSocket: many sessions on one connection, and the faults of
// real servers, which no client is to hear of.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { adapters } from '../../../src/adapters/index.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { within } from '../../../src/conformance/bounded-wait.ts';
import { createGateway, type Gateway } from '../../../src/gateway/full-gateway.ts';
import { memoryPair } from '../../../src/transports/memory.ts';
import { describePairs } from '../../contract/pair.ts';
import { type AgentRole, agentRoles } from '../../support/agent-roles.ts';
import { clientRoles } from '../../support/client-roles.ts';
import { clientTransports } from '../../support/client-transports.ts';

const script = fileURLToPath(new URL('../../support/scripted-pi-server.mjs', import.meta.url));
/** All at once. */
const faults = ['lanes', 'early-start', 'finished-only', 'log-lines', 'ahead', 'removing', 'summary'].map(
  (fault) => `--${fault}`,
);

function gatewayWith(agent: object, limits = {}): Gateway {
  const config = parseConfig({ agents: { server: { protocol: 'pi-server', ...agent } }, limits });
  const gateway = createGateway(config, { log: () => {} });
  onTestFinished(() => gateway.close('the test is over'));
  return gateway;
}

const overPipe = (options = {}, ...words: string[]) =>
  gatewayWith({ command: [process.execPath, script, ...words], options });

type Line = Record<string, unknown>;

/** A server on a WebSocket; its port, and what ends it. */
async function listening(wanted = 0): Promise<{ port: number; kill(): Promise<void> }> {
  const server = spawn(process.execPath, [script, '--port', String(wanted)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(server, 'exit');
  onTestFinished(() => void server.kill());
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  const { port } = Object(JSON.parse(String(line)));
  return {
    port: Number(port),
    async kill() {
      server.kill('SIGKILL');
      await gone;
    },
  };
}

/** A client of pi with a session of its own; one of another protocol has what it opens. */
function client(gateway: Gateway, frontend = 'pi') {
  const [near, channel] = memoryPair();
  const served = gateway.serveClient(near, { frontend, agent: 'server', options: {} });
  const heard: Line[] = [];
  const watchers = new Set<() => void>();
  channel.open({
    frame(frame) {
      heard.push({ ...Object(frame.json) });
      for (const watcher of watchers) watcher();
    },
    fault: () => {},
    end: () => {},
  });
  let asked = 0;
  const until = (label: string, isIt: (line: Line) => boolean, from = 0) =>
    within(
      label,
      watchers,
      () => heard.slice(from).find(isIt),
      () => `: ${JSON.stringify(heard.slice(from))}`,
    );
  return {
    heard,
    until,
    async ask(type: string, more: Line = {}): Promise<Line> {
      const id = `q${++asked}`;
      channel.send(JSON.stringify({ id, type, ...more }));
      return until(type, (line) => line.type === 'response' && line.id === id);
    },
    /** The words of the whole answer to a prompt. */
    async prompt(message: string): Promise<string> {
      const from = heard.length;
      channel.send(JSON.stringify({ type: 'prompt', message }));
      await until(`the end of ${message}`, ({ type }) => type === 'agent_end', from);
      const ends = heard.slice(from).filter(({ type }) => type === 'message_end');
      return JSON.stringify(ends.at(-1));
    },
    async leave(): Promise<void> {
      channel.close('normal', 'enough');
      await served;
    },
  };
}

/** The process of its agent, by the name of the model. */
const processOf = async (one: ReturnType<typeof client>) =>
  String(Object(Object((await one.ask('get_state')).data).model).name);

/** How many runs it has been told the end of. */
const runsOf = ({ heard }: ReturnType<typeof client>, from = 0) =>
  heard.slice(from).filter(({ type }) => type === 'agent_end').length;

/** Prompts that go on until something happens, once all have begun; how each ends. */
async function hanging(...clients: ReturnType<typeof client>[]): Promise<Promise<string>[]> {
  const endings = clients.map((one) => one.prompt('hang'));
  await Promise.all(clients.map((one) => one.until('words', ({ type }) => type === 'message_update')));
  return endings;
}

describe('several sessions', () => {
  test('share one program, which ends with the last', async () => {
    const gateway = overPipe();
    const [one, other] = [client(gateway), client(gateway)];
    expect(await one.prompt('look')).toContain('There are three cables.');
    expect(await other.prompt('who')).toContain('2 sessions on 1 connections');
    expect(await processOf(one)).toBe(await processOf(other));
    await one.leave();
    // Its session was closed on the server as well.
    expect(await other.prompt('who')).toContain('1 sessions on 1 connections');
    const before = await processOf(other);
    await other.leave();
    const next = client(gateway);
    expect(await next.prompt('look')).toContain('There are three cables.');
    expect(await processOf(next)).not.toBe(before);
  });

  test('go on with another program when theirs has died', async () => {
    const gateway = overPipe();
    const [one, other] = [client(gateway), client(gateway)];
    await Promise.all([one.prompt('look'), other.prompt('look')]);
    const first = await processOf(one);
    const from = one.heard.length;
    const hanging = one.prompt('hang');
    await one.until('words', ({ type }) => type === 'message_update', from);
    process.kill(Number(/(\d+)$/u.exec(first)?.[1]), 'SIGKILL');
    expect(await hanging).toContain('agent exited (signal SIGKILL)');
    expect(await one.prompt('look')).toContain('There are three cables.');
    expect(await other.prompt('who')).toContain('2 sessions on 1 connections');
    expect([await processOf(one), await processOf(other)]).toEqual([await processOf(other), await processOf(one)]);
    expect(await processOf(one)).not.toBe(first);
  });

  test('share one WebSocket', async () => {
    const { port } = await listening();
    const gateway = gatewayWith({ url: `ws://127.0.0.1:${port}` });
    const [one, other] = [client(gateway), client(gateway)];
    expect(await one.prompt('look')).toContain('There are three cables.');
    expect(await other.prompt('who')).toContain('2 sessions on 1 connections');
    const from = other.heard.length;
    await Promise.all([one.prompt('retry'), other.prompt('look')]);
    // Each heard its own.
    expect(runsOf(other, from)).toBe(1);
  });

  test('lose their WebSocket together, are told once each, and go on together over one new one', async () => {
    const server = await listening();
    const gateway = gatewayWith({ url: `ws://127.0.0.1:${server.port}` });
    const [one, other] = [client(gateway), client(gateway)];
    const endings = await hanging(one, other);
    await server.kill();
    for (const ending of await Promise.all(endings)) expect(ending).toContain('connection closed (code 1006)');
    await listening(server.port);
    expect(await Promise.all([one.prompt('look'), other.prompt('look')])).toEqual([
      expect.stringContaining('There are three cables.'),
      expect.stringContaining('There are three cables.'),
    ]);
    expect(await one.prompt('who')).toContain('2 sessions on 1 connections');
    // The one that was cut, the look, and the one who asked.
    expect([runsOf(one), runsOf(other)]).toEqual([3, 2]);
  });

  test('end with a frame that is too large for any, and each is told why and has a fresh agent next', async () => {
    const gateway = gatewayWith({ command: [process.execPath, script] }, { agentFrameBytes: 1_000_000 });
    const [one, other, third] = [client(gateway), client(gateway), client(gateway)];
    await third.prompt('look');
    const before = await processOf(third);
    const endings = await hanging(one);
    const huge = other.prompt('huge');
    for (const ending of await Promise.all([...endings, huge])) {
      expect(ending).toContain('the agent sent a line of more than 1000000 bytes');
    }
    await Promise.all([one, other, third].map((each) => each.prompt('look')));
    expect(await third.prompt('who')).toContain('3 sessions on 1 connections');
    expect(await processOf(third)).not.toBe(before);
    expect([runsOf(one), runsOf(other), runsOf(third)]).toEqual([2, 2, 3]);
  });
});

test('a server of another version is named to who prompts', async () => {
  const one = client(overPipe({}, '--other-version'));
  expect(await one.ask('prompt', { message: 'look' })).toMatchObject({
    success: false,
    error: 'the agent speaks 2.0.0 of the pi-server protocol, and we speak 1.x',
  });
});

test('a session that the server does not open fails with the server’s sentence', async () => {
  const one = client(overPipe({ cwd: '/no such folder' }));
  expect(await one.ask('prompt', { message: 'look' })).toMatchObject({
    success: false,
    error: 'CWD must point to an existing directory',
  });
});

test.each([
  ['says nothing', { readyTimeoutMs: 50 }, ['--mute'], 'the pi-server did not answer in time (it has not greeted us)'],
  ['refuses', { cwd: '/no such folder' }, [], 'CWD must point to an existing directory'],
])(
  'a server that %s is given up, and who opens a session in front of it is told so',
  async (_, options, words, error) => {
    const one = client(overPipe(options, ...words), 'pi-server');
    expect(await one.ask('create_session', { sessionId: 'mine' })).toMatchObject({ success: false, error });
    // Nothing is left behind.
    expect(await one.ask('list_sessions')).toMatchObject({ success: true, data: { sessions: [] } });
  },
);

describe('a server with the faults of real ones', () => {
  const usual = agentRoles.get('pi-server');
  if (usual === undefined) throw new Error('unreachable');
  const faulty: AgentRole = {
    ...usual,
    config: { protocol: 'pi-server', command: [process.execPath, script, ...faults], options: { abortGraceMs: 100 } },
  };
  const inMemory = clientTransports.get('memory');
  describePairs(
    [...adapters.values()],
    { clients: clientRoles, agents: new Map([['pi-server', faulty]]) },
    ({ backend, reach }) => backend === 'pi-server' && reach === inMemory,
  );

  test('a prompt behind one that could not be aborted runs when the server is through with that', async () => {
    const gateway = overPipe({ abortGraceMs: 100 }, ...faults);
    const [one, other] = [client(gateway), client(gateway)];
    const hanging = one.prompt('hang');
    await one.until('words', ({ type }) => type === 'message_update');
    await one.ask('abort');
    expect(await hanging).toContain('"stopReason":"aborted"');
    const from = one.heard.length;
    const next = one.prompt('look');
    // It hangs on until somebody else says so; all that it says then is nobody's.
    await other.ask('set_session_name', { name: 'release' });
    expect(await next).toContain('There are three cables.');
    expect(JSON.stringify(one.heard.slice(from))).not.toContain('I was about to');
  });

  test('a follow-up is kept for later, and runs', async () => {
    const one = client(overPipe({ abortGraceMs: 50 }, ...faults));
    const asking = one.prompt('ask');
    await one.until('the question', ({ type }) => type === 'extension_ui_request');
    expect(await one.ask('follow_up', { message: 'who' })).toMatchObject({ success: true });
    await asking;
    const told = await one.until('its answer', (line) => JSON.stringify(line).includes('1 sessions on 1 connections'));
    expect(told.type).toBe('message_update');
  });
});
