// What an agent can make grow, each in its own protocol.
import { expect } from 'vitest';
import { mostTasks } from '../../src/adapters/claude/backend/plans.ts';
import { mostHeldBytes } from '../../src/core/contract/adapter/held-back.ts';
import { unreadBytes } from '../../src/core/link/agent-link.ts';
import { mostJunk } from '../../src/core/link/junk-count.ts';
import type { Event } from '../../src/core/model/event.ts';
import * as acp from '../adapters/acp/backend-words.ts';
import * as anthropic from '../adapters/anthropic/machine.ts';
import { wire as claude } from '../adapters/claude/backend-words.ts';
import { told } from '../adapters/claude/harness.ts';
import * as eca from '../adapters/eca/backend-words.ts';
import { run as ecaRun, told as ecaTold, outline } from '../adapters/eca/projection-words.ts';
import { wire as pi, shortRun } from '../adapters/pi/harness.ts';
import { agent as piServer, wire as piServerWire } from '../adapters/pi-server/agent.ts';
import { type Acts, agentOf, counted } from './rig.ts';

const tooMuch = 'the agent began more than the gateway keeps of what is not whole';
const large = 'x'.repeat(8 * 1024 * 1024);
/** So many times {@link large} is too much. */
const times = mostHeldBytes / (2 * large.length);

/** The agent is ended with the reason, and what it says later is not heard. */
function ended({ endings, events, limits, wire }: ReturnType<typeof agentOf>, reason: string, rule: string): void {
  expect([endings, limits]).toEqual([[reason], [rule]]);
  expect(wire.closings.length).toBeGreaterThan(0);
  const count = events.length;
  wire.frame('{"type":"notice"}');
  expect(events.length).toBe(count);
}

