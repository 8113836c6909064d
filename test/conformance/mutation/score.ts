// The mutation score of a set: which changes of a good conversation its rules notice.
import type { Rule, Trace } from '../../../src/conformance/check/rule.ts';
import { agentSetOf, clientSetOf } from '../../../src/conformance/index.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { conversationsOf } from './conversations.ts';
import { mutantsOf, type Places, type Row, type Side } from './mutators.ts';
import { reasonFor } from './reasons.ts';

/** Names of the kinds of frames, from the fields that tell them apart. */
function kindIn(...values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string' && value !== '').join(':');
}
function kindOf(frame: unknown): string {
  const { type, subtype, method, params, message, ...more } = dictionaryOf(frame);
  if (type === 'stream') return kindOf(more.data);
  const event = dictionaryOf(more.event);
  const update = dictionaryOf(more.assistantMessageEvent ?? event.assistantMessageEvent);
  const { content, update: news } = dictionaryOf(params);
  const { type: part, state } = dictionaryOf(content);
  const { role, content: blocks } = dictionaryOf(message ?? event.message);
  const block = Array.isArray(blocks) ? dictionaryOf(blocks[0]).type : undefined;
  const piece = dictionaryOf(event.delta).type ?? dictionaryOf(event.content_block).type;
  const isSaid = type === 'assistant' || type === 'user';
  const asked = kindIn(dictionaryOf(more.request).subtype, dictionaryOf(news).sessionUpdate);
  return kindIn(method, part, state, type, subtype, event.type, update.type, piece, isSaid ? block : role, asked);
}

/** The id by which a request and its answer know each other. */
function idOf(frame: unknown): string {
  const { id, request_id, response } = dictionaryOf(frame);
  return JSON.stringify(id ?? request_id ?? dictionaryOf(response).request_id ?? null);
}

/** The kind of each frame; that of an answer names the request. */
function kindsOf(rows: readonly Row[]): readonly string[] {
  const asked = new Map<string, string>();
  return rows.map(({ by, json }) => {
    const [kind, id] = [kindOf(json), idOf(json)];
    const other = by === 'agent' ? 'client' : 'agent';
    const request = /^$|response$/u.test(kind) ? asked.get(`${other} ${id}`) : undefined;
    if (request !== undefined) return `${kind}>${request}`;
    asked.set(`${by} ${id}`, kind);
    return kind;
  });
}

/** The arguments of calls, what extensions add, and snapshots, which repeat what the deltas said. */
export const places: Places = {
  kindsOf,
  free: /(?:^|\.)(?:args|arguments|input|tool_input|rawInput|rawOutput|details|extra|partial|modelUsage|permission_suggestions)$|^assistantMessageEvent\.partial|^message_update/u,
};

/** The score of one set. */
export interface Score {
  readonly protocol: string;
  readonly side: Side;
  readonly tried: number;
  readonly caught: number;
  /** Those that break a sentence. */
  readonly normative: number;
  /** Mutants that break no sentence, by the reason. */
  readonly legal: ReadonlyMap<string, readonly string[]>;
  readonly missed: readonly string[];
}

/** Tries every mutant of what this side sends in its conversations. */
export async function scoreOf(protocol: string, side: Side): Promise<Score> {
  const set = side === 'agent' ? agentSetOf(protocol) : clientSetOf(protocol);
  if (set === undefined) throw new Error(`there are no checks of ${protocol} ${side}s`);
  const known = new Set<string>();
  const legal = new Map<string, string[]>();
  const missed: string[] = [];
  let caught = 0;
  let tried = 0;
  for (const rows of await conversationsOf(protocol, side)) {
    const usual = new Set(faultsIn(set.rules, rows));
    for (const { name, rows: mutant } of mutantsOf(rows, side, places, known)) {
      tried += 1;
      if (hasOther(faultsIn(set.rules, mutant), usual)) {
        caught += 1;
        continue;
      }
      const reason = reasonFor(protocol, side, name);
      if (reason === null) missed.push(name);
      else legal.set(reason, [...(legal.get(reason) ?? []), name]);
    }
  }
  return { protocol, side, tried, caught, normative: caught + missed.length, legal, missed };
}

function hasOther(faults: Iterable<string>, usual: ReadonlySet<string>): boolean {
  for (const fault of faults) if (!usual.has(fault)) return true;
  return false;
}

/** What the rules find wrong. The conversation is over. */
export function* faultsIn(rules: readonly Rule<Trace>[], rows: readonly Row[]): Generator<string> {
  const trace: Trace = {
    frames: rows.map(({ by, json }) => ({ at: 0, by, json, text: JSON.stringify(json) })),
    isComplete: true,
  };
  for (const { id, judge } of rules) for (const { wrong } of judge(trace)) if (wrong !== null) yield `${id}: ${wrong}`;
}
