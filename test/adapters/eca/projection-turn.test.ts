// A run as ECA clients see it: echo, status, progress, contents, figures, and one end (docs/protocols/eca.md 4.1).
import { describe, expect, test } from 'vitest';
import { createProjection } from '../../../src/adapters/eca/projection/projection.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { createLog, epoch, textOf } from '../../support/telling.ts';
import {
  afterPrompt,
  answered,
  calls,
  contentsOf,
  crashed,
  done,
  ended,
  message,
  modern,
  opened,
  outline,
  paramsOf,
  piece,
  run,
  says,
  started,
  stopped,
  text,
  told,
  user,
} from './projection-words.ts';

const begun = ['running', 'S (Waiting model)'];
/** The first words of a chat are its title. */
const titled = 'S metadata';
const over = ['idle', 'S finished'];
const generating = (words: string): string[] => ['S (Generating)', `A ${JSON.stringify(words)}`];
const cutOff = 'S "\\n\\nThe answer was cut off: the output limit is reached.\\n"';

/** A message that says this and ends so. */
const cut = (words: string, end: Partial<EventOf<'message-end'>>): Event[] => [
  message(),
  ...text(0, words),
  ended(end),
];

describe('a run begins with what the user said', () => {
  test.each<[string, Event[], string[]]>([
    ['told in the run', [...run, user('go'), ...done], ['chat/opened', 'U "go\\n"', ...begun, titled, ...over]],
    ['told before it: at once', [user('go'), ...run], ['chat/opened', 'U "go\\n"', titled, ...begun]],
    ['told before it', [user('go'), ...run, ...done], ['chat/opened', 'U "go\\n"', titled, ...begun, ...over]],
    [
      'told by no one',
      [...run, ...says('hi'), ...done],
      ['chat/opened', ...begun, 'S (Generating)', 'A "hi"', ...over],
    ],
    [
      'told late',
      [...run, ...says('hi'), user('go'), ...done],
      ['chat/opened', ...begun, 'S (Generating)', 'A "hi"', 'U "go\\n"', titled, ...over],
    ],
    ['nothing at all', [...run, ...done], ['chat/opened', ...begun, ...over]],
  ])('%s', (_, events, expected) => {
    expect(outline(told(events).frames)).toEqual(expected);
  });

  test.each(['prompt', 'steer', 'follow-up', undefined] as const)('origin %s is echoed', (origin) => {
    expect(outline(told([...run, user('go', { origin })]).frames)).toContain('U "go\\n"');
  });

  test('a second run waits for its own prompt', () => {
    const { frames } = told([...run, user('one'), ...done, ...run, user('two'), ...done]);
    expect(outline(frames)).toEqual([
      'chat/opened',
      'U "one\\n"',
      ...begun,
      titled,
      ...over,
      'U "two\\n"',
      ...begun,
      ...over,
    ]);
  });

  test('what the agent says in the name of the user is lost', () => {
    const { frames, losses } = told([...run, user('go'), user('a reminder', { origin: 'agent' })]);
    expect(contentsOf(frames, 'text').map(({ text }) => text)).toEqual(['go\n']);
    expect(losses).toEqual(['message of the agent in the user’s name']);
  });

  test('contexts that were read for the agent are taken off, and pictures are lost', () => {
    const content = [
      { type: 'image' as const, data: 'aGk=' },
      { type: 'text' as const, text: '<contexts>\na file\n</contexts>\n\nwhat is it?' },
    ];
    const { frames, losses } = told([...run, user('', { content })]);
    expect(contentsOf(frames, 'text')).toMatchObject([{ text: 'what is it?\n' }]);
    expect(losses).toEqual(['image in a prompt']);
  });

  test('each echo has an id of its own', () => {
    const { frames } = told([...run, user('one'), user('two')]);
    const ids = contentsOf(frames, 'text').map(({ contentId }) => contentId);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(undefined);
  });

  test('an echo is no place to go back to where the agent cannot go back', () => {
    const { transcript, logged } = createLog();
    const silent = createProjection({ id: 'session', epoch, timeOrigin: 0, transcript }, modern);
    const told = [...run, user('one')].flatMap((event, seq) => silent.event({ event, seq, at: 0 }).map(textOf));
    expect([logged, told.filter((frame) => frame.includes('contentId'))]).toEqual([[], []]);
    expect(told.filter((frame) => frame.includes('"one\\n"'))).toHaveLength(1);
  });
});

