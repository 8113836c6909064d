// One hand-made frame for each command of the document, each answer and each thing that a server says by itself: what is right is
// taken, what is wrong is refused. File names: kind, or kind-member, or either with -variant behind it; `command` is any.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { serverCommands, sessionCommands } from '../../../src/adapters/pi-server/wire/commands.ts';
import { eventSchemas, requestSchemas } from '../../../src/adapters/pi-server/wire/events.ts';
import { dataSchemas, Response } from '../../../src/adapters/pi-server/wire/responses.ts';
import { faultsIn } from '../../../src/adapters/pi-server/wire/validate.ts';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/wire/pi-server');

/** What is wrong with a frame, in one line; the empty string for one that is right. */
type Judge = (frame: unknown) => string;

const byPlace =
  (schema: z.ZodType): Judge =>
  (frame) =>
    (schema.safeParse(frame).error?.issues ?? []).map(({ path: place }) => place.join('.'))[0] ?? '';

const command: Judge = (frame) => {
  const faults = faultsIn(frame);
  return faults.length === 0 ? '' : `Validation failed: ${faults.join('; ')}`;
};

/** Judges by the name that fixtures begin with. */
const judges: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ['command', command],
  ...Object.keys({ ...serverCommands, ...sessionCommands }).map((type): [string, Judge] => [type, command]),
  ...Object.entries(eventSchemas).map(([type, schema]): [string, Judge] => [type, byPlace(schema)]),
  ...Object.entries(requestSchemas).map(([method, schema]): [string, Judge] => [
    `event-extension_ui_request-${method}`,
    byPlace(eventSchemas.event.extend({ event: schema })),
  ]),
  ['response', byPlace(Response)],
  ...Object.entries(dataSchemas).map(([type, schema]): [string, Judge] => [
    `response-${type}`,
    byPlace(Response.extend({ data: schema })),
  ]),
]);

/** The one with the longest fitting name. */
function nameOf(file: string): string {
  const name = file.replace('.json', '');
  const fitting = [...judges.keys()].filter((kind) => name === kind || name.startsWith(`${kind}-`));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? '';
}

const filesIn = (kind: 'valid' | 'invalid') => readdirSync(path.join(folder, kind)).sort();

function check(kind: 'valid' | 'invalid', file: string): string | undefined {
  const frame: unknown = JSON.parse(readFileSync(path.join(folder, kind, file), 'utf8'));
  return judges.get(nameOf(file))?.(frame);
}

describe('a valid frame is taken', () => {
  test.each(filesIn('valid'))('%s', (file) => expect(check('valid', file)).toBe(''));
});

/** What is said of each invalid command, and where each other invalid frame is wrong. */
const problems: Readonly<Record<string, string>> = {
  'bash-no_command': 'Validation failed: command: Required string',
  'command-dependsOn_blank': 'Validation failed: dependsOn[1]: Must be a non-empty command ID string',
  'command-dependsOn_string': 'Validation failed: dependsOn: Must be an array of command IDs',
  'command-dependsOn_without_id': 'Validation failed: id: Required when dependsOn is provided',
  'command-id_blank': 'Validation failed: id: Must be a non-empty string if provided',
  'command-id_reserved': "Validation failed: id: Cannot use reserved prefix 'anon:'",
  'command-key_empty': 'Validation failed: idempotencyKey: Must be a non-empty string if provided',
  'command-no_type': "Validation failed: type: Command must have a string 'type' field",
  'command-type_number': "Validation failed: type: Command must have a string 'type' field",
  'command-unknown': "Validation failed: type: Unknown command type 'nope'",
  'command-version_half': 'Validation failed: ifSessionVersion: Must be a non-negative integer',
  'command_accepted-no_id': 'data.commandId',
  'command_finished-no_success': 'data.success',
  'command_finished-replayed_false': 'data.replayed',
  'command_started-no_dependencies': 'data.dependsOn',
  'compact-instructions_number': 'Validation failed: customInstructions: Must be a string if provided',
  'create_session-cwd_number': 'Validation failed: cwd: Must be a string if provided',
  'create_session-session_blank': 'Validation failed: sessionId: Must be a non-empty string if provided',
  'cycle_model-up': "Validation failed: direction: Must be 'forward' or 'backward'",
  'delete_session-no_session': 'Validation failed: sessionId: Required non-empty string',
  'event-extension_ui_request-confirm-pi_id': 'event.requestId',
  'event-extension_ui_request-select-options_string': 'event.options',
  'event-no_session': 'sessionId',
  'extension_ui_response-method':
    'Validation failed: requestId: Must contain only alphanumeric characters, colons, underscores, and dashes; response.method: Must be one of: select, confirm, input, editor, interview, cancelled',
  'extension_ui_response-nothing': 'Validation failed: requestId: Required string; response: Required object',
  'fork-no_entry': 'Validation failed: entryId: Required string',
  'get_state-no_session': "Validation failed: sessionId: Session commands must have a non-empty string 'sessionId'",
  'list_sessions-version': 'Validation failed: ifSessionVersion: Only supported for session-targeted commands',
  'load_session-no_path': 'Validation failed: sessionPath: Required string',
  'load_session-path_up': 'Validation failed: sessionPath: sessionPath contains potentially dangerous path components',
  'prompt-images_url': 'Validation failed: images[0].data: Required string; images[0].mimeType: Required string',
  'prompt-nothing':
    "Validation failed: sessionId: Session commands must have a non-empty string 'sessionId'; message: Required string",
  'prompt-streamingBehavior_later': 'Validation failed: streamingBehavior: Must be one of: steer, followUp',
  'response-bash-no_code': 'data.exitCode',
  'response-command_number': 'command',
  'response-get_context_usage-no_percent': 'data.percent',
  'response-get_state-wrapped': 'data.sessionId',
  'response-list_stored_sessions-streaming': 'data.sessions.0.isStreaming',
  'response-version_null': 'sessionVersion',
  'server_ready-no_version': 'data.protocolVersion',
  'server_shutdown-timeout_word': 'data.timeoutMs',
  'session_created-no_info': 'data.sessionInfo',
  'session_deleted-no_session': 'data.sessionId',
  'set_auto_retry-word': 'Validation failed: enabled: Required boolean',
  'set_model-no_provider': 'Validation failed: provider: Required string',
  'set_session_name-lines': 'Validation failed: name: Must not contain control characters',
  'set_thinking_level-ultra': 'Validation failed: level: Must be one of: none, low, medium, high, xhigh',
  'steer-message_number': 'Validation failed: message: Required string',
};

describe('an invalid frame is refused', () => {
  test.each(Object.entries(problems))('%s: %s', (name, problem) => {
    expect(check('invalid', `${name}.json`)).toBe(problem);
  });

  test('each has its row here', () => {
    expect(filesIn('invalid')).toEqual(
      Object.keys(problems)
        .map((name) => `${name}.json`)
        .sort(),
    );
  });
});

test('each kind has a fixture, each fixture a kind', () => {
  const named = new Set(filesIn('valid').map(nameOf));
  expect([...judges.keys()].filter((name) => !named.has(name) && name !== 'command')).toEqual([]);
  expect([...filesIn('valid'), ...filesIn('invalid')].filter((file) => nameOf(file) === '')).toEqual([]);
});
