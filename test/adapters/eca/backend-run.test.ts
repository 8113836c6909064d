// Runs of an ECA server as agent: when they begin and end, what counts for them, and what comes too late (docs/protocols/eca.md 4, 6.5).
import { describe, expect, test } from 'vitest';
import {
  answered,
  called,
  chatId,
  echo,
  finished,
  type Json,
  prepare,
  rejected,
  run,
  running,
  runningCall,
  say,
  system,
  type Talk,
  talk,
  tell,
  text,
} from './backend-words.ts';

const outcomes = (it: Talk) => it.of('run-end').map(({ outcome }) => outcome);
const words = (it: Talk) => it.of('block-delta').map(({ delta }) => delta);
const notices = (it: Talk) => it.of('notice').map(({ text: words }) => words);

/** A prompt that the server has echoed and answered. */
function begun(era: 'first' | 'modern' = 'modern', prompt = 'hi'): Talk {
  const it = talk(era);
  it.prompt(prompt);
  it.hear(echo(prompt), running('Waiting model'), answered(2), running('Generating'));
  return it;
}

test('a turn: the user’s words, the model’s, the end', () => {
  const it = talk('modern');
  const prompt = it.prompt('hi');
  expect(it.outcome(prompt)).toBeUndefined();
  it.hear(say('user', { type: 'text', text: 'hi\n', contentId: 'u1' }));
  expect(it.outcome(prompt)).toEqual({ ok: true });
  it.hear(running('Waiting model'), answered(2), running('Generating'), text('Hel'), text('lo'), finished());
  expect(it.events.slice(it.types().indexOf('run-start'))).toEqual([
    { type: 'run-start' },
    { type: 'turn-start' },
    {
      type: 'message-added',
      role: 'user',
      origin: 'prompt',
      content: [{ type: 'text', text: 'hi' }],
      extra: { eca: { contentId: 'u1' } },
    },
    { type: 'activity', text: 'Waiting model' },
    expect.objectContaining({ type: 'session-changed' }),
    { type: 'activity', text: 'Generating' },
    { type: 'message-start', id: 'message-1', model: 'm1' },
    { type: 'block-start', index: 0, block: { kind: 'text' } },
    { type: 'block-delta', index: 0, delta: 'Hel' },
    { type: 'block-delta', index: 0, delta: 'lo' },
    { type: 'block-end', index: 0 },
    { type: 'message-end', stop: { reason: 'end' } },
    { type: 'turn-end' },
    { type: 'run-end', outcome: 'completed' },
    { type: 'activity', text: null },
  ]);
  expect(it.disorder()).toEqual([]);
});

describe('a run begins', () => {
  const beginnings: readonly [string, readonly Json[]][] = [
    ['with the echo, before the answer', [echo('hi'), text('yes'), finished(), answered(2)]],
    ['with the answer, before the echo', [answered(2), echo('hi'), text('yes'), finished()]],
    ['with the answer, without an echo', [answered(2), text('yes'), finished()]],
    ['with the answer, and the echo comes late', [answered(2), text('yes'), echo('hi'), finished()]],
    [
      'behind a word about its contexts',
      [running('Parsing given context'), echo('hi'), answered(2), text('yes'), finished()],
    ],
  ];
  test.each(beginnings)('%s', (_, messages) => {
    const it = talk('modern');
    const prompt = it.prompt('hi');
    it.hear(...messages);
    expect(it.outcome(prompt)).toEqual({ ok: true });
    expect(it.of('message-added').map(({ origin, content }) => [origin, content])).toEqual([
      ['prompt', [{ type: 'text', text: 'hi' }]],
    ]);
    expect([outcomes(it), words(it), it.disorder()]).toEqual([['completed'], ['yes'], []]);
  });

  test('with all that the user said, for an echo has no images', () => {
    const it = talk('modern');
    const image = { type: 'image', data: 'AAAA', mediaType: 'image/png' } as const;
    it.ask({ type: 'prompt', content: [{ type: 'text', text: 'what is it?' }, image] });
    expect(it.last('chat/prompt').params.contexts).toEqual([{ type: 'image', mediaType: 'image/png', base64: 'AAAA' }]);
    it.hear(echo('what is it?'));
    expect(it.of('message-added')[0]?.content).toEqual([{ type: 'text', text: 'what is it?' }, image]);
  });

  test('in a chat that the server names, if it will', () => {
    const it = talk('first');
    it.prompt('hi');
    const named = (message: Json): Json => ({ ...message, params: { ...(message.params as Json), chatId: 'theirs' } });
    it.hear(named(echo('hi')), { id: 2, result: { chatId: 'theirs', model: 'm1', status: 'success' } });
    it.hear(named(text('yes')), named(finished()));
    it.prompt('more');
    expect(it.last('chat/prompt').params.chatId).toBe('theirs');
    expect([outcomes(it), words(it)]).toEqual([['completed'], ['yes']]);
  });
});

