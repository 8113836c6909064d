// A stored session is loaded on a pi-server (docs/protocols/pi-server.md 17.1, 20.2): what the backend sends, and what it
// does with each answer.
import { describe, expect, test } from 'vitest';
import { piServer } from '../../../src/adapters/pi-server/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import { beginsAnew } from '../../../src/core/contract/adapter/stored-conversations.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { stillEnv } from '../../support/decoding.ts';
import { textOf } from '../../support/telling.ts';

const file = '/home/u/.pi/agent/sessions/one.jsonl';
type Json = Record<string, unknown>;

function talk(isKnown: boolean) {
  const backend = piServer.agent?.backend(stillEnv(), {}, ['/work'], 'ours', { name: file, isKnown });
  if (backend === undefined) throw new Error('no agent side');
  const sent: Json[] = [];
  const actions: Action<Event>[] = [];
  const perform = (some: readonly Action<Event>[]) => {
    actions.push(...some);
    for (const action of some) if (action.do === 'send') sent.push(JSON.parse(textOf(action.frame)));
  };
  const hear = (frame: Json) => perform(backend.decode(createFrame(Buffer.from(JSON.stringify(frame)))));
  perform(backend.start?.() ?? []);
  hear({ type: 'server_ready', data: { serverVersion: '2.2.1', protocolVersion: '1.0.0', transports: ['stdio'] } });
  return {
    sent,
    types: () => sent.map(({ type, sessionId = null }) => `${type} ${sessionId}`),
    answer(more: Json) {
      const { id, type } = sent.at(-1) ?? {};
      hear({ type: 'response', id, command: type, success: true, ...more });
    },
    warnings: () =>
      actions.flatMap((action) =>
        action.do === 'deliver' && action.message.type === 'notice' ? [action.message.text] : [],
      ),
    closed: () => actions.flatMap((action) => (action.do === 'close' ? [action.reason] : [])),
  };
}

const info = (messageCount: number) => ({
  data: {
    sessionId: 'ours',
    sessionInfo: { sessionId: 'ours', sessionFile: file, thinkingLevel: 'off', isStreaming: false, messageCount },
  },
});
const listed = (...files: string[]) => ({
  data: { sessions: files.map((sessionFile, at) => ({ sessionId: `s${at}`, sessionFile })) },
});
const refused = { success: false, error: 'sessionPath must point to an existing session file' };

describe('a session that is known', () => {
  test('is loaded under our name, and nothing is asked of its history', () => {
    const it = talk(true);
    it.answer(listed('/other.jsonl'));
    expect(it.sent.at(-1)).toMatchObject({ type: 'load_session', sessionPath: file, sessionId: 'ours' });
    it.answer(info(2));
    it.answer(info(2));
    expect(it.types()).toEqual(['list_sessions null', 'load_session ours', 'switch_session ours']);
    expect(it.warnings()).toEqual([]);
  });

  test('is closed first where a cut connection has left it open: two sessions must not write into one file', () => {
    const it = talk(true);
    it.answer(listed('/other.jsonl', file));
    expect(it.sent.at(-1)).toMatchObject({ type: 'delete_session', sessionId: 's1' });
    it.answer({});
    expect(it.types()).toEqual(['list_sessions null', 'delete_session s1', 'load_session ours']);
  });

  test.each([
    ['that is refused', refused, 'create_session ours'],
    ['that the server has made empty', info(0), 'switch_session ours'],
  ])('%s: the agent begins anew, and that is told', (_, answer, next) => {
    const it = talk(true);
    it.answer(listed());
    it.answer(answer);
    expect(it.types().at(-1)).toBe(next);
    expect(it.warnings()).toEqual([beginsAnew]);
    expect(it.closed()).toEqual([]);
  });
});

describe('a session that a client names', () => {
  test('is loaded, and its history is asked for', () => {
    const it = talk(false);
    it.answer(listed());
    it.answer(info(2));
    it.answer(info(2));
    expect(it.types()).toEqual([
      'list_sessions null',
      'load_session ours',
      'switch_session ours',
      'get_state ours',
      'get_messages ours',
    ]);
  });

  test('is not taken from whoever has it open', () => {
    const it = talk(false);
    it.answer(listed(file));
    expect(it.types()).toEqual(['list_sessions null']);
    expect(it.closed()).toEqual(['the session is open on the pi-server already']);
  });

  test('and is not there: the reason ends the agent', () => {
    const it = talk(false);
    it.answer(listed());
    it.answer(refused);
    expect(it.closed()).toEqual([refused.error]);
    expect(it.warnings()).toEqual([]);
  });
});
