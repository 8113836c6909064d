// What a message looks like on the wire: its blocks, counted, streamed, repeated by assistant frames, and why it stopped.
import { describe, expect, test } from 'vitest';
import type { Content } from '../../../src/core/model/content.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { faultsIn } from '../../support/judged.ts';
import { told } from './harness.ts';
import {
  answered,
  call,
  closed,
  contentIn,
  done,
  ended,
  eventIn,
  inOrder,
  message,
  only,
  opened,
  outline,
  piece,
  type RunEnd,
  run,
  type Stop,
  started,
  text,
  whole,
} from './words.ts';

describe('the blocks of a message', () => {
  test('are counted from 0 in each message, whatever the source calls them', () => {
    const { frames } = told([
      ...run,
      message(),
      ...text(3, 'a'),
      ...text(7, 'b'),
      ended(),
      message('n'),
      ...text(5, 'c'),
      ended(),
      ...done,
    ]);
    const indices = only(frames, 'content_block_start');
    expect(indices.map((frame) => eventIn(frame).index)).toEqual([0, 1, 0]);
    expect(inOrder(frames)).toEqual([]);
  });

  test('stand one after the other, also when the source opens one inside another', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'thinking' }),
      opened(1, { kind: 'text' }),
      piece(1, 'A'),
      opened(2, { kind: 'tool-call', id: 'c', name: 'read' }),
      piece(0, 'hm'),
      piece(2, '{"a":1}'),
      closed(0),
      closed(2),
      piece(1, 'B'),
      closed(1),
      ended('tool-use'),
      answered('c'),
      ...done,
    ]);
    expect(outline(frames)).toEqual([
      'system init',
      'message_start',
      'content_block_start 0 thinking',
      'content_block_delta 0 thinking_delta',
      'assistant thinking',
      'content_block_stop 0',
      'content_block_start 1 text',
      'content_block_delta 1 text_delta',
      'content_block_delta 1 text_delta',
      'assistant text',
      'content_block_stop 1',
      'content_block_start 2 tool_use',
      'content_block_delta 2 input_json_delta',
      'assistant tool_use',
      'content_block_stop 2',
      'message_delta',
      'message_stop',
      'user tool_result c',
      'result success',
    ]);
  });

  test('a sub-agent’s words wait for the call that they hang on', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'text' }),
      opened(1, { kind: 'tool-call', id: 'c', name: 'read' }),
      closed(1),
      started('c'),
      message('sub', { parent: 'c' }),
      ...text(0, 'inside').map((event) => ({ ...event, parent: 'c' })),
      ended('end', { parent: 'c' }),
      closed(0),
      ended('tool-use'),
      answered('c'),
      ...done,
    ]);
    expect(inOrder(frames)).toEqual([]);
    expect(outline(frames)).toEqual(expect.arrayContaining(['assistant text', 'assistant tool_use']));
    expect(only(frames, 'assistant text').map(({ parent_tool_use_id }) => parent_tool_use_id)).toEqual([null, 'c']);
  });

  test('empty pieces are not sent', () => {
    const { frames } = told([...run, message(), ...text(0, '', 'a', ''), ended(), ...done]);
    expect(only(frames, 'content_block_delta')).toHaveLength(1);
  });

  test('a message without blocks is still a message', () => {
    const { frames } = told([...run, message(), ended(), ...done]);
    expect(outline(frames)).toEqual([
      'system init',
      'message_start',
      'message_delta',
      'message_stop',
      'result success',
    ]);
  });

  test('arguments that only the ending has are streamed before it', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'tool-call', id: 'c', name: 'read' }),
      closed(0, { input: { path: 'é' } }),
      ended('tool-use'),
      answered('c'),
      ...done,
    ]);
    expect(only(frames, 'content_block_delta').map((frame) => eventIn(frame))).toMatchObject([
      { delta: { partial_json: '{"path":"é"}' } },
    ]);
    expect(inOrder(frames)).toEqual([]);
  });

  test('a signature is a delta of its own, behind the thinking', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'thinking' }),
      piece(0, 'hm'),
      closed(0, { signature: 'c2ln' }),
      ended(),
      ...done,
    ]);
    expect(outline(frames).slice(3, 6)).toEqual([
      'content_block_delta 0 thinking_delta',
      'content_block_delta 0 signature_delta',
      'assistant thinking',
    ]);
    expect(only(frames, 'assistant')).toMatchObject([
      { message: { content: [{ thinking: 'hm', signature: 'c2ln' }] } },
    ]);
  });

  test('a call that was cut is shown as aborted, and answered', () => {
    const { frames } = told([
      ...run,
      message(),
      opened(0, { kind: 'tool-call', id: 'c', name: 'read' }),
      piece(0, '{"pa'),
      closed(0, { incomplete: true }),
      ended('aborted'),
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'aborted' },
    ]);
    expect(only(frames, 'assistant')).toMatchObject([
      { aborted: true, message: { content: [{ type: 'tool_use', input: {} }] } },
    ]);
    expect(only(frames, 'user tool_result c')).toMatchObject([{ message: { content: [{ is_error: true }] } }]);
    expect(inOrder(frames)).toEqual([]);
  });
});

