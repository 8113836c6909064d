// Checks of timeouts, rates, caps and circuit breakers: docs/protocols/pi-server.md 11, 12 and 21 (rows: 23.4, 23.8,
// 23.14).
import type { Dictionary } from '../../../core/model/content.ts';
import { CannotTell, NotApplicable, type Settings } from '../../check/check.ts';
import { answeredAt, type Client, expect, expectFailure } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { dataOf, stepsOf } from '../view/frames.ts';

/** A command timeout short enough that a check can wait for it, and a breaker that no number of timeouts opens. */
export const shortTimeouts: Settings = { commandTimeoutMs: 1000, breakerFailures: 1_000_000 };
const fewCommands: Settings = { commandsPerMinute: 6 };
const fewInFlight: Settings = { maxInFlight: 2 };
const quickBreaker: Settings = { breakerFailures: 2 };

interface TimedOut {
  readonly client: Client;
  readonly session: string;
  readonly command: Dictionary & { readonly type: string };
  readonly frame: Dictionary;
}

/** Sends a prompt that times out. */
async function timedOut(context: CheckContext): Promise<TimedOut> {
  const place = await context.clientWithSession({ watched: true });
  const command = {
    id: context.mint('slow'),
    ...context.prompt(place.session, 'endless'),
    idempotencyKey: context.mint('key'),
  };
  const id = await context.endless(place, command);
  return { ...place, command, frame: await place.client.response(id) };
}

const isTimeout = (frame: Dictionary): boolean =>
  frame.success === false && frame.timedOut === true && /timed out/u.test(String(frame.error));

/** Sends commands until one is refused with this error. Returns all ids, the refused one last. */
async function untilRefused(client: Client, session: string, words: RegExp, most: number): Promise<string[]> {
  const ids: string[] = [];
  for (let count = 0; count <= most; count += 1) {
    const id = client.start({ type: 'get_state', sessionId: session });
    ids.push(id);
    const frame = await client.response(id);
    if (frame.success === true) continue;
    expect(words.test(String(frame.error)), `the refusal must match ${words}:`, frame);
    return ids;
  }
  expect(false, `${most} commands were let through, and one more`);
  return ids;
}

async function expectRefusedLifecycle(client: Client, id: string): Promise<void> {
  client.expectPhases(id, 'accepted', 'finished');
  const finished = stepsOf(client.received(), id).at(-1)?.data ?? {};
  expect(finished.success === false, 'finished must tell the failure:', finished);
}

/** Sends as many prompts as the peer accepts; returns the id of a command that exceeds the limit. */
async function oneTooMany(
  context: CheckContext,
): Promise<{ readonly client: Client; readonly id: string; readonly ids: string[] }> {
  const { client, session } = await context.clientWithSession({ watched: true });
  const other = await context.session(client, { watched: true });
  const ids = [await context.busy({ client, session }), await context.busy({ client, session: other })];
  return { client, ids, id: client.start({ type: 'list_sessions' }) };
}

const rateWords = /^Rate limit exceeded \(6 commands\/minute\)$/u;
const busyWords = /^Server busy/u;