describe('a prompt is refused', () => {
  const refusals: readonly [string, Json, string, RegExp][] = [
    ['an error', { id: 2, error: { code: -32_603, message: 'Internal error' } }, 'agent-refused', /Internal error/u],
    [
      'an error with a word for its code',
      { id: 2, error: { code: 'chat_not_found', message: 'none' } },
      'agent-refused',
      /none/u,
    ],
    ['the status error', { id: 2, result: { chatId, model: 'error', status: 'error' } }, 'agent-refused', /not take/u],
    ['the status login', { id: 2, result: { chatId, model: 'm1', status: 'login' } }, 'agent-refused', /log in/u],
  ];
  test.each(refusals)('by %s', (_, message, code, sentence) => {
    const it = talk('modern');
    const prompt = it.prompt('hi');
    it.hear(message);
    expect(it.outcome(prompt)).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(sentence) } });
    expect(it.of('run-start')).toEqual([]);
    it.prompt('again');
    it.hear(echo('again'), text('yes'), finished());
    expect(outcomes(it)).toEqual(['completed']);
  });

  test('by an error when its run has begun: the run has failed', () => {
    const it = talk('modern');
    it.prompt('hi');
    it.hear(echo('hi'), { id: 2, error: { code: -32_603, message: 'Internal error' } });
    expect(it.of('run-end')).toMatchObject([{ outcome: 'failed', failure: { message: 'Internal error' } }]);
  });

  test('a null error is none', () => {
    const it = talk('modern');
    const prompt = it.prompt('hi');
    it.hear({ ...answered(2), error: null });
    expect(it.outcome(prompt)).toEqual({ ok: true });
  });

  test('by nobody in time', () => {
    const it = talk('modern');
    const prompt = it.prompt('hi');
    expect([...it.timers.keys()]).toContain('deadline:2');
    it.wake('deadline:2');
    expect(it.outcome(prompt)).toMatchObject({ ok: false, error: { code: 'timeout' } });
  });

  test('a run that has begun may take as long as it takes', () => {
    const it = talk('modern');
    it.prompt('/compact');
    it.hear(echo('/compact'));
    expect([...it.timers.keys()]).toEqual([]);
  });
});