describe('a run ends once', () => {
  test.each<[string, Event[], string[]]>([
    ['completed', done, over],
    ['aborted', [stopped], ['S "\\nPrompt stopped\\n"', 'stopping', 'S finished']],
    ['failed', [crashed], ['S "\\n\\nthe agent went away"', ...over]],
    ['failed for no reason', [{ type: 'run-end', outcome: 'failed' }], ['S "\\n\\nThe agent failed"', ...over]],
    ['figures after its end are told with the next', [...done, { type: 'usage-changed', sessionTokens: 5 }], over],
  ])('%s', (_, events, expected) => {
    expect(afterPrompt(events)).toEqual(expected);
  });

  const body = '{"type":"error","error":{"type":"invalid_request_error","message":"No credit is left."}}';

  test.each<[string, string, string]>([
    ['behind its status', `400 ${body}`, '400 No credit is left.'],
    ['alone', body, 'No credit is left.'],
    ['flat', '{"message":"Too much.\\nWait."}', 'Too much.\nWait.'],
    ['of which people can read nothing', '500 {"error":{"code":7}}', '500 {"error":{"code":7}}'],
    ['that is cut', '400 {"error":{"mess', '400 {"error":{"mess'],
    ['within words', `it said ${body}`, `it said ${body}`],
    ['with a word for its error', '{"error":"overloaded","message":"Wait."}', 'Wait.'],
  ])('the body of a provider’s answer is told in its words: %s', (_, message, words) => {
    const failed: Event = { type: 'run-end', outcome: 'failed', failure: { kind: 'provider', message } };
    expect(afterPrompt([failed])[0]).toBe(`S ${JSON.stringify(`\n\n${words}`)}`);
  });

  const length = { stop: { reason: 'length' as const } };

  test.each<[string, Event[], string[]]>([
    [
      'that the model has told',
      [...says('It says: the agent went away\n'), crashed],
      [...generating('It says: the agent went away\n'), ...over],
    ],
    [
      'that the model has told, with an empty message behind it',
      [...says('the agent went away'), message(), ended(), crashed],
      [...generating('the agent went away'), ...over],
    ],
    [
      'of which the model has told something else',
      [...says('the agent went away, and came back'), crashed],
      [...generating('the agent went away, and came back'), 'S "\\n\\nthe agent went away"', ...over],
    ],
    [
      'that the model told in another run',
      [...says('the agent went away'), ...done, ...run, user('on'), crashed],
      [...generating('the agent went away'), ...over, 'U "on\\n"', ...begun, 'S "\\n\\nthe agent went away"', ...over],
    ],
  ])('a failure %s', (_, events, expected) => {
    expect(afterPrompt(events)).toEqual(expected);
  });

  test.each<[string, Event[], string[]]>([
    ['is said', [...cut('It was', length), ...done], [...generating('It was'), cutOff, ...over]],
    [
      'is not said of an answer that goes on',
      [...cut('It was', length), ...says('long.'), ...done],
      [...generating('It was'), 'A "long."', ...over],
    ],
    [
      'is not said of another run',
      [...cut('It was', length), ...done, ...run, user('on'), ...done],
      [...generating('It was'), cutOff, ...over, 'U "on\\n"', ...begun, ...over],
    ],
    [
      'does not count where the user has stopped it',
      [...cut('It was', length), stopped],
      [...generating('It was'), 'S "\\nPrompt stopped\\n"', 'stopping', 'S finished'],
    ],
    [
      'is not said of a sub-agent',
      [
        started('c'),
        message('s', { parent: 'c' }),
        ended({ parent: 'c', ...length }),
        answered('c'),
        ...says('a'),
        ...done,
      ],
      ['A "a"', ...over],
    ],
  ])('that the output limit was reached %s', (_, events, expected) => {
    expect(afterPrompt(events).slice(-expected.length)).toEqual(expected);
    expect(afterPrompt(events).filter((word) => word === cutOff)).toHaveLength(expected.includes(cutOff) ? 1 : 0);
  });

  test('finished has a text, for the document asks for one', () => {
    const [, finished] = contentsOf(told([...run, ...done]).frames, 'progress');
    expect(finished).toEqual({ type: 'progress', state: 'finished', text: '' });
  });
});

describe('"Generating" stands before what the model says', () => {
  test.each<[string, Event[], string[]]>([
    [
      'once for a message',
      [message(), ...text(0, 'a', 'b'), ...text(1, 'c')],
      ['S (Generating)', 'A "a"', 'A "b"', 'A "c"'],
    ],
    ['not again after a result', [...says('a'), ...says('b')], ['S (Generating)', 'A "a"', 'A "b"']],
    [
      'again after something else',
      [...says('a'), { type: 'activity', text: 'reading' }, ...says('b')],
      ['S (Generating)', 'A "a"', 'S (reading)', 'S (Generating)', 'A "b"'],
    ],
    ['before a thought', [message(), opened(0, { kind: 'thinking' })], ['S (Generating)', 'A reasonStarted']],
    ['not before nothing', [message(), opened(0, { kind: 'text' }), piece(0, '')], []],
  ])('%s', (_, events, expected) => {
    expect(afterPrompt(events)).toEqual(expected);
  });
});

