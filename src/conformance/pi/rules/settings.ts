// Rules on settings: the next get_state reports what a command has set (docs/protocols/pi.md 4.10, 4.11, 10.4, 13.3).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Command, Line } from '../view/lines.ts';
import { type AnsweredCommand, answerOf, consecutive, dataOf, type PiRows, succeeded } from '../view/view.ts';

const nameOf = (command: string): string => command.replaceAll('_', '-');
/** One row for each item. */
const rowsOf = <Item>(items: readonly Item[], row: (item: Item) => readonly [string, PiRows[string]]): PiRows =>
  Object.fromEntries(items.map(row));

/** The expected value in a get_state right after a successful command; undefined where nothing is expected. */
interface Setting {
  readonly command: string;
  readonly field: string;
  readonly sentence: string;
  read?(state: Dictionary): unknown;
  expected(done: AnsweredCommand): unknown;
}

const asked = (name: string) => (done: AnsweredCommand) => done.command.json?.[name];

const settings: readonly Setting[] = [
  {
    command: 'set_model',
    field: 'model',
    sentence: 'The model that was set is the model of the session.',
    read: ({ model }) => dictionaryOf(model).id,
    expected: asked('modelId'),
  },
  {
    command: 'cycle_model',
    field: 'model',
    sentence: 'The model that cycle_model tells is the model of the session.',
    read: ({ model }) => dictionaryOf(model).id,
    expected: ({ answer }) => dictionaryOf(dataOf(answer).model).id,
  },
  {
    command: 'cycle_thinking_level',
    field: 'thinkingLevel',
    sentence: 'The level that cycle_thinking_level tells is the level of the session.',
    expected: ({ answer }) => dataOf(answer).level,
  },
  {
    command: 'set_steering_mode',
    field: 'steeringMode',
    sentence: 'The steering mode that was set is that of the session.',
    expected: asked('mode'),
  },
  {
    command: 'set_follow_up_mode',
    field: 'followUpMode',
    sentence: 'The follow-up mode that was set is that of the session.',
    expected: asked('mode'),
  },
  {
    command: 'set_auto_compaction',
    field: 'autoCompactionEnabled',
    sentence: 'Auto-compaction is on or off as it was set.',
    expected: asked('enabled'),
  },
  {
    command: 'set_session_name',
    field: 'sessionName',
    sentence: 'The name that was set is that of the session.',
    // Some versions trim the name and some keep it; another rule covers names of blanks.
    read: ({ sessionName }) => (typeof sessionName === 'string' ? sessionName.trim() : sessionName),
    expected: ({ command: { json } }) => (typeof json?.name === 'string' && json.name.trim()) || undefined,
  },
];

/** Rules on a get_state right after a command. */
export const settingRows: PiRows = {
  ...rowsOf(settings, ({ command, field, sentence, read = (state: Dictionary) => state[field], expected }) => [
    `${nameOf(command)}-told`,
    {
      reads: 'both',
      section: command,
      sentence,
      covers: [`command:${command}`, 'command:get_state'],
      scenarios: ['state'],
      *judge(view) {
        for (const { before, after } of consecutive(view, command, 'get_state')) {
          const wanted = expected(before);
          if (wanted === undefined) continue;
          const reported = read(dataOf(after.answer));
          const wrong =
            reported === wanted ? null : `${field} is ${JSON.stringify(reported)}, not ${JSON.stringify(wanted)}`;
          yield { frame: after.answer.frame, wrong };
        }
      },
    },
  ]),
  'thinking-level-set': {
    level: 'SHOULD',
    reads: 'both',
    section: 'set_thinking_level',
    sentence:
      'The thinking level that was set is that of the session, where its model thinks; `xhigh` is for some models only.',
    covers: ['command:set_thinking_level', 'command:get_state'],
    scenarios: ['state'],
    *judge(view) {
      for (const { before, after } of consecutive(view, 'set_thinking_level', 'get_state')) {
        const level = before.command.json?.level;
        const { model, thinkingLevel } = dataOf(after.answer);
        if (dictionaryOf(model).reasoning !== true || typeof level !== 'string' || !sureLevels.has(level)) continue;
        const wrong = thinkingLevel === level ? null : `thinkingLevel is ${String(thinkingLevel)}, not ${level}`;
        yield { frame: after.answer.frame, wrong };
      }
    },
  },
  'unknown-model': {
    isMeasured: true,
    reads: 'both',
    section: 'set_model',
    sentence: 'A model that is not among the available ones cannot be set.',
    covers: ['command:set_model', 'command:get_available_models'],
    scenarios: ['state'],
    *judge({ commands: all }) {
      let known: readonly Dictionary[] | null = null;
      for (const one of all) {
        const answer = answerOf(one);
        if (one.type === 'get_available_models' && answer?.isSuccess === true) {
          const { models } = dataOf(answer);
          known = Array.isArray(models) ? models.filter(isDictionary) : null;
        }
        const { provider, modelId } = one.json ?? {};
        if (one.type !== 'set_model' || answer === undefined || known === null) continue;
        if (known.some((model) => model.id === modelId && model.provider === provider)) continue;
        yield { frame: answer.frame, wrong: answer.isSuccess ? `${String(modelId)} was set` : null };
      }
    },
  },
  'empty-name': {
    isMeasured: true,
    reads: 'both',
    section: 'set_session_name',
    sentence: 'A session cannot have a name of blanks.',
    covers: ['command:set_session_name'],
    scenarios: ['state'],
    *judge({ commands: all }) {
      for (const one of all) {
        const answer = answerOf(one);
        const name = one.json?.name;
        if (one.type !== 'set_session_name' || answer === undefined || typeof name !== 'string' || name.trim() !== '')
          continue;
        yield { frame: answer.frame, wrong: answer.isSuccess ? 'it was set' : null };
      }
    },
  },
};

