// Each limit is counted under its name when a peer reaches it, and not before.
import { mkdtempSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { logTo, mostUnreadBytes } from '../../src/cli/stderr-log.ts';
import { parseConfig } from '../../src/config/config.ts';
import { type LimitRule, limitRules } from '../../src/core/contract/limits/limit-rule.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { linkAgent, unreadBytes } from '../../src/core/link/agent-link.ts';
import { linkClient } from '../../src/core/link/client-link.ts';
import { highWater } from '../../src/core/link/client-sender.ts';
import { mostFaults } from '../../src/core/link/fault-limit.ts';
import { mostJunk } from '../../src/core/link/junk-count.ts';
import { createHub } from '../../src/core/session/hub.ts';
import { mostOpen } from '../../src/core/session/questions/expiry.ts';
import { unreadStreamMs } from '../../src/core/session/session-streams.ts';
import { createTranscriptBudget } from '../../src/core/session/transcript/transcript-budget.ts';
import { mostLines } from '../../src/gateway/clients/line-limit.ts';
import { CommandIntakes } from '../../src/gateway/commands/command-intakes.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { Taps } from '../../src/gateway/inspector/taps.ts';
import { gatherFigures } from '../../src/gateway/metering/figures.ts';
import { Meter } from '../../src/gateway/metering/meter.ts';
import { SessionTally } from '../../src/gateway/metering/session-tally.ts';
import { createTapeFolder } from '../../src/gateway/tapes/tape-folder.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { ticketOf, wide } from '../core/ledger/rig.ts';
import { createAgent } from '../support/core/agent.ts';
import { createClient } from '../support/core/client.ts';
import { createSessionRig, question } from '../support/core/session-rig.ts';
import { createStreamRig } from '../support/core/stream-rig.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { createFakeBoard } from '../support/fake-board.ts';
import { samplesOf } from '../support/samples.ts';

const disposals: (() => unknown)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
  vi.useRealTimers();
});

/** What is counted before and after the limit is reached. */
type Reached = readonly [before: readonly string[], after: readonly string[]];

function opened(config: object, clock = createVirtualClock()) {
  const gateway = createGateway(parseConfig(config), { log: () => {}, clock });
  disposals.push(() => gateway.close('the test is over'));
  const { board } = gateway;
  const reached = () => [...samplesOf(board.metrics(), 'patchbay_limits_total').keys()].map((key) => key.slice(6, -1));
  return { board, clock, fault: gateway.fault, reached };
}

function sessions(): Reached {
  const { board, reached } = opened({ limits: { sessions: 1 } });
  board.createSession({}, owner);
  const before = reached();
  expect(() => board.createSession({}, owner)).toThrow('session limit reached');
  return [before, reached()];
}

function idleSessionMs(): Reached {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { board, clock, reached } = opened({ limits: { idleSessionMs: 1000 } });
  board.createSession({}, owner);
  vi.advanceTimersByTime(1000);
  const before = reached();
  clock.advance(1000);
  vi.advanceTimersByTime(1000);
  return [before, reached()];
}

async function connections(): Promise<Reached> {
  const board = createFakeBoard();
  // One connection without a token is a quarter of these.
  const server = await listen({ board, connections: { connections: 4 } });
  const sockets: Socket[] = [];
  disposals.push(
    () => server.close(),
    () => {
      for (const socket of sockets) socket.destroy();
    },
  );
  const open = () =>
    new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', resolve);
      socket.on('error', () => {});
      sockets.push(socket);
    });
  const dropped = () => new Promise((resolve) => sockets[0]?.once('close', resolve).resume());
  await open();
  const before = [...board.limits];
  await open();
  await dropped();
  return [before, board.limits];
}

function clientFrameBytes(): Reached {
  const { board, reached } = opened({});
  board.createSession({ id: 's' }, owner);
  const request = { frontend: 'pi', session: 's', options: {}, principal: owner };
  board.refuse(request, { code: 'bad-frame', message: 'no frame' });
  const before = reached();
  board.refuse(request, { code: 'too-large', message: 'a long frame' });
  return [before, reached()];
}

function agentFrameBytes(): Reached {
  const rig = running();
  const before = [...rig.limits];
  rig.agent.wire.fault('a long frame');
  return [before, rig.limits];
}

/** A client of a stream with a small window; it reads nothing. */
function client(hear = '') {
  const clock = createVirtualClock();
  const rig = createStreamRig({ limits: { frames: 4, bytes: 100_000 } });
  const scripted = createClient(clock, { hear: () => [{ do: 'send', frame: hear }] });
  const limits: string[] = [];
  const sink = { submit: () => {}, note: () => {}, limited: (rule: LimitRule) => void limits.push(rule) };
  const reader = rig.stream.attach(null);
  const link = linkClient(scripted.wire.channel, scripted.frontend, reader, clock, sink, { end: () => {} });
  scripted.wire.buffered = highWater;
  return { ...rig, client: scripted, limits, link };
}

