// What the model is shown: prompts as blocks of the API, the conversation so far, and the settings as fields of a request.
import { describe, expect, test } from 'vitest';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import type { Content } from '../../../src/core/model/content.ts';
import { GatewayError } from '../../../src/core/model/errors.ts';
import { message, startMachine, text, thinking } from './machine.ts';

const pdf = 'JVBERi0xLjQK';
const png = 'iVBORw0KGgo=';
const base64 = (words: string) => Buffer.from(words).toString('base64');

describe('a part of a prompt', () => {
  test.each<[name: string, part: Content, block: object]>([
    ['text', { type: 'text', text: 'Hi' }, { type: 'text', text: 'Hi' }],
    [
      'image',
      { type: 'image', data: png, mediaType: 'image/png' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
    ],
    [
      'image that does not say what it is',
      { type: 'image', data: '/9j/4AAQ' },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' } },
    ],
    [
      'image elsewhere',
      { type: 'image', url: 'https://a.example/b.png' },
      { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
    ],
    [
      'document with a name',
      { type: 'document', name: 'a.pdf', mediaType: 'application/pdf', data: pdf, text: 'what somebody read in it' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf }, title: 'a.pdf' },
    ],
    [
      'document as text',
      { type: 'document', mediaType: 'application/msword', data: 'AAAA', text: 'words' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
    ],
    [
      'document that is a text file',
      { type: 'document', mediaType: 'text/markdown', data: base64('# Grüße') },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# Grüße' } },
    ],
    [
      'document elsewhere',
      { type: 'document', url: 'https://a.example/b.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
    ],
    [
      'block of this very protocol',
      { type: 'opaque', name: 'search_result', protocol: 'anthropic', payload: { type: 'search_result', title: 'x' } },
      { type: 'search_result', title: 'x' },
    ],
  ])('%s', (_, part, block) => {
    const machine = startMachine();
    expect(machine.ask({ type: 'prompt', content: [part] })).toEqual({ ok: true });
    expect(machine.body().messages).toEqual([{ role: 'user', content: [block] }]);
    expect(machine.notes).toEqual([]);
  });

  test.each<[name: string, part: Content, loss: string]>([
    ['image of another kind', { type: 'image', data: 'AAAA', mediaType: 'image/tiff' }, 'an image'],
    ['image of no kind', { type: 'image', data: 'AAAA' }, 'an image'],
    ['image in a file', { type: 'image', url: 'file:///etc/passwd' }, 'an image'],
    ['image that is nowhere', { type: 'image' }, 'an image'],
    ['document of another kind', { type: 'document', data: 'AAAA', mediaType: 'application/zip' }, 'a document'],
    ['text file that is none', { type: 'document', data: '/w==', mediaType: 'text/plain' }, 'a document'],
    ['text file that is no base64', { type: 'document', data: '%%%', mediaType: 'text/plain' }, 'a document'],
    ['document in a file', { type: 'document', url: 'file:///etc/passwd' }, 'a document'],
    ['link', { type: 'link', url: 'https://a.example' }, 'content of type link'],
    ['thought', { type: 'thinking', text: 'Hm' }, 'content of type thinking'],
    ['call', { type: 'tool-call', id: 'a', name: 'b', input: {} }, 'content of type tool-call'],
    [
      'block of another protocol',
      { type: 'opaque', name: 'card', protocol: 'claude', payload: { type: 'card' } },
      'content of type card',
    ],
  ])('%s is lost, and noted', (_, part, loss) => {
    const machine = startMachine();
    machine.ask({ type: 'prompt', content: [part, { type: 'text', text: 'Hi' }] });
    expect(machine.body().messages[0]?.content).toEqual([{ type: 'text', text: 'Hi' }]);
    expect(machine.notes).toEqual([expect.stringContaining(`loss: ${loss}`)]);
    // The conversation has it all the same.
    expect(machine.delivered).toContainEqual(
      expect.objectContaining({ type: 'message-added', content: [part, expect.anything()] }),
    );
  });

  test('contexts and the mode of a prompt are lost, and noted', () => {
    const machine = startMachine();
    machine.ask({
      type: 'prompt',
      content: [{ type: 'text', text: 'Hi' }],
      contexts: [{ type: 'repo-map' }],
      mode: 'plan',
    });
    expect(machine.notes).toEqual(['loss: 1 contexts', 'loss: the mode of one prompt']);
  });

  test.each<[content: Content[]]>([
    [[]],
    [[{ type: 'text', text: ' \n' }]],
    [[{ type: 'link', url: 'https://a.example' }]],
  ])('%j says nothing to the model and is refused', (content) => {
    const machine = startMachine();
    expect(machine.ask({ type: 'prompt', content })).toMatchObject({ ok: false, error: { code: 'invalid' } });
    expect([machine.sent, machine.delivered.length]).toEqual([[], 1]);
  });
});

describe('the conversation', () => {
  const shown = (machine: ReturnType<typeof startMachine>) =>
    machine.body().messages.map(({ role, content }) => [role, ...content.map((block) => block.text ?? block.type)]);

  test('goes with each request', () => {
    const machine = startMachine();
    machine.prompt('one');
    machine.say(...message([...thinking(0, 's', 'Hm'), ...text(1, 'First.')]));
    machine.prompt('two');
    machine.say(...message(text(0, 'Second.')));
    machine.prompt('three');
    expect(shown(machine)).toEqual([
      ['user', 'one'],
      ['assistant', 'thinking', 'First.'],
      ['user', 'two'],
      ['assistant', 'Second.'],
      ['user', 'three'],
    ]);
  });

  test('goes to another model without what was thought', () => {
    const machine = startMachine();
    machine.prompt('one');
    machine.say(...message([...thinking(0, 's', 'Hm'), ...text(1, 'First.')]));
    machine.ask({ type: 'set-model', model: 'claude-sonnet-5-5' });
    machine.prompt('two');
    expect(shown(machine)).toEqual([
      ['user', 'one'],
      ['assistant', 'First.'],
      ['user', 'two'],
    ]);
    machine.say(...message([...thinking(0, 't', 'Aha'), ...text(1, 'Second.')]));
    machine.ask({ type: 'set-model' });
    machine.prompt('three');
    expect(shown(machine)[1]).toEqual(['assistant', 'thinking', 'First.']);
    expect(shown(machine)[3]).toEqual(['assistant', 'Second.']);
  });

  test('is forgotten with a new session', () => {
    const machine = startMachine();
    machine.prompt('one');
    machine.say(...message(text(0, 'First.')));
    expect(machine.ask({ type: 'new-session' })).toEqual({ ok: true, data: { cancelled: false } });
    expect(machine.delivered.slice(-2)).toEqual([
      { type: 'history-reset', reason: 'new' },
      { type: 'session-changed', changes: { agentSessionId: 'session-2' } },
    ]);
    machine.prompt('two');
    expect(shown(machine)).toEqual([['user', 'two']]);
  });
});

const models = [
  { id: 'plain', thinking: 'none' },
  { id: 'old', thinking: 'budget', maxOutput: 9_000 },
  'claude-haiku-5-5',
  'claude-sonnet-5-5',
  'claude-opus-5-5',
];
const summarized = { type: 'adaptive', display: 'summarized' };

describe('thinking', () => {
  test.each<
    [model: string, asked: Omit<CommandOf<'set-thinking'>, 'type'> | null, fields: object, level: string | undefined]
  >([
    ['claude-opus-5-5', null, { thinking: summarized }, 'medium'],
    ['claude-opus-5-5', { level: 'max' }, { thinking: summarized, output_config: { effort: 'max' } }, 'max'],
    ['claude-opus-5-5', { budgetTokens: null }, { thinking: summarized }, 'medium'],
    ['claude-sonnet-5-5', { level: 'off' }, { thinking: { type: 'between_tools' } }, 'off'],
    ['claude-sonnet-5-5', { budgetTokens: 0 }, { thinking: { type: 'between_tools' } }, 'off'],
    ['claude-haiku-5-5', { level: 'off' }, { thinking: { type: 'disabled' } }, 'off'],
    ['claude-haiku-5-5', null, { thinking: summarized }, 'medium'],
    ['old', null, {}, undefined],
    ['old', { level: 'off' }, {}, 'off'],
    ['old', { level: 'low' }, { thinking: { type: 'enabled', budget_tokens: 4_096 } }, 'low'],
    ['old', { level: 'high' }, { thinking: { type: 'enabled', budget_tokens: 8_999 } }, 'high'],
    ['old', { budgetTokens: 5_000 }, { thinking: { type: 'enabled', budget_tokens: 5_000 } }, 'low'],
    ['old', { budgetTokens: 1_024 }, { thinking: { type: 'enabled', budget_tokens: 1_024 } }, 'low'],
    ['plain', null, {}, undefined],
    ['plain', { level: 'off' }, {}, 'off'],
  ])('%s, asked for %j', (model, asked, fields, level) => {
    const machine = startMachine({ models, model });
    if (asked !== null) expect(machine.ask({ type: 'set-thinking', ...asked })).toMatchObject({ ok: true });
    machine.prompt('Hi');
    const { thinking: how, output_config: config } = machine.body();
    expect({ thinking: how, output_config: config }).toEqual({
      thinking: undefined,
      output_config: undefined,
      ...fields,
    });
    expect(machine.transcript.info.thinkingLevel).toBe(level);
  });

  test('of a model that nobody here knows is asked for as the newer ones take it', () => {
    const machine = startMachine({ model: 'tomorrow' });
    machine.prompt('Hi');
    expect(machine.body()).not.toHaveProperty('thinking');
    machine.say(...message(text(0, 'Ho'), 'end_turn', 'tomorrow'));
    machine.ask({ type: 'set-thinking', level: 'low' });
    machine.prompt('Hi');
    expect(machine.body()).toMatchObject({ thinking: summarized, output_config: { effort: 'low' } });
    machine.say(...message(text(0, 'Ho'), 'end_turn', 'tomorrow'));
    machine.ask({ type: 'set-thinking', budgetTokens: 2_000 });
    machine.prompt('Hi');
    expect(machine.body()).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2_000 } });
  });

  test.each<[model: string, asked: Omit<CommandOf<'set-thinking'>, 'type'>, why: string]>([
    ['claude-opus-5-5', { level: 'off' }, 'no thinking level off'],
    ['claude-opus-5-5', { level: 'minimal' }, 'no thinking level minimal'],
    [
      'claude-opus-5-5',
      { budgetTokens: 2_000 },
      'takes a thinking level (low, medium, high, xhigh, max) and no budget',
    ],
    ['claude-opus-5-5', { budgetTokens: 0 }, 'no thinking level off'],
    ['plain', { level: 'low' }, 'no thinking level low'],
    ['old', { budgetTokens: 1_023 }, '1024 tokens or more'],
    ['old', { budgetTokens: 9_000 }, 'less than the 9000 tokens of an answer'],
  ])('%s refuses %j', (model, asked, why) => {
    const machine = startMachine({ models, model });
    const before = machine.delivered.length;
    const outcome = machine.ask({ type: 'set-thinking', ...asked });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'invalid', message: expect.stringContaining(why) } });
    expect(machine.delivered).toHaveLength(before);
  });

  test('goes through the levels', () => {
    const machine = startMachine({ models, model: 'old' });
    const levels = Array.from({ length: 5 }, () => machine.ask({ type: 'cycle-thinking' }));
    const names = ['off', 'low', 'medium', 'high', 'off'];
    expect(levels).toEqual(names.map((level) => ({ ok: true, data: { level } })));
  });

  test('that the next model cannot do ends with the model', () => {
    const machine = startMachine({ models, model: 'claude-haiku-5-5', thinking: 'off' });
    machine.ask({ type: 'set-model', model: 'claude-opus-5-5' });
    expect(machine.transcript.info).toMatchObject({ model: { id: 'claude-opus-5-5' }, thinkingLevel: 'medium' });
    machine.prompt('Hi');
    expect(machine.body()).toMatchObject({ thinking: summarized });
  });
});

