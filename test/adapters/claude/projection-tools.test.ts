// Where calls and their results stand: behind the message that calls, before the next, one result for each.
import { describe, expect, test } from 'vitest';
import type { Content } from '../../../src/core/model/content.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { told } from './harness.ts';
import {
  answered,
  call,
  closed,
  contentIn,
  done,
  ended,
  inOrder,
  message,
  only,
  opened,
  outline,
  run,
  started,
  text,
} from './words.ts';

describe('results of tools', () => {
  test('wait for the end of the message that calls', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'c'),
      started('c'),
      answered('c'),
      ...text(1, 'on'),
      ended(),
      ...done,
    ]);
    expect(outline(frames).slice(-3)).toEqual(['message_stop', 'user tool_result c', 'result success']);
    expect(inOrder(frames)).toEqual([]);
  });

  test('come in the order in which the tools end', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'a'),
      ...call(1, 'b'),
      ended('tool-use'),
      started('a'),
      started('b'),
      answered('b'),
      answered('a'),
      ...done,
    ]);
    expect(outline(only(frames, 'user'))).toEqual(['user tool_result b', 'user tool_result a']);
  });

  test.each<[string, Content[], unknown]>([
    ['nothing', [], ''],
    ['one text', [{ type: 'text', text: 'a' }], 'a'],
    [
      'two texts',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    [
      'an image',
      [{ type: 'image', data: 'aGk=' }],
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }],
    ],
    [
      'a document',
      [{ type: 'document', name: 'd' }],
      [{ type: 'unknown', originalType: 'document', data: { type: 'document', name: 'd' } }],
    ],
  ])('%s', (_, content, expected) => {
    const { frames } = told([...run, message(), ...call(0, 'c'), ended('tool-use'), answered('c', content), ...done]);
    const [frame] = only(frames, 'user');
    expect(contentIn(frame)[0]?.content).toEqual(expected);
  });

  test('a result of a sub-agent’s tool waits until its call is whole', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'a'),
      ended('tool-use'),
      started('a'),
      message('s', { parent: 'a' }),
      opened(0, { kind: 'tool-call', id: 'b', name: 'read' }, 'a'),
      answered('b', [], 'a'),
      closed(0, { parent: 'a' }),
      ended('tool-use', { parent: 'a' }),
      answered('a'),
      ...done,
    ]);
    expect(inOrder(frames)).toEqual([]);
    expect(outline(frames).slice(-4)).toEqual([
      'assistant tool_use',
      'user tool_result b',
      'user tool_result a',
      'result success',
    ]);
  });

  test('a call of an earlier run does not count as shown', () => {
    const sub = [message('s', { parent: 'a' }), ...text(0, 'in').map((event) => ({ ...event, parent: 'a' }))];
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'a'),
      ended('tool-use'),
      answered('a'),
      ...done,
      ...run,
      message('n'),
      opened(0, { kind: 'tool-call', id: 'a', name: 'read' }),
      ...sub,
      ended('end', { parent: 'a' }),
      closed(0),
      ended('tool-use'),
      answered('a'),
      ...done,
    ]);
    expect(inOrder(frames)).toEqual([]);
    const words = outline(frames);
    expect(words.lastIndexOf('assistant tool_use')).toBeLessThan(words.indexOf('assistant text'));
  });

  test('the progress of a tool is lost, and said to be', () => {
    const update: Event = { type: 'tool-update', call: 'c', mode: 'append', content: [{ type: 'text', text: 'half' }] };
    const { frames, losses } = told([
      ...run,
      message(),
      ...call(0, 'c'),
      ended('tool-use'),
      started('c'),
      update,
      answered('c'),
      ...done,
    ]);
    expect(JSON.stringify(frames)).not.toContain('half');
    expect(losses).toEqual(['tool-update']);
  });
});

describe('a tool that no message called', () => {
  test('is announced by a message of its own', () => {
    const { frames } = told([...run, started('c'), answered('c'), ...done]);
    expect(outline(frames)).toEqual([
      'system init',
      'message_start',
      'content_block_start 0 tool_use',
      'content_block_delta 0 input_json_delta',
      'assistant tool_use',
      'content_block_stop 0',
      'message_delta',
      'message_stop',
      'user tool_result c',
      'result success',
    ]);
    expect(inOrder(frames)).toEqual([]);
    expect(only(frames, 'result')).toMatchObject([{ stop_reason: 'tool_use' }]);
  });

  test('is the last message of its turn, also where one is open', () => {
    const { frames } = told([...run, message(), ...text(0, 'hi'), started('c'), ended('end'), answered('c'), ...done]);
    expect(inOrder(frames)).toEqual([]);
    expect(only(frames, 'result')).toMatchObject([{ stop_reason: 'tool_use' }]);
  });

  test('waits for the open message, and for the calls before it', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'a'),
      started('a'),
      started('b'),
      started('c'),
      answered('c'),
      answered('b'),
      ended('tool-use'),
      answered('a'),
      ...done,
    ]);
    expect(inOrder(frames)).toEqual([]);
    expect(outline([...only(frames, 'assistant'), ...only(frames, 'user')])).toHaveLength(6);
    expect(outline(only(frames, 'user'))).toEqual(['user tool_result a', 'user tool_result b', 'user tool_result c']);
  });

  test('a message of the model waits in turn until the calls before it are answered', () => {
    const { frames } = told([
      ...run,
      message(),
      ...call(0, 'a'),
      ended('tool-use'),
      started('a'),
      message('n'),
      ...text(0, 'early'),
      answered('a'),
      ended(),
      ...done,
    ]);
    expect(inOrder(frames)).toEqual([]);
    const words = outline(frames);
    expect(words.indexOf('user tool_result a')).toBeLessThan(words.lastIndexOf('message_start'));
  });
});
