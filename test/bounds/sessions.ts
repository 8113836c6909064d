// What the parts of a session and of the gateway keep.
import { expect } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { literalOf } from '../../src/core/fast-path/literal.ts';
import { createTemplateRecogniser } from '../../src/core/fast-path/templates.ts';
import { createOutcomeStore } from '../../src/core/ledger/outcomes.ts';
import { createPostedIds } from '../../src/core/link/posted-ids.ts';
import { createHub, mostNames } from '../../src/core/session/hub.ts';
import { mostOpen } from '../../src/core/session/questions/expiry.ts';
import { mostRemembered } from '../../src/core/session/questions/standing-approvals.ts';
import { createTranscriptBudget } from '../../src/core/session/transcript/transcript-budget.ts';
import { usableFolders } from '../../src/gateway/clients/client-folders.ts';
import { createLineLimit, mostLines } from '../../src/gateway/clients/line-limit.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { createFileCache } from '../../src/stores/file-cache.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { createRig } from '../core/ledger/rig.ts';
import { createSessionRig, question } from '../support/core/session-rig.ts';
import { createStreamRig, drain, kindsOf } from '../support/core/stream-rig.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { type Acts, counted } from './rig.ts';

const mebibyte = 1024 * 1024;
const toolWith = (characters: number) =>
  ({ type: 'tool-start', call: 'a', name: 'look', input: { all: 'x'.repeat(characters) } }) as const;

function running(options: Parameters<typeof createSessionRig>[0] = {}) {
  const rig = createSessionRig(options);
  rig.prompt('one');
  rig.run();
  return rig;
}

