// Settings and history of our fake pi agent: answers every command that starts no run (docs/protocols/pi.md 4).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { model } from './run-writer.ts';

/** The session as the command handler reads it. */
export interface CommandHandlerPorts {
  mint(word: string): string;
  messages(): readonly Dictionary[];
  forget(): void;
  isBusy(): boolean;
  /** Number of messages that wait for a run. */
  waiting(): number;
}

type Answer = { readonly data?: unknown } | { readonly error: string };

const models: readonly Dictionary[] = [model, { ...model, id: 'patchbay-other', name: 'Patchbay Other' }];
const levels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];
const modes: ReadonlySet<unknown> = new Set(['all', 'one-at-a-time']);
const cancelled = { data: { cancelled: false } };

/** A new handler. `answer` returns null for unknown commands. */
export function createCommandHandler(ports: CommandHandlerPorts): { answer(line: Dictionary): Answer | null } {
  let current = 0;
  let level = 3;
  let sessionId = ports.mint('session');
  let name: string | undefined;
  let steeringMode: unknown = 'one-at-a-time';
  let followUpMode: unknown = 'one-at-a-time';
  let autoCompactionEnabled: unknown = true;

  const ofRole = (role: string) => ports.messages().filter((message) => message.role === role);
  const now = (): Dictionary => models[current] ?? model;

  function textOf({ content }: Dictionary): string {
    if (!Array.isArray(content)) return String(content);
    return content.map((block) => String(dictionaryOf(block).text ?? '')).join('');
  }
  function fresh(): Answer {
    ports.forget();
    sessionId = ports.mint('session');
    name = undefined;
    return cancelled;
  }
  const entries = () => ofRole('user').map((message, at) => ({ entryId: `e${at}`, text: textOf(message) }));

  const answers: ReadonlyMap<unknown, (line: Dictionary) => Answer> = new Map<unknown, (line: Dictionary) => Answer>([
    [
      'get_state',
      () => ({
        data: {
          model: now(),
          thinkingLevel: levels[level],
          isStreaming: ports.isBusy(),
          isCompacting: false,
          ...{ steeringMode, followUpMode, sessionId, autoCompactionEnabled },
          ...(name === undefined ? {} : { sessionName: name }),
          messageCount: ports.messages().length,
          pendingMessageCount: ports.waiting(),
        },
      }),
    ],
    ['get_messages', () => ({ data: { messages: ports.messages() } })],
    ['get_available_models', () => ({ data: { models } })],
    [
      'set_model',
      ({ provider, modelId }) => {
        const found = models.findIndex((one) => one.provider === provider && one.id === modelId);
        if (found < 0) return { error: `Model not found: ${String(provider)}/${String(modelId)}` };
        current = found;
        return { data: now() };
      },
    ],
    [
      'cycle_model',
      () => {
        current = (current + 1) % models.length;
        return { data: { model: now(), thinkingLevel: levels[level], isScoped: false } };
      },
    ],
    [
      'set_thinking_level',
      (line) => {
        level = Math.max(0, levels.indexOf(String(line.level)));
        return {};
      },
    ],
    [
      'cycle_thinking_level',
      () => {
        level = (level + 1) % levels.length;
        return { data: { level: levels[level] } };
      },
    ],
    [
      'set_steering_mode',
      ({ mode }) => {
        if (!modes.has(mode)) return { error: `Invalid mode: ${String(mode)}` };
        steeringMode = mode;
        return {};
      },
    ],
    [
      'set_follow_up_mode',
      ({ mode }) => {
        if (!modes.has(mode)) return { error: `Invalid mode: ${String(mode)}` };
        followUpMode = mode;
        return {};
      },
    ],
    [
      'set_auto_compaction',
      ({ enabled }) => {
        autoCompactionEnabled = enabled;
        return {};
      },
    ],
    // A command of newer versions that some clients send before anything else.
    ['get_available_thinking_levels', () => ({ data: { levels } })],
    ['set_auto_retry', () => ({})],
    ['abort_retry', () => ({})],
    ['abort_bash', () => ({})],
    [
      'bash',
      // The fields of the document and those of the wire (docs/protocols/pi.md 5.1).
      ({ command }) => {
        const output = `${String(command)}\n`;
        const shell = { stdout: output, stderr: '', signal: null };
        return { data: { output, ...shell, exitCode: 0, cancelled: false, truncated: false } };
      },
    ],
    [
      'get_session_stats',
      () => {
        const tools = ofRole('toolResult').length;
        const counts = { userMessages: ofRole('user').length, assistantMessages: ofRole('assistant').length };
        const tokens = { input: 100, output: 12, cacheRead: 0, cacheWrite: 0, total: 112 };
        const totalMessages = ports.messages().length;
        return { data: { sessionId, ...counts, toolCalls: tools, toolResults: tools, totalMessages, tokens, cost: 0 } };
      },
    ],
    ['export_html', ({ outputPath }) => ({ data: { path: outputPath ?? '/tmp/session.html' } })],
    ['new_session', fresh],
    ['switch_session', fresh],
    [
      'fork',
      ({ entryId }) => {
        const entry = entries().find((one) => one.entryId === entryId);
        if (entry === undefined) return { error: 'Invalid entry ID for forking' };
        ports.forget();
        return { data: { text: entry.text, cancelled: false } };
      },
    ],
    ['get_fork_messages', () => ({ data: { messages: entries() } })],
    [
      'get_last_assistant_text',
      () => {
        const last = ofRole('assistant').at(-1);
        return { data: last === undefined ? {} : { text: textOf(last) } };
      },
    ],
    [
      'set_session_name',
      (line) => {
        const wanted = String(line.name).trim();
        if (wanted === '') return { error: 'Session name cannot be empty' };
        name = wanted;
        return {};
      },
    ],
    ['get_commands', () => ({ data: { commands: [] } })],
  ]);

  return { answer: (line) => answers.get(line.type)?.(line) ?? null };
}
