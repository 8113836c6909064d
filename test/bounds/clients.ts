// What a client can make grow, each in its own protocol.
import { expect } from 'vitest';
import { createLeavingFrames } from '../../src/adapters/acp/frontend/leaving-frames.ts';
import { createMappedFrames } from '../../src/adapters/acp/frontend/mapped-frames.ts';
import { notificationMessage, requestMessage } from '../../src/adapters/acp/json-rpc.ts';
import { createCallWriter } from '../../src/adapters/acp/projection/call-writer.ts';
import { questionId } from '../../src/adapters/acp/questions.ts';
import { createConnectionFilter } from '../../src/adapters/claude/frontend/connection-filter.ts';
import { cancelFrame } from '../../src/adapters/claude/frontend/system-frames.ts';
import { FaultLimit, mostFaults } from '../../src/core/link/fault-limit.ts';
import { linkPosts } from '../../src/core/link/post-link.ts';
import { type Outcome, refused } from '../../src/core/model/errors.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { answerAll, connect as connectEditor } from '../adapters/eca/client.ts';
import { createClient } from '../support/core/client.ts';
import { createStreamRig, drain, framesOf } from '../support/core/stream-rig.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { type Acts, clientOf, counted } from './rig.ts';

const prompt = (chatId: string, message = 'go') => ({ chatId, message });
const silent = () => undefined;

