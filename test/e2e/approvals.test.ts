// The real pi 0.54.2 with our extension asks before each tool; clients of each protocol answer. What ran is seen on disk,
// what the model was told in its next request.
import { afterAll, beforeAll, describe, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { type Asked, type Connect, connections, permission, startPatchbayPi } from '../support/approval-clients.ts';
import { type ApprovalRig, startApprovalRig, traceCommand } from '../support/approval-rig.ts';
import { judgeTurn } from '../support/claude-judge.ts';
import { shareOf } from '../support/full.ts';

const { 'claude over WebSocket': connectClaude, 'pi over WebSocket': connectPi } = connections;

let rig: ApprovalRig;
beforeAll(async () => {
  rig = await startApprovalRig();
});
afterAll(() => rig?.close());

let names = 0;
/** A file that no test has made. */
const newName = () => `trace${++names}`;

async function attached(connect: Connect, session: string, { server } = rig): Promise<Asked> {
  const client = await connect(server, session);
  onTestFinished(() => client.client.close());
  return client;
}

/** One client for the tests of a block, as a user would have it; after a failure the next test gets a fresh one. */
function shared(connect: () => Promise<Asked>): () => Promise<Asked> {
  let client: Asked | null = null;
  async function drop(): Promise<void> {
    const last = client;
    client = null;
    await last?.client.close();
  }
  afterAll(drop);
  return async () => {
    onTestFailed(drop);
    client ??= await connect();
    return client;
  };
}

const clients: Record<string, () => Promise<Asked>> = {
  ...Object.fromEntries(
    Object.entries(connections).map(([name, connect]) => [
      name,
      async () => connect(rig.server, await rig.server.createSession()),
    ]),
  ),
  'patchbay-pi': async () => startPatchbayPi(rig.config),
};

describe.each(shareOf(Object.entries(clients), 0, 2))('%s', (kind, connect) => {
  const current = shared(connect);

  test('allows: only then the tool runs', async () => {
    const client = await current();
    const name = newName();
    await client.prompt(`[[trace]] ${name}`);
    const question = await client.asked();
    expect(question.tool).toBe('bash');
    expect(question.shown).toContain(traceCommand(name));
    expect(rig.hasMade(name)).toBe(false);
    await client.allow(question.id);
    expect(await client.over()).toBe('well');
    expect(rig.hasMade(name)).toBe(true);
    expect(await rig.told(name)).toEqual([{ isError: false, text: expect.stringContaining(`${name} was made`) }]);
  });

  test('denies: the tool never runs, and the model reads why', async () => {
    const client = await current();
    const name = newName();
    await client.prompt(`[[trace]] ${name}`);
    await client.deny((await client.asked()).id, 'not on my disk');
    expect(await client.over()).toBe('well');
    expect(rig.hasMade(name)).toBe(false);
    // A confirm of pi has no place for a reason.
    const why = kind.startsWith('claude') ? 'Denied: not on my disk' : 'Denied by the user.';
    expect(await rig.told(name)).toEqual([{ isError: true, text: expect.stringContaining(why) }]);
  });

  test('is asked about each of two tools', async () => {
    const client = await current();
    const [denied, allowed] = [newName(), newName()];
    await client.prompt(`[[traces]] ${denied} ${allowed}`);
    await client.deny((await client.asked()).id, 'no');
    await client.allow((await client.asked()).id);
    expect(await client.over()).toBe('well');
    expect([rig.hasMade(denied), rig.hasMade(allowed)]).toEqual([false, true]);
    expect((await rig.told(denied)).map(({ isError }) => isError)).toEqual([true, false]);
  });

  test('interrupts instead of answering: nothing runs, and the next prompt is taken', async () => {
    const client = await current();
    const [one, two, next] = [newName(), newName(), newName()];
    await client.prompt(`[[traces]] ${one} ${two}`);
    const { id } = await client.asked();
    await client.interrupt();
    expect(await client.over()).toBe('badly');
    // Too late.
    await client.allow(id);
    await client.prompt(`[[trace]] ${next}`);
    let question = await client.asked();
    // pi 0.54 asks about the second tool as well before it stops.
    while (!question.shown.includes(next)) question = await client.asked();
    await client.allow(question.id);
    expect(await client.over()).toBe('well');
    expect([one, two, next].map(rig.hasMade)).toEqual([false, false, true]);
    expect(client.client.frames.filter(({ type }) => type === 'error')).toEqual([]);
  });
});

describe('a Claude client', () => {
  const current = shared(async () => connectClaude(rig.server, await rig.server.createSession()));

  async function ask() {
    const claude = await current();
    const name = newName();
    const from = claude.client.frames.length;
    await claude.prompt(`[[trace]] ${name}`);
    const { id } = await claude.asked();
    const answer = (response: object) => claude.client.send(permission(id, response));
    return { claude, name, from, answer };
  }

  test('changes the input: the tool gets what was allowed, and not what the model wanted', async () => {
    const { claude, name, answer } = await ask();
    const changed = newName();
    await answer({ behavior: 'allow', updatedInput: { command: traceCommand(changed) } });
    expect(await claude.over()).toBe('well');
    expect([rig.hasMade(name), rig.hasMade(changed)]).toEqual([false, true]);
    expect(await rig.told(name)).toEqual([{ isError: false, text: expect.stringContaining(`${changed} was made`) }]);
  });

  test('denies and interrupts', async () => {
    const { claude, name, answer } = await ask();
    await answer({ behavior: 'deny', message: 'stop it', interrupt: true });
    expect(await claude.over()).toBe('badly');
    expect(rig.hasMade(name)).toBe(false);
  });

  test('says nonsense: the question stays open for an answer', async () => {
    const { claude, name, from, answer } = await ask();
    await answer({ behavior: 'maybe' });
    await claude.client.waitFor(({ type }) => type === 'error', 'the complaint', from);
    expect(rig.hasMade(name)).toBe(false);
    await answer({ behavior: 'allow' });
    expect(await claude.over()).toBe('well');
    expect(rig.hasMade(name)).toBe(true);
  });

  test('hears a turn in order, which says what pi said', async () => {
    const { claude, name, from, answer } = await ask();
    await answer({ behavior: 'deny', message: 'no' });
    await claude.over();
    await judgeTurn(rig.home, claude.client, `[[trace]] ${name}`, claude.client.frames.slice(from));
  });
});

describe('two clients of one session', () => {
  const withdrawalOf = (id: string) => (frame: { type: string; request_id?: unknown }) =>
    frame.type === 'control_cancel_request' && frame.request_id === id;

  test.each([
    ['claude', 'claude', connectClaude, connectClaude],
    ['claude', 'pi', connectClaude, connectPi],
    ['pi', 'claude', connectPi, connectClaude],
  ])('%s answers first, %s too late', async (_first, lateKind, connectFirst, connectLate) => {
    const session = await rig.server.createSession();
    const first = await attached(connectFirst, session);
    const late = await attached(connectLate, session);
    const name = newName();
    await first.prompt(`[[trace]] ${name}`);
    const { id } = await first.asked();
    const other = await late.asked();
    await first.allow(id);
    // pi has no word for it.
    if (lateKind === 'claude') await late.client.waitFor(withdrawalOf(other.id), 'the withdrawal');
    expect(await late.over()).toBe('well');
    await late.deny(other.id, 'no');
    await late.prompt('[[text]] again');
    expect([await first.over(), await first.over(), await late.over()]).toEqual(['well', 'well', 'well']);
    expect(rig.hasMade(name)).toBe(true);
    const complaints = [first, late].flatMap(({ client }) => client.frames.filter(({ type }) => type === 'error'));
    expect(complaints).toEqual([]);
  });

  test('the second comes when the question is open, and the first has gone', async () => {
    const session = await rig.server.createSession();
    const first = await attached(connectClaude, session);
    const name = newName();
    await first.prompt(`[[trace]] ${name}`);
    await first.asked();
    await first.client.close();
    const second = await attached(connectPi, session);
    const question = await second.asked();
    expect(question.shown).toContain(traceCommand(name));
    await second.allow(question.id);
    expect(await second.over()).toBe('well');
    expect(rig.hasMade(name)).toBe(true);
  });
});

test('a question that nobody answers in time is a no, and a late yes changes nothing', async () => {
  const own = await startApprovalRig({ questionMs: 500 });
  onTestFinished(own.close);
  const session = await own.server.createSession();
  const claude = await attached(connectClaude, session, own);
  const pi = await attached(connectPi, session, own);
  await claude.prompt('[[trace]] late');
  const questions = { claude: await claude.asked(), pi: await pi.asked() };
  expect([await claude.over(), await pi.over()]).toEqual(['well', 'well']);
  await claude.allow(questions.claude.id);
  await pi.allow(questions.pi.id);
  await claude.prompt('[[text]] go on');
  expect([await claude.over(), await pi.over()]).toEqual(['well', 'well']);
  expect(own.hasMade('late')).toBe(false);
  expect(await own.told('late')).toEqual([
    { isError: true, text: expect.stringContaining('Denied: nobody answered in time') },
  ]);
  expect(claude.client.frames).toContainEqual({
    type: 'control_cancel_request',
    request_id: questions.claude.id,
  });
  expect(claude.client.frames.filter(({ type }) => type === 'error')).toEqual([]);
});

test('PATCHBAY_ASK names the tools to ask for: others run unasked', async () => {
  const own = await startApprovalRig({ env: { PATCHBAY_ASK: 'write, edit' } });
  onTestFinished(own.close);
  const claude = await attached(connectClaude, await own.server.createSession(), own);
  await claude.prompt('[[trace]] unasked');
  expect(await claude.over()).toBe('well');
  expect(own.hasMade('unasked')).toBe(true);
  expect(claude.client.frames.filter(({ type }) => type === 'control_request')).toEqual([]);
});
