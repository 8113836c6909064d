// Known facts about pi's session: its settings, models and history. Learns from answers, queries pi after changes, and
// delivers the differences.

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Dictionary, Extra, Model } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import { extraOf, modelOf } from '../decode-values.ts';
import { dataSchemas, type StateData } from '../wire/responses.ts';
import { ToolNews } from '../wire/values.ts';
import { commandInfoOf } from './decode/answer.ts';
import { historyOf } from './decode/whole-message.ts';
import type { KnownModels } from './model-names.ts';
import { changesOf, sessionInfoOf } from './session-info.ts';

type Line = { readonly type: string };
/** Sends a request of the gateway itself. `then` gets the data, or null if there is none. */
export type Ask = (
  type: 'get_state' | 'get_messages' | 'get_available_models' | 'get_commands',
  then: (data: unknown) => void,
) => void;

/** Known facts about one session. */
export interface SessionTracker {
  readonly models: KnownModels;
  /** Delivers the changes that pi reported in a line of its own. `extra` holds the other fields of the line. */
  learn(now: SessionInfo, extra?: Extra): void;
  /** Queries pi's state. `then` gets whether pi is working and how many messages it has, or null if pi does not say. */
  refresh(then?: (working: boolean | null, messages: number | null) => void): void;
  /** Delivers what was said in the open conversation. */
  tellPast(): void;
  /** Queries the models. `then` is called in any case. */
  listModels(then: () => void): void;
  /** The thinking levels, derived from the state. Null until pi has reported its state. */
  levels(): string[] | null;
  /** Queries the list of commands. */
  listCommands(): void;
  /** Whether pi has listed its tools. */
  knowsTools(): boolean;
  /** Learns from a system message, in which pi since 0.87 lists its tools. */
  learnTools(message: Dictionary): void;
  /** Learns from the answer to a line. */
  observe(line: Line, data: unknown): void;
}

/** Lines that change the settings. pi up to 0.64 does not report such changes, so the state is queried. */
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

/** Lines that replace the conversation. pi has no event for that (docs/protocols/pi.md 6.6). */
const replacing: ReadonlyMap<string, EventOf<'history-reset'>['reason']> = new Map([
  ['new_session', 'new'],
  ['switch_session', 'switched'],
  ['fork', 'forked'],
]);

export function createSessionTracker(out: Outbox, ask: Ask): SessionTracker {
  const models: KnownModels = { current: undefined, all: null };
  let info: SessionInfo = {};

  /** Stores session info and returns the differences. */
  function keep(now: SessionInfo): SessionInfo | null {
    const changes = changesOf(info, now);
    if (changes !== null) info = { ...info, ...changes };
    return changes;
  }

  /**
   * Delivers facts that pi stated only in an answer. Not shown to pi clients, because pi has no event line for such
   * facts.
   */
  function discover(now: SessionInfo): void {
    const changes = keep(now);
    if (changes !== null) out.deliver({ type: 'session-changed', changes, ...extraOf({ unsaid: true }) });
  }

  function learnState(data: unknown): StateData | null {
    const state = dataSchemas.get_state.safeParse(data);
    if (!state.success) return null;
    const now = sessionInfoOf(state.data);
    models.current = now.model;
    discover(now);
    return state.data;
  }

  function learnModels(data: unknown): void {
    const list = dataSchemas.get_available_models.safeParse(data);
    if (list.success) models.all = list.data.models.map(modelOf);
  }

  function refresh(then: (working: boolean | null, messages: number | null) => void = () => {}): void {
    ask('get_state', (data) => {
      const state = learnState(data);
      then(state && (state.isStreaming || state.isCompacting === true), state?.messageCount ?? null);
    });
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

  /** Delivers the conversation that replaced the previous one. */
  function replace(reason: EventOf<'history-reset'>['reason']): void {
    out.deliver({ type: 'history-reset', reason });
    refresh();
    if (reason !== 'new') tellPast();
  }

  /** Delivers what was said in the open conversation. */
  function tellPast(): void {
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
      // The event is delivered even without a difference: pi printed a line.
      keep(now);
      out.deliver({ type: 'session-changed', changes: now, ...(extra && { extra }) });
    },
    refresh,
    tellPast,
    levels: () => (models.current === undefined ? null : levelsOf(models.current, info.thinkingLevel)),
    listCommands,
    knowsTools: () => info.tools !== undefined,
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
      if (changing.has(line.type)) refresh();
      const reason = replacing.get(line.type);
      const change = dataSchemas.new_session.safeParse(data);
      if (reason !== undefined && change.success && !change.data.cancelled) replace(reason);
    },
  };
}

/** The thinking levels for a pi without a command that lists them, derived from the model: all levels or none. */
function levelsOf(model: Model, current: string | undefined): string[] {
  if (model.reasoning !== true) return ['off'];
  const usual = ['off', 'minimal', 'low', 'medium', 'high'];
  // Some models have one more level, which is visible only in the state.
  return current === undefined || usual.includes(current) ? usual : [...usual, current];
}
