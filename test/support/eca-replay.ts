// A recorded ECA client speaks again, to our gateway: its own messages with its own ids, each as soon as what it waited for
// in the recording has happened here. Knows no agent.

import { within } from '../../src/conformance/bounded-wait.ts';
import type { Channel } from '../../src/core/contract/channel.ts';
import type { ArgumentsReader } from '../oracles/own/eca.ts';
import type { EcaRow } from './eca-traces.ts';
import type { Said } from './judged-eca.ts';

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isJson(inner) ? inner[key] : undefined), value);

const contentOf = (message: unknown): Json | undefined => {
  const content = at(message, 'params', 'content');
  return isJson(content) ? content : undefined;
};
const isAnswer = (message: unknown): message is Json & { id: unknown } =>
  isJson(message) && message.method === undefined && message.id !== undefined && message.id !== null;

/** How far a server has come, as a client can tell. */
interface Progress {
  readonly answered: ReadonlySet<unknown>;
  /** Runs that were begun by a prompt and are finished; that servers finish a run twice does not count. */
  readonly finished: number;
  /** Ids of calls that asked for leave, in their order. */
  readonly asked: readonly unknown[];
  /** Whether a call waits for leave that this client has not given or refused. */
  readonly isAsking: boolean;
  /** Whether a run is going on. */
  readonly isRunning: boolean;
  /** Whether the model has said something since the last prompt of the client. */
  readonly hasBegun: boolean;
}

function progressOf(talk: readonly Said[]): Progress {
  const answered = new Set<unknown>();
  const open = new Set<unknown>();
  const asked: unknown[] = [];
  const unanswered = new Set<unknown>();
  let finished = 0;
  let hasBegun = false;
  for (const { by, message } of talk) {
    if (by === 'client') {
      if (at(message, 'method') === 'chat/prompt') hasBegun = false;
      if (/^chat\/toolCall/u.test(String(at(message, 'method'))))
        unanswered.delete(at(message, 'params', 'toolCallId'));
      continue;
    }
    if (isAnswer(message)) answered.add(message.id);
    const content = contentOf(message);
    const chat = at(message, 'params', 'chatId');
    const role = at(message, 'params', 'role');
    if (role === 'user') open.add(chat);
    if (role === 'assistant') hasBegun = true;
    if (content?.type === 'progress' && content.state === 'finished' && open.delete(chat)) finished += 1;
    if (content?.type === 'toolCallRun' && content.manualApproval === true && !asked.includes(content.id)) {
      asked.push(content.id);
      unanswered.add(content.id);
    }
    if (content?.type === 'toolCalled' || content?.type === 'toolCallRejected') unanswered.delete(content.id);
  }
  return { answered, finished, asked, isAsking: unanswered.size > 0, isRunning: open.size > 0, hasBegun };
}

/** Whether what the client waited for has happened here as well. */
function isDue(message: unknown, there: Progress, here: Progress): boolean {
  const isAnswered = [...there.answered].every((id) => here.answered.has(id));
  switch (at(message, 'method')) {
    case 'chat/toolCallApprove':
    case 'chat/toolCallReject': {
      const index = there.asked.indexOf(at(message, 'params', 'toolCallId'));
      return isAnswered && here.asked.length > index;
    }
    case 'chat/promptStop':
      if (!there.isRunning) return isAnswered && here.finished >= there.finished;
      return isAnswered && (here.hasBegun || !there.hasBegun) && here.asked.length >= there.asked.length;
    default:
      // A prompt supersedes a run there, and with it a question that nobody has answered; here it waits (docs/protocols/eca.md 4.10).
      return isAnswered && (here.finished >= there.finished || here.isAsking);
  }
}

/**
 * How such a client reads the arguments of calls, as far as a server can tell: newer ones are known by what they declare, or
 * by a first prompt that names its chat and its agent (docs/protocols/eca.md 1.6).
 */
export function readersOf(talk: readonly Said[]): readonly ArgumentsReader[] {
  const own = talk.flatMap(({ by, message }) => (by === 'client' ? [message] : []));
  const greeting = own.find((message) => at(message, 'method') === 'initialize');
  const assistant = at(greeting, 'params', 'capabilities', 'codeAssistant');
  const options = at(greeting, 'params', 'initializationOptions');
  const declares = ['chatCapabilities', 'editor'].some((key) => isJson(at(assistant, key)));
  const names = own.some(
    (message) =>
      at(message, 'method') === 'chat/prompt' &&
      typeof at(message, 'params', 'chatId') === 'string' &&
      typeof at(message, 'params', 'agent') === 'string',
  );
  const isModern = declares || names || (isJson(options) && 'chatAgent' in options);
  return isModern ? ['appends'] : ['replaces', 'appends'];
}

/** Speaks all that the client said in the recording; resolves with the whole talk when all of it is answered. */
export async function speakAgain(rows: readonly EcaRow[], channel: Channel): Promise<readonly Said[]> {
  const theirs: Said[] = [];
  const ours: Said[] = [];
  const watchers = new Set<() => void>();
  let ending: string | null = null;
  const wake = () => {
    for (const watcher of [...watchers]) watcher();
  };
  channel.open({
    frame(frame) {
      ours.push({ by: 'server', message: frame.json });
      wake();
    },
    fault: ({ message }) => {
      ending ??= message;
      wake();
    },
    end: ({ reason }) => {
      ending ??= reason;
      wake();
    },
  });
  const until = (label: string, isThere: () => boolean): Promise<true> =>
    within(
      label,
      watchers,
      () => {
        if (isThere()) return true;
        if (ending !== null) throw new Error(`the connection ended (${ending}) before ${label}`);
        return undefined;
      },
      () =>
        `: ${ours
          .slice(-12)
          .map(({ by, message }) => `\n${by} ${JSON.stringify(message)}`)
          .join('')}`,
    );

  /** Their names of chats and calls -> ours: what the two servers have said in the same place. */
  function named(message: unknown): unknown {
    const calls = progressOf(theirs).asked.map((id, index) => [id, progressOf(ours).asked[index]] as const);
    const answerOf = (talk: readonly Said[], id: unknown) =>
      talk.find(({ by, message: said }) => by === 'server' && isAnswer(said) && said.id === id)?.message;
    const chats = theirs.flatMap(({ by, message: said }) => {
      if (by !== 'server' || !isAnswer(said) || at(said, 'result', 'chatId') === undefined) return [];
      return [[at(said, 'result', 'chatId'), at(answerOf(ours, said.id), 'result', 'chatId')] as const];
    });
    const names = new Map<unknown, unknown>([...calls, ...chats].filter(([, own]) => own !== undefined));
    return JSON.parse(JSON.stringify(message), (_, value: unknown) => names.get(value) ?? value);
  }

  for (const { dir, msg } of rows) {
    if (dir === 'out') theirs.push({ by: 'server', message: msg });
    // Raw bytes were sent to try a framing: another test has them.
    if (dir !== 'in') continue;
    await until(`the turn of ${JSON.stringify(msg)}`, () => isDue(msg, progressOf(theirs), progressOf(ours)));
    theirs.push({ by: 'client', message: msg });
    const message = named(msg);
    ours.push({ by: 'client', message });
    channel.send(JSON.stringify(message));
  }
  const requests = ours.flatMap(({ by, message }) =>
    by === 'client' && at(message, 'method') !== undefined ? [at(message, 'id')] : [],
  );
  const owed = requests.filter((id) => id !== undefined);
  if (ending === null) await until('all answers', () => owed.every((id) => progressOf(ours).answered.has(id)));
  return ours;
}
