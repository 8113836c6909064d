// One connection of a Claude client: every frame it may send, good and bad, and what it gets back.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { faultsIn } from '../../support/judged.ts';
import { connect } from './harness.ts';

const ok: Outcome = { ok: true };
const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });
const control = (request: object) => ({ type: 'control_request', request_id: 'r1', request });
const success = (response?: object) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: 'r1', ...(response && { response }) },
});

describe('prompts', () => {
  test.each<[string, unknown, unknown]>([
    ['a string', 'Hello.', [{ type: 'text', text: 'Hello.' }]],
    ['no words at all', '', [{ type: 'text', text: '' }]],
    ['no blocks at all', [], []],
    [
      'texts',
      [
        { type: 'text', text: 'a', cache_control: {} },
        { type: 'text', text: 'b' },
      ],
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    [
      'an image',
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }],
      [{ type: 'image', data: 'aGk=', mediaType: 'image/png' }],
    ],
    [
      'an image elsewhere',
      [{ type: 'image', source: { type: 'url', url: 'https://example.com' } }],
      [{ type: 'image', url: 'https://example.com' }],
    ],
    [
      'a document',
      [{ type: 'document', title: 'T', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } }],
      [{ type: 'document', name: 'T', mediaType: 'application/pdf', data: 'aGk=' }],
    ],
    [
      'a document as text',
      [{ type: 'document', source: { type: 'text', data: 'words' } }],
      [{ type: 'document', text: 'words' }],
    ],
    [
      'a document elsewhere',
      [{ type: 'document', title: null, source: { type: 'url', url: 'https://example.com' } }],
      [{ type: 'document', url: 'https://example.com' }],
    ],
    [
      'a block that we do not know',
      [{ type: 'constructor', a: 1 }],
      [{ type: 'opaque', name: 'constructor', protocol: 'claude', payload: { type: 'constructor', a: 1 } }],
    ],
  ])('%s', (_, content, expected) => {
    expect(connect().say(user(content))).toEqual({
      delivered: [{ type: 'prompt', content: expected }],
      sent: [],
      notes: [],
    });
  });

  /** What a client is told whose prompt had this outcome. */
  function outcomeOf(outcome: Outcome, options: Parameters<typeof connect>[0] = {}, frame: object = user('Hello.')) {
    const client = connect(options);
    return client.reply(client.asks(frame), outcome);
  }

  test('one that is taken is answered by the session, not by the connection', () => {
    expect(outcomeOf(ok)).toEqual({ delivered: [], sent: [], notes: [] });
  });

  test('a command that nobody asked for is nobody’s', () => {
    const stray: Command = { type: 'prompt', content: [] };
    expect(connect().reply(stray, refused('busy', 'no'))).toEqual({ delivered: [], sent: [], notes: [] });
  });

  test('one that is refused gets a result, or the client would wait for ever', () => {
    const events: Event[] = [
      { type: 'run-start' },
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      { type: 'message-end', stop: { reason: 'end' }, cost: { total: 0.25 } },
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'completed' },
    ];
    const { sent } = outcomeOf(refused('busy', 'the agent is busy'), { events });
    expect(sent).toEqual([
      {
        type: 'result',
        subtype: 'error_during_execution',
        is_error: true,
        duration_ms: 0,
        duration_api_ms: 0,
        num_turns: 0,
        errors: ['the agent is busy'],
        stop_reason: null,
        total_cost_usd: 0.25,
        usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
        modelUsage: {},
        permission_denials: [],
        terminal_reason: 'error',
        queued_turn_count: 0,
        session_id: 'session',
        uuid: 'frame-1',
      },
    ]);
  });

  test('one that is refused in the middle of a turn gets an error: a result would end that turn', () => {
    const { sent } = outcomeOf(refused('limit', 'too many prompts wait'), { events: [{ type: 'run-start' }] });
    expect(sent).toMatchObject([{ type: 'error', message: 'too many prompts wait' }]);
  });

  test('a prompt’s uuid comes back with the prompt where it waits', () => {
    const uuid = '11111111-1111-4111-8111-111111111111';
    const client = connect();
    const { delivered } = client.say({ ...user('a'), uuid });
    expect(delivered).toMatchObject([{ type: 'prompt', extra: { claude: uuid } }]);
    const [interrupt] = client.say(control({ subtype: 'interrupt' })).delivered;
    if (interrupt === undefined) throw new Error('nothing was delivered');
    const waiting = [...delivered, { type: 'prompt', content: [] }];
    expect(client.reply(interrupt, { ok: true, data: { waiting } }).sent).toEqual([
      success({ still_queued: [uuid, null] }),
    ]);
  });

  test('rpc-message: an error before the result, both as its parser takes them', () => {
    const { sent } = outcomeOf(refused('agent-down', 'the agent is gone'), { id: 'rpc-message' });
    expect(sent.map(({ type }) => type)).toEqual(['error', 'result']);
    expect(faultsIn('rpc-message', sent)).toEqual([]);
  });
});

describe('what is no frame', () => {
  test.each<[string, Uint8Array, string]>([
    ['no JSON', Buffer.from('{"type":'), 'the frame is not valid JSON'],
    ['no UTF-8', Buffer.from([0xff, 0xfe]), 'the frame is not valid UTF-8'],
    ['nothing', Buffer.from(''), 'the frame is not valid JSON'],
    ['too deep', Buffer.from('['.repeat(500)), 'the frame nests deeper than 128 levels'],
    ['a type without end', Buffer.from(`{"type":"${'x'.repeat(500)}"}`), `unknown frame type "${'x'.repeat(64)}"`],
  ])('%s', (_, bytes, message) => {
    const error = { type: 'error', message, session_id: 'session', uuid: 'frame-1' };
    expect(connect().raw(bytes)).toEqual({ delivered: [], sent: [error], notes: [`violation: ${message}`] });
    const [said] = connect({ id: 'rpc-message' }).raw(bytes).sent;
    expect(faultsIn('rpc-message', [said], false)).toEqual([]);
  });

  test('a fault of the transport is told in our own protocol', () => {
    expect(connect().fault('the frame is too large').sent).toMatchObject([
      { type: 'error', message: 'the frame is too large' },
    ]);
  });

  test('an error never repeats what a client said at length', () => {
    const { sent } = connect().say({ type: 'user', message: { role: 'user', content: { secret: 'x'.repeat(1_000) } } });
    expect(JSON.stringify(sent)).not.toContain('xxxx');
  });

  test('frames that want nothing get nothing', () => {
    for (const type of ['keep_alive', 'control_cancel_request', 'auth', 'update_environment_variables']) {
      expect(connect().say({ type })).toEqual({ delivered: [], sent: [], notes: [] });
    }
  });
});

test('rpc-message: control frames do not exist, so a control request is done and not answered', () => {
  const client = connect({ id: 'rpc-message' });
  const { delivered, sent } = client.say(control({ subtype: 'interrupt' }));
  expect({ delivered, sent }).toMatchObject({ delivered: [{ type: 'abort', target: 'run' }], sent: [] });
  const [asked] = delivered;
  expect(asked && client.reply(asked, ok).sent).toEqual([]);
});