describe('the model', () => {
  test('is told with the others at the start', () => {
    const [info] = startMachine({ models, model: 'old' }).started;
    expect(info).toMatchObject({
      type: 'session-changed',
      changes: {
        agentSessionId: 'session-1',
        model: { id: 'old', provider: 'anthropic', reasoning: true },
        models: ['old', 'plain', 'claude-haiku-5-5', 'claude-sonnet-5-5', 'claude-opus-5-5'].map((id) => ({ id })),
        autoRetry: true,
        autoCompaction: false,
        tools: [],
      },
    });
  });

  test('may be any, unless the options list those there are', () => {
    const free = startMachine();
    expect(free.ask({ type: 'set-model', model: 'tomorrow' })).toMatchObject({
      ok: true,
      data: { model: { id: 'tomorrow' } },
    });
    free.prompt('Hi');
    expect(free.body().model).toBe('tomorrow');
    const bound = startMachine({ models });
    expect(bound.ask({ type: 'set-model', model: 'tomorrow' })).toMatchObject({
      ok: false,
      error: { code: 'not-found' },
    });
    expect(bound.ask({ type: 'set-model', model: 'old', provider: 'other' })).toMatchObject({
      error: { code: 'not-found' },
    });
    expect(bound.ask({ type: 'prompt', content: [{ type: 'text', text: 'Hi' }], model: 'tomorrow' })).toMatchObject({
      ok: false,
    });
    expect(bound.sent).toEqual([]);
  });

  test('changes with a prompt that names another', () => {
    const machine = startMachine({ models });
    machine.ask({ type: 'prompt', content: [{ type: 'text', text: 'Hi' }], model: 'old' });
    expect(machine.body().model).toBe('old');
    expect(machine.transcript.info.model?.id).toBe('old');
  });

  test('goes round', () => {
    const machine = startMachine({ models: ['a', 'b', 'c'] });
    const asked: Command[] = [
      { type: 'cycle-model' },
      { type: 'cycle-model', direction: 'backward' },
      { type: 'cycle-model', direction: 'backward' },
    ];
    const outcomes = asked.map((command) => machine.ask(command));
    expect(outcomes).toMatchObject(['b', 'a', 'c'].map((id) => ({ ok: true, data: { model: { id } } })));
    expect(startMachine({ models: ['a'] }).ask({ type: 'cycle-model' })).toEqual({ ok: true, data: {} });
  });

  test('bounds an answer, unless the options do', () => {
    const tokens = (options: Record<string, unknown>) => {
      const machine = startMachine(options);
      machine.prompt('Hi');
      return machine.body().max_tokens;
    };
    expect(tokens({})).toBe(32_000);
    expect(tokens({ models, model: 'old' })).toBe(9_000);
    expect(tokens({ maxTokens: 77 })).toBe(77);
  });
});

