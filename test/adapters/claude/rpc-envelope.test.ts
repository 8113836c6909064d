// The requests over the rpc-message dialect, and which frames of the session wear whose envelope.
import { describe, expect, test } from 'vitest';
import type { Out } from '../../../src/core/contract/channel.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { faultsIn } from '../../support/judged.ts';
import { createLog, tell } from '../../support/telling.ts';
import { connect, type Sent, sideOf } from './harness.ts';
import { done, run } from './words.ts';

const ok: Outcome = { ok: true };
const request = (id: string, method: string, params?: unknown) => ({ id, method, params });
const fine = (result: object, id = 'r') => ({ id, result, error: null });
const failure = (message: unknown, id: string | number = 'r') => ({ id, result: null, error: { code: -1, message } });
const rpc = (events: readonly Event[] = []) => connect({ id: 'rpc-message', events });

describe('a request becomes a command, and its outcome the answer', () => {
  test.each<[string, unknown, Command, unknown, object]>([
    ['interrupt', undefined, { type: 'abort', target: 'run' }, { waiting: [] }, { status: 'interrupted' }],
    ['interrupt', null, { type: 'abort', target: 'run' }, undefined, { status: 'interrupted' }],
    ['setModel', 'm', { type: 'set-model', model: 'm' }, undefined, { status: 'model_changed', model: 'm' }],
    ['setModel', { model: 'm' }, { type: 'set-model', model: 'm' }, {}, { status: 'model_changed', model: 'm' }],
    [
      'setModel',
      'm',
      { type: 'set-model', model: 'm' },
      { model: { id: 'm-large' } },
      { status: 'model_changed', model: 'm-large' },
    ],
    [
      'setPermissionMode',
      { mode: 'plan' },
      { type: 'set-mode', mode: 'plan' },
      undefined,
      { mode: 'plan', success: true },
    ],
  ])('%s %j', (method, params, command, data, result) => {
    const client = rpc();
    const asked = client.asks(request('r', method, params));
    expect(asked).toEqual(command);
    expect(client.reply(asked, { ok: true, data })).toEqual({ delivered: [], sent: [fine(result)], notes: [] });
    const again = client.asks(request('r', method, params));
    expect(client.reply(again, refused('unsupported', 'it cannot')).sent).toEqual([failure('it cannot')]);
  });

  test.each<[string, unknown, unknown]>([
    ['query', { message: 'Hello.' }, [{ type: 'text', text: 'Hello.' }]],
    ['query', { message: '' }, [{ type: 'text', text: '' }]],
    [
      'queryWithContent',
      {
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
          { type: 'thinking', thinking: 'Hm.' },
        ],
      },
      [
        { type: 'text', text: 'Look.' },
        { type: 'image', data: 'aGk=', mediaType: 'image/png' },
        { type: 'opaque', name: 'thinking', protocol: 'claude', payload: { type: 'thinking', thinking: 'Hm.' } },
      ],
    ],
  ])('%s %j', (method, params, content) => {
    expect(rpc().asks(request('r', method, params))).toEqual({ type: 'prompt', content });
  });

  test('connect tells what the agent tells of itself', () => {
    const client = rpc([{ type: 'session-changed', changes: { cwd: '/rack', model: { id: 'old' } } }]);
    const asked = client.asks(request('r', 'connect', { model: 'any', provider: 'claude' }));
    expect(asked).toEqual({ type: 'query', subject: 'state' });
    const changes = {
      model: { id: 'large', reasoning: false },
      modes: [{ id: 'default' }, { id: 'bypassPermissions' }],
      models: [],
    };
    expect(client.reply(asked, { ok: true, data: { changes, running: false } }).sent).toEqual([
      fine({
        sessionId: 'session',
        provider: 'claude',
        status: 'connected',
        model: 'large',
        cwd: '/rack',
        capabilities: {
          canInterrupt: true,
          canSwitchModel: false,
          canSwitchPermissionMode: true,
          supportedPermissionModes: ['default', 'bypassPermissions'],
          canSkipPermissions: true,
          canSendRichContent: true,
          canThink: false,
          canResumeSession: false,
        },
      }),
    ]);
  });

  test('connect to an agent that tells nothing', () => {
    const client = rpc();
    expect(client.reply(client.asks(request('r', 'connect')), refused('timeout', 'late')).sent).toMatchObject([
      fine({
        status: 'connected',
        capabilities: {
          canSwitchModel: true,
          canSwitchPermissionMode: false,
          supportedPermissionModes: [],
          canThink: true,
        },
      }),
    ]);
  });

  test('getHistory gives the conversation as messages', () => {
    const client = rpc();
    const asked = client.asks(request('r', 'getHistory'));
    expect(asked).toEqual({ type: 'query', subject: 'messages' });
    const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
      { role: 'user', origin: 'agent', content: [] },
      {
        role: 'assistant',
        id: 'm1',
        model: 'large',
        usage,
        content: [
          { type: 'thinking', text: 'Hm.' },
          { type: 'tool-call', id: 'c', name: 'Bash', input: { a: null } },
        ],
      },
      { role: 'tool', call: 'c', name: 'Bash', content: [{ type: 'text', text: 'done' }] },
      { role: 'summary', content: [{ type: 'text', text: 'not told' }] },
    ];
    const [answer] = client.reply(asked, { ok: true, data: { messages } }).sent as unknown as [
      { result: { messages: Sent[] } },
    ];
    const told = answer.result.messages;
    expect(faultsIn('rpc-message', told)).toEqual([]);
    expect(told).toMatchObject([
      { type: 'user', message: { content: [{ type: 'text', text: 'Hello.' }] }, session_id: 'session' },
      { type: 'user', isSynthetic: true },
      {
        type: 'assistant',
        id: 'm1',
        message: {
          content: [
            { type: 'thinking' },
            { toolName: 'Bash', toolType: 'CLAUDE_BASH', status: 'completed', input: { a: null } },
          ],
        },
      },
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'c', content: 'done' }] } },
    ]);
  });

  test('disconnect is answered, and that is the end', () => {
    const { connection } = rpc();
    const actions = connection.decode({ json: request('r', 'disconnect') } as never);
    expect(actions).toEqual([
      { do: 'send', frame: [JSON.stringify(fine({ status: 'disconnected' }))] },
      { do: 'close', code: 'normal', reason: 'the client disconnects' },
    ]);
  });
});

