// Answers queries from the transcript if the agent cannot answer.

import { figuresOf, messagesOf, textIn, userMessages } from '../../log/messages.ts';
import type { CommandOf, QuerySubject } from '../../model/command.ts';
import type { Model } from '../../model/content.ts';
import type { Outcome } from '../../model/errors.ts';
import { QueryData } from '../../model/outcome-data.ts';
import type { Tool } from '../../model/session-info.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { ContextFigures } from './context-usage.ts';

/** Facts of the session that the transcript does not contain. */
export interface SessionFacts {
  readonly running: boolean;
  /** Prompts in the session's own queue. */
  readonly waiting: number;
  readonly context: ContextFigures;
  /** See SessionView. */
  readonly timeOrigin: number;
}

/** The answer from the transcript; null if the transcript does not have one. */
export function answerFrom(transcript: Transcript, command: CommandOf<'query'>, facts: SessionFacts): Outcome | null {
  const data = dataFor(transcript, command.subject, facts);
  return data === null ? null : { ok: true, data };
}

/**
 * Completes an agent's answer to the query `state` with missing fields. Adds prompts that wait in the session's own
 * queue, which the agent does not know. Any other data is returned unchanged.
 */
export function completeState(transcript: Transcript, data: unknown, facts: SessionFacts): unknown {
  const read = QueryData.state.safeParse(data);
  if (!read.success) return data;
  const query = read.data;
  // Counting the messages means building them all, so count only if the agent has not.
  const own = stateOf(transcript, facts, query.messageCount);
  const changes = Object.entries(query.changes).filter(([, value]) => value !== undefined);
  return {
    ...query,
    changes: { ...own.changes, ...Object.fromEntries(changes) },
    compacting: query.compacting ?? own.compacting,
    pendingMessages: query.pendingMessages === undefined ? own.pendingMessages : query.pendingMessages + facts.waiting,
    messageCount: own.messageCount,
  };
}

function dataFor(transcript: Transcript, subject: QuerySubject, facts: SessionFacts): object | null {
  const { info } = transcript;
  switch (subject) {
    case 'messages':
    case 'history':
      return { messages: messagesOf(transcript, facts.timeOrigin) };
    case 'last-text':
      return { text: lastAnswer(transcript) };
    case 'statistics': {
      const { tokens: contextTokens, window } = contextOf(transcript, facts);
      return { ...figuresOf(messagesOf(transcript)), contextTokens, contextWindow: window ?? undefined };
    }
    case 'state':
      return stateOf(transcript, facts);
    case 'models': {
      const models = info.models ?? modelsSeen(transcript);
      return models.length === 0 ? null : { models };
    }
    case 'commands':
      // An agent that does not report commands has none that a client could use.
      return { commands: info.commands ?? [] };
    case 'skills':
      return { skills: (info.commands ?? []).filter(({ kind }) => kind === 'skill') };
    case 'tools':
      return { tools: info.tools ?? toolsSeen(transcript) };
    case 'tool-servers':
      return { servers: [...transcript.servers.values()].map(({ type, synthetic, extra, ...server }) => server) };
    case 'fork-points':
      // The messages at which a client could fork. Whether the agent can fork is its answer to `fork`.
      return {
        points: userMessages(transcript).map(({ entry, logged }) => ({ entry, text: textIn(logged.event.content) })),
      };
    case 'context-usage': {
      const { tokens, window } = contextOf(transcript, facts);
      return tokens === null && window === null ? null : { tokens, window };
    }
    case 'thinking-levels':
    case 'session-files':
    case 'contexts':
    case 'metrics':
    case 'health':
      return null;
    default:
      return subject satisfies never;
  }
}

function contextOf({ info }: Transcript, { context: { tokens, window } }: SessionFacts): ContextFigures {
  return { tokens, window: window ?? info.model?.contextWindow ?? null };
}

function stateOf(transcript: Transcript, { running, waiting }: SessionFacts, messageCount?: number) {
  const { steering, followUp } = transcript.queue;
  return {
    changes: transcript.info,
    running,
    compacting: transcript.compaction !== null,
    pendingMessages: waiting + steering.length + followUp.length,
    messageCount: messageCount ?? messagesOf(transcript).length,
  };
}

/**
 * The text of the model's last message on the main thread. Skips messages that were cut off before their first word.
 */
function lastAnswer(transcript: Transcript): string | null {
  const last = messagesOf(transcript).findLast(
    ({ role, parent, stop, content }) =>
      role === 'assistant' && parent === undefined && !(stop?.reason === 'aborted' && content.length === 0),
  );
  const text = last === undefined ? '' : textIn(last.content);
  return text === '' ? null : text;
}

/** The tools of the agent's servers, and tools that were called: an agent that reports no tools may still have some. */
function toolsSeen(transcript: Transcript): Tool[] {
  const served = [...transcript.servers.values()].flatMap(({ tools = [] }) => tools);
  const called = messagesOf(transcript).flatMap(({ role, name, content }) => [
    ...content.flatMap((block) => (block.type === 'tool-call' ? [block.name] : [])),
    ...(role === 'tool' && name !== undefined ? [name] : []),
  ]);
  const tools = new Map(called.map((name): [string, Tool] => [name, { name }]));
  for (const tool of served) tools.set(tool.name, tool);
  return [...tools.values()];
}

/** The model in use: as reported by the session, else as in the last message. */
function modelsSeen(transcript: Transcript): Model[] {
  const { model } = transcript.info;
  if (model !== undefined) return [model];
  const last = messagesOf(transcript).findLast(
    (message) => message.parent === undefined && message.model !== undefined,
  );
  return last?.model === undefined ? [] : [{ id: last.model, provider: last.provider }];
}