describe('queries', () => {
  const query = (subject: CommandOf<'query'>['subject']) => startMachine({ models }).ask({ type: 'query', subject });

  test('models', () => {
    expect(query('models')).toMatchObject({
      ok: true,
      data: { models: models.map((one) => ({ id: typeof one === 'string' ? one : one.id })) },
    });
  });
  test('thinking levels', () => {
    expect(query('thinking-levels')).toEqual({ ok: true, data: { levels: ['off'] } });
  });
  test.each(['state', 'messages', 'statistics', 'context-usage'] as const)('%s is left to the session', (subject) => {
    expect(query(subject)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
  });
});

describe('options', () => {
  test.each<[options: Record<string, unknown>, place: string]>([
    [{ model: '' }, 'model'],
    [{ model: 'two words' }, 'model'],
    [{ models: [] }, 'models'],
    [{ models: [{ id: 'a', thinking: 'hard' }] }, 'models'],
    [{ maxTokens: 0 }, 'maxTokens'],
    [{ thinking: 'off' }, 'claude-opus-5-5'],
    [{ thinking: 'low', thinkingBudget: 2_000 }, 'not both'],
    [{ model: 'claude-haiku-4-5', thinkingBudget: 100 }, '1024'],
    [{ prices: { a: { input: 1 } } }, 'prices'],
    [{ prices: { a: { input: -1, output: 1, cacheRead: 1, cacheWrite: 1 } } }, 'prices'],
    [{ baseUrl: 'ftp://a.example' }, 'baseUrl'],
    [{ baseUrl: 'here' }, 'baseUrl'],
    [{ retries: 11 }, 'retries'],
    [{ retries: '-1' }, 'retries'],
    [{ maxTokens: 1.5 }, 'maxTokens'],
    [{ models: 'a,,b' }, 'models'],
    [{ cache: 'yes' }, 'cache'],
    [{ apiKey: 'sk-secret' }, 'apiKey'],
  ])('%j are refused', (options, place) => {
    expect(() => startMachine(options)).toThrow(GatewayError);
    expect(() => startMachine(options)).toThrow(place);
  });

  test('of a key that stands where it must not are refused without it', () => {
    expect(() => startMachine({ apiKey: 'sk-secret' })).not.toThrow('sk-secret');
  });

  test('may be the strings of a command line', () => {
    const words = { models: 'old-1,old-2', maxTokens: '77', thinkingBudget: '2000', cache: 'false', retries: '0' };
    expect(() => startMachine(words)).toThrow('less than the 77 tokens');
    const machine = startMachine({ ...words, maxTokens: '7700' });
    machine.prompt('Hi');
    expect(machine.body()).toMatchObject({ model: 'old-1', max_tokens: 7_700, thinking: { budget_tokens: 2_000 } });
    expect(machine.body()).not.toHaveProperty('cache_control');
    expect(machine.end({ failed: { message: 'no', status: 529 } }).at(-1)).toMatchObject({ outcome: 'failed' });
  });

  test('keep the conversation out of the cache', () => {
    const machine = startMachine({ cache: false });
    machine.prompt('Hi');
    expect(machine.body()).not.toHaveProperty('cache_control');
  });
});