describe('what is no request is refused in its envelope, and the connection goes on', () => {
  test.each<[unknown, string | number, string]>([
    [{ id: 7, method: 'query' }, 7, 'bad request: id: '],
    [{ method: 'query', params: { message: 'x' } }, '', 'bad request: id: '],
    [{ id: null, method: 'query' }, '', 'bad request: id: '],
    [request('i'.repeat(257), 'query', { message: 'x' }), 'i'.repeat(257), 'bad request: id: '],
    [{ id: 'r' }, 'r', 'bad request: method: '],
    [{ id: 'r', method: 7 }, 'r', 'bad request: method: '],
    [request('r', 'nonsense'), 'r', 'unknown method "nonsense"'],
    [request('r', '__proto__'), 'r', 'unknown method "__proto__"'],
    [request('r', 'constructor'), 'r', 'unknown method "constructor"'],
    [request('r', 'x'.repeat(500)), 'r', `unknown method "${'x'.repeat(64)}"`],
    [request('r', 'query'), 'r', 'bad params: '],
    [request('r', 'query', 'Hello.'), 'r', 'bad params: '],
    [request('r', 'query', { message: 7 }), 'r', 'bad params: message: '],
    [request('r', 'queryWithContent', { content: 'Hello.' }), 'r', 'bad params: content: '],
    [request('r', 'queryWithContent', { content: [{ text: 'x' }] }), 'r', 'bad params: content.0: '],
    [request('r', 'setModel', {}), 'r', 'bad params: '],
    [request('r', 'setModel', 7), 'r', 'bad params: '],
    [request('r', 'setPermissionMode', 'plan'), 'r', 'bad params: '],
  ])('%j', (frame, id, words) => {
    const client = rpc();
    const { delivered, sent, notes } = client.say(frame);
    expect(delivered).toEqual([]);
    expect(sent).toEqual([failure(expect.stringContaining(words), id)]);
    expect(notes).toEqual([expect.stringContaining(`violation: ${words}`)]);
    expect(client.asks(request('s', 'query', { message: 'x' }))).toMatchObject({ type: 'prompt' });
  });

  test('the native dialect has no requests', () => {
    const { delivered, sent } = connect().say(request('r', 'query', { message: 'x' }));
    expect({ delivered, sent }).toMatchObject({ delivered: [], sent: [{ type: 'error' }] });
  });
});