describe('what goes on for a while', () => {
  const failure = { kind: 'provider' as const, message: 'busy' };
  const retry: EventOf<'retry-start'> = { type: 'retry-start', attempt: 1, maxAttempts: 3, delayMs: 10, failure };
  const retryText = 'S "\\n\\nRetrying (1/3): busy\\n\\n"';
  const compacted = (figures: Partial<EventOf<'compaction-end'>>): Event[] => [
    { type: 'compaction-start', trigger: 'threshold' },
    { type: 'compaction-end', outcome: 'completed', ...figures },
  ];
  const compacting = ['S (Compacting…)', 'S (Waiting model)'];
  test.each<[string, Event[], string[]]>([
    ['a retry', [retry], ['S (Retrying (1/3)…)']],
    [
      'a retry of an answer that failed',
      [...cut('Ye', { stop: { reason: 'error' }, failure }), retry, ...says('Yes')],
      [...generating('Ye'), retryText, 'S (Retrying (1/3)…)', ...generating('Yes')],
    ],
    [
      'a retry of an answer that was cut, and of that again',
      [...cut('Ye', { stop: { reason: 'aborted' } }), retry, retry, { ...retry, attempt: 2 }],
      [
        ...generating('Ye'),
        retryText,
        'S (Retrying (1/3)…)',
        'S "\\n\\nRetrying (2/3): busy\\n\\n"',
        'S (Retrying (2/3)…)',
      ],
    ],
    [
      'a retry in the midst of an answer',
      [message(), opened(0, { kind: 'text' }), piece(0, 'Ye'), retry],
      [...generating('Ye'), retryText, 'S (Retrying (1/3)…)'],
    ],
    [
      'an answer after one that failed, of which nobody says that it is a retry',
      [...cut('Ye', { stop: { reason: 'error' }, failure }), ...says('Yes')],
      [...generating('Ye'), 'S "\\n\\nRetrying: busy\\n\\n"', 'A "Yes"'],
    ],
    [
      'another question after an answer that failed',
      [...cut('Ye', { stop: { reason: 'error' }, failure }), user('on'), ...says('Yes')],
      [...generating('Ye'), 'U "on\\n"', 'A "Yes"'],
    ],
    [
      'a retry that is over',
      [retry, { type: 'retry-end', attempt: 1, success: true }],
      ['S (Retrying (1/3)…)', 'S (Waiting model)'],
    ],
    ['a compaction', compacted({}), [...compacting, 'S "\\n\\nThe conversation was compacted.\\n"']],
    [
      'a compaction with its figures',
      compacted({ tokensBefore: 900, tokensAfter: 70 }),
      [...compacting, 'S "\\n\\nThe conversation was compacted (900 -> 70 tokens).\\n"', 'S usage'],
    ],
    [
      'a compaction of which only the beginning is known',
      compacted({ tokensBefore: 900 }),
      [...compacting, 'S "\\n\\nThe conversation was compacted (from 900 tokens).\\n"'],
    ],
    [
      'a compaction that failed',
      compacted({ outcome: 'failed', failure }),
      [...compacting, 'S "\\n\\nThe conversation could not be compacted: busy\\n"'],
    ],
    [
      'a compaction that was stopped',
      compacted({ outcome: 'aborted' }),
      [...compacting, 'S "\\n\\nThe compaction of the conversation was stopped.\\n"'],
    ],
    [
      'work, and its end',
      [...calls('c'), started('c'), { type: 'activity', text: 'reading' }, { type: 'activity', text: null }],
      [
        'S (Generating)',
        'A prepare c ""',
        'A prepare c "{\\"path\\":\\"notes\\"}"',
        'A run c',
        'A running c',
        'S (Calling tool)',
        'S (reading)',
        'S (Calling tool)',
      ],
    ],
    ['work without words', [{ type: 'activity', text: ' ' }], []],
    ['work that is told already', [{ type: 'activity', text: 'Waiting model' }], []],
  ])('%s', (_, events, expected) => {
    expect(afterPrompt(events)).toEqual(expected);
  });

  test('outside of runs nothing is shown as running', () => {
    const { frames } = told([
      { type: 'activity', text: 'reading' },
      { type: 'compaction-start', trigger: 'manual' },
      { type: 'compaction-end', outcome: 'completed', tokensAfter: 70 },
    ]);
    expect(outline(frames)).toEqual(['chat/opened', 'S "\\n\\nThe conversation was compacted (to 70 tokens).\\n"']);
  });
});

