// Reads ECA values: results, file changes, figures, tool servers, and extra fields. The other direction is in
// encode-values.ts and encode-call.ts.

import { z } from 'zod';
import {
  type Content,
  type Cost,
  type Dictionary,
  type Extra,
  FileChange,
  type Usage,
} from '../../../../core/model/content.ts';
import { dictionaryOf, extraFor, isDictionary, without } from '../../../../core/model/dictionary.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import type { Tool, ToolServer } from '../../../../core/model/session-info.ts';
import type { CallContent, ContentOf, ServerUpdated } from '../../wire/server.ts';

/** Fields that only ECA clients understand, to be spread into an event (README, "What rides in `extra`"). */
export function ecaExtra(fields: Dictionary): { extra?: Extra } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return extraFor('eca', Object.fromEntries(present));
}

type Shown = Partial<Pick<EventOf<'tool-start'>, 'title' | 'origin' | 'server' | 'change'>>;

/** The visible parts of a call. */
export function shownOf({ summary, origin, server, details }: CallContent): Shown {
  const change = changeIn(details);
  return {
    ...(typeof summary === 'string' && summary !== '' ? { title: summary } : {}),
    ...(origin === 'native' || origin === 'mcp' ? { origin } : {}),
    ...(typeof server === 'string' ? { server } : {}),
    ...(change === undefined ? {} : { change }),
  };
}

/** Fields of call contents that have their own place in canonical events. */
const callFields = [
  'type',
  'id',
  'name',
  'arguments',
  'manualApproval',
  'summary',
  'server',
  'error',
  'outputs',
  'totalTimeMs',
] as const;

/** The other fields of a call. */
export function restOfCall(content: CallContent): Dictionary {
  const rest = without(content, ...callFields);
  const { origin, details } = content;
  const hasHome = [
    ...(origin === 'native' || origin === 'mcp' ? ['origin'] : []),
    ...(changeIn(details) === undefined ? [] : ['details']),
  ];
  return without(rest, ...hasHome);
}

/** The details hold a diff and no texts (docs/protocols/eca.md 8.5). */
const OwnChange = FileChange.omit({ before: true, after: true });

function changeIn(details: unknown): FileChange | undefined {
  if (!isDictionary(details) || details.type !== 'fileChange') return undefined;
  return OwnChange.safeParse(details).data;
}

/** Since 0.101: the chat in which the sub-agent of that call writes. */
export function subAgentChatIn(details: unknown): string | undefined {
  const { type, subagentChatId: chat } = dictionaryOf(details);
  return type === 'subagent' && typeof chat === 'string' && chat !== '' ? chat : undefined;
}

const Output = z.looseObject({ type: z.string().nullish(), text: z.string().nullish(), content: z.string().nullish() });

/** The results of a call. The document names the text `content`, servers name it `text` (docs/protocols/eca.md 1.2). */
export function contentOfOutputs(outputs: unknown): Content[] {
  if (outputs === undefined || outputs === null) return [];
  return (Array.isArray(outputs) ? outputs : [outputs]).map((one): Content => {
    if (typeof one === 'string') return { type: 'text', text: one };
    const { type, text, content } = Output.safeParse(one).data ?? {};
    const words = text ?? content;
    if (typeof words === 'string' && (type ?? 'text') === 'text') return { type: 'text', text: words };
    return { type: 'opaque', name: type ?? 'output', protocol: 'eca', payload: one };
  });
}

/** The arguments of a call. A value that is no object counts as none. */
export function inputOf(value: unknown): Dictionary {
  return dictionaryOf(value);
}

function costOf(value: string | number | null | undefined): Cost | undefined {
  const total = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof total === 'number' && Number.isFinite(total) ? { total } : undefined;
}

/**
 * The figures of both eras. `sessionTokens` is the sum over all answers as long as the server also reports the tokens
 * of each message. Later it is the size of the context (docs/protocols/eca.md 3.5).
 */
export function usageOf(content: ContentOf<'usage'>): EventOf<'usage-changed'> {
  const { messageInputTokens: input, messageOutputTokens: output, sessionTokens, limit } = content;
  const isOfMessage = typeof input === 'number' || typeof output === 'number';
  const usage: Usage | undefined = isOfMessage
    ? { input: input ?? 0, output: output ?? 0, cacheRead: 0, cacheWrite: 0 }
    : undefined;
  const figures = {
    usage,
    cost: costOf(content.lastMessageCost ?? content.messageCost),
    sessionTokens: sessionTokens ?? undefined,
    sessionCost: costOf(content.sessionCost),
    contextTokens: isOfMessage ? undefined : (sessionTokens ?? undefined),
    contextWindow: limit?.context ?? undefined,
  };
  const known = Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
  return { type: 'usage-changed', ...known, ...ecaExtra(without(content, ...usageFields)) };
}

const usageFields = [
  'type',
  'messageInputTokens',
  'messageOutputTokens',
  'sessionTokens',
  'messageCost',
  'lastMessageCost',
  'sessionCost',
] as const;

const statuses: ReadonlyMap<unknown, ToolServer['status']> = new Map<unknown, ToolServer['status']>([
  ['running', 'running'],
  ['starting', 'starting'],
  ['stopped', 'stopped'],
  ['failed', 'failed'],
  ['disabled', 'disabled'],
  ['requires-auth', 'needs-auth'],
]);

/** A tool server. */
export function serverOf({ type, name, status, command, args, tools }: ServerUpdated): ToolServer {
  const program = typeof command === 'string' && command !== '' ? [command, ...(args ?? [])] : undefined;
  return {
    name,
    kind: type === 'native' ? 'native' : 'mcp',
    status: statuses.get(status) ?? 'stopped',
    ...(program === undefined ? {} : { command: program }),
    ...(tools === undefined || tools === null ? {} : { tools: tools.map(toolOf) }),
  };
}

function toolOf({ name, description, parameters, disabled }: NonNullable<ServerUpdated['tools']>[number]): Tool {
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(parameters === undefined || parameters === null ? {} : { parameters }),
    ...(typeof disabled === 'boolean' ? { disabled } : {}),
  };
}

/** The other fields of a tool server. */
export function restOfServer(update: ServerUpdated): Dictionary {
  return without(update, 'type', 'name', 'status', 'command', 'args', 'tools');
}