export const clientActs: Acts = {
  'commands without an answer'() {
    const client = clientOf('pi');
    const ask = () => client.send({ type: 'set_session_name', name: 'a', id: 'x' });
    for (const _ of counted(257)) ask();
    expect([client.open.length, client.limits]).toEqual([256, ['waitingCommands']]);
    expect(client.sent()).toMatchObject([
      { success: false, error: '256 commands are waiting for their answers already' },
    ]);
    const abort = () => client.send({ type: 'abort', id: 'y' });
    for (const _ of counted(257)) abort();
    expect([client.open.length, client.sent().at(-1)]).toMatchObject([
      512,
      { command: 'abort', success: false, error: '512 commands are waiting for their answers already' },
    ]);
    client.settle();
    ask();
    expect([client.open.length, client.sent().length]).toEqual([1, 514]);
  },

  'posted commands without an answer'() {
    const clock = createVirtualClock();
    const { stream } = createStreamRig();
    const reader = stream.attach(null);
    const { frontend, ...client } = createClient(clock);
    const open: ((outcome: Outcome) => void)[] = [];
    const limits: string[] = [];
    const link = linkPosts(
      { ...frontend, decode: () => [{ do: 'deliver', message: { type: 'set-name', name: 'a' } }] },
      stream,
      clock,
      { submit: (_, settle) => void open.push(settle), note: () => {}, limited: (rule) => void limits.push(rule) },
    );
    expect(client.wire.sent).toEqual([]);
    const post = () => link.frame(createFrame(Buffer.from('{}')));
    for (const _ of counted(1025)) post();
    expect([open.length, limits, framesOf(drain(reader))]).toEqual([1024, ['waitingCommands'], ['set-name: limit']]);
    for (const settle of open.splice(0)) settle({ ok: true });
    post();
    expect(open.length).toBe(1);
  },

  'questions to an ACP client'() {
    const frames = createMappedFrames(new Map(), { options: () => [] }, createLeavingFrames());
    const id = (at: number) => questionId('approval', 's', `q${at}`);
    const ask = (at: number) => frames.map(JSON.stringify(requestMessage(id(at), 'session/request_permission', {})));
    const isTold = (at: number) =>
      frames.map(JSON.stringify(notificationMessage('$/cancel_request', { requestId: id(at) }))) !== null;
    for (const at of counted(1024)) ask(at);
    expect([isTold(0), isTold(0)]).toEqual([true, false]);
    ask(1024);
    ask(1025);
    expect([isTold(1), isTold(1024), isTold(1025)]).toEqual([false, false, true]);
  },

  'prompts that are not repeated'() {
    const client = clientOf('acp');
    const ask = (method: string, params: object) => {
      client.send(requestMessage(method, method, params));
      while (client.open.length > 0) client.settle();
    };
    const say = (at: number) => ({ type: 'text' as const, text: `words ${at}.` });
    ask('session/new', { cwd: '/', mcpServers: [] });
    for (const at of counted(257)) ask('session/prompt', { sessionId: 's', prompt: [say(at)] });
    const before = client.wire.sent.length;
    for (const at of [0, 1, 256]) {
      client.say({ type: 'message-added', role: 'user', origin: 'prompt', content: [say(at)] });
    }
    expect(client.sent(before).map(({ params }) => params)).toMatchObject([{ update: { content: say(0) } }]);
  },

  'answers to prompts that have not left'() {
    const leaving = createLeavingFrames();
    const left: number[] = [];
    const add = (at: number) => leaving.add(`answer ${at}`, () => `${left.push(at)}`);
    for (const at of counted(257)) add(at);
    expect(left).toEqual([0]);
    expect(leaving.map('answer 0')).toBe('answer 0');
    expect([leaving.map('answer 256'), leaving.map('answer 256'), left]).toEqual(['2', 'answer 256', [0, 256]]);
  },

  'ids of calls to an ACP client'() {
    const said: { toolCallId?: string }[] = [];
    const calls = createCallWriter(
      (update) => void said.push(update),
      () => '/',
    );
    const last = () => said.at(-1)?.toolCallId;
    for (const at of counted(1025)) calls.announce(`c${at}`, 'look');
    calls.closeAll();
    calls.announce('c1024', 'look');
    expect(last()).toBe('c1024#2');
    calls.announce('c0', 'look');
    expect(last()).toBe('c0');
  },

  'losses that were told'() {
    const { stream } = clientOf('canonical');
    const reader = stream.attach(null);
    const lose = (name: number) => stream.loss({ dialect: 'other', text: `field ${name}` });
    for (const name of counted(64)) lose(name);
    lose(0);
    expect(framesOf(drain(reader))).toHaveLength(64);
    lose(64);
    lose(0);
    expect(framesOf(drain(reader))).toHaveLength(2);
  },

  'answers that wait for a client'() {
    const client = clientOf('pi');
    client.wire.fills = true;
    client.wire.buffered = 64 * 1024;
    client.send(
      { type: 'set_session_name', name: 'a', id: 'x'.repeat(65_000) },
      { type: 'set_session_name', name: 'a', id: 'y'.repeat(5000) },
    );
    expect(client.wire.isPaused).toBe(false);
    client.settle();
    expect(client.wire.isPaused).toBe(true);
    client.wire.drain();
    client.wire.drain();
    expect([client.wire.isPaused, client.sent().length]).toEqual([false, 2]);
  },

  'frames that are none'() {
    const limit = new FaultLimit();
    expect(counted(mostFaults).some(() => limit.isTooMuch(0))).toBe(false);
    expect(limit.isTooMuch(9_999)).toBe(true);
    expect(limit.isTooMuch(30_000)).toBe(false);
  },

  'queries in one run'() {
    const client = clientOf('rpc-message', {}, [{ type: 'run-start' }]);
    const query = (id: string) => client.send({ id, method: 'query', params: { message: 'go' } });
    for (const at of counted(1024)) {
      query(`q${at}`);
      client.settle();
    }
    const before = client.wire.sent.length;
    query('last');
    expect([client.open.length, client.sent(before)]).toMatchObject([
      0,
      [{ id: 'last', error: { message: '1024 queries are open already' } }],
    ]);
    client.say({ type: 'run-end', outcome: 'completed' });
    query('next');
    expect(client.open.length).toBe(1);
  },

  'requests that a client has answered'() {
    const filter = createConnectionFilter();
    for (const at of counted(129)) filter.answered(`r${at}`);
    const passes = (id: string) => filter.mapOutgoing(JSON.stringify(cancelFrame(id))) !== null;
    expect([passes('r0'), passes('r1'), passes('r128')]).toEqual([true, false, false]);
  },

  'requests of an editor before its agent answers'() {
    const editor = connectEditor({ answering: silent });
    for (const at of counted(16)) expect(editor.request('initialize', {}, at).sent).toEqual([]);
    expect(editor.request('initialize', {}, 'more').sent).toMatchObject([
      { id: 'more', error: { message: 'too many requests wait for the agent' } },
    ]);
    const { sent } = editor.settle('create-session', { ok: false, error: { code: 'internal', message: 'no' } });
    expect(sent.filter(({ result }) => result !== undefined).length).toBe(16);
  },

  'requests of an editor before its session is open'() {
    const editor = connectEditor({ answering: silent });
    editor.request('initialize', {}, 'i');
    const asked = counted(400).flatMap((at) => editor.request('chat/queryContext', { query: 'a' }, at).sent);
    expect(asked.length).toBe(400 - 255);
    expect(editor.take().delivered).toEqual([]);
  },

  'prompts of a chat'() {
    const editor = connectEditor({ answering: silent });
    for (const at of counted(65)) expect(editor.request('chat/prompt', prompt('c'), at).notes).toEqual([]);
    const { sent } = editor.request('chat/prompt', prompt('c'), 'more');
    expect(JSON.stringify(sent)).toContain('too many prompts wait in this chat');
  },

  'chats of an editor'() {
    let left = 2;
    const editor = connectEditor({
      answering(command) {
        if (command.type !== 'create-session') return answerAll(command);
        left -= 1;
        return left < 0 ? refused('limit', 'session limit reached (2 sessions)') : { ok: true };
      },
    });
    const say = (chatId: string, id: number) => editor.request('chat/prompt', prompt(chatId), id);
    const prompts = ({ delivered }: ReturnType<typeof say>) =>
      delivered.filter(({ command }) => command.type === 'prompt');
    expect([prompts(say('a', 1)).length, prompts(say('b', 2)).length]).toEqual([1, 1]);
    const third = say('c', 3);
    expect(prompts(third)).toEqual([]);
    expect(JSON.stringify(third.sent)).toContain('session limit reached (2 sessions)');
    expect(prompts(say('a', 4)).length).toBe(1);
  },

  'notices before an editor is ready'() {
    const editor = connectEditor();
    const folder = (at: number) => ({ event: { added: [{ uri: `http://elsewhere/${at}` }], removed: [] } });
    for (const at of counted(300)) editor.notify('workspace/didChangeWorkspaceFolders', folder(at));
    const { sent } = editor.notify('initialized', {});
    expect(sent.filter(({ method }) => method === '$/showMessage').length).toBe(256);
  },

  'warnings to an editor'() {
    const editor = connectEditor();
    editor.notify('initialized', {});
    const folder = (at: number) => ({ event: { added: [{ uri: `http://elsewhere/${at}` }], removed: [] } });
    const warned = (at: number) => editor.notify('workspace/didChangeWorkspaceFolders', folder(at)).sent.length;
    expect(warned(0)).toBe(1);
    expect(warned(0)).toBe(0);
    for (const at of counted(257)) warned(at);
    expect(warned(0)).toBe(1);
  },

  'folders of an editor'() {
    const editor = connectEditor({ answering: silent });
    const workspaceFolders = counted(300).map((at) => ({ uri: `file:///ws/${at}` }));
    const { delivered } = editor.request('initialize', { workspaceFolders });
    const [{ command } = { command: undefined }] = delivered;
    expect(command).toMatchObject({ type: 'create-session' });
    expect(command?.type === 'create-session' ? command.folders?.length : 0).toBe(256);
  },
};