describe('what the system says', () => {
  const endings: readonly [string, string, readonly Json[], object, readonly string[]][] = [
    [
      'an error before the model has spoken',
      'hi',
      [system('\n\nboom'), finished()],
      { outcome: 'failed', failure: { kind: 'provider', message: 'boom' } },
      [],
    ],
    [
      'an error in pieces',
      'hi',
      [system('bo'), system('om'), finished()],
      { outcome: 'failed', failure: { message: 'boom' } },
      [],
    ],
    [
      'an error without words',
      'hi',
      [system(null), finished()],
      { outcome: 'failed', failure: { message: expect.stringMatching(/no reason/u) } },
      [],
    ],
    ['the answer to a command', '/costs', [system('It cost $1'), finished()], { outcome: 'completed' }, ['It cost $1']],
    ['something behind the model', 'hi', [text('a'), system('boom'), finished()], { outcome: 'completed' }, ['boom']],
    [
      'something before the model',
      'hi',
      [system('reading'), text('a'), finished()],
      { outcome: 'completed' },
      ['reading'],
    ],
    ['that it was stopped', 'hi', [text('a'), system('\nPrompt stopped\n'), finished()], { outcome: 'aborted' }, []],
    [
      'something, and that it was stopped',
      'hi',
      [system('reading'), system('\nPrompt stopped'), finished()],
      { outcome: 'aborted' },
      ['reading'],
    ],
    [
      'that it stops',
      'hi',
      [tell('chat/statusChanged', { status: 'stopping' }), finished()],
      { outcome: 'aborted' },
      [],
    ],
  ];
  test.each(endings)('%s', (_, prompt, messages, end, told) => {
    const it = begun('modern', prompt);
    it.hear(...messages);
    expect(it.of('run-end')).toMatchObject([end]);
    expect([notices(it), it.disorder()]).toEqual([told, []]);
  });

  test('as it came, for clients whose chats have such texts', () => {
    const it = begun('modern', '/costs');
    it.hear(system('\nIt cost $1'));
    expect(it.of('notice')).toEqual([
      { type: 'notice', level: 'info', source: 'agent', text: 'It cost $1', extra: { eca: { text: '\nIt cost $1' } } },
    ]);
  });
});

describe('what comes too late', () => {
  const stragglers: readonly [string, readonly Json[], readonly string[]][] = [
    ['a second end', [finished()], []],
    ['the end of a call', [rejected('t1')], ['unknown']],
    ['words of the model', [text('more')], ['unknown']],
    ['words of the system', [system('by the way')], ['notice']],
  ];
  test.each(stragglers)('%s: no run', (_, messages, types) => {
    const it = begun();
    it.hear(text('yes'), finished());
    const before = it.events.length;
    it.hear(...messages);
    expect(it.types().slice(before)).toEqual(types);
    expect(it.notes.filter(({ level }) => level !== 'loss')).toEqual([]);
  });

  test('the second end of a stopped run does not end the next one', () => {
    const it = talk('first');
    it.prompt('slow');
    const [first, second] = [{ requestId: 'request-1' }, { requestId: 'request-2' }];
    it.hear(echo('slow', first), answered(2), text('s0', first));
    it.ask({ type: 'abort', target: 'run' });
    it.hear(system('\nPrompt stopped', first), finished(first));
    it.prompt('more');
    it.hear(echo('more', second), text('s1', first), finished(first), answered(3), text('yes', second));
    expect(outcomes(it)).toEqual(['aborted']);
    it.hear(finished(second));
    expect([outcomes(it), words(it), it.disorder()]).toEqual([['aborted', 'completed'], ['s0', 'yes'], []]);
  });

  test('nor when the next one has begun with its answer, before the echo', () => {
    const it = talk('first');
    it.prompt('slow');
    const [first, second] = [{ requestId: 'request-1' }, { requestId: 'request-2' }];
    it.hear(echo('slow', first), answered(2), text('s0', first));
    it.ask({ type: 'abort', target: 'run' });
    it.hear(system('\nPrompt stopped', first), finished(first));
    it.prompt('more');
    it.hear(answered(3), finished(first), echo('more', second), text('yes', second), finished(second));
    expect([outcomes(it), words(it)]).toEqual([
      ['aborted', 'completed'],
      ['s0', 'yes'],
    ]);
  });

  test('nor before the next prompt was echoed', () => {
    const it = begun('first');
    it.ask({ type: 'abort', target: 'run' });
    it.hear(system('\nPrompt stopped'), finished());
    it.prompt('more');
    it.hear(finished(), echo('more'), text('yes'), finished());
    expect([outcomes(it), words(it)]).toEqual([['aborted', 'completed'], ['yes']]);
  });

  test('chats of others are passed over, once with a note', () => {
    const it = begun();
    const other = { ...text('no'), params: { ...(text('no').params as Json), chatId: 'other' } };
    it.hear(other, other, text('yes'), finished());
    expect([words(it), it.notes]).toEqual([
      ['yes'],
      [{ level: 'repair', text: expect.stringMatching(/another chat/u) }],
    ]);
  });
});