/** Levels that every thinking model has. */
const sureLevels: ReadonlySet<string> = new Set(['low', 'medium', 'high']);

/** Switches that are off, and the events that must then not come. */
const switches = [
  {
    command: 'set_auto_retry',
    name: 'auto-retry-off',
    sentence: 'While auto-retry is off nothing is tried again.',
    scenario: 'retry off',
    isForbidden: ({ type }: Line) => type === 'auto_retry_start',
  },
  {
    command: 'set_auto_compaction',
    name: 'auto-compaction-off',
    sentence: 'While auto-compaction is off only a client compacts.',
    scenario: 'compaction off',
    isForbidden: ({ type, json }: Line) =>
      (type === 'auto_compaction_start' || type === 'compaction_start') && json.reason !== 'manual',
  },
] as const;

/** Rules on switches and on aborted shell commands. */
export const switchRows: PiRows = {
  ...rowsOf(switches, ({ command, name, sentence, scenario, isForbidden }) => [
    name,
    {
      reads: 'both',
      section: command,
      sentence,
      covers: [`command:${command}`],
      scenarios: [scenario],
      *judge(view) {
        const changes = view.commands.filter(({ type }) => type === command);
        for (const line of view.lines) {
          if (line.type !== 'agent_end' && !isForbidden(line)) continue;
          const last = changes.findLast(({ frame }) => frame < line.frame);
          const answer = last === undefined ? undefined : answerOf(last);
          if (last?.json?.enabled !== false || answer?.isSuccess !== true || answer.frame > line.frame) continue;
          yield { frame: line.frame, wrong: line.type === 'agent_end' ? null : `${line.type}, and it is off` };
        }
      },
    },
  ]),
  ...rowsOf(['set_auto_retry', 'abort_retry', 'abort_bash'], (command) => [
    `${nameOf(command)}-succeeds`,
    {
      reads: 'both',
      section: command,
      sentence: `${command} succeeds.`,
      covers: [`command:${command}`],
      scenarios: ['state'],
      *judge({ commands: all }) {
        for (const one of all) {
          const answer = answerOf(one);
          if (one.type !== command || answer === undefined) continue;
          yield { frame: answer.frame, wrong: answer.isSuccess ? null : `it fails: ${String(answer.json.error)}` };
        }
      },
    },
  ]),
  'abort-bash-cancels': {
    reads: 'both',
    section: 'abort_bash',
    sentence: 'A shell command that goes on is answered as cancelled when it is aborted.',
    covers: ['command:abort_bash', 'command:bash'],
    scenarios: ['shell'],
    *judge(view) {
      for (const { command: one, answer } of succeeded(view, 'bash')) {
        const isAborted = ({ type, frame }: Command) =>
          type === 'abort_bash' && frame > one.frame && frame < answer.frame;
        if (!view.commands.some(isAborted)) continue;
        const isCancelled = dataOf(answer).cancelled === true;
        // The command may have ended by itself at the same moment; only in our own scenarios it cannot.
        if (isCancelled || view.isComplete)
          yield { frame: answer.frame, wrong: isCancelled ? null : 'it was not cancelled' };
      }
    },
  },
};