export const sessionActs: Acts = {
  'the transcript of a session'() {
    const rig = running({ limits: { transcriptBytes: mebibyte } });
    rig.agent.say(toolWith(mebibyte));
    rig.clock.advance(0);
    expect(rig.log().slice(-2)).toEqual(['+run-end failed', 'agent-changed down']);
    rig.prompt('two');
    expect(rig.problems.at(-1)).toContain('which is its limit (transcriptBytes)');
    rig.submit({ type: 'abort', target: 'retry' });
    rig.agent.say({ type: 'history-reset', reason: 'new' });
    rig.prompt('three');
    rig.run();
    expect(rig.answers.at(-1)).toBe('three: ok');
  },

  'what is kept of the end of a block'() {
    const rig = running({ limits: { transcriptBytes: mebibyte } });
    rig.agent.say(
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      { type: 'block-start', index: 0, block: { kind: 'thinking' } },
      { type: 'block-end', index: 0, signature: 'x'.repeat(mebibyte) },
    );
    rig.clock.advance(0);
    expect(rig.session.state).toBe('down');
  },

  'the transcripts of all sessions'() {
    const clock = createVirtualClock();
    const budget = createTranscriptBudget(mebibyte, () => {});
    const [small, large] = [running({ clock, budget }), running({ clock, budget })];
    large.agent.say(toolWith(mebibyte));
    clock.advance(0);
    expect([small.session.state, large.session.state]).toEqual(['running', 'closed']);
    expect(large.agents[0]?.wire.closings[0]?.reason).toContain('this one keeps the most');
    small.endRun();
    expect(small.session.state).toBe('idle');
  },

  'open questions'() {
    const rig = running();
    for (const at of counted(mostOpen + 1)) rig.agent.say({ ...question, call: `c${at}`, id: `x${at}` });
    rig.clock.advance(0);
    expect(rig.session.transcript.approvals.size).toBe(mostOpen);
    const reason = `more than ${mostOpen} questions are open`;
    expect(rig.agent.received.at(-1)?.command).toEqual({
      type: 'answer-approval',
      id: `x${mostOpen}`,
      decision: 'deny',
      reason,
    });
    rig.submit({ type: 'answer-approval', id: 'x0', decision: 'allow' });
    rig.agent.settle('answer-approval');
    expect(rig.answers.at(-1)).toBe('answer-approval: ok');
  },

  'prompts that wait'() {
    const rig = running({ limits: { queuedPrompts: 1 } });
    rig.prompt('two', 'queue');
    rig.prompt('three', 'queue');
    rig.prompt('four', 'queue');
    expect(rig.problems).toEqual(['1 prompts are waiting already', '1 prompts are waiting already']);
    rig.endRun();
    rig.clock.advance(0);
    rig.run();
    expect(rig.answers.at(-1)).toBe('two: ok');
  },

  'approvals for the rest of a session'() {
    const rig = running();
    const ask = (at: number) => {
      rig.agent.say({ ...question, call: `c${at}`, id: `x${at}`, name: `tool ${at}` });
      rig.submit({ type: 'answer-approval', id: `x${at}`, decision: 'allow', forSession: true });
      rig.agent.settle('answer-approval');
    };
    for (const at of counted(mostRemembered)) ask(at);
    ask(mostRemembered);
    const notices = rig.session.stream('all', () => ({ event: () => [] }));
    expect(notices.closed).toBeNull();
    const standing = (name: string) => {
      rig.agent.say({ ...question, call: name, id: name, name });
      return rig.session.transcript.approvals.get(name)?.standing;
    };
    expect([standing('tool 0'), standing(`tool ${mostRemembered}`)]).toEqual(['remembered', undefined]);
    expect(rig.log().filter((line) => line.startsWith('notice')).length).toBe(mostRemembered + 1);
  },

  'commands with tickets in progress'() {
    const rig = createRig({ limits: { maxInFlight: 2 } });
    for (const label of ['a', 'b', 'c']) rig.send(label, { lane: 'server', place: 'beside' });
    expect(rig.read('c').at(-1)).toContain('Server busy');
    rig.succeed('a');
    rig.send('d', { lane: 'server', place: 'beside' });
    expect(rig.ledger.figures().inFlight).toBe(2);
  },

  'outcomes of commands with tickets'() {
    const rig = createRig({ limits: { maxOutcomes: 2 } });
    for (const label of ['a', 'b', 'c']) rig.send(label, {}, 'ok');
    expect(rig.ledger.figures().outcomes).toBe(2);
    const store = createOutcomeStore({ count: 100, bytes: 10 }, () => 0);
    const kept = {
      type: 't',
      fingerprint: '',
      outcome: { ok: true },
      receipt: { replayed: false, timedOut: false },
    } as const;
    for (const name of ['a', 'b', 'c']) store.put(name, { ...kept, at: 0, weight: 6 });
    expect([store.size, store.get('c') !== undefined]).toEqual([1, true]);
  },

  'commands of the last minute'() {
    const rig = createRig({ limits: { allCommandsPerMinute: 2 } });
    for (const label of ['a', 'b', 'c']) rig.send(label, {}, 'ok');
    expect(rig.read('c').at(-1)).toContain('Global rate limit exceeded (2 commands/minute)');
    rig.clock.advance(60_000);
    rig.send('d', {}, 'ok');
    expect(rig.read('d').at(-1)).toContain('ok');
  },

  'frames of a stream'() {
    const rig = createStreamRig({ limits: { frames: 4, bytes: 100_000 } });
    const reader = rig.stream.attach(null);
    drain(reader);
    for (const at of counted(9)) rig.say({ type: 'notice', level: 'info', text: `n${at}` });
    expect(rig.stream.measure().unreadFrames).toBe(4);
    expect(kindsOf(drain(reader))[0]).toBe('reset window');
    rig.say({ type: 'notice', level: 'info', text: 'more' });
    expect(kindsOf(drain(reader))).toEqual(['frame']);
  },

  'streams of a session'() {
    const { board } = opened({});
    board.createSession({ id: 's' }, owner);
    const check = (options: object) =>
      board.check({ frontend: 'pi', session: 's', options: { ...options }, principal: owner });
    expect(() => check({ dialect: 'made up' })).toThrow(expect.objectContaining({ code: 'invalid' }));
    expect(() => check({ madeUp: '1' })).toThrow(expect.objectContaining({ code: 'invalid' }));
    expect(() => check({})).not.toThrow();
  },

  'open sessions'() {
    const { board } = opened({ limits: { sessions: 1 } });
    const { id } = board.createSession({}, owner);
    expect(() => board.createSession({}, owner)).toThrow('session limit reached (1 sessions)');
    void board.closeSession(id, owner);
    expect(() => board.createSession({}, owner)).not.toThrow();
  },

  'names of a session'() {
    const hub = createHub({ sessions: 1 });
    const { session } = createSessionRig();
    hub.add('s', () => ({ session, agent: 'a', createdAt: '', principal: 'owner' }));
    for (const at of counted(mostNames + 1)) hub.name('s', `n${at}`);
    expect(hub.get(`n${mostNames - 1}`, owner).session).toBe(session);
    expect(() => hub.get(`n${mostNames}`, owner)).toThrow(expect.objectContaining({ code: 'not-found' }));
  },

  'ids of posts'() {
    const ids = createPostedIds();
    for (const at of counted(1025)) ids.add(`p${at}`, undefined);
    expect([ids.has('p0', undefined), ids.has('p1', undefined), ids.has('p1024', undefined)]).toEqual([
      false,
      true,
      true,
    ]);
  },

  'lines that the fast path knows'() {
    const blocks = [{}, {}, {}, {}, {}];
    const streaming = { block: (index: number) => blocks[index] ?? null, streamed: () => {} };
    const recogniser = createTemplateRecogniser(streaming, (line, event) => {
      const head = literalOf(line.bytes.subarray(0, 2));
      return head === null ? null : { head, behind: Buffer.from('"'), trail: null, rest: null, event };
    });
    const lineOf = (index: number) => Buffer.from(`${index}"x"\n`);
    for (const index of counted(5)) {
      const message = { type: 'block-delta', index, delta: 'x' } as const;
      recogniser.learn(createFrame(lineOf(index)), [{ do: 'deliver', message }]);
    }
    const reads = (index: number) => {
      const bytes = lineOf(index);
      const text = (from: number, to: number) => bytes.subarray(from, to).toString();
      return (
        recogniser.read(
          { header: null, bytes, lineEnd: () => bytes.length - 1, ascii: text, utf8: text },
          0,
          bytes.length,
        ) !== null
      );
    };
    expect(counted(5).map(reads)).toEqual([false, true, true, true, true]);
  },

  'lines in the log'() {
    const summed: string[] = [];
    let now = 0;
    const limit = createLineLimit(
      () => now,
      (source, count) => void summed.push(`${source} ${count}`),
    );
    expect(counted(mostLines + 2).filter(() => limit.allows('s')).length).toBe(mostLines);
    now = 60_000;
    expect(limit.allows('s')).toBe(true);
    expect(summed).toEqual(['s 2']);
    for (const at of counted(4096)) for (const _ of counted(mostLines + 1)) limit.allows(`o${at}`);
    limit.allows('one more');
    expect(summed.at(-1)).toBe('o0 1');
  },

  'summaries of stored sessions'() {
    const cache = createFileCache<number>(2);
    for (const at of counted(3)) cache.set(`f${at}`, 'mark', at);
    expect([cache.get('f0', 'mark'), cache.get('f2', 'mark')]).toEqual([undefined, 2]);
  },

  'folders of a session'() {
    const folders = counted(66).map((at) => `/nowhere/${at}`);
    const { problems } = usableFolders(folders, { isOurs: true, roots: [] });
    expect(problems.length).toBe(65);
  },
};

function opened(config: object) {
  return createGateway(parseConfig(config), { log: () => {}, clock: createVirtualClock() });
}
