// One hand-made frame for each kind of message in the documents and each newer one: the schemas take what is right, refuse
// what is wrong and name the place. File names: kind, or kind-member, or either with -variant behind it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { commandSchemas, ExtensionUiResponse } from '../../../src/adapters/pi/wire/commands.ts';
import { eventSchemas, updateSchemas } from '../../../src/adapters/pi/wire/events.ts';
import { requestSchemas } from '../../../src/adapters/pi/wire/extension.ts';
import { problemOf } from '../../../src/adapters/pi/wire/problem.ts';
import { dataSchemas, Response } from '../../../src/adapters/pi/wire/responses.ts';
import { messageSchemas } from '../../../src/adapters/pi/wire/values.ts';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/wire/pi');

/** The members of one kind of frame, each with its schema laid around the field that holds it. */
function members(
  kind: string,
  schemas: Readonly<Record<string, z.ZodType>>,
  frame: (member: z.ZodType) => z.ZodType,
): [name: string, schema: z.ZodType][] {
  return Object.entries(schemas).map(([name, schema]) => [`${kind}-${name}`, frame(schema)]);
}

/** Every schema of the wire by the name that its fixtures begin with. */
const schemas: ReadonlyMap<string, z.ZodType> = new Map([
  ...Object.entries(eventSchemas),
  ...members('message_update', updateSchemas, (member) =>
    eventSchemas.message_update.extend({ assistantMessageEvent: member }),
  ),
  ...members('message_end', messageSchemas, (member) => eventSchemas.message_end.extend({ message: member })),
  ...members('extension_ui_request', requestSchemas, (member) => member),
  ['response', Response],
  ...members('response', dataSchemas, (member) => Response.extend({ data: member })),
  ...Object.entries(commandSchemas),
  ['extension_ui_response', ExtensionUiResponse],
]);

/** The schema of a fixture: the one with the longest fitting name. */
function nameOf(file: string): string {
  const name = file.replace('.json', '');
  const fitting = [...schemas.keys()].filter((kind) => name === kind || name.startsWith(`${kind}-`));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? '';
}

const filesIn = (kind: 'valid' | 'invalid') => readdirSync(path.join(folder, kind)).sort();

function check(kind: 'valid' | 'invalid', file: string) {
  const frame: unknown = JSON.parse(readFileSync(path.join(folder, kind, file), 'utf8'));
  return schemas.get(nameOf(file))?.safeParse(frame);
}

describe('a valid frame is taken', () => {
  test.each(filesIn('valid'))('%s', (file) => {
    const result = check('valid', file);
    expect(result?.error && problemOf(result.error)).toBeUndefined();
    expect(result?.success).toBe(true);
  });
});

/** What is wrong with each invalid frame, by its place. */
const problems: Readonly<Record<string, string>> = {
  'abort-id_number': 'id',
  'agent_end-messages_no_list': 'messages',
  'agent_settled-aborted_word': 'aborted',
  'auto_compaction_end-result_word': 'result',
  'auto_retry_end-no_success': 'success',
  'auto_retry_start-no_delay': 'delayMs',
  'bash-no_command': 'command',
  'bash_execution_update-no_delta': 'delta',
  'compaction-no_summary': 'summary',
  'compaction_end-retry_word': 'willRetry',
  'error-no_error': 'error',
  'extension_error-no_error': 'error',
  'extension_ui_request-confirm-no_title': 'title',
  'extension_ui_request-input-timeout_word': 'timeout',
  'extension_ui_request-notify-loud': 'notifyType',
  'extension_ui_request-select-options_string': 'options',
  'extension_ui_request-setWidget-lines_string': 'widgetLines',
  'extension_ui_response-no_answer': 'frame',
  'extension_ui_response-no_id': 'frame',
  'fork-no_entry': 'entryId',
  'message_end-assistant-content_string': 'message.content',
  'message_end-assistant-usage_word': 'message.usage.input',
  'message_end-bashExecution-no_output': 'message.output',
  'message_end-compactionSummary-no_summary': 'message.summary',
  'message_end-no_role': 'message.role',
  'message_end-toolResult-no_call': 'message.toolCallId',
  'message_end-user-content_number': 'message.content',
  'message_start-no_message': 'message',
  'message_update-no_event': 'assistantMessageEvent',
  'message_update-text_delta-no_delta': 'assistantMessageEvent.delta',
  'message_update-text_start-negative_index': 'assistantMessageEvent.contentIndex',
  'message_update-thinking_end-no_content': 'assistantMessageEvent.content',
  'message_update-toolcall_end-no_call': 'assistantMessageEvent.toolCall',
  'prompt-images_url': 'images.0',
  'prompt-message_number': 'message',
  'prompt-streamingBehavior_later': 'streamingBehavior',
  'queue_update-steering_objects': 'steering.0',
  'response-error_object': 'error',
  'response-fork-no_cancelled': 'data.cancelled',
  'response-get_available_models-no_id': 'data.models.0.id',
  'response-get_fork_messages-no_entry': 'data.messages.0.entryId',
  'response-get_state-no_isStreaming': 'data.isStreaming',
  'response-no_success': 'success',
  'session_info_changed-name_number': 'name',
  'set_auto_retry-word': 'enabled',
  'set_model-no_provider': 'provider',
  'set_steering_mode-some': 'mode',
  'steer-no_message': 'message',
  'switch_session-no_path': 'sessionPath',
  'thinking_level_changed-no_level': 'level',
  'tool_execution_end-error_word': 'isError',
  'tool_execution_start-no_id': 'toolCallId',
  'tool_execution_update-result_number': 'partialResult',
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
  // A message_start is a message_end that is not over: one fixture each says enough.
  const named = new Set(filesIn('valid').map(nameOf));
  const covered = new Set([...named, ...[...named].map((name) => name.split('-')[0] ?? '')]);
  expect([...schemas.keys()].filter((name) => !covered.has(name))).toEqual([]);
  expect([...filesIn('valid'), ...filesIn('invalid')].filter((file) => nameOf(file) === '')).toEqual([]);
});