describe('two calls that a server of the first era answers at once', () => {
  function asked(): Talk {
    const it = begun('first');
    it.hear(prepare('t1', '{}'), prepare('t2', '{}'), run('t1', true));
    it.ask({ type: 'answer-approval', id: 't1', decision: 'allow' });
    it.hear(called('t1'), run('t2', true), text('one'), finished());
    return it;
  }

  test('the first end is not the end while a call waits', () => {
    const it = asked();
    expect(outcomes(it)).toEqual([]);
    it.ask({ type: 'answer-approval', id: 't2', decision: 'allow' });
    it.hear(called('t2'), text('two'), finished());
    expect([outcomes(it), words(it).slice(-2), it.disorder()]).toEqual([['completed'], ['one', 'two'], []]);
    expect(it.of('message-start')).toHaveLength(3);
  });

  test('stopped between the two: nothing more will be said, so that is the end', () => {
    const it = asked();
    it.ask({ type: 'abort', target: 'run' });
    expect(outcomes(it)).toEqual(['aborted']);
    expect([it.of('approval-end').map(({ outcome }) => outcome), it.disorder()]).toEqual([
      ['allowed', 'cancelled'],
      [],
    ]);
  });
});

describe('an abort', () => {
  test('is a notification, and settled at once', () => {
    const it = begun();
    it.hear(text('s0'));
    const abort = it.ask({ type: 'abort', target: 'run' });
    expect(it.last('chat/promptStop').params).toEqual({ chatId });
    expect(it.outcome(abort)).toEqual({ ok: true });
    expect(outcomes(it)).toEqual([]);
    it.hear(system('\nPrompt stopped\n'), tell('chat/statusChanged', { status: 'stopping' }), finished());
    expect(it.of('message-end')).toMatchObject([{ stop: { reason: 'aborted' } }]);
    expect([outcomes(it), it.disorder()]).toEqual([['aborted'], []]);
  });

  test('that the server does not hear ends nothing', () => {
    const it = begun();
    it.ask({ type: 'abort', target: 'run' });
    it.hear(text('done'), finished());
    expect(outcomes(it)).toEqual(['completed']);
  });

  test('before the run: said when it begins, and again when the server is at work', () => {
    const it = talk('modern');
    it.prompt('hi');
    it.ask({ type: 'abort', target: 'run' });
    expect(it.sent.filter(({ method }) => method === 'chat/promptStop')).toEqual([]);
    it.hear(echo('hi'), answered(2));
    expect(it.sent.filter(({ method }) => method === 'chat/promptStop')).toHaveLength(1);
    it.hear(running('Waiting model'), running('Generating'));
    expect(it.sent.filter(({ method }) => method === 'chat/promptStop')).toHaveLength(2);
    it.hear(system('\nPrompt stopped\n'), finished());
    expect(outcomes(it)).toEqual(['aborted']);
  });

  test('before the server was greeted: the prompt is not sent', () => {
    const it = talk(null);
    const prompt = it.prompt('hi');
    it.ask({ type: 'abort', target: 'run' });
    expect(it.outcome(prompt)).toMatchObject({ ok: false, error: { code: 'aborted' } });
    it.hear({ id: 1, result: {} });
    expect(it.sent.map(({ method }) => method)).toEqual(['initialize', 'initialized']);
  });

  const waiting: readonly [string, readonly Json[], readonly Json[], object][] = [
    ['while a call waits for leave', [prepare('t1', '{}'), run('t1', true)], [], { skipped: 'aborted', isError: true }],
    [
      'while a call runs',
      [prepare('t1', '{}'), run('t1', false), runningCall('t1')],
      [rejected('t1')],
      { isError: true },
    ],
    [
      'while arguments stream',
      [prepare('t1', '{"wh'), system('\nPrompt stopped\n'), rejected('t1', 'user-prompt-stop')],
      [],
      { skipped: 'aborted' },
    ],
  ];
  test.each(waiting)('%s', (_, before, after, end) => {
    const it = begun();
    it.hear(...before);
    it.ask({ type: 'abort', target: 'run' });
    it.hear(system('\nPrompt stopped\n'), finished(), ...after);
    expect(it.of('tool-end')).toMatchObject([end]);
    expect([outcomes(it), it.disorder()]).toEqual([['aborted'], []]);
  });
});