describe('the frames of a query', () => {
  const text = (number: number) => JSON.stringify({ type: 'stream_event', number });
  const result = JSON.stringify({ type: 'result', subtype: 'success' });
  const stream = (id: string, out: string) => ({ id, type: 'stream', data: JSON.parse(out) });
  const complete = (id: string) => ({ id, type: 'complete' });

  /** A client whose queries are taken one after the other; `marks` are on their way to it. */
  function asking(...ids: string[]) {
    const client = rpc();
    const marks = ids.map((id) => {
      const asked = client.asks(request(id, 'query', { message: id }));
      const [mark] = client.sends(client.connection.reply(asked, ok));
      if (mark === undefined) throw new Error('no mark');
      return mark;
    });
    return { client, marks };
  }
  const first = (marks: readonly Out[]): Out => marks[0] ?? '';

  test('are all from the mark to its result, then it is complete', () => {
    const { client, marks } = asking('a');
    expect(client.hears(text(1), result, ...marks, text(2), text(3), result, text(4), result)).toEqual([
      JSON.parse(text(1)),
      JSON.parse(result),
      stream('a', text(2)),
      stream('a', text(3)),
      stream('a', result),
      complete('a'),
      JSON.parse(text(4)),
      JSON.parse(result),
    ]);
  });

  test('a mark says nothing by itself', () => {
    const { client, marks } = asking('a');
    expect(first(marks)).toHaveLength(0);
    expect(client.hears(first(marks))).toEqual([]);
  });

  test('of one after the other, with others’ runs between them', () => {
    const { client, marks } = asking('a', 'b "quoted"');
    const [a = '', b = ''] = marks;
    expect(client.hears(a, result, text(1), result, b, result)).toEqual([
      stream('a', result),
      complete('a'),
      JSON.parse(text(1)),
      JSON.parse(result),
      stream('b "quoted"', result),
      complete('b "quoted"'),
    ]);
  });

  test('of one that joined the open run end both', () => {
    const { client, marks } = asking('a', 'b');
    const [a = '', b = ''] = marks;
    expect(client.hears(a, b, text(1), result)).toEqual([
      stream('a', text(1)),
      stream('a', result),
      complete('a'),
      complete('b'),
    ]);
  });

  test('are never answers to this client, whatever they say', () => {
    const { client, marks } = asking('a');
    client.hears(...marks);
    const asked = client.asks(request('i', 'interrupt'));
    const answers = client.sends(client.connection.reply(asked, ok));
    const complaints = client.sends(client.connection.fault({ code: 'too-large', message: 'too large' }));
    expect(client.hears(...answers, ...complaints, text(1))).toMatchObject([
      fine({ status: 'interrupted' }, 'i'),
      { type: 'error', message: 'too large' },
      stream('a', text(1)),
    ]);
  });

  test('in pieces wear it as well', () => {
    const { client, marks } = asking('a');
    expect(client.hears(...marks, ['{"type":"stream_event",', Buffer.from('"number":1}')])).toEqual([
      stream('a', text(1)),
    ]);
  });

  test('are none where it is refused', () => {
    const client = rpc();
    const asked = client.asks(request('a', 'query', { message: 'x' }));
    expect(client.reply(asked, refused('busy', 'not now')).sent).toEqual([failure('not now', 'a')]);
    expect(client.hears(text(1), result)).toEqual([JSON.parse(text(1)), JSON.parse(result)]);
  });
});