export const agentActs: Acts = {
  'blocks that are not whole'() {
    const opening = [claude.init(), claude.start('m')];
    const blocks: readonly ((at: number) => object)[] = [
      (at) => claude.begin(at, { type: 'server_tool_use', id: 'a', input: large }),
      () => claude.delta(0, { type: 'signature_delta', signature: large }),
      () => claude.delta(0, { type: 'citations_delta', citation: large }),
    ];
    for (const block of blocks) {
      const agent = agentOf('claude');
      agent.say(...opening, claude.begin(0, { type: 'thinking', thinking: '' }));
      for (const at of counted(times - 1)) agent.say(block(at + 1));
      expect(agent.endings).toEqual([]);
      // The message is over: the next one has all the room again.
      agent.say(claude.stop, claude.start('n'), claude.begin(0, { type: 'text', text: '' }), claude.stop);
      agent.say(claude.start('o'), claude.begin(0, { type: 'thinking', thinking: '' }));
      for (const at of counted(times)) agent.say(block(at + 1));
      ended(agent, tooMuch, 'agentState');
    }
    const other = agentOf('pi');
    other.say(pi.agentStart, pi.turnStart, pi.assistantStart());
    const call = pi.update({ type: 'toolcall_delta', contentIndex: 0, delta: large });
    for (const _ of counted(times - 1)) other.say(call);
    expect(other.endings).toEqual([]);
    other.say(call);
    ended(other, tooMuch, 'agentState');
    const api = agentOf('anthropic');
    api.ask({ type: 'prompt', content: [{ type: 'text', text: 'go' }] });
    api.say(anthropic.started(), anthropic.opened(0, { type: 'thinking', thinking: '' }));
    const signature = anthropic.changed(0, { type: 'signature_delta', signature: large });
    for (const _ of counted(times - 1)) api.say(signature);
    expect(api.endings).toEqual([]);
    api.say(signature);
    ended(api, tooMuch, 'agentState');
  },

  'messages that are none'() {
    const agent = agentOf('claude');
    for (const _ of counted(mostJunk)) agent.wire.frame('junk');
    ended(agent, `the agent sent ${mostJunk} messages in a row that are none of its protocol`, 'junkMessages');
  },

  'what an agent has not read'() {
    const agent = agentOf('pi');
    const name = { type: 'set-name', name: 'a' } as const;
    agent.wire.buffered = unreadBytes.refused + 1;
    expect(agent.ask(name).outcome).toMatchObject({ error: { code: 'limit' } });
    agent.wire.drain();
    expect(agent.ask(name).outcome).toBeNull();
    agent.limits.length = 0;
    agent.wire.buffered = unreadBytes.ended + 1;
    agent.ask({ type: 'abort', target: 'run' });
    ended(agent, 'the agent has not read more than 64 MiB that were sent to it', 'agentUnread');
  },

  'background tasks'() {
    const agent = agentOf('claude');
    const task = (subtype: string, at: number, more: object = {}) =>
      claude.system(subtype, { task_id: `t${at}`, ...more });
    agent.say(claude.init());
    for (const at of counted(4097))
      agent.say(task('task_started', at, { tool_use_id: `call-${at}`, description: 'd' }));
    agent.say(task('task_progress', 0, { description: 'd' }), task('task_progress', 1, { description: 'd' }));
    const last = agent.of('task-changed').slice(-2);
    expect(last.map(({ call }) => call)).toEqual([undefined, 'call-1']);
  },

  'tasks of a plan'() {
    const agent = agentOf('claude');
    agent.say(claude.init());
    for (const at of counted(mostTasks + 1)) {
      const call = claude.call(`t${at}`, { subject: `task ${at}` }, 'TaskCreate');
      const result = { tool_use_result: { task: { id: `${at}`, subject: `task ${at}` } } };
      agent.say(claude.copy(`m${at}`, [call]), claude.user([claude.answer(`t${at}`)], result));
    }
    const last = agent.of('plan-changed').at(-1);
    expect([last?.entries.length, last?.entries[0]?.text]).toEqual([mostTasks, 'task 1']);
  },

  'requests for a client of the same protocol'() {
    const agent = agentOf('claude');
    agent.ask({ type: 'unknown', protocol: 'claude', payload: initialize });
    const before = agent.wire.sent.length;
    const hook = (at: number) => claude.asks(`h${at}`, { subtype: 'hook_callback', callback_id: 'c' });
    for (const at of counted(256)) agent.say(hook(at));
    expect([agent.wire.sent.length - before, agent.of('unknown').length]).toEqual([0, 256]);
    agent.say(hook(256));
    expect(agent.of('unknown').length).toBe(256);
    expect(agent.sent(before)).toMatchObject([
      { response: { subtype: 'error', request_id: 'h256', error: '256 requests wait for a client already' } },
    ]);
    agent.say({ type: 'control_cancel_request', request_id: 'h0' }, hook(257));
    expect(agent.of('unknown').length).toBe(258);
  },

  'requests that have ended'() {
    const agent = agentOf('pi');
    for (const _ of counted(65)) agent.ask({ type: 'set-name', name: 'a' });
    const ids = agent.sent().flatMap(({ id, type }) => (type === 'set_session_name' ? [String(id)] : []));
    for (const id of ids) agent.say(pi.response(id, 'set_session_name'));
    const again = (at: number) => {
      agent.notes.length = 0;
      agent.say(pi.response(ids[at] ?? '', 'set_session_name'));
      return agent.notes;
    };
    expect(again(64)).toEqual([]);
    expect(again(0)).toEqual(['repair response: ignored an answer that nobody waits for']);
  },

  'messages that were sent into a run'() {
    const agent = agentOf('pi');
    agent.say(...shortRun().slice(0, 2));
    for (const at of counted(65)) {
      agent.ask({ type: 'steer', content: [{ type: 'text', text: `m${at}` }] });
    }
    agent.say(pi.said('m0'), pi.said('m64'));
    expect(agent.of('message-added').map(({ origin }) => origin === 'steer')).toEqual([false, true]);
  },

  'lines that wait for the end of a run'() {
    const agent = agentOf('pi');
    agent.say(...shortRun());
    const line = { type: 'queue_update', steering: [], followUp: [] };
    for (const _ of counted(99)) agent.say(line);
    expect(agent.of('queue-changed')).toEqual([]);
    agent.say(line);
    expect(agent.of('queue-changed').length).toBe(100);
  },

  'prompts on a server'() {
    const server = piServer();
    for (const at of counted(4096)) server.feed(piServerWire.started(`other-${at}`, 'prompt'));
    expect(server.closed()).toBeNull();
    server.feed(piServerWire.started('other-4096', 'prompt'));
    expect(server.closed()).toBe('the pi-server has begun more than 4096 prompts at once');
  },

  'updates of a session that has no answer yet'() {
    const it = acp.talk({ isSilent: true });
    it.answer('initialize', { protocolVersion: 1 });
    for (const at of counted(101)) it.hear(acp.update('session_info_update', { title: `title ${at}` }));
    expect(it.notes).toHaveLength(1);
    it.answer('session/new', { sessionId: acp.session });
    expect(it.of('session-changed').at(-1)?.changes).toEqual({ name: 'title 99' });
  },

  'questions of an agent'() {
    const it = acp.talk();
    it.prompt('hi');
    for (const at of counted(257)) it.hear(acp.permission(at, `call-${at}`));
    expect(it.of('approval-request')).toHaveLength(256);
    expect(acp.chosen(it, 256)).toBe('cancelled');
    const address = {
      mode: 'url',
      sessionId: acp.session,
      elicitationId: 'e',
      url: 'https://example.org',
      message: 'Go',
    };
    for (const at of counted(65)) it.hear({ id: `form-${at}`, method: 'elicitation/create', params: address });
    expect(it.of('dialog-request')).toHaveLength(64);
    expect(it.answerTo('form-64')).toEqual({ action: 'cancel' });
  },

  'output of a terminal'() {
    const it = acp.talk();
    it.prompt('hi');
    it.hear(acp.call('c', { status: 'in_progress' }));
    const data = 'x'.repeat(1024 * 1024);
    for (const _ of counted(8)) it.hear(acp.change('c', { _meta: { terminal_output: { terminal_id: 't', data } } }));
    it.hear(acp.change('c', { status: 'completed' }));
    expect(it.of('tool-end')[0]?.content).toEqual([{ type: 'text', text: data.repeat(4) }]);
  },

  'calls of the past'() {
    const it = acp.talk();
    it.prompt('hi');
    for (const at of counted(257)) it.hear(acp.call(`c${at}`, { status: 'completed' }));
    // The newest is known, the oldest is a new call again.
    it.hear(acp.change('c256', { status: 'completed' }), acp.change('c0', { status: 'completed' }));
    expect(it.of('tool-end')).toHaveLength(258);
    expect(it.of('unknown')).toHaveLength(1);
  },

  'words of vendors about a call'() {
    const it = acp.talk();
    it.prompt('hi');
    it.hear(acp.call('c', { status: 'pending', rawInput: {} }));
    for (const at of counted(65)) it.hear(acp.change('c', { _meta: { at } }));
    it.hear(acp.change('c', { status: 'in_progress' }));
    const metas = Array.from({ length: 64 }, (_, at) => ({ at: at + 1 }));
    expect(it.of('tool-start')).toMatchObject([{ extra: { acp: { metas } } }]);
  },

  'chats of other clients'() {
    const server = eca.talk('modern');
    const foreign = (at: number) => ({
      method: 'chat/contentReceived',
      params: { chatId: `other-${at}`, role: 'system', content: { type: 'text', text: 'x' } },
    });
    const notes = () => server.notes.filter(({ level }) => level === 'repair').length;
    server.prompt('go');
    server.hear(eca.echo('go'));
    for (const at of counted(64)) server.hear(foreign(at), foreign(at));
    expect(notes()).toBe(64);
    server.hear(foreign(64), foreign(64), foreign(0));
    expect(notes()).toBe(66);
  },

  'chats of sub-agents'() {
    const server = eca.talk('modern');
    server.prompt('go');
    server.hear(eca.echo('go'), eca.prepare('c', '{}'), eca.run('c', false));
    const begin = (at: number) =>
      eca.say('assistant', {
        type: 'toolCallRunning',
        id: 'c',
        name: 'look',
        origin: 'native',
        arguments: {},
        details: { type: 'subagent', subagentChatId: `sub-${at}` },
      });
    for (const at of counted(4097)) server.hear(begin(at));
    const says = (at: number) => ({
      method: 'chat/contentReceived',
      params: { chatId: `sub-${at}`, role: 'assistant', content: { type: 'text', text: `s${at}` } },
    });
    server.hear(says(0), says(1));
    expect(server.of('block-delta').flatMap(({ parent, delta }) => (parent === 'c' ? [delta] : []))).toEqual(['s1']);
  },

  'uses of a call id'() {
    const asked = (id: string) =>
      [
        { type: 'dialog-request', id, kind: 'confirm', title: 't' },
        { type: 'dialog-end', id, outcome: 'answered' },
      ] as const;
    const lastRun = (events: readonly Event[]) =>
      outline(ecaTold(events).frames)
        .filter((frame) => frame.startsWith('A run '))
        .at(-1);
    const few = lastRun([...ecaRun, ...asked('d'), ...asked('d')]);
    const many = lastRun([
      ...ecaRun,
      ...asked('d'),
      ...counted(65_536).flatMap((at) => asked(`o${at}`)),
      ...asked('d'),
    ]);
    expect(few).toBe('A run d#2 ?');
    expect(many).toBe('A run d ?');
  },

  'frames that wait for the end of a message'() {
    const notice = { type: 'notice', level: 'info', source: 'agent', text: large.slice(0, 1024 * 1024) } as const;
    const open = [
      { type: 'run-start' },
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      { type: 'block-start', index: 0, block: { kind: 'text' } },
    ] as const;
    const rest = [
      { type: 'block-end', index: 0 },
      { type: 'message-end', stop: { reason: 'end' } },
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'completed' },
    ] as const;
    const { frames, losses } = told([...open, ...counted(10).map(() => notice), ...rest]);
    expect(frames.filter(({ subtype }) => subtype === 'informational' || subtype === 'notice').length).toBe(7);
    expect(losses.join()).toContain('1 frames that found no place');
    expect(frames.at(-1)?.type).toBe('result');
    const between = told([...counted(70).map(() => ({ ...notice, text: 'x' })), ...open, ...rest]);
    expect(between.losses.length).toBe(6);
  },
};

const initialize = {
  type: 'control_request',
  request_id: 'i',
  request: { subtype: 'initialize', hooks: { Stop: [] } },
};