/** Rows 79 to 84, 111, and 33 for rates and caps. */
export const limitRows: PiServerRows = {
  '11-79': {
    section: '11',
    sentence: 'A command that takes too long fails, and says that its time was over.',
    input: 'prompt that does not end',
    expected: 'failure with timedOut: true',
    needs: { settings: shortTimeouts, script: ['endless'] },
    async run(context) {
      const { frame } = await timedOut(context);
      expect(isTimeout(frame), 'it must fail with timedOut:', frame);
    },
  },
  '11-80': {
    section: '11',
    sentence: 'A timeout is an outcome: the same id gives it again, however late.',
    input: 'the same id again, at once and when the agent has stopped',
    expected: 'the same timeout response, replayed: true',
    needs: { settings: shortTimeouts, script: ['endless'] },
    async run(context) {
      const { client, session, command, frame } = await timedOut(context);
      for (const moment of ['at once', 'later']) {
        if (moment === 'later') await context.prepare(() => client.ask({ type: 'abort', sessionId: session }));
        const again = await client.ask(command);
        const isSame = isTimeout(again) && again.error === frame.error && again.replayed === true;
        expect(isSame, `${moment} it must be the same timeout, replayed:`, again);
      }
    },
  },
  '11-81': {
    section: '11',
    sentence: 'A timeout is an outcome for its key as well.',
    input: 'the same key under a new id',
    expected: 'the same timeout response, replayed: true',
    needs: { settings: shortTimeouts, script: ['endless'] },
    async run(context) {
      const { client, command } = await timedOut(context);
      const again = await client.ask({ ...command, id: context.mint('again') });
      expect(isTimeout(again) && again.replayed === true, 'it must be the same timeout, replayed:', again);
    },
  },
  '11-82': {
    section: '11',
    isMeasured: true,
    level: 'MAY',
    sentence: 'An agent whose prompt timed out is stopped, and can be used again.',
    input: 'prompt behind one that timed out',
    expected: 'the first ended as aborted, the second is answered',
    needs: { settings: shortTimeouts, script: ['endless', 'text'] },
    async run(context) {
      const { client, session } = await timedOut(context);
      await client.untilEvent(session, 'end of the run', ({ type }) => type === 'agent_end');
      const ends = client.events(session).filter(({ event }) => event.type === 'message_end');
      const stop = dataOf({ data: ends.at(-1)?.event.message }).stopReason;
      expect(stop === 'aborted', 'the answer must have stopReason aborted:', ends.at(-1)?.event);
      const next = await client.ask(context.prompt(session, 'text'));
      // The short timeout is for this prompt too, and a busy machine may need longer.
      if (isTimeout(next)) throw new CannotTell('the next prompt took longer than the timeout of this check');
      expect(next.success === true, 'the next prompt must succeed:', next);
    },
  },
  '12-83': {
    section: '12',
    level: 'MAY',
    sentence: 'There may be so many commands in a minute; replays do not count.',
    input: 'a command and its replays, then more commands than the limit',
    expected: 'replays succeed; failure "Rate limit exceeded (n commands/minute)"',
    needs: { settings: fewCommands, exclusive: true },
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const command = { id: mint('name'), type: 'set_session_name', sessionId: session, name: 'n1' };
      await client.succeeds(command);
      for (let count = 0; count < 8; count += 1) {
        const frame = await client.succeeds(command);
        expect(frame.replayed === true, 'it must be replayed:', frame);
      }
      const ids = await untilRefused(client, session, rateWords, 6);
      expect(ids.length > 2, 'replays must not be counted; commands that were let through:', ids.length);
    },
  },
  '7.1-33b': {
    section: '7.1',
    sentence: 'A command that is refused for its rate was admitted: it is accepted and finished, and never started.',
    input: 'more commands than the limit',
    expected: 'accepted, finished(false), no started',
    needs: { settings: fewCommands, exclusive: true },
    async run({ clientWithSession, prepare }) {
      const { client, session } = await clientWithSession();
      const ids = await prepare(() => untilRefused(client, session, rateWords, 6));
      await expectRefusedLifecycle(client, ids.at(-1) ?? '');
    },
  },
  '12-84': {
    section: '12',
    isMeasured: true,
    level: 'MAY',
    sentence: 'There may be so many commands at the same time.',
    input: 'one command more while two prompts go on, where two may',
    expected: 'failure "Server busy …", and the prompts are answered',
    needs: { settings: fewInFlight, exclusive: true, script: ['busy'] },
    async run(context) {
      const { client, id, ids } = await oneTooMany(context);
      const frame = await client.response(id);
      expect(frame.success === false && busyWords.test(String(frame.error)), 'it must be refused:', frame);
      for (const prompt of ids) {
        const done = await client.response(prompt);
        expect(done.success === true, 'the prompts must be answered:', done);
      }
    },
  },
  '7.1-33c': {
    section: '7.1',
    sentence:
      'A command that is refused because there are too many was admitted: accepted and finished, never started.',
    input: 'one command more while two prompts go on, where two may',
    expected: 'accepted, finished(false), no started',
    needs: { settings: fewInFlight, exclusive: true, script: ['busy'] },
    async run(context) {
      const { client, id, ids } = await oneTooMany(context);
      await context.prepare(() => client.response(id));
      for (const prompt of ids) await context.prepare(() => client.response(prompt));
      await expectRefusedLifecycle(client, id);
      expect(answeredAt(client, id) >= 0, 'it must be answered');
    },
  },
  '21.2-111': {
    section: '21.2',
    sentence: 'An open circuit is told by health_check and by get_metrics, and it refuses prompts.',
    input: 'prompts whose model fails, as many as the breaker allows, then one more',
    expected: 'where that opens the circuit: the last fails; hasOpenCircuit is true, and the state open',
    needs: { settings: quickBreaker, exclusive: true, script: ['fail', 'text'] },
    async run(context) {
      const { client, session } = await context.clientWithSession();
      const before = dataOf(await client.succeeds({ type: 'health_check' }));
      expect(before.hasOpenCircuit === false, 'the circuit must be closed at first:', before);
      for (let count = 0; count < 2; count += 1)
        await context.prepare(() => client.ask(context.prompt(session, 'fail')));
      const last = await client.ask(context.prompt(session, 'text'));
      const health = dataOf(await client.succeeds({ type: 'health_check' }));
      // The document does not say what opens a circuit: pi-server 2.0 and 2.2 count slow answers, and no failures.
      if (last.success === true && health.hasOpenCircuit !== true)
        throw new NotApplicable('prompts whose model fails do not open the circuit of this server');
      expectFailure(last);
      expect(health.hasOpenCircuit === true, 'health_check must tell of it:', health);
      const { circuitBreakers } = dataOf(await client.succeeds({ type: 'get_metrics' }));
      expect(/"state":"open"/u.test(JSON.stringify(circuitBreakers ?? null)), 'and get_metrics:', circuitBreakers);
    },
  },
};
