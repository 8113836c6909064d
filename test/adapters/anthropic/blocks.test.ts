// Blocks of an answer: what each kind of block and of delta means, at which index, and what of it is shown to the model
// again. One row a block.
import { expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import {
  call,
  changed,
  closed,
  message,
  opened,
  started,
  startMachine,
  stopped,
  stopping,
  text,
  thinking,
} from './machine.ts';

const search = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ url: 'https://a.example' }] };
const server = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} };
const novelty = { type: 'hologram', shape: 'cube' };
const citation = { type: 'char_location', cited_text: 'so', document_index: 0 };

interface Row {
  readonly says: readonly object[];
  readonly means: readonly object[];
  /** The block in the next request; null: it is left out. */
  readonly kept: object | null;
}

const start = (block: object, index = 0) => ({ type: 'block-start', index, block });
const delta = (text: string, index = 0) => ({ type: 'block-delta', index, delta: text });
const end = (more: object = {}, index = 0) => ({ type: 'block-end', index, ...more });
const whole = (content: object, index = 0) => start({ kind: 'whole', content }, index);
const opaque = (payload: { type: string }) =>
  whole({ type: 'opaque', name: payload.type, protocol: 'anthropic', payload });

const rows: Record<string, Row> = {
  text: {
    says: text(0, 'Hel', 'lo'),
    means: [start({ kind: 'text' }), delta('Hel'), delta('lo'), end()],
    kept: { type: 'text', text: 'Hello' },
  },
  'text that begins with its block': {
    says: [opened(0, { type: 'text', text: 'He' }), changed(0, { type: 'text_delta', text: 'y' }), closed(0)],
    means: [start({ kind: 'text' }), delta('He'), delta('y'), end()],
    kept: { type: 'text', text: 'Hey' },
  },
  'text without words': {
    says: text(0, ' \n'),
    means: [start({ kind: 'text' }), delta(' \n'), end()],
    kept: null,
  },
  'text with citations': {
    says: [
      opened(0, { type: 'text', text: '', citations: [] }),
      changed(0, { type: 'text_delta', text: 'so' }),
      changed(0, { type: 'citations_delta', citation }),
      closed(0),
    ],
    means: [start({ kind: 'text' }), delta('so'), end({ extra: { anthropic: { citations: [citation] } } })],
    kept: { type: 'text', text: 'so', citations: [citation] },
  },
  thinking: {
    says: thinking(0, 'c2ln', 'Hm', '.'),
    means: [start({ kind: 'thinking' }), delta('Hm'), delta('.'), end({ signature: 'c2ln' })],
    kept: { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
  },
  'thinking whose text is omitted': {
    says: thinking(0, 'c2ln'),
    means: [start({ kind: 'thinking' }), end({ signature: 'c2ln' })],
    kept: { type: 'thinking', thinking: '', signature: 'c2ln' },
  },
  'thinking without a signature': {
    says: [
      opened(0, { type: 'thinking', thinking: '' }),
      changed(0, { type: 'thinking_delta', thinking: 'Hm' }),
      closed(0),
    ],
    means: [start({ kind: 'thinking' }), delta('Hm'), end()],
    kept: null,
  },
  'redacted thinking': {
    says: [opened(0, { type: 'redacted_thinking', data: 'xyz' }), closed(0)],
    means: [whole({ type: 'thinking', text: '', redacted: true, signature: 'xyz' }), end()],
    kept: { type: 'redacted_thinking', data: 'xyz' },
  },
  'a tool of the server': {
    says: [
      opened(0, server),
      changed(0, { type: 'input_json_delta', partial_json: '{"query"' }),
      changed(0, { type: 'input_json_delta', partial_json: ':"cats"}' }),
      closed(0),
    ],
    means: [whole({ type: 'tool-call', id: 'srv_1', name: 'web_search', input: { query: 'cats' } }), end()],
    kept: { ...server, input: { query: 'cats' } },
  },
  'a tool of the server with fields of its own': {
    says: [opened(0, { ...server, caller: { type: 'direct' } }), closed(0)],
    means: [
      whole({
        type: 'tool-call',
        id: 'srv_1',
        name: 'web_search',
        input: {},
        extra: { anthropic: { caller: { type: 'direct' } } },
      }),
      end(),
    ],
    kept: { ...server, caller: { type: 'direct' } },
  },
  'a result of the server': { says: [opened(0, search), closed(0)], means: [opaque(search), end()], kept: search },
  'a block that nobody knows': {
    says: [opened(0, novelty), closed(0)],
    means: [opaque(novelty), end()],
    kept: novelty,
  },
  'a block that nobody knows, with deltas that everybody knows': {
    says: [
      opened(0, novelty),
      changed(0, { type: 'text_delta', text: 'a' }),
      changed(0, { type: 'text_delta', text: 'b' }),
      closed(0),
    ],
    means: [opaque({ ...novelty, text: 'ab' } as { type: string }), end()],
    kept: { ...novelty, text: 'ab' },
  },
  'a block that nobody knows, with deltas that nobody knows': {
    says: [opened(0, novelty), changed(0, { type: 'spin_delta', turns: 2 }), closed(0)],
    means: [
      { type: 'unknown', protocol: 'anthropic', payload: changed(0, { type: 'spin_delta', turns: 2 }) },
      opaque(novelty),
      end(),
    ],
    kept: null,
  },
  'a delta that nobody knows in a text': {
    says: [
      opened(0, { type: 'text', text: '' }),
      changed(0, { type: 'text_delta', text: 'a' }),
      changed(0, { type: 'spin_delta', turns: 2 }),
      changed(0, { type: 'text_delta', text: 'b' }),
      closed(0),
    ],
    means: [
      start({ kind: 'text' }),
      delta('a'),
      { type: 'unknown', protocol: 'anthropic', payload: changed(0, { type: 'spin_delta', turns: 2 }) },
      delta('b'),
      end(),
    ],
    kept: { type: 'text', text: 'ab' },
  },
  'a delta that nobody knows in a thought': {
    says: [
      opened(0, { type: 'thinking', thinking: 'a', signature: 's' }),
      changed(0, { type: 'spin_delta', turns: 2 }),
      closed(0),
    ],
    means: [
      start({ kind: 'thinking' }),
      delta('a'),
      { type: 'unknown', protocol: 'anthropic', payload: changed(0, { type: 'spin_delta', turns: 2 }) },
      end({ signature: 's' }),
    ],
    kept: null,
  },
  'a known block without what it needs': {
    says: [opened(0, { type: 'tool_use', name: 'look' }), closed(0)],
    means: [opaque({ type: 'tool_use', name: 'look' } as { type: string }), end()],
    kept: null,
  },
};

/** The events between the start and the end of the message. */
function blockEvents(events: readonly Event[]): Event[] {
  return events.filter(({ type }) => type.startsWith('block-') || type === 'unknown');
}

test.each(Object.entries(rows))('%s', (_, { says, means, kept }) => {
  const machine = startMachine();
  machine.prompt('go');
  // A text behind it, for the API takes no message that ends in a thought.
  const events = machine.say(...message([...says, ...text(1, 'done')]));
  expect(blockEvents(events)).toEqual([...means, start({ kind: 'text' }, 1), delta('done', 1), end({}, 1)]);
  machine.prompt('again');
  const [, answer] = machine.body().messages;
  expect(answer?.content).toEqual([...(kept === null ? [] : [kept]), { type: 'text', text: 'done' }]);
  expect([machine.repairs, machine.notes]).toEqual([[], []]);
});

test('blocks keep the index that the API gave them, whatever stands between', () => {
  const machine = startMachine();
  machine.prompt('go');
  const blocks = [
    ...thinking(0, 's', 'Hm'),
    opened(1, server),
    closed(1),
    opened(2, search),
    closed(2),
    ...text(3, 'Found.'),
    opened(4, novelty),
    closed(4),
    ...text(5, 'Done.'),
  ];
  const events = machine.say(...message(blocks));
  const starts = events.flatMap((event) =>
    event.type === 'block-start'
      ? [[event.index, event.block.kind === 'whole' ? event.block.content.type : event.block.kind]]
      : [],
  );
  expect(starts).toEqual([
    [0, 'thinking'],
    [1, 'tool-call'],
    [2, 'opaque'],
    [3, 'text'],
    [4, 'opaque'],
    [5, 'text'],
  ]);
  machine.prompt('again');
  expect(machine.body().messages[1]?.content.map(({ type }) => type)).toEqual([
    'thinking',
    'server_tool_use',
    'web_search_tool_result',
    'text',
    'hologram',
    'text',
  ]);
  expect(machine.repairs).toEqual([]);
});

test('an answer that ends in a thought is shown again without it', () => {
  const machine = startMachine();
  machine.prompt('go');
  machine.say(...message([...text(0, 'So far.'), ...thinking(1, 's', 'Hm')], 'max_tokens'));
  machine.prompt('again');
  expect(machine.body().messages[1]?.content).toEqual([{ type: 'text', text: 'So far.' }]);
});

test.each<[name: string, wrong: readonly object[], note: string]>([
  ['a delta without a block', [changed(4, { type: 'text_delta', text: 'x' })], 'a delta of block 4, which is not open'],
  ['the end of no block', [closed(4)], 'the end of block 4, which is not open'],
  ['the end of a block, twice', [closed(0)], 'the end of block 0, which is not open'],
  ['an index twice', text(0, 'again'), 'a second block of index 0'],
  ['a message in a message', [started()], 'a second message_start'],
  ['an event without its index', [{ type: 'content_block_stop' }], 'content_block_stop: index'],
])('%s: noted, and the answer goes on', (_, wrong, note) => {
  const machine = startMachine();
  machine.prompt('go');
  machine.say(started(), ...text(0, 'Hello'), ...wrong, ...text(1, ' again'), stopping('end_turn'), stopped);
  expect(machine.notes).toEqual([expect.stringContaining(`violation: ${note}`)]);
  expect(machine.delivered.at(-1)).toEqual({ type: 'run-end', outcome: 'completed' });
});

test('blocks that the API forgot to end, end with their message', () => {
  const machine = startMachine();
  machine.prompt('go');
  const [open, say] = text(0, 'Hello');
  const events = machine.say(started(), open, say, stopping('end_turn'), stopped);
  expect(events.slice(3)).toEqual([
    end(),
    expect.objectContaining({ type: 'message-end', stop: { reason: 'end', raw: 'end_turn' } }),
    { type: 'turn-end' },
    { type: 'run-end', outcome: 'completed' },
  ]);
});

test('a tool that was never offered: the call is told, not run, and not shown to the model again', () => {
  const machine = startMachine();
  machine.prompt('go');
  const events = machine.say(...message([...text(0, 'I look.'), ...call(1, 'toolu_1', '{"at":', '"it"}')], 'tool_use'));
  const why = 'the model called a tool, and it was offered none';
  expect(events.slice(4)).toEqual([
    start({ kind: 'tool-call', id: 'toolu_1', name: 'look' }, 1),
    delta('{"at":', 1),
    delta('"it"}', 1),
    end({ input: { at: 'it' } }, 1),
    expect.objectContaining({ type: 'message-end', stop: { reason: 'tool-use', raw: 'tool_use' } }),
    {
      type: 'tool-end',
      call: 'toolu_1',
      name: 'look',
      content: [{ type: 'text', text: why }],
      isError: true,
      skipped: 'denied',
    },
    { type: 'turn-end' },
    { type: 'run-end', outcome: 'failed', failure: { kind: 'agent', message: why } },
  ]);
  machine.prompt('again');
  expect(machine.body().messages[1]?.content).toEqual([{ type: 'text', text: 'I look.' }]);
  expect(machine.repairs).toEqual([]);
});
