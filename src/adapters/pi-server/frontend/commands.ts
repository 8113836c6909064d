// What each command of a client is (docs/protocols/pi-server.md 17, 18): the canonical command, and its place among all others. One row each. Knows
// no frame around it and no answer.
import type { z } from 'zod';
import type { SessionView } from '../../../core/contract/adapter.ts';
import type { Command, QuerySubject } from '../../../core/model/command.ts';
import type { Content, Dictionary } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import type { Ticket } from '../../../core/contract/ticket.ts';
import { extraOf } from '../../pi/values.ts';
import { answerOf } from './answers.ts';
import { serverCommands, sessionCommands, type WireImage } from '../wire/commands.ts';

/**
 * How long a command may take. `short`: it looks at what is there, or must not wait. `never` ends: it cannot be taken back, and
 * what happens anyway must not be called a failure.
 */
export type Patience = 'short' | 'long' | 'endless';

/** What a command does, and where it stands. */
export interface Row {
  readonly command: Command;
  readonly place: Pick<Ticket, 'lane' | 'place' | 'effect' | 'runs' | 'allowance' | 'undo'>;
  readonly patience: Patience;
}

type Shape = Row['place'] & { readonly patience: Patience };
/** `view`: of the session that the line names, where the connection hears it. */
type Reader = (line: Dictionary, view: SessionView | undefined) => Row;

/** It asks the server. */
const server: Shape = { lane: 'server', place: 'in-turn', effect: 'none', patience: 'long' };
/** It looks at its session. */
const look: Shape = { lane: 'session', place: 'in-turn', effect: 'none', patience: 'short' };
/** It changes its session. */
const change: Shape = { lane: 'session', place: 'in-turn', effect: 'changes', patience: 'long' };
/** It is about what goes on in its session, and would be of no use behind it (README, Departures). */
const beside: Shape = { lane: 'session', place: 'beside', effect: 'changes', patience: 'short' };

/** What is around every command, and no agent is told. */
const envelope = ['type', 'id', 'sessionId', 'dependsOn', 'ifSessionVersion', 'idempotencyKey'];

/** Reads a line that the validation has passed. */
function row<Schema extends z.ZodType>(
  schema: Schema,
  shape: Shape | ((line: z.output<Schema>) => Shape),
  make: (line: z.output<Schema>, view: SessionView | undefined) => Command,
): Reader {
  return (line, view) => {
    const read = schema.parse(line);
    const { patience, ...place } = typeof shape === 'function' ? shape(read) : shape;
    return { command: make(read, view), place, patience };
  };
}

/** Fields that the canonical command does not have ride along for an agent that speaks pi. */
function sessionRow<Schema extends z.ZodType>(
  schema: Schema,
  known: readonly string[],
  shape: Shape | ((line: z.output<Schema>) => Shape),
  make: (line: z.output<Schema>) => Command,
): Reader {
  const read = row(schema, shape, make);
  return (line, view) => {
    const found = read(line, view);
    const rest = Object.entries(without(line, ...envelope, ...known)).filter(([, value]) => value !== null);
    return { ...found, command: { ...found.command, ...extraOf(Object.fromEntries(rest)) } };
  };
}

const schemas = { ...serverCommands, ...sessionCommands };
const ask = (subject: QuerySubject) => (): Command => ({ type: 'query', subject });
const query = (type: keyof typeof sessionCommands, subject: QuerySubject): [string, Reader] => [
  type,
  sessionRow(schemas[type], [], look, ask(subject)),
];

const abortRun: Command = { type: 'abort', target: 'run', untilIdle: true };
const whenBusy = { steer: 'steer', followUp: 'follow-up' } as const;
/** A session is told of when it can be used, and kept for `list_stored_sessions`. */
const whole = { describe: true, keep: true } as const;

