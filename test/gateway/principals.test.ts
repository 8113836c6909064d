// What the holders of different tokens may do: roles, agents, own sessions, and what each may use (docs/threats.md T20, T21,
// T24; docs/limits.md 7.8 to 7.10).
import { afterEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner, type Principal } from '../../src/core/contract/principal.ts';
import type { GatewayError } from '../../src/core/model/errors.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { clientRoles } from '../support/client-roles.ts';

const observer: Principal = { name: 'eve', role: 'observer', agents: null, sessions: 'all' };
const ann: Principal = { name: 'ann', role: 'controller', agents: null, sessions: 'own' };
const bob: Principal = { name: 'bob', role: 'controller', agents: new Set(['quick']), sessions: 'own' };

const gateways: Gateway[] = [];
afterEach(() => {
  for (const gateway of gateways.splice(0)) gateway.close('the test is over');
});

function open(limits: object = {}) {
  const agents = { quick: { protocol: 'demo' }, other: { protocol: 'demo' } };
  const config = parseConfig({ agents, defaultAgent: 'other', limits });
  const gateway = createGateway(config, { log: () => {} });
  gateways.push(gateway);
  const { board } = gateway;

  /** A client over a channel: says frames, waits for one that fits. */
  function client(frontend: string, principal: Principal, session?: string) {
    const [near, far] = memoryPair();
    const heard: string[] = [];
    let wake = () => {};
    const take = (text: string) => {
      heard.push(text);
      wake();
    };
    far.open({ frame: ({ text }) => take(text), fault() {}, end: ({ reason }) => take(`END ${reason}`) });
    const request = { frontend, options: {}, principal, ...(session === undefined ? {} : { session }) };
    board.check(request);
    board.connect(near, request);
    return {
      heard,
      say: (frame: string) => far.send(frame),
      async hear(fits: (frame: string) => boolean): Promise<string> {
        for (;;) {
          const found = heard.find(fits);
          if (found !== undefined) return found;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
    };
  }
  return { gateway, board, client };
}

/** The code of what is thrown. */
function codeOf(act: () => unknown): string {
  try {
    act();
    return 'nothing';
  } catch (thrown) {
    return (thrown as GatewayError).code;
  }
}

const has = (text: string) => (frame: string) => frame.includes(text);
const onlyRead = 'this token may only read';

describe('an observer', () => {
  /** The frame that refuses a prompt, in the protocol's own words. */
  const refusals: Record<string, object> = {
    claude: { type: 'result', subtype: 'error_during_execution', is_error: true, errors: [onlyRead] },
    'rpc-message': { type: 'error', message: onlyRead },
    pi: { type: 'response', command: 'prompt', success: false, error: onlyRead },
    'pi-legacy': { type: 'error', error: onlyRead },
    'pi-server': { type: 'response', command: 'prompt', success: false, error: onlyRead },
    eca: {
      method: 'chat/contentReceived',
      params: { role: 'system', content: { type: 'text', text: `\n\n${onlyRead}` } },
    },
    acp: { id: expect.any(String), error: { message: onlyRead } },
  };

  test.each([...clientRoles])(
    'of %s reads what others cause, and is refused in its own words',
    async (frontend, role) => {
      const { board, client } = open();
      board.createSession({ id: 'session' }, owner);
      const controller = client('pi', owner, 'session');
      controller.say('{"type":"get_state","id":"before"}');
      await controller.hear(has('"before"'));
      const reader = client(frontend, observer, 'session');
      if (frontend === 'eca') reader.say('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
      await role.greet?.(reader.say, async (_label, isEnough) => {
        await reader.hear(() => isEnough(reader.heard));
        return reader.heard;
      });
      controller.say('{"type":"prompt","message":"hello","id":"first"}');
      // ACP has no word for the end of another client's turn.
      const isOver = frontend === 'acp' ? has('usage_update') : has('"agent_end"');
      await reader.hear((frame) => role.isOver(frame) || isOver(frame));
      expect(reader.heard.join('\n')).toContain('Hello');
      await controller.hear(has('"agent_end"'));
      const before = controller.heard.length;
      reader.say(frontend === 'eca' ? ecaPrompt : role.prompt('again', reader.heard));
      const refusal = await reader.hear((frame) => frame.includes(onlyRead) && !frame.includes('showMessage'));
      expect(JSON.parse(refusal)).toMatchObject(refusals[frontend] ?? {});
      // Nobody else heard of it: an answer to the controller comes next.
      controller.say('{"type":"get_state","id":"after"}');
      await controller.hear(has('"after"'));
      expect(controller.heard.slice(before)).toHaveLength(1);
    },
  );
  const ecaPrompt =
    '{"jsonrpc":"2.0","id":2,"method":"chat/prompt","params":{"chatId":"session","message":"again","contexts":[]}}';

  test.each([
    [observer, ['session']],
    [owner, []],
  ])('closes no session: what stays when $name closes it', async (principal, left) => {
    const { board, client } = open();
    board.createSession({ id: 'session' }, owner);
    const editor = client('acp', principal);
    const ask = (id: number, method: string, params: object) => {
      editor.say(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return editor.hear(has(`"id":${id},"result"`));
    };
    await ask(1, 'initialize', { protocolVersion: 1 });
    await ask(2, 'session/resume', { sessionId: 'session', cwd: '/', mcpServers: [] });
    await ask(3, 'session/close', { sessionId: 'session' });
    expect(board.sessions(owner).map(({ id }) => id)).toEqual(left);
  });

  test('starts no agent, opens no session, and answers no question', async () => {
    const { board, client } = open();
    board.createSession({ id: 'session' }, owner);
    const reader = client('pi', observer, 'session');
    reader.say('{"type":"get_state","id":"state"}');
    expect(await reader.hear(has('"state"'))).toContain('the agent of this session does not run');
    expect(codeOf(() => board.check({ frontend: 'pi', options: {}, principal: observer }))).toBe('unauthorized');
    const many = client('pi-server', observer);
    many.say('{"id":"make","type":"create_session"}');
    expect(await many.hear(has('"make"'))).toContain(onlyRead);

    const asked = client('claude', owner, 'session');
    asked.say('{"type":"user","message":{"role":"user","content":"ask"}}');
    const question = JSON.parse(await asked.hear(has('can_use_tool')));
    const eve = client('claude', observer, 'session');
    await eve.hear(has('can_use_tool'));
    const answer = (behavior: string) => ({
      type: 'control_response',
      response: { subtype: 'success', request_id: question.request_id, response: { behavior, updatedInput: {} } },
    });
    eve.say(JSON.stringify(answer('allow')));
    asked.say(JSON.stringify({ ...answer('deny') }));
    expect(await asked.hear(has('"type":"result"'))).toContain('You denied it');
    expect(board.sessions(owner).map(({ id }) => id)).toEqual(['session']);
  });

  test('posts with its own rights to the stream that a controller posts to as well', async () => {
    const { board } = open();
    board.createSession({ id: 'session' }, owner);
    const post = (principal: Principal, id: string) =>
      board.post({ frontend: 'pi', session: 'session', options: {}, principal }, [
        { bytes: Buffer.from(`{"type":"prompt","message":"hello","id":"${id}"}`) },
      ]);
    const streamOf = (principal: Principal) =>
      board.stream({ frontend: 'pi', session: 'session', options: {}, principal }, null);
    const [ours, theirs] = [streamOf(owner), streamOf(observer)];
    await post(owner, 'mine');
    await post(observer, 'hers');
    const told = (reader: typeof ours) =>
      JSON.stringify(reader.read(1_000_000).map((entry) => (entry.kind === 'frame' ? entry.out : entry)));
    expect(told(ours)).not.toContain('hers');
    expect(told(theirs)).toContain(onlyRead);
  });
});

describe('a token with its own sessions', () => {
  test('finds no other session: what is out of reach looks unknown', async () => {
    const { board, client } = open();
    board.createSession({ id: 'anns' }, ann);
    board.createSession({ id: 'owners' }, owner);
    const request = { frontend: 'pi', session: 'owners', options: {}, principal: ann };
    for (const act of [
      () => board.session('owners', ann),
      () => board.closeSession('owners', ann),
      () => board.check(request),
      () => board.stream(request, null),
      () => board.post(request, []),
      () => board.refuse(request, { code: 'too-large', message: 'x' }),
    ]) {
      expect(codeOf(act)).toBe('not-found');
    }
    expect(board.sessions(ann).map(({ id }) => id)).toEqual(['anns']);
    expect(board.sessions(owner).map(({ id }) => id)).toEqual(['anns', 'owners']);
    const many = client('pi-server', ann);
    many.say('{"id":"list","type":"list_sessions"}');
    const { data } = JSON.parse(
      await many.hear((frame) => frame.includes('"id":"list"') && frame.includes('response')),
    );
    expect(data.sessions.map((session: { sessionId: string }) => session.sessionId)).toEqual(['anns']);
    many.say('{"id":"in","type":"get_state","sessionId":"owners"}');
    const unknown = await many.hear((frame) => frame.includes('"id":"in"') && frame.includes('response'));
    expect(JSON.parse(unknown)).toMatchObject({ success: false, error: 'Session owners not found' });
    many.say('{"id":"stored","type":"list_stored_sessions"}');
    expect(await many.hear((frame) => frame.includes('"id":"stored"') && frame.includes('response'))).toContain(
      'only the sessions that it has opened',
    );
  });

  test('hears nothing of the sessions and commands of others', async () => {
    const { board, client } = open();
    const [anns, owners] = [client('pi-server', ann), client('pi-server', owner)];
    board.createSession({ id: 'owners' }, owner);
    board.createSession({ id: 'anns' }, ann);
    owners.say('{"id":"secret","type":"list_sessions"}');
    await owners.hear((frame) => frame.includes('"id":"secret"') && frame.includes('response'));
    await anns.hear(has('anns'));
    expect(anns.heard.filter((frame) => /owners|secret/u.test(frame))).toEqual([]);
    expect(owners.heard.filter(has('session_created'))).toHaveLength(2);
  });
});

describe('a token with its own agents', () => {
  test('sees and starts no other agent; its default is its first', () => {
    const { board } = open();
    expect(board.agents(bob).map(({ name }) => name)).toEqual(['quick']);
    expect(codeOf(() => board.createSession({ agent: 'other' }, bob))).toBe('not-found');
    expect(board.createSession({}, bob).agent).toBe('quick');
    expect(board.createSession({}, ann).agent).toBe('other');
  });
});

describe('what one token may use (docs/limits.md 7)', () => {
  test('sessions: the next one is refused, another token goes on', () => {
    const { board } = open({ perToken: { sessions: 1 } });
    board.createSession({}, ann);
    expect(codeOf(() => board.createSession({}, ann))).toBe('limit');
    expect(codeOf(() => board.createSession({}, bob))).toBe('nothing');
  });

  test('agents: the command that needs one fails with the reason', async () => {
    const { board, client } = open({ perToken: { agents: 1 } });
    for (const id of ['one', 'two']) board.createSession({ id }, ann);
    const [one, two] = [client('pi', ann, 'one'), client('pi', ann, 'two')];
    one.say('{"type":"get_state","id":"a"}');
    expect(JSON.parse(await one.hear(has('"a"')))).toMatchObject({ success: true });
    two.say('{"type":"prompt","message":"hello","id":"b"}');
    const refusal = {
      success: false,
      error: expect.stringContaining('this token runs as many agents as it may run (1)'),
    };
    expect(JSON.parse(await two.hear(has('"b"')))).toMatchObject(refusal);
    void board.closeSession('one', ann);
    two.say('{"type":"prompt","message":"hello","id":"c"}');
    expect(JSON.parse(await two.hear(has('"c"')))).toMatchObject({ success: true });
  });

  test('questions: a further one is denied at once, also in another session', async () => {
    const { board, client } = open({ perToken: { questions: 1 } });
    for (const id of ['one', 'two']) board.createSession({ id }, ann);
    const [one, two] = [client('claude', ann, 'one'), client('claude', ann, 'two')];
    const ask = '{"type":"user","message":{"role":"user","content":"ask"}}';
    one.say(ask);
    await one.hear(has('can_use_tool'));
    two.say(ask);
    expect(await two.hear(has('"type":"result"'))).toContain(
      'more than 1 questions are open in the sessions of one token',
    );
    expect(one.heard.filter(has('"type":"result"'))).toEqual([]);
  });
});
