// The versions of pi that checks and scenarios describe, by pi's changelog and by runs, and a guess at the version of a pi that fails.
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import type { Conversation } from '../check/check.ts';
import type { ProgramVersions } from '../check/history.ts';

/** Of agents. The set as a whole describes pi since 0.16.0. */
export const programs: ProgramVersions = {
  program: 'pi',
  checks: {
    // Its changelog: responses that fail lose their id until then.
    'pi/failure-id': '0.79.6',
    // Seen at 0.60.0 still, and not at 0.73.1.
    'pi/answered-once': '0.73.1',
    // The check names its sessions, with a command of 0.50.4.
    'pi/separators': '0.50.4',
    // Seen at 0.31.1 still, and not at 0.45.7.
    'pi/prompt-answered-first': '0.45.7',
    'pi/ui-response-silent': '0.45.7',
    // `queueMode` until then.
    'pi/get-state-data': '0.32.0',
    // Seen at 0.27.9 still, and not at 0.31.1.
    'pi/missing-field': '0.31.1',
    'pi/prompt-said': '0.31.1',
    'pi/images-attached': '0.31.1',
    'pi/content-blocks': '0.31.1',
    'pi/compact-data': '0.31.1',
    'pi/compaction-end-fields': '0.31.1',
  },
  scenarios: {
    // A prompt during a run is refused since then, and `queue_message` is steer and follow_up.
    busy: '0.32.0',
    'queues all': '0.32.0',
    'queues one-at-a-time': '0.32.0',
    // Its answers without an id cannot be told apart. Seen at 0.31.1 still.
    odd: '0.45.7',
  },
};

/** What shows that a pi is older than a version, newest first, and the newest version that shows it. */
const signs: readonly { readonly before: string; readonly newest: string; shows(answer: Answer): boolean }[] = [
  { before: '0.50.4', newest: '0.50.3', shows: isUnknown('set_session_name') },
  { before: '0.43.0', newest: '0.42.5', shows: isUnknown('get_fork_messages') },
  {
    before: '0.32.0',
    newest: '0.31.1',
    shows: ({ command, data }) => command === 'get_state' && 'queueMode' in data && !('steeringMode' in data),
  },
];

/** A response of the agent. */
interface Answer {
  readonly command: unknown;
  readonly error: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function isUnknown(name: string): (answer: Answer) => boolean {
  return ({ error }) => error === `Unknown command: ${name}`;
}

/** Says which version or dialect a pi seems to speak, if it is not the newest. */
export function guess(conversations: readonly Conversation[]): string | null {
  const said = conversations.flatMap(({ log }) => log.filter(({ by }) => by === 'peer'));
  if (said.length === 0 && conversations.some(({ log }) => log.length > 0))
    return 'A pi before 0.16.0 leaves all these commands without an answer: try the checks of pi-legacy.';
  const answers = said.flatMap(({ text }) => answerIn(text));
  const sign = signs.findLast(({ shows }) => answers.some(shows));
  if (sign === undefined) return null;
  return `This speaks as pi before ${sign.before}: --as-of ${sign.newest} leaves out what later versions brought.`;
}

function answerIn(text: string): Answer[] {
  if (!text.includes('"response"')) return [];
  try {
    const read: unknown = JSON.parse(text);
    if (!isDictionary(read) || read.type !== 'response') return [];
    return [{ command: read.command, error: String(read.error), data: dictionaryOf(read.data) }];
  } catch {
    return [];
  }
}
