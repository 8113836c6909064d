// What a command becomes on the wire, and which pi cannot be told.
import { describe, expect, test } from 'vitest';
import { commandSchemas } from '../../../src/adapters/pi/wire/commands.ts';
import type { Command, QuerySubject } from '../../../src/core/model/command.ts';
import { bench, wire } from './harness.ts';

const words = (text: string) => [{ type: 'text' as const, text }];
const query = (subject: QuerySubject): Command => ({ type: 'query', subject });

test.each<[name: string, command: Command, line: object]>([
  ['prompt', { type: 'prompt', content: words('hi') }, { type: 'prompt', message: 'hi' }],
  ['steer', { type: 'steer', content: words('no') }, { type: 'steer', message: 'no' }],
  ['follow-up', { type: 'follow-up', content: words('and') }, { type: 'follow_up', message: 'and' }],
  ['abort run', { type: 'abort', target: 'run' }, { type: 'abort' }],
  ['abort retry', { type: 'abort', target: 'retry' }, { type: 'abort_retry' }],
  ['abort bash', { type: 'abort', target: 'bash' }, { type: 'abort_bash' }],
  ['abort compaction', { type: 'abort', target: 'compaction' }, { type: 'abort' }],
  ['clear-queue', { type: 'clear-queue' }, { type: 'clear_queue' }],
  ['compact', { type: 'compact' }, { type: 'compact' }],
  ['compact with a wish', { type: 'compact', instructions: 'i' }, { type: 'compact', customInstructions: 'i' }],
  ['bash', { type: 'bash', command: 'ls' }, { type: 'bash', command: 'ls' }],
  ['set-model', { type: 'set-model', model: 'm', provider: 'p' }, { type: 'set_model', provider: 'p', modelId: 'm' }],
  ['cycle-model', { type: 'cycle-model', direction: 'forward' }, { type: 'cycle_model' }],
  ['set-thinking', { type: 'set-thinking', level: 'high' }, { type: 'set_thinking_level', level: 'high' }],
  ['set-thinking off', { type: 'set-thinking', budgetTokens: null }, { type: 'set_thinking_level', level: 'off' }],
  ['set-thinking 0', { type: 'set-thinking', budgetTokens: 0 }, { type: 'set_thinking_level', level: 'off' }],
  ['set-thinking 1', { type: 'set-thinking', budgetTokens: 1 }, { type: 'set_thinking_level', level: 'low' }],
  ['set-thinking 8192', { type: 'set-thinking', budgetTokens: 8192 }, { type: 'set_thinking_level', level: 'medium' }],
  ['set-thinking 8193', { type: 'set-thinking', budgetTokens: 8193 }, { type: 'set_thinking_level', level: 'high' }],
  ['cycle-thinking', { type: 'cycle-thinking' }, { type: 'cycle_thinking_level' }],
  [
    'set-queue-mode steering',
    { type: 'set-queue-mode', queue: 'steering', mode: 'all' },
    { type: 'set_steering_mode', mode: 'all' },
  ],
  [
    'set-queue-mode follow-up',
    { type: 'set-queue-mode', queue: 'follow-up', mode: 'one-at-a-time' },
    { type: 'set_follow_up_mode', mode: 'one-at-a-time' },
  ],
  [
    'set-auto compaction',
    { type: 'set-auto', what: 'compaction', enabled: false },
    { type: 'set_auto_compaction', enabled: false },
  ],
  ['set-auto retry', { type: 'set-auto', what: 'retry', enabled: true }, { type: 'set_auto_retry', enabled: true }],
  ['set-name', { type: 'set-name', name: 'n' }, { type: 'set_session_name', name: 'n' }],
  ['new-session', { type: 'new-session', parent: '/p' }, { type: 'new_session', parentSession: '/p' }],
  ['switch-session', { type: 'switch-session', path: '/s' }, { type: 'switch_session', sessionPath: '/s' }],
  ['fork', { type: 'fork', entry: 'e' }, { type: 'fork', entryId: 'e' }],
  ['export', { type: 'export', format: 'html', path: '/x' }, { type: 'export_html', outputPath: '/x' }],
  ['query state', query('state'), { type: 'get_state' }],
  ['query messages', query('messages'), { type: 'get_messages' }],
  ['query history', query('history'), { type: 'get_messages' }],
  ['query statistics', query('statistics'), { type: 'get_session_stats' }],
  ['query context-usage', query('context-usage'), { type: 'get_session_stats' }],
  ['query last-text', query('last-text'), { type: 'get_last_assistant_text' }],
  ['query fork-points', query('fork-points'), { type: 'get_fork_messages' }],
  ['query models', query('models'), { type: 'get_available_models' }],
  ['query thinking-levels', query('thinking-levels'), { type: 'get_available_thinking_levels' }],
  ['query commands', query('commands'), { type: 'get_commands' }],
  ['query skills', query('skills'), { type: 'get_commands' }],
  [
    'a command of a newer pi',
    { type: 'unknown', protocol: 'pi', payload: { type: 'get_tree', id: 'theirs', depth: 2 } },
    { type: 'get_tree', depth: 2 },
  ],
  [
    'fields of a newer pi client',
    { type: 'bash', command: 'ls', extra: { pi: { excludeFromContext: true, command: 'rm' } } },
    { type: 'bash', command: 'ls', excludeFromContext: true },
  ],
])('%s', (_, command, line) => {
  const pi = bench();
  pi.feed(wire.response('x', 'get_state'));
  pi.command(command, 'c1');
  const sent = pi.sent();
  expect(sent).toEqual([{ ...line, id: 'c1' }]);
  const schema = new Map(Object.entries(commandSchemas)).get(String(sent[0]?.type));
  expect(schema?.safeParse(sent[0]).error).toBeUndefined();
});