describe('a prompt', () => {
  const user: Event = { type: 'message-added', role: 'user', content: [{ type: 'text', text: 'Hello.' }] };
  const bare = { type: 'user', message: { role: 'user', content: 'Hello.' } };
  /** What a client hears that has sent one, or not. */
  const heard = (id: string, origin: EventOf<'message-added'>['origin'], sent: object | null) => {
    const log = createLog();
    for (const event of [...run, { ...user, origin }, { ...user, origin }, ...done] satisfies Event[]) log.admit(event);
    const client = connect({ id });
    const marks = sent === null ? [] : client.sends(client.connection.reply(client.asks(sent), ok));
    const frames = client.hears(...marks, ...tell(sideOf(id), log.logged).texts);
    return frames.flatMap(({ data = null, ...frame }) => {
      const { type } = (data ?? frame) as { type: string };
      return type === 'user' ? [type] : [];
    }).length;
  };

  test.each<[string, string, EventOf<'message-added'>['origin'], object | null, number]>([
    ['of another client is heard', 'claude', 'prompt', null, 2],
    ['of its own is not heard, the next one is', 'claude', 'prompt', bare, 1],
    ['of its own, of which its agent says no more', 'claude', undefined, bare, 1],
    ['of another client that joins the run', 'claude', 'steer', bare, 2],
    ['of another client, in the dialect of the seed', 'rpc-message', 'prompt', null, 2],
    ['of its own, in the dialect of the seed', 'rpc-message', 'prompt', bare, 1],
    ['that joins the run, in the dialect of the seed', 'rpc-message', 'steer', bare, 2],
    ['of its own, asked for as a query', 'rpc-message', 'prompt', request('q', 'query', { message: 'Hello.' }), 1],
  ])('%s', (_, id, origin, sent, count) => {
    expect(heard(id, origin, sent)).toBe(count);
  });

  test('that its agent does not repeat takes no other run with it', () => {
    const client = connect();
    const marks = client.sends(client.connection.reply(client.asks(bare), ok));
    const theirs = { type: 'user', origin: { kind: 'human' }, message: { content: [] } };
    const frames = [{ type: 'result' }, theirs].map((frame) => JSON.stringify(frame));
    expect(client.hears(...marks, ...frames)).toEqual([{ type: 'result' }, theirs]);
  });
});

describe('a prompt that its client has named', () => {
  const uuid = '11111111-1111-4111-8111-111111111111';
  const prompt = { type: 'user', uuid, message: { role: 'user', content: 'Hello.' } };
  const echo = (name: string) =>
    JSON.stringify({ type: 'user', isReplay: true, message: { content: [] }, session_id: 's', uuid: name });
  const theirs = '22222222-2222-8222-8222-222222222222';
  const result = JSON.stringify({ type: 'result' });

  function marked(options: Record<string, unknown>, frame: object = prompt) {
    const client = connect({ options });
    return { client, marks: client.sends(client.connection.reply(client.asks(frame), ok)) };
  }

  test('is echoed under that name, once', () => {
    const { client, marks } = marked({ replayUserMessages: true });
    expect(
      client.hears(echo(theirs), ...marks, result.replace('result', 'system'), echo(theirs), echo(theirs)),
    ).toEqual([JSON.parse(echo(theirs)), { type: 'system' }, JSON.parse(echo(uuid)), JSON.parse(echo(theirs))]);
  });

  test('names nothing in another run', () => {
    const { client, marks } = marked({ replayUserMessages: true });
    expect(client.hears(...marks, result, echo(theirs))).toEqual([JSON.parse(result), JSON.parse(echo(theirs))]);
  });

  test.each<[string, Record<string, unknown>, object]>([
    ['it has no name', { replayUserMessages: true }, { ...prompt, uuid: undefined }],
    ['the dialect has its own order of keys', { replayUserMessages: true, dialect: 'rpc-message' }, prompt],
  ])('leaves no mark where %s', (_, options, frame) => {
    expect(marked(options, frame).marks).toEqual([]);
  });
});
