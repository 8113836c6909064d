// One row for each command of a client (docs/protocols/pi-server.md 17, 18): the canonical command, its scheduling and
// its timeout class.
import type { z } from 'zod';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Ticket } from '../../../core/contract/ticket.ts';
import type { Command, QuerySubject } from '../../../core/model/command.ts';
import type { Content, Dictionary } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import { extraOf } from '../../pi/decode-values.ts';
import { serverCommands, sessionCommands, type WireImage } from '../wire/commands.ts';
import { answerOf } from './answers.ts';

/**
 * The timeout class of a command. `short`: a read, or a command that must not wait. `endless`: never times out, because
 * the command cannot be undone and must not be reported as failed if it succeeds later.
 */
export type Patience = 'short' | 'long' | 'endless';

/** The meaning and the scheduling of a command. */
export interface Row {
  readonly command: Command;
  readonly place: Pick<Ticket, 'lane' | 'place' | 'effect' | 'runs' | 'allowance' | 'undo'>;
  readonly patience: Patience;
}

type Shape = Row['place'] & { readonly patience: Patience };
/** `view`: the session that the line names, if the connection is subscribed to it. */
type Reader = (line: Dictionary, view: SessionView | undefined) => Row;

/** Queries the server. */
const server: Shape = { lane: 'server', place: 'in-turn', effect: 'none', patience: 'long' };
/** Reads its session. */
const look: Shape = { lane: 'session', place: 'in-turn', effect: 'none', patience: 'short' };
/** Changes its session. */
const change: Shape = { lane: 'session', place: 'in-turn', effect: 'changes', patience: 'long' };
/** Affects the current work of its session, and would be useless after that work (README, Departures). */
const beside: Shape = { lane: 'session', place: 'beside', effect: 'changes', patience: 'short' };

/** The envelope fields of every command, which no agent gets. */
const envelope = ['type', 'id', 'sessionId', 'dependsOn', 'ifSessionVersion', 'idempotencyKey'];

/** Reads a validated line. */
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

/** Like `row`. Fields that the canonical command does not have go into `extra`, for an agent that speaks pi. */
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
/** The session is announced once it can be used, and is kept for `list_stored_sessions`. */
const whole = { describe: true, keep: true } as const;

/** Readers of the commands, by type. */
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
  // The document lists `switch_session` as a server command, so it does not wait behind a prompt
  // (docs/protocols/pi-server.md 7.3, 7.8, 17.1).
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