test.each<[name: string, command: Command, code: string]>([
  ['cycle-model backward', { type: 'cycle-model', direction: 'backward' }, 'unsupported'],
  ['set-model to the default', { type: 'set-model' }, 'unsupported'],
  ['set-thinking to nothing', { type: 'set-thinking' }, 'invalid'],
  ['set-mode', { type: 'set-mode', mode: 'plan' }, 'unsupported'],
  ['set-tool-server', { type: 'set-tool-server', name: 's', action: 'stop' }, 'unsupported'],
  ['answer-approval', { type: 'answer-approval', id: 'a', decision: 'allow' }, 'stale'],
  ['answer-dialog', { type: 'answer-dialog', id: 'a', answer: { kind: 'cancelled' } }, 'stale'],
  ['create-session', { type: 'create-session' }, 'unsupported'],
  ['delete-session', { type: 'delete-session' }, 'unsupported'],
  ['list-sessions', { type: 'list-sessions' }, 'unsupported'],
  ['list-stored-sessions', { type: 'list-stored-sessions' }, 'unsupported'],
  ['load-session', { type: 'load-session', path: '/x' }, 'unsupported'],
  ...(['tools', 'tool-servers', 'session-files', 'contexts', 'metrics', 'health'] as const).map(
    (subject): [string, Command, string] => [`query ${subject}`, query(subject), 'unsupported'],
  ),
  ['a command of another protocol', { type: 'unknown', protocol: 'eca', payload: {} }, 'unsupported'],
  ['null', { type: 'unknown', protocol: 'pi', payload: null }, 'invalid'],
  ['an array', { type: 'unknown', protocol: 'pi', payload: [] }, 'invalid'],
  ['no type', { type: 'unknown', protocol: 'pi', payload: { a: 1 } }, 'invalid'],
])('%s is refused, and pi hears nothing', (_, command, code) => {
  const pi = bench();
  pi.command(command, 'c1');
  expect(pi.sent()).toEqual([]);
  expect(pi.settled()).toMatchObject({ c1: { ok: false, error: { code } } });
});

describe('what a user says', () => {
  const sayings: [name: string, content: (Command & { type: 'prompt' })['content'], line: object, notes: string[]][] = [
    ['texts', [...words('a'), ...words('b')], { message: 'a\n\nb' }, []],
    ['nothing', [], { message: '' }, []],
    [
      'a document with its text',
      [...words('look'), { type: 'document', name: 'd.txt', text: 'inside' }],
      { message: 'look\n\n[Document: d.txt]\ninside' },
      [],
    ],
    ['a link', [{ type: 'link', url: 'http://x', title: 'X' }], { message: '[X](http://x)' }, []],
    [
      'an image',
      [{ type: 'image', data: 'AAAA', mediaType: 'image/gif' }],
      { message: '', images: [{ type: 'image', data: 'AAAA', mimeType: 'image/gif' }] },
      [],
    ],
    [
      'what pi cannot take',
      [
        { type: 'image', url: 'http://x' },
        { type: 'document', name: 'd.pdf', data: 'AAAA' },
        { type: 'thinking', text: 'hm' },
      ],
      { message: '' },
      ['an image without its bytes', 'a document without its text', 'content of type thinking'],
    ],
  ];
  test.each(sayings)('%s', (_, content, line, losses) => {
    const pi = bench();
    pi.command({ type: 'prompt', content }, 'c1');
    expect(pi.sent()).toEqual([{ type: 'prompt', ...line, id: 'c1' }]);
    expect(pi.notes()).toEqual(losses.map((loss) => `loss: prompt: pi does not take ${loss}`));
  });

  test('contexts, a model and a mode are losses', () => {
    const pi = bench();
    pi.command({ type: 'prompt', content: [], contexts: [{ type: 'repo-map' }], model: 'm', mode: 'plan' }, 'c1');
    expect(pi.notes()).toHaveLength(3);
  });

  test('U+2028 and U+2029 never stand in a line', () => {
    const pi = bench();
    const message = 'a\u2028b\u2029c';
    pi.command({ type: 'prompt', content: words(message) }, 'c1');
    const [line] = pi.lines();
    expect(line).not.toMatch(/[\u2028\u2029]/);
    expect(JSON.parse(String(line))).toMatchObject({ message });
  });
});