describe('what comes whole', () => {
  const shown = (content: Content, id = 'claude') => {
    const { frames } = told([...run, message(), ...whole(content), ended(), ...done], id);
    const [start] = only(frames, 'content_block_start');
    const [assistant] = only(frames, 'assistant');
    return {
      start: eventIn(start).content_block,
      deltas: only(frames, 'content_block_delta').map((frame) => eventIn(frame).delta),
      block: contentIn(assistant)[0],
      frames,
    };
  };

  test('text streams all the same', () => {
    const { start, deltas, block, frames } = shown({ type: 'text', text: 'all' });
    expect(start).toEqual({ type: 'text', text: '' });
    expect(deltas).toEqual([{ type: 'text_delta', text: 'all' }]);
    expect(block).toEqual({ type: 'text', text: 'all' });
    expect(inOrder(frames)).toEqual([]);
  });

  test('thinking streams all the same, and its proof', () => {
    const { start, deltas, block, frames } = shown({ type: 'thinking', text: 'hm', signature: 'c2ln' });
    expect(start).toEqual({ type: 'thinking', thinking: '', signature: '' });
    expect(deltas).toEqual([
      { type: 'thinking_delta', thinking: 'hm' },
      { type: 'signature_delta', signature: 'c2ln' },
    ]);
    expect(block).toEqual({ type: 'thinking', thinking: 'hm', signature: 'c2ln' });
    expect(inOrder(frames)).toEqual([]);
  });

  test('a call that the provider runs itself wants no result', () => {
    const { start, deltas, block, frames } = shown({
      type: 'tool-call',
      id: 's',
      name: 'web_search',
      input: { query: 'q' },
    });
    expect(start).toEqual({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} });
    expect(deltas).toEqual([{ type: 'input_json_delta', partial_json: '{"query":"q"}' }]);
    expect(block).toEqual({ type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } });
    expect(inOrder(frames)).toEqual([]);
  });

  test('pieces of what came whole already are ignored', () => {
    const block = { kind: 'whole', content: { type: 'text', text: 'all' } } as const;
    const { frames } = told([...run, message(), opened(0, block), piece(0, ' and more'), closed(0), ended(), ...done]);
    expect(only(frames, 'content_block_delta')).toHaveLength(1);
    expect(inOrder(frames)).toEqual([]);
  });

  const image = { type: 'image', data: 'aGk=', mediaType: 'image/jpeg' } as const;
  const link = { type: 'link', url: 'https://example.com' } as const;
  const redacted = { type: 'redacted_thinking', data: 'aGlkZGVu' };
  const unknown = (originalType: string, data: unknown) => ({ type: 'unknown', originalType, data });
  test.each<[string, Content, unknown, unknown]>([
    [
      'hidden thinking',
      { type: 'thinking', text: '', redacted: true, signature: 'aGlkZGVu' },
      redacted,
      unknown('redacted_thinking', redacted),
    ],
    [
      'an image',
      image,
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
    ],
    [
      'an image elsewhere',
      { type: 'image', url: 'https://example.com' },
      { type: 'image', source: { type: 'url', url: 'https://example.com' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com' } },
    ],
    ['a link', link, unknown('link', link), unknown('link', link)],
    [
      'a block of Claude’s',
      { type: 'opaque', name: 'redacted_thinking', protocol: 'claude', payload: redacted },
      redacted,
      unknown('redacted_thinking', redacted),
    ],
    [
      'a block of another protocol',
      { type: 'opaque', name: 'chart', protocol: 'toy', payload: { bars: null } },
      unknown('chart', { bars: null }),
      unknown('chart', { bars: null }),
    ],
    [
      'a block that holds nothing',
      { type: 'opaque', name: 'void', protocol: 'toy', payload: null },
      unknown('void', null),
      unknown('void', null),
    ],
    [
      'a payload that is no block',
      { type: 'opaque', name: 'odd', protocol: 'claude', payload: 7 },
      unknown('odd', 7),
      unknown('odd', 7),
    ],
  ])('%s: in both dialects', (_, content, native, rpc) => {
    const inNative = shown(content);
    expect([inNative.start, inNative.deltas, inNative.block]).toEqual([native, [], native]);
    const inRpc = shown(content, 'rpc-message');
    expect([inRpc.start, inRpc.deltas, inRpc.block]).toEqual([rpc, [], rpc]);
    expect(faultsIn('rpc-message', inRpc.frames)).toEqual([]);
  });
});

describe('stop_reason', () => {
  const stopOf = (reason: Stop, blocks: Event[], outcome: RunEnd['outcome'] = 'completed') => {
    const { frames } = told([
      ...run,
      message(),
      ...blocks,
      ended(reason),
      { type: 'turn-end' },
      { type: 'run-end', outcome },
    ]);
    expect(inOrder(frames)).toEqual([]);
    const [delta] = only(frames, 'message_delta');
    return eventIn(delta).delta?.stop_reason;
  };

  test.each<[Stop, unknown, unknown]>([
    ['end', 'end_turn', 'tool_use'],
    ['tool-use', 'end_turn', 'tool_use'],
    ['unknown', 'end_turn', 'tool_use'],
    ['stop-sequence', 'stop_sequence', 'tool_use'],
    ['length', 'max_tokens', 'max_tokens'],
    ['refusal', 'refusal', 'refusal'],
    ['pause', 'pause_turn', 'pause_turn'],
  ])('%s: %s, but %s behind a call', (reason, plain, behindCall) => {
    expect(stopOf(reason, text(0, 'a'))).toBe(plain);
    expect(stopOf(reason, call(0, 'c'))).toBe(behindCall);
    // What ends the message counts, not whether there was a call in it.
    expect(stopOf(reason, [...call(0, 'c'), ...text(1, 'a')])).toBe(plain);
  });

  test.each(['aborted', 'error'] as const)('%s: null', (reason) => {
    expect(stopOf(reason, text(0, 'a'), 'failed')).toBeNull();
  });
});