/** Readers of the commands, by their type. */
export const rows: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['list_sessions', row(schemas.list_sessions, server, () => ({ type: 'list-sessions' }))],
  [
    'create_session',
    row(schemas.create_session, { ...server, effect: 'opens', patience: 'endless' }, ({ sessionId, cwd }) => ({
      type: 'create-session',
      ...(sessionId === undefined ? {} : { id: sessionId }),
      ...(cwd === undefined ? {} : { cwd }),
      ...whole,
    })),
  ],
  [
    'delete_session',
    row(schemas.delete_session, { ...change, effect: 'closes', patience: 'endless' }, () => ({
      type: 'delete-session',
    })),
  ],
  // The document calls it a server command: it does not wait behind a prompt (docs/protocols/pi-server.md 7.3, 7.8, 17.1).
  ['switch_session', row(schemas.switch_session, server, ask('state'))],
  ['get_metrics', row(schemas.get_metrics, server, ask('metrics'))],
  ['health_check', row(schemas.health_check, server, ask('health'))],
  ['list_stored_sessions', row(schemas.list_stored_sessions, server, () => ({ type: 'list-stored-sessions' }))],
  [
    'load_session',
    row(schemas.load_session, { ...server, effect: 'opens', patience: 'endless' }, ({ sessionPath, sessionId }) => ({
      type: 'load-session',
      path: sessionPath,
      ...(sessionId === undefined ? {} : { id: sessionId }),
      ...whole,
    })),
  ],
  query('get_available_models', 'models'),
  query('get_commands', 'commands'),
  query('get_skills', 'skills'),
  query('get_tools', 'tools'),
  query('list_session_files', 'session-files'),
  [
    'prompt',
    sessionRow(
      schemas.prompt,
      ['message', 'images', 'streamingBehavior'],
      ({ streamingBehavior }) => ({
        ...change,
        place: streamingBehavior == null ? 'in-turn' : 'joins',
        runs: true,
        undo: { type: 'abort', target: 'run', untilIdle: false },
      }),
      ({ message, images, streamingBehavior }) => ({
        type: 'prompt',
        content: contentOf(message, images),
        whenBusy: streamingBehavior == null ? 'queue' : whenBusy[streamingBehavior],
        untilIdle: true,
      }),
    ),
  ],
  [
    'steer',
    sessionRow(schemas.steer, ['message', 'images'], beside, ({ message, images }) => ({
      type: 'steer',
      content: contentOf(message, images),
    })),
  ],
  [
    'follow_up',
    sessionRow(schemas.follow_up, ['message', 'images'], beside, ({ message, images }) => ({
      type: 'follow-up',
      content: contentOf(message, images),
    })),
  ],
  ['abort', sessionRow(schemas.abort, [], beside, () => abortRun)],
  query('get_state', 'state'),
  query('get_messages', 'messages'),
  [
    'set_model',
    sessionRow(schemas.set_model, ['provider', 'modelId'], change, ({ provider, modelId }) => ({
      type: 'set-model',
      provider,
      model: modelId,
    })),
  ],
  [
    'cycle_model',
    sessionRow(schemas.cycle_model, ['direction'], change, ({ direction }) => ({
      type: 'cycle-model',
      ...(direction === undefined ? {} : { direction }),
    })),
  ],
  [
    'set_thinking_level',
    sessionRow(schemas.set_thinking_level, ['level'], change, ({ level }) => ({
      type: 'set-thinking',
      level: level === 'none' ? 'off' : level,
    })),
  ],
  ['cycle_thinking_level', sessionRow(schemas.cycle_thinking_level, [], change, () => ({ type: 'cycle-thinking' }))],
  [
    'set_session_name',
    sessionRow(schemas.set_session_name, ['name'], { ...change, patience: 'short' }, ({ name }) => ({
      type: 'set-name',
      name,
    })),
  ],
  [
    'compact',
    sessionRow(
      schemas.compact,
      ['customInstructions'],
      { ...change, undo: { type: 'abort', target: 'compaction' } },
      ({ customInstructions }) => ({
        type: 'compact',
        ...(customInstructions === undefined ? {} : { instructions: customInstructions }),
      }),
    ),
  ],
  [
    'abort_compaction',
    sessionRow(schemas.abort_compaction, [], beside, () => ({ type: 'abort', target: 'compaction' })),
  ],
  [
    'set_auto_compaction',
    sessionRow(schemas.set_auto_compaction, ['enabled'], change, ({ enabled }) => ({
      type: 'set-auto',
      what: 'compaction',
      enabled,
    })),
  ],
  [
    'set_auto_retry',
    sessionRow(schemas.set_auto_retry, ['enabled'], change, ({ enabled }) => ({
      type: 'set-auto',
      what: 'retry',
      enabled,
    })),
  ],
  ['abort_retry', sessionRow(schemas.abort_retry, [], beside, () => ({ type: 'abort', target: 'retry' }))],
  [
    'bash',
    sessionRow(schemas.bash, ['command'], { ...change, undo: { type: 'abort', target: 'bash' } }, ({ command }) => ({
      type: 'bash',
      command,
    })),
  ],
  ['abort_bash', sessionRow(schemas.abort_bash, [], beside, () => ({ type: 'abort', target: 'bash' }))],
  query('get_session_stats', 'statistics'),
  [
    'export_html',
    sessionRow(schemas.export_html, ['outputPath'], change, ({ outputPath }) => ({
      type: 'export',
      format: 'html',
      ...(outputPath === undefined ? {} : { path: outputPath }),
    })),
  ],
  [
    'new_session',
    sessionRow(schemas.new_session, ['parentSession'], change, ({ parentSession }) => ({
      type: 'new-session',
      ...(parentSession == null ? {} : { parent: parentSession }),
    })),
  ],
  [
    'switch_session_file',
    sessionRow(schemas.switch_session_file, ['sessionPath'], change, ({ sessionPath }) => ({
      type: 'switch-session',
      path: sessionPath,
    })),
  ],
  ['fork', sessionRow(schemas.fork, ['entryId'], change, ({ entryId }) => ({ type: 'fork', entry: entryId }))],
  query('get_fork_messages', 'fork-points'),
  query('get_last_assistant_text', 'last-text'),
  query('get_context_usage', 'context-usage'),
  [
    'extension_ui_response',
    row(
      schemas.extension_ui_response,
      { ...beside, effect: 'none', allowance: 'answers' },
      ({ requestId, response }, view) => answerOf(requestId, response, view),
    ),
  ],
]);

function contentOf(message: string, images: readonly WireImage[] | null | undefined): Content[] {
  return [
    { type: 'text', text: message },
    ...(images ?? []).map((image): Content => {
      const { data, mimeType: mediaType } = image;
      return { type: 'image', data, mediaType, ...extraOf(without(image, 'type', 'data', 'mimeType')) };
    }),
  ];
}