function waitingCommands(): Reached {
  const { client: scripted, limits } = client();
  for (let count = 0; count < 256; count += 1) scripted.ask({ type: 'set-name', name: 'a' });
  const before = [...limits];
  scripted.ask({ type: 'set-name', name: 'a' });
  return [before, limits];
}

function waitingBroadcasts(): Reached {
  const { link, limits } = client('x'.repeat(1024 * 1024));
  const tell = () => link.onBroadcast({ kind: 'session-closed', session: 's' });
  for (let count = 0; count < 4; count += 1) tell();
  const before = [...limits];
  tell();
  return [before, limits];
}

function fallsBehind(): Reached {
  const { say, limits, client: scripted } = client();
  for (let count = 0; count < 9; count += 1) say({ type: 'notice', level: 'info', text: 'more' });
  const before = [...limits];
  scripted.wire.drain();
  return [before, limits];
}

/** A session with an open run. */
function running(limits: Parameters<typeof createSessionRig>[0] = {}) {
  const rig = createSessionRig(limits);
  rig.prompt('first');
  rig.run();
  return rig;
}

function queuedPrompts(): Reached {
  const rig = running({ limits: { queuedPrompts: 1 } });
  rig.prompt('second');
  const before = [...rig.limits];
  rig.prompt('third');
  return [before, rig.limits];
}

function openQuestions(): Reached {
  const rig = running();
  for (let count = 0; count < mostOpen; count += 1) rig.agent.say({ ...question, id: `x${count}` });
  const before = [...rig.limits];
  rig.agent.say({ ...question, id: 'one more' });
  return [before, rig.limits];
}

function questionMs(): Reached {
  const rig = running({ limits: { questionMs: 100 } });
  rig.agent.say(question);
  rig.clock.advance(99);
  const before = [...rig.limits];
  rig.clock.advance(1);
  return [before, rig.limits];
}

function abortMs(): Reached {
  const rig = running({ limits: { abortMs: 100 } });
  rig.submit({ type: 'abort', target: 'run' });
  rig.clock.advance(99);
  const before = [...rig.limits];
  rig.clock.advance(1);
  return [before, rig.limits];
}

function silenceMs(): Reached {
  const rig = running({ limits: { silenceMs: 100 } });
  rig.clock.advance(99);
  const before = [...rig.limits];
  rig.clock.advance(1);
  return [before, rig.limits];
}

function startMs(): Reached {
  const clock = createVirtualClock();
  const agent = createAgent(clock, { start: [{ do: 'send', frame: 'hello' }] });
  const limits: string[] = [];
  const limited = (rule: string) => void limits.push(rule);
  linkAgent({ ...agent, startMs: 100 }, clock, { event: () => {}, note: () => {}, end: () => {}, limited });
  clock.advance(99);
  const before = [...limits];
  clock.advance(1);
  return [before, limits];
}

/** Commands with tickets under limits of one; `fields` are of the second. */
function ledger(limits: Partial<typeof wide>, fields: Parameters<typeof ticketOf>[1] = {}): Reached {
  const clock = createVirtualClock();
  const intakes = new CommandIntakes({ clock, timeOrigin: 0, agentOf: () => 'demo', openSession: () => undefined });
  const breaker = { latencyMs: 1, failures: 1, windowMs: 1, recoveryMs: 1, successes: 1 };
  const own = { ledger: { ...wide, ...limits }, breaker, maxFrameBytes: 1, questionMs: 1, drainMs: 1 };
  const intake = intakes.of('any', own, owner);
  const notes = { counts: new Map() };
  const ports = { hub: createHub({ sessions: 1 }), intakes, meter: new Meter(), notes, tally: new SessionTally() };
  const reached = () => [...gatherFigures({ ...ports, loopDelay: undefined }).limits.keys()];
  const submit = (label: string) =>
    intake.submit({
      command: { type: 'set-name', name: 'a' },
      ticket: ticketOf(label, fields),
      session: 's1',
      execute: () => {},
      settle: () => {},
    });
  submit('first');
  const before = reached();
  submit('second');
  return [before, reached()];
}

const mebibyte = 1024 * 1024;

function transcriptBytes(): Reached {
  const rig = running({ limits: { transcriptBytes: mebibyte } });
  rig.agent.say({ type: 'tool-start', call: 'a', name: 'look', input: { all: 'x'.repeat(mebibyte) } });
  const before = [...rig.limits];
  rig.clock.advance(0);
  return [before, rig.limits];
}

function allTranscriptBytes(): Reached {
  const limits: string[] = [];
  const budget = createTranscriptBudget(mebibyte, (rule) => limits.push(rule));
  const member = { evict: () => {} };
  budget.report(member, mebibyte);
  const before = [...limits];
  budget.report(member, mebibyte + 1);
  return [before, limits];
}

