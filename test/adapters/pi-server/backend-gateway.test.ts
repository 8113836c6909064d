// Scripted pi-servers behind a whole gateway, over a pipe and a WebSocket: many sessions on one connection, and the faults of
// real servers, which no client is to hear of.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { adapters } from '../../../src/adapters/index.ts';
import { parseConfig } from '../../../src/config.ts';
import { createGateway, type Gateway } from '../../../src/gateway.ts';
import { memoryPair } from '../../../src/transports/memory.ts';
import { describePairs } from '../../contract/pair.ts';
import { type AgentRole, agentRoles } from '../../support/agent-roles.ts';
import { clientRoles } from '../../support/client-roles.ts';
import { clientTransports } from '../../support/client-transports.ts';
import { within } from '../../support/within.ts';

const script = fileURLToPath(new URL('../../support/scripted-pi-server.mjs', import.meta.url));
/** All at once. */
const faults = ['lanes', 'early-start', 'finished-only', 'log-lines', 'ahead', 'removing', 'summary'].map(
  (fault) => `--${fault}`,
);

function gatewayWith(agent: object): Gateway {
  const gateway = createGateway(parseConfig({ agents: { server: { protocol: 'pi-server', ...agent } } }), {
    log: () => {},
  });
  onTestFinished(() => gateway.close('the test is over'));
  return gateway;
}

const overPipe = (options = {}, ...words: string[]) =>
  gatewayWith({ command: [process.execPath, script, ...words], options });

type Line = Record<string, unknown>;

/** A client of pi with a session of its own. */
function client(gateway: Gateway) {
  const [near, channel] = memoryPair();
  const served = gateway.serveClient(near, { frontend: 'pi', agent: 'server', options: {} });
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

const fileOf = async (one: ReturnType<typeof client>) => String(Object((await one.ask('get_state')).data).sessionFile);

describe('several sessions', () => {
  test('share one program, which ends with the last', async () => {
    const gateway = overPipe();
    const [one, other] = [client(gateway), client(gateway)];
    expect(await one.prompt('look')).toContain('There are three cables.');
    expect(await other.prompt('who')).toContain('2 sessions on 1 connections');
    expect(await fileOf(one)).toBe(await fileOf(other));
    await one.leave();
    // Its session was closed on the server as well.
    expect(await other.prompt('who')).toContain('1 sessions on 1 connections');
    const before = await fileOf(other);
    await other.leave();
    const next = client(gateway);
    expect(await next.prompt('look')).toContain('There are three cables.');
    expect(await fileOf(next)).not.toBe(before);
  });

  test('go on with another program when theirs has died', async () => {
    const gateway = overPipe();
    const [one, other] = [client(gateway), client(gateway)];
    await Promise.all([one.prompt('look'), other.prompt('look')]);
    const file = await fileOf(one);
    const from = one.heard.length;
    const hanging = one.prompt('hang');
    await one.until('words', ({ type }) => type === 'message_update', from);
    process.kill(Number(/(\d+)\.jsonl$/u.exec(file)?.[1]), 'SIGKILL');
    expect(await hanging).toContain('agent exited (signal SIGKILL)');
    expect(await one.prompt('look')).toContain('There are three cables.');
    expect(await other.prompt('who')).toContain('2 sessions on 1 connections');
    expect([await fileOf(one), await fileOf(other)]).toEqual([await fileOf(other), await fileOf(one)]);
    expect(await fileOf(one)).not.toBe(file);
  });

  test('share one WebSocket', async () => {
    const server = spawn(process.execPath, [script, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void server.kill());
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const gateway = gatewayWith({ url: `ws://127.0.0.1:${Object(JSON.parse(String(line))).port}` });
    const [one, other] = [client(gateway), client(gateway)];
    expect(await one.prompt('look')).toContain('There are three cables.');
    expect(await other.prompt('who')).toContain('2 sessions on 1 connections');
    const from = other.heard.length;
    await Promise.all([one.prompt('retry'), other.prompt('look')]);
    // Each heard its own.
    expect(other.heard.slice(from).filter(({ type }) => type === 'agent_end')).toHaveLength(1);
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