describe('figures', () => {
  const usage = { input: 10, output: 20, cacheRead: 5, cacheWrite: 1 };
  const figured: Event[] = [message(), ...text(0, 'hi'), ended({ usage, cost: { total: 0.0125 } })];

  test('come with the end of each message, in the fields of both eras', () => {
    const model = { id: 'large', contextWindow: 1000, maxOutput: 100 };
    const { frames } = told([{ type: 'session-changed', changes: { model } }, ...run, ...figured, ...figured]);
    const content = {
      type: 'usage',
      messageInputTokens: 16,
      messageOutputTokens: 20,
      messageCost: '0.0125',
      lastMessageCost: '0.0125',
      limit: { context: 1000, output: 100 },
    };
    expect(contentsOf(frames, 'usage')).toEqual([
      { ...content, sessionTokens: 36, sessionCost: '0.0125' },
      { ...content, sessionTokens: 72, sessionCost: '0.025' },
    ]);
  });

  test('new clients get the tokens of the context', () => {
    const { frames } = told([...run, ...figured, ...figured], modern);
    expect(contentsOf(frames, 'usage').map(({ sessionTokens }) => sessionTokens)).toEqual([36, 36]);
  });

  test('leave out what nobody knows', () => {
    const { frames } = told([...run, message(), ended({ usage }), { type: 'usage-changed', sessionTokens: 7 }]);
    expect(contentsOf(frames, 'usage')).toEqual([
      { type: 'usage', messageInputTokens: 16, messageOutputTokens: 20, sessionTokens: 36 },
      { type: 'usage', messageInputTokens: 16, messageOutputTokens: 20, sessionTokens: 7 },
    ]);
  });

  test('of the session are none of a message', () => {
    const session: Event = { type: 'usage-changed', sessionTokens: 900, sessionCost: { total: 2 } };
    const { frames } = told([...run, session, ...figured, session]);
    const ofMessage = {
      messageInputTokens: 16,
      messageOutputTokens: 20,
      messageCost: '0.0125',
      lastMessageCost: '0.0125',
    };
    expect(contentsOf(frames, 'usage')).toEqual([
      { type: 'usage', sessionTokens: 900, sessionCost: '2.00' },
      { type: 'usage', ...ofMessage, sessionTokens: 936, sessionCost: '2.0125' },
      { type: 'usage', ...ofMessage, sessionTokens: 900, sessionCost: '2.00' },
    ]);
  });

  test('new clients get what a compaction has left of the context', () => {
    const end: Event = { type: 'compaction-end', outcome: 'completed', tokensAfter: 7 };
    const { frames } = told([...run, ...figured, { type: 'compaction-start', trigger: 'manual' }, end], modern);
    expect(contentsOf(frames, 'usage').map(({ sessionTokens }) => sessionTokens)).toEqual([36, 7]);
  });

  test('the agent’s own count is what later messages are added to', () => {
    const { frames } = told([
      ...run,
      { type: 'usage-changed', sessionTokens: 100, sessionCost: { total: 1 } },
      message(),
      ended({ usage }),
    ]);
    expect(contentsOf(frames, 'usage')).toMatchObject([
      { sessionTokens: 100, sessionCost: '1.00' },
      { sessionTokens: 136, sessionCost: '1.00' },
    ]);
  });

  test('of a message that was cut are told with the next', () => {
    expect(afterPrompt([message(), ended({ usage, stop: { reason: 'aborted' } }), stopped])).not.toContain('S usage');
    const { frames } = told([...run, message(), ended({ usage, stop: { reason: 'error' } }), ...figured]);
    expect(contentsOf(frames, 'usage')).toMatchObject([{ sessionTokens: 72 }]);
  });
});

describe('the chat', () => {
  test('is opened once, by its name', () => {
    const named: Event = { type: 'session-changed', changes: { name: 'Two cables' } };
    const { frames } = told([named, ...run, ...done, ...run, ...done]);
    expect(paramsOf(frames, 'chat/opened')).toEqual([{ chatId: 'session', title: 'Two cables' }]);
  });

  test('is not spoken of before something was said', () => {
    expect(told([{ type: 'session-changed', changes: { name: 'Two cables', mode: 'plan' } }]).texts).toEqual([]);
  });

  test('is cleared with its history', () => {
    const { frames } = told([...run, ...done, { type: 'history-reset', reason: 'cleared' }]);
    expect(paramsOf(frames, 'chat/cleared')).toEqual([{ chatId: 'session', messages: true }]);
  });
});