function logLinesPerMinute(): Reached {
  const { fault, reached } = opened({});
  for (let count = 0; count < mostLines; count += 1) fault(new Error('a fault'));
  const before = reached();
  fault(new Error('one more'));
  return [before, reached()];
}

function junkMessages(): Reached {
  const rig = running();
  const junk = () => rig.agent.act({ do: 'note', level: 'violation', text: 'junk' });
  for (let count = 1; count < mostJunk; count += 1) junk();
  const before = [...rig.limits];
  junk();
  return [before, rig.limits];
}

function leavesUnread(): Reached {
  const rig = createSessionRig();
  rig.leave();
  rig.clock.advance(unreadStreamMs - 1);
  const before = [...rig.limits];
  rig.clock.advance(1);
  return [before, rig.limits];
}

function badFrames(): Reached {
  const clock = createVirtualClock();
  const limits: string[] = [];
  const scripted = createClient(clock);
  const sink = { submit: () => {}, note: () => {}, limited: (rule: LimitRule) => void limits.push(rule) };
  linkClient(scripted.wire.channel, scripted.frontend, null, clock, sink, { end: () => {}, isStrict: true });
  for (let count = 0; count < mostFaults; count += 1) scripted.wire.fault('no frame');
  const before = [...limits];
  scripted.wire.fault('no frame');
  return [before, limits];
}

async function agents(): Promise<Reached> {
  const { board, reached } = opened({ limits: { perToken: { agents: 1 } } });
  const prompt = async (session: string) => {
    board.createSession({ id: session }, owner);
    const bytes = Buffer.from(JSON.stringify({ type: 'prompt', message: 'hello' }));
    await board.post({ frontend: 'pi', session, options: {}, principal: owner }, [{ bytes }]);
  };
  await prompt('first');
  const before = reached();
  await prompt('second');
  return [before, reached()];
}

function unreadLogBytes(): Reached {
  const limits: string[] = [];
  const stream = { writableLength: mostUnreadBytes - 1, write: () => true };
  const log = logTo(stream, 'warn', { lost: () => limits.push('unreadLogBytes') });
  log('warn', 'the last that fits');
  const before = [...limits];
  stream.writableLength = mostUnreadBytes;
  log('warn', 'one more');
  return [before, limits];
}

function agentState(): Reached {
  const rig = running();
  const before = [...rig.limits];
  rig.agent.act({ do: 'close', code: 'error', reason: 'too much', limit: 'agentState' });
  return [before, rig.limits];
}

function agentUnread(): Reached {
  const rig = running();
  rig.agent.wire.buffered = unreadBytes.refused;
  rig.submit({ type: 'set-mode', mode: 'plan' });
  const before = [...rig.limits];
  rig.agent.wire.buffered += 1;
  rig.submit({ type: 'set-mode', mode: 'plan' });
  return [before, rig.limits];
}

function tapeBytes(): Reached {
  const limits: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-tape-limit-'));
  const tapes = createTapeFolder({ folder, mostBytes: 1024, log: () => {}, limited: (rule) => limits.push(rule) });
  const [near] = memoryPair();
  const recorded = { name: 'one', protocol: 'pi', argv: undefined, cwd: undefined, frame: undefined };
  const channel = tapes.record(near, recorded);
  channel.send('a frame that fits');
  const before = [...limits];
  channel.send('x'.repeat(1024));
  channel.send('of this nothing is said again');
  return [before, limits];
}

function wireBytes(): Reached {
  const limits: string[] = [];
  const taps = new Taps(createVirtualClock(), 4096, (rule) => limits.push(rule));
  const tap = taps.made('s');
  taps.watch('s');
  tap.frame(new Uint8Array(16));
  tap.taken();
  const before = [...limits];
  tap.frame(new Uint8Array(4096));
  tap.taken();
  return [before, limits];
}

const acts: Readonly<Record<LimitRule, () => Reached | Promise<Reached>>> = {
  sessions,
  idleSessionMs,
  connections,
  clientFrameBytes,
  agentFrameBytes,
  waitingCommands,
  waitingBroadcasts,
  queuedPrompts,
  openQuestions,
  questionMs,
  abortMs,
  silenceMs,
  startMs,
  window: fallsBehind,
  commandsInFlight: () => ledger({ maxInFlight: 1 }),
  commandsPerMinute: () => ledger({ commandsPerMinute: 1 }),
  allCommandsPerMinute: () => ledger({ allCommandsPerMinute: 1 }),
  answersPerMinute: () => ledger({ answersPerMinute: 1 }, { allowance: 'answers' }),
  transcriptBytes,
  allTranscriptBytes,
  logLinesPerMinute,
  junkMessages,
  unreadStreamMs: leavesUnread,
  badFrames,
  agents,
  unreadLogBytes,

  agentState,
  agentUnread,
  tapeBytes,
  wireBytes,
};

test.each(limitRules)('%s', async (rule) => {
  expect(await acts[rule]()).toEqual([[], [rule]]);
});
