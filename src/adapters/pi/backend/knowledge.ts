// What the machine knows of pi's session: its settings, its models, its past. Learns from answers, asks when something
// changed, and tells what is new. Knows no run.
import type { Dictionary, Extra } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { EventOf, SessionInfo } from '../../../core/model/event.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { commandInfoOf } from './decode-answer.ts';
import { historyOf } from './decode-whole-message.ts';
import { type KnownModels, levelsOf } from './models.ts';
import { changesOf, sessionInfoOf } from './session-info.ts';
import { extraOf, modelOf } from '../values.ts';
import { dataSchemas } from '../wire/responses.ts';
import { ToolNews } from '../wire/values.ts';

type Line = { readonly type: string };
/** Sends a request of our own; `then` gets the data, or null when there is none. */
export type Ask = (
  type: 'get_state' | 'get_messages' | 'get_available_models' | 'get_commands',
  then: (data: unknown) => void,
) => void;

/** The memory of one session. */
export interface Knowledge {
  readonly models: KnownModels;
  /** Tells what is new of these, which pi said in a line of its own; `extra` is what else it said there. */
  learn(now: SessionInfo, extra?: Extra): void;
  /** Asks pi how it is; `then` gets whether it is at work, null when it does not say. */
  look(then?: (working: boolean | null) => void): void;
  /** Asks for the models; `then` comes in any case. */
  listModels(then: () => void): void;
  /** What the state tells of thinking levels; null before pi has told its state. */
  levels(): string[] | null;
  /** Asks which commands there are. */
  listCommands(): void;
  /** Whether pi has told of its tools. */
  readonly knowsTools: boolean;
  /** Learns from a system message, in which pi since 0.87 tells of its tools. */
  learnTools(message: Dictionary): void;
  /** Learns from the answer to a line. */
  observe(line: Line, data: unknown): void;
}

/** Lines after which the settings are not what they were; up to 0.64 pi tells nobody, so it is asked. */
const changing: ReadonlySet<string> = new Set([
  'set_model',
  'cycle_model',
  'set_thinking_level',
  'cycle_thinking_level',
  'set_steering_mode',
  'set_follow_up_mode',
  'set_auto_compaction',
  'set_session_name',
]);

/** Lines after which the conversation is another one. pi has no event for that (docs/protocols/pi.md 6.6). */
const replacing: ReadonlyMap<string, EventOf<'history-reset'>['reason']> = new Map([
  ['new_session', 'new'],
  ['switch_session', 'switched'],
  ['fork', 'forked'],
]);

export function createKnowledge(out: Outbox, ask: Ask): Knowledge {
  const models: KnownModels = { current: undefined, all: null };
  let info: SessionInfo = {};

  /** Returns what of it is new. */
  function keep(now: SessionInfo): SessionInfo | null {
    const changes = changesOf(info, now);
    if (changes !== null) info = { ...info, ...changes };
    return changes;
  }

  /** pi has no line for what it only answers: its own clients are not told. */
  function discover(now: SessionInfo): void {
    const changes = keep(now);
    if (changes !== null) out.deliver({ type: 'session-changed', changes, ...extraOf({ unsaid: true }) });
  }

  function learnState(data: unknown): boolean | null {
    const state = dataSchemas.get_state.safeParse(data);
    if (!state.success) return null;
    const now = sessionInfoOf(state.data);
    models.current = now.model;
    discover(now);
    return state.data.isStreaming || state.data.isCompacting === true;
  }

  function learnModels(data: unknown): void {
    const list = dataSchemas.get_available_models.safeParse(data);
    if (list.success) models.all = list.data.models.map(modelOf);
  }

  function look(then: (working: boolean | null) => void = () => {}): void {
    ask('get_state', (data) => then(learnState(data)));
  }

  function listCommands(): void {
    ask('get_commands', (data) => {
      const list = dataSchemas.get_commands.safeParse(data);
      if (list.success) discover({ commands: list.data.commands.map(commandInfoOf) });
    });
  }

  function learnTools(message: Dictionary): void {
    const { toolsAdded = [], toolsRemoved = [] } = ToolNews.safeParse(message).data ?? {};
    const gone = new Set([...toolsAdded, ...toolsRemoved].map(({ name }) => name));
    if (gone.size === 0) return;
    const kept = (info.tools ?? []).filter(({ name }) => !gone.has(name));
    discover({
      tools: [...kept, ...toolsAdded.map(({ name, description, parameters }) => ({ name, description, parameters }))],
    });
  }

  /** Tells the conversation that took the place of the one before. */
  function replace(reason: EventOf<'history-reset'>['reason']): void {
    out.deliver({ type: 'history-reset', reason });
    look();
    if (reason === 'new') return;
    ask('get_messages', (data) => {
      const history = dataSchemas.get_messages.safeParse(data);
      if (!history.success) return;
      for (const message of historyOf(history.data.messages)) {
        out.deliver({
          type: 'message-added',
          ...message,
          origin: 'replay',
          extra: { pi: { ...dictionaryOf(message.extra?.pi), unsaid: true } },
        });
      }
    });
  }

  return {
    models,
    learn(now, extra) {
      // Told again, it is a line again.
      keep(now);
      out.deliver({ type: 'session-changed', changes: now, ...(extra && { extra }) });
    },
    look,
    levels: () => (models.current === undefined ? null : levelsOf(models.current, info.thinkingLevel)),
    listCommands,
    get knowsTools() {
      return info.tools !== undefined;
    },
    learnTools,
    listModels: (then) =>
      ask('get_available_models', (data) => {
        learnModels(data);
        then();
      }),
    observe(line, data) {
      if (line.type === 'get_state') learnState(data);
      if (line.type === 'get_available_models') learnModels(data);
      if (line.type === 'set_auto_retry' && 'enabled' in line) discover({ autoRetry: line.enabled === true });
      if (changing.has(line.type)) look();
      const reason = replacing.get(line.type);
      const change = dataSchemas.new_session.safeParse(data);
      if (reason !== undefined && change.success && !change.data.cancelled) replace(reason);
    },
  };
}
