// One hand-made frame for each kind of event: what is right is taken, what is wrong is refused and its place named.
// File names: kind, or kind-variant. `frame` is what is no event at all.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFrame } from '../../../src/adapters/anthropic/wire.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/wire/anthropic');
const filesIn = (kind: 'valid' | 'invalid') => readdirSync(path.join(folder, kind)).sort();
const read = (kind: 'valid' | 'invalid', file: string) =>
  readFrame(createFrame(readFileSync(path.join(folder, kind, file))));
const kindOf = (file: string) => file.replace('.json', '').split('-')[0] ?? '';

const kinds = [
  'content_block_delta',
  'content_block_start',
  'content_block_stop',
  'error',
  'message_delta',
  'message_start',
  'message_stop',
  'ping',
  'request_end',
];

describe('a valid frame is taken', () => {
  test.each(filesIn('valid'))('%s', (file) => {
    const found = read('valid', file);
    if (found.kind === 'event') expect(found.event.type).toBe(kindOf(file));
    else expect([found.kind, kindOf(file)]).toEqual(['end', 'request_end']);
  });

  test('and there is one of each kind', () => {
    expect([...new Set(filesIn('valid').map(kindOf))]).toEqual(kinds);
  });
});

/** What is wrong with each invalid frame. */
const problems: Readonly<Record<string, string>> = {
  'content_block_delta-index_half': 'content_block_delta: index:',
  'content_block_delta-no_delta': 'content_block_delta: delta:',
  'content_block_start-index_negative': 'content_block_start: index:',
  'content_block_start-no_index': 'content_block_start: index:',
  'content_block_start-no_type': 'content_block_start: content_block.type:',
  'content_block_stop-index_word': 'content_block_stop: index:',
  'error-no_error': 'error: error:',
  'frame-array': 'a frame without a type',
  'frame-no_type': 'a frame without a type',
  'frame-null': 'a frame without a type',
  'frame-type_number': 'a frame without a type',
  'message_delta-negative_count': 'message_delta: usage.output_tokens:',
  'message_delta-no_delta': 'message_delta: delta:',
  'message_delta-reason_number': 'message_delta: delta.stop_reason:',
  'message_start-no_id': 'message_start: message.id:',
  'message_start-no_message': 'message_start: message:',
  'message_start-usage_word': 'message_start: message.usage.input_tokens:',
  'request_end-failed_without_failure': 'a broken request_end',
  'request_end-how_never': 'a broken request_end',
  'request_end-no_request': 'a broken request_end',
};

describe('an invalid frame is refused with its problem', () => {
  test.each(Object.entries(problems))('%s: %s', (name, problem) => {
    expect(read('invalid', `${name}.json`)).toEqual({ kind: 'bad', problem: expect.stringContaining(problem) });
  });

  test('each has its row here', () => {
    expect(filesIn('invalid')).toEqual(Object.keys(problems).map((name) => `${name}.json`));
  });
});
