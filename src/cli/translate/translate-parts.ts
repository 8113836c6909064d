// The machines of `patchbay translate`: of events, and of the commands of a tape and their answers.
import path from 'node:path';
import { loadAdapter, type ProtocolEntry, protocols } from '../../adapters/protocols.ts';
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import type { Backend } from '../../core/contract/adapter/backend.ts';
import type { Frontend } from '../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../core/contract/adapter/projection.ts';
import type { Frame, Out } from '../../core/contract/channel.ts';
import { createTranslator, type Translator, type TranslatorPorts } from '../../core/link/translator.ts';
import { emptyTranscript } from '../../core/log/fold.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { type CommandPorts, type CommandTranslator, createCommandTranslator } from '../../tape/commands-of-tape.ts';
import { createFrame } from '../../transports/framing/frame.ts';

/** What is translated. */
export interface Translation {
  readonly from: string;
  readonly to: string;
  readonly cwd?: string;
  readonly client: Readonly<Record<string, string>>;
  readonly option: Readonly<Record<string, string>>;
}

/** What hears about a translation. */
export type TranslationEars = Pick<TranslatorPorts, 'note' | 'stretch' | 'appended'> &
  Pick<CommandPorts, 'asked' | 'settled'>;

/** The parts of a translation. */
export interface TranslationParts {
  readonly events: Translator;
  /** Made when it is needed. Null: the tape's protocol has no client side, so nobody knows its commands. */
  commands(): CommandTranslator | null;
}

/** Loads and makes the machines. Throws `invalid` for a protocol without the side that is needed. */
export async function translationParts(what: Translation, ears: TranslationEars): Promise<TranslationParts> {
  const { from, to, option, client } = what;
  const agent = (await loadAdapter(from, 'agent')).agent;
  if (agent === undefined) throw new GatewayError('invalid', `${from} has no agent side to translate from`);
  const place = path.resolve(what.cwd ?? '.');
  const env = countingEnv();
  const side = (await loadAdapter(to, 'client')).client?.frontend(env, client);
  if (side === undefined) throw new GatewayError('invalid', `${to} has no client side to translate to`);
  const id = 'translation';
  const epoch = '000000000000';
  const { asked, settled, ...output } = ears;
  const events = createTranslator({
    id,
    epoch,
    place,
    backend: agent.backend(env, option),
    projection: side.projection,
    ...output,
  });
  const others = { asker: await sideOf(from, 'client'), target: await sideOf(to, 'agent') };
  const view: SessionView = { id, epoch, place, timeOrigin: 0, transcript: emptyTranscript() };
  let commands: CommandTranslator | null | undefined;
  return {
    events,
    commands() {
      if (commands !== undefined) return commands;
      const asker = others.asker?.client?.frontend(countingEnv(), {}).connection(view);
      if (asker === undefined) {
        commands = null;
        return null;
      }
      const target = others.target?.agent;
      commands = createCommandTranslator({
        from: { protocol: from, frontend: ready(asker, view), backend: agent.backend(countingEnv(), option) },
        to: {
          frontend: ready(side.connection(view), view),
          backend: backendOf(target?.backend(countingEnv({ chat: id }), {})),
        },
        frameOf: (text) => createFrame(Buffer.from(text)),
        textOf,
        note: (level: NoteLevel, text) => ears.note(level, text),
        ...(asked === undefined ? {} : { asked }),
        ...(settled === undefined ? {} : { settled }),
      });
      return commands;
    },
  };
}

function backendOf(backend: Backend | undefined): Backend | null {
  return backend ?? null;
}

function ready(frontend: Frontend, view: SessionView): Frontend {
  frontend.subscribed?.(view);
  return frontend;
}

async function sideOf(id: string, side: 'agent' | 'client'): Promise<Awaited<ReturnType<typeof loadAdapter>> | null> {
  const entry: ProtocolEntry | undefined = protocols.get(id);
  return entry?.[side] === undefined ? null : await loadAdapter(id, side);
}

/**
 * Ids and times are deterministic, so that two translations can be compared. `known`: ids by kind. A client that names its chat takes
 * the session of the translation, which is the only one that the frontend serves.
 */
function countingEnv(known: Readonly<Record<string, string>> = {}): { now(): number; id(kind: string): string } {
  let ids = 0;
  return { now: () => 0, id: (kind) => known[kind] ?? `${kind}-${++ids}` };
}

/** The frame as text. */
export function textOf(out: Out): string {
  return typeof out === 'string'
    ? out
    : out.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8'))).join('');
}

/** The frame in a row of a tape; null: a bare frame. */
export function tapeRow(frame: Frame): { dir: string; line: string } | null {
  try {
    const row: unknown = frame.json;
    if (typeof row !== 'object' || row === null || !('dir' in row) || typeof row.dir !== 'string') return null;
    if ('line' in row && typeof row.line === 'string') return { dir: row.dir, line: row.line };
    if ('msg' in row) return { dir: row.dir, line: JSON.stringify(row.msg) };
    return 'type' in row ? null : { dir: 'note', line: '' };
  } catch {
    return null;
  }
}