describe('steering', () => {
  test('joins the run where the server takes it up', () => {
    const it = begun();
    it.hear(prepare('t1', '{}'), run('t1', false));
    const steer = it.ask({ type: 'steer', content: [{ type: 'text', text: 'left' }] });
    expect([it.outcome(steer), it.last('chat/promptSteer').params]).toEqual([
      { ok: true },
      { chatId, message: 'left' },
    ]);
    it.hear(called('t1'), echo('left'), text('yes'), finished());
    expect(it.of('message-added').map(({ origin }) => origin)).toEqual(['prompt', 'steer']);
    expect([outcomes(it), it.disorder()]).toEqual([['completed'], []]);
  });

  test('that the server did not take up is a prompt in the same run', () => {
    const it = begun();
    it.ask({ type: 'prompt', content: [{ type: 'text', text: 'left' }], whenBusy: 'steer' });
    it.hear(text('right'), finished());
    expect(outcomes(it)).toEqual([]);
    expect([it.last('chat/promptSteerRemove').params, it.last('chat/prompt').params.message]).toEqual([
      { chatId },
      'left',
    ]);
    it.hear(finished(), echo('left'), answered(3), text('left'), finished());
    expect(it.of('message-added').map(({ origin }) => origin)).toEqual(['prompt', 'steer']);
    expect([outcomes(it), it.of('run-start').length, it.disorder()]).toEqual([['completed'], 1, []]);
  });

  test('is not for servers of the first era', () => {
    const it = begun('first');
    const steer = it.ask({ type: 'steer', content: [{ type: 'text', text: 'left' }] });
    expect(it.outcome(steer)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
  });

  test.each([
    [undefined, 'busy'],
    ['queue', 'busy'],
    ['refuse', 'busy'],
    ['follow-up', 'unsupported'],
  ] as const)('a second prompt (%s) is not sent while a run goes on', (whenBusy, code) => {
    const it = begun();
    const sent = it.sent.length;
    const second = it.ask({ type: 'prompt', content: [{ type: 'text', text: 'more' }], whenBusy });
    expect(it.outcome(second)).toMatchObject({ ok: false, error: { code } });
    expect(it.sent.length).toBe(sent);
  });
});

describe('a chat that is cleared', () => {
  test('and told again is history, and no run', () => {
    const it = begun('modern', '/resume');
    it.hear(
      tell('chat/cleared', { messages: true }),
      tell('chat/opened', { title: 'Cables' }),
      say('user', { type: 'text', text: '\nhi' }),
      say('assistant', { type: 'reasonText', id: 'r', text: 'hm' }),
      text('yes'),
      run('t1', false),
      called('t1'),
      finished(),
      answered(2),
    );
    expect(
      it
        .of('message-added')
        .slice(1)
        .map(({ role, origin }) => [role, origin]),
    ).toEqual([
      ['user', 'replay'],
      ['assistant', 'replay'],
      ['assistant', 'replay'],
      ['assistant', 'replay'],
      ['tool', 'replay'],
    ]);
    expect([outcomes(it), it.of('history-reset').length, it.disorder()]).toEqual([['completed'], 1, []]);
    it.prompt('go on');
    it.hear(echo('go on'), text('on'), finished());
    expect([outcomes(it), words(it)]).toEqual([['completed', 'completed'], ['on']]);
  });

  test('or deleted by somebody else: its run is over', () => {
    const it = begun();
    it.hear(text('s0'), tell('chat/deleted'));
    expect([outcomes(it), it.of('history-reset').length, it.disorder()]).toEqual([['failed'], 1, []]);
  });
});

test('what a server says of itself begins a run where nobody here has prompted', () => {
  const it = talk(null);
  it.hear(echo('hi'), running('Waiting model'), text('yes'), finished());
  expect([outcomes(it), it.of('message-added').map(({ origin }) => origin), it.disorder()]).toEqual([
    ['completed'],
    ['prompt'],
    [],
  ]);
});
