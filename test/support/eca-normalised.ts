// What an ECA client of the gateway is told otherwise than by the server itself, when that is an ECA server: the whole list.
// Each entry changes notifications until both sides agree; one that changes nothing in any recording has no reason to be.
import type { Json } from './eca-agent-replay.ts';

/** Notifications of the server and of the gateway for one recording. */
export interface EcaPair {
  readonly theirs: readonly Json[];
  readonly ours: readonly Json[];
}

/** One difference. */
export interface EcaNormalisation {
  readonly name: string;
  readonly because: string;
  apply(pair: EcaPair): EcaPair;
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const partOf = (value: unknown, key: string): Json => (isJson(value) && isJson(value[key]) ? value[key] : {});
const paramsOf = (message: Json): Json => partOf(message, 'params');
/** The content with its role; empty for other notifications. */
const contentOf = (message: Json): Json => partOf(paramsOf(message), 'content');
const roleOf = (message: Json): unknown => paramsOf(message).role;
const withContent = (message: Json, content: Json): Json => ({ ...message, params: { ...paramsOf(message), content } });
const without = (fields: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

type Changing = (message: Json, at: number, all: readonly Json[]) => Json | null;
const changed = (all: readonly Json[], change: Changing): Json[] =>
  all.map((message, at) => change(message, at, all)).filter((message) => message !== null);
const both = (change: Changing) => (pair: EcaPair) => ({
  theirs: changed(pair.theirs, change),
  ours: changed(pair.ours, change),
});
const onTheirs = (change: Changing) => (pair: EcaPair) => ({ ...pair, theirs: changed(pair.theirs, change) });
const onOurs = (change: (message: Json, theirs: readonly Json[]) => Json | null) => (pair: EcaPair) => ({
  ...pair,
  ours: changed(pair.ours, (message) => change(message, pair.theirs)),
});

const isProgress = (message: Json, state: string) => {
  const { type, state: told } = contentOf(message);
  return type === 'progress' && told === state;
};
const isSystemText = (message: Json) => roleOf(message) === 'system' && contentOf(message).type === 'text';
const isEnd = ({ type }: Json) => type === 'toolCalled' || type === 'toolCallRejected';
const isReason = ({ type }: Json) => typeof type === 'string' && type.startsWith('reason');

/** In this order. */
export const ecaNormalisations: readonly EcaNormalisation[] = [
  {
    name: 'names',
    because: 'chats, thoughts and prompts are named by the gateway; those that only few servers name are not compared',
    apply: both((message) => {
      const content = contentOf(message);
      const names = isReason(content) ? ['id'] : ['contentId'];
      const params = without(paramsOf(message), 'chatId', 'requestId');
      return { method: message.method, params: { ...params, content: without(content, ...names) } };
    }),
  },
  {
    name: 'the start',
    because: 'a client is told of models, tools and tasks when it connects, by its connection',
    apply: both((message) =>
      ['$/progress', 'config/updated', 'tool/serverUpdated'].includes(String(message.method)) ? null : message,
    ),
  },
  {
    name: 'how a chat is',
    because: 'the gateway says itself that a chat is there, runs or is cleared, to clients of servers that do not',
    apply: both((message) =>
      ['chat/opened', 'chat/statusChanged', 'chat/cleared', 'chat/deleted'].includes(String(message.method))
        ? null
        : message,
    ),
  },
  {
    name: 'progress',
    because: 'the gateway says itself how far a run has come, in the words of the newer servers',
    apply: both((message) => (isProgress(message, 'running') ? null : message)),
  },
  {
    name: 'the end, said twice',
    because:
      'a run ends once: a server of the first era may say it again, or end only one of two answers (docs/protocols/eca.md 4.5, 4.6)',
    apply: onTheirs((message, at, all) => {
      if (!isProgress(message, 'finished')) return message;
      const rest = all.slice(at + 1);
      const next = rest.findIndex((later) => roleOf(later) === 'user');
      const run = next < 0 ? rest : rest.slice(0, next);
      return run.some((later) => isProgress(later, 'finished')) ? null : message;
    }),
  },
  {
    name: 'running calls',
    because: 'every client is told that a call runs, also where its server never says so',
    apply: onOurs((message, theirs) => {
      const isRunning = ({ type }: Json) => type === 'toolCallRunning';
      return isRunning(contentOf(message)) && !theirs.some((other) => isRunning(contentOf(other))) ? null : message;
    }),
  },
  {
    name: 'calls of a stopped run',
    because:
      'every call ends, also where its server says nothing of it; one that ran was interrupted, not rejected (docs/protocols/eca.md 4.6)',
    apply(pair) {
      const endOf = (all: readonly Json[], id: unknown) =>
        all.map(contentOf).find((one) => isEnd(one) && one.id === id);
      const isOther: Changing = (message) => {
        const content = contentOf(message);
        if (!isEnd(content)) return message;
        const [theirs, ours] = [endOf(pair.theirs, content.id), endOf(pair.ours, content.id)];
        return theirs?.type === ours?.type ? message : null;
      };
      return both(isOther)(pair);
    },
  },
  {
    name: 'why a call was rejected',
    because: 'the document knows one reason (docs/protocols/eca.md 8.4), the user',
    apply: both((message) => {
      const content = contentOf(message);
      if (content.type !== 'toolCallRejected') return message;
      return withContent(message, without(content, 'reason', 'arguments'));
    }),
  },
  {
    name: 'argument texts',
    because: 'clients of both eras agree on one text after an empty one (docs/protocols/eca.md 3.3)',
    apply: both((message, at, all) => {
      const content = contentOf(message);
      if (content.type !== 'toolCallPrepare') return message;
      const series = all.map(contentOf).filter(({ type, id }) => type === content.type && id === content.id);
      if (
        all.findIndex((other) => contentOf(other).id === content.id && contentOf(other).type === content.type) !== at
      ) {
        return null;
      }
      const texts = series.map(({ argumentsText }) => String(argumentsText ?? ''));
      const [last = ''] = texts.slice(-1);
      const isWhole = texts.every((text) => last.startsWith(text));
      return withContent(message, { ...content, argumentsText: isWhole ? last : texts.join('') });
    }),
  },
  {
    name: 'times',
    because: 'the gateway measures how long a thought takes',
    apply: both((message) => withContent(message, without(contentOf(message), 'totalTimeMs'))),
  },
  {
    name: 'first words as a title',
    because: 'the gateway calls a chat by its first words until it has a name',
    apply: onOurs((message, theirs) => {
      const { type, title } = contentOf(message);
      const isTheirs = theirs.some((other) => contentOf(other).type === 'metadata' && contentOf(other).title === title);
      return type === 'metadata' && !isTheirs ? null : message;
    }),
  },
  {
    name: 'titles, said twice',
    because: 'a title is told when it changes',
    apply: onTheirs((message, at, all) => {
      const { type, title } = contentOf(message);
      if (type !== 'metadata') return message;
      const before = all.slice(0, at).findLast((other) => contentOf(other).type === 'metadata');
      return before !== undefined && contentOf(before).title === title ? null : message;
    }),
  },
  {
    name: 'white space around what the system says',
    because: 'errors and stops are told in the words of the newer servers, after two line ends',
    apply: both((message) => {
      const content = contentOf(message);
      return isSystemText(message)
        ? withContent(message, { ...content, text: String(content.text ?? '').trim() })
        : message;
    }),
  },
  {
    name: 'more fields',
    because: 'clients are told the fields of both eras (docs/protocols/eca.md 3)',
    apply({ theirs, ours }) {
      const seen = new Map<string, number>();
      const place = (message: Json): Json => {
        const strand = ecaStrandOf(message);
        const at = seen.get(strand) ?? 0;
        seen.set(strand, at + 1);
        const other = theirs.filter((one) => ecaStrandOf(one) === strand)[at];
        return other === undefined ? message : (pruned(message, other) as Json);
      };
      return { theirs, ours: ours.map(place) };
    },
  },
];

/** The value with those fields alone that the other one has, too. */
function pruned(value: unknown, like: unknown): unknown {
  if (Array.isArray(value)) return value.map((one, at) => pruned(one, Array.isArray(like) ? like[at] : undefined));
  if (!isJson(value) || !isJson(like)) return value;
  const known = Object.entries(value).filter(([key]) => key in like);
  return Object.fromEntries(known.map(([key, member]) => [key, pruned(member, like[key])]));
}

/** What keeps its order; between these a notification may change its place. */
export function ecaStrandOf(message: Json): string {
  const { type } = contentOf(message);
  if (type === undefined) return String(message.method);
  // After the end, where its server says it late; in the middle of a call, where that streams to clients of its day.
  if (type === 'toolCallRejected' || type === 'usage' || type === 'metadata') return type;
  return 'what is said';
}
