// One hand-made frame for each kind of message in the seed: the schemas take what is right, refuse what is wrong and name
// the place. File names: kind, or kind-variant.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { wholeMessage } from '../../../src/adapters/pi/backend/decode/whole-message.ts';
import { AssistantMessageEvent, eventSchemas } from '../../../src/adapters/pi/wire/events.ts';
import { problemOf } from '../../../src/adapters/pi/wire/problem.ts';
import { ClientLine, commandSchemas } from '../../../src/adapters/pi-legacy/wire.ts';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/wire/pi-legacy');

/** What pi prints is read by the schemas of ../pi. */
const events = [
  'agent_start',
  'agent_end',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
  'tool_execution_end',
  'compaction',
  'error',
] as const;

/** By the name that fixtures begin with. `frame` is what is none of them. */
const schemas: ReadonlyMap<string, z.ZodType> = new Map([
  ...Object.keys(commandSchemas).map((name): [string, z.ZodType] => [name, ClientLine]),
  ...events.map((name): [string, z.ZodType] => [name, eventSchemas[name]]),
  ['frame', ClientLine],
]);

const kindOf = (file: string) => file.replace('.json', '').split('-')[0] ?? '';
const filesIn = (kind: 'valid' | 'invalid') => readdirSync(path.join(folder, kind)).sort();
const frameIn = (kind: 'valid' | 'invalid', file: string): unknown =>
  JSON.parse(readFileSync(path.join(folder, kind, file), 'utf8'));
const check = (kind: 'valid' | 'invalid', file: string) => schemas.get(kindOf(file))?.safeParse(frameIn(kind, file));

describe('a valid frame is taken', () => {
  test.each(filesIn('valid'))('%s', (file) => {
    const result = check('valid', file);
    expect(result?.error && problemOf(result.error)).toBeUndefined();
    expect(result?.success).toBe(true);
  });

  test.each(filesIn('valid').filter((file) => kindOf(file) === 'message_update'))('%s, and its update', (file) => {
    const line = eventSchemas.message_update.parse(frameIn('valid', file));
    expect(AssistantMessageEvent.safeParse(line.assistantMessageEvent).success).toBe(true);
  });

  test.each(filesIn('valid').filter((file) => kindOf(file) === 'message_end'))('%s, and its message', (file) => {
    const line = eventSchemas.message_end.parse(frameIn('valid', file));
    expect(wholeMessage(line.message)).not.toHaveProperty('problem');
  });
});

/** What is wrong with each invalid frame, by its place. */
const problems: Readonly<Record<string, string>> = {
  'compact-instructions_number': 'customInstructions',
  'compaction-no_summary': 'summary',
  'error-no_error': 'error',
  'frame-array': 'frame',
  'frame-constructor': 'type',
  'frame-modern': 'type',
  'frame-no_type': 'type',
  'frame-null': 'frame',
  'frame-number': 'frame',
  'frame-number_type': 'type',
  'frame-string': 'frame',
  'message_end-no_role': 'message.role',
  'prompt-attachment_of_no_kind': 'attachments.0.type',
  'prompt-attachment_size_word': 'attachments.0.size',
  'prompt-attachment_without_content': 'attachments.0.content',
  'prompt-attachments_object': 'attachments',
  'prompt-empty_message': 'message',
  'prompt-message_null': 'message',
  'prompt-message_object': 'message',
  'prompt-no_message': 'message',
  'tool_execution_end-result_number': 'result',
};

describe('an invalid frame is refused with its problem', () => {
  test.each(Object.entries(problems))('%s: %s', (name, place) => {
    const error = check('invalid', `${name}.json`)?.error;
    expect(error === undefined ? 'taken' : problemOf(error).split(':')[0]).toBe(place);
  });

  test('each has its row here', () => {
    expect(filesIn('invalid')).toEqual(Object.keys(problems).map((name) => `${name}.json`));
  });
});

test('each schema has a fixture, each fixture a schema', () => {
  const covered = new Set([...filesIn('valid').map(kindOf), 'frame']);
  expect([...schemas.keys()].filter((name) => !covered.has(name))).toEqual([]);
  expect([...filesIn('valid'), ...filesIn('invalid')].filter((file) => !schemas.has(kindOf(file)))).toEqual([]);
});
