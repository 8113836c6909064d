// The mutation score of a set: which changes of a good conversation its rules notice.
import type { Rule, Trace } from '../../../src/conformance/check/rule.ts';
import { agentSetOf } from '../../../src/conformance/index.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { conversationsOf } from './conversations.ts';
import { mutantsOf, type Places, type Row } from './mutators.ts';
import { reasonFor } from './reasons.ts';

/** Names of the kinds of frames, from the fields that tell them apart. */
function kindIn(...values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string').join(':');
}
function kindOf(frame: unknown): string {
  const { type, subtype, method, params, message, ...more } = dictionaryOf(frame);
  if (type === 'stream') return kindOf(more.data);
  const event = dictionaryOf(more.event);
  const update = dictionaryOf(more.assistantMessageEvent ?? event.assistantMessageEvent);
  const { type: content, state } = dictionaryOf(dictionaryOf(params).content);
  const { role, content: blocks } = dictionaryOf(message ?? event.message);
  const block = Array.isArray(blocks) ? dictionaryOf(blocks[0]).type : undefined;
  const part = dictionaryOf(event.delta).type ?? dictionaryOf(event.content_block).type;
  const isSaid = type === 'assistant' || type === 'user';
  return kindIn(method, content, state, type, subtype, event.type, update.type, part, isSaid ? block : role);
}

/** The arguments of calls, what extensions add, and snapshots, which repeat what the deltas said. */
export const places: Places = {
  kindOf,
  free: /(?:^|\.)(?:args|arguments|input|tool_input|details|extra|partial|modelUsage|permission_suggestions)$|^assistantMessageEvent\.partial|^message_update/u,
};

/** The score of one set. */
export interface Score {
  readonly protocol: string;
  readonly tried: number;
  readonly caught: number;
  /** Mutants that break no sentence, by the reason. */
  readonly legal: ReadonlyMap<string, readonly string[]>;
  readonly missed: readonly string[];
}

/** Tries every mutant of the scenarios of a protocol. */
export function scoreOf(protocol: string): Score {
  const set = agentSetOf(protocol);
  if (set === undefined) throw new Error(`there are no checks of ${protocol}`);
  const known = new Set<string>();
  const legal = new Map<string, string[]>();
  const missed: string[] = [];
  let caught = 0;
  let tried = 0;
  for (const rows of conversationsOf(protocol)) {
    const usual = new Set(faultsIn(set.rules, rows));
    for (const { name, rows: mutant } of mutantsOf(rows, places, known)) {
      tried += 1;
      if (hasOther(faultsIn(set.rules, mutant), usual)) {
        caught += 1;
        continue;
      }
      const reason = reasonFor(protocol, name);
      if (reason === null) missed.push(name);
      else legal.set(reason, [...(legal.get(reason) ?? []), name]);
    }
  }
  return { protocol, tried, caught, legal, missed };
}

function hasOther(faults: Iterable<string>, usual: ReadonlySet<string>): boolean {
  for (const fault of faults) if (!usual.has(fault)) return true;
  return false;
}

/** What the rules find wrong. The conversation is over. */
function* faultsIn(rules: readonly Rule<Trace>[], rows: readonly Row[]): Generator<string> {
  const trace: Trace = {
    frames: rows.map(({ by, json }) => ({ at: 0, by, json, text: JSON.stringify(json) })),
    isComplete: true,
  };
  for (const { id, judge } of rules) for (const { wrong } of judge(trace)) if (wrong !== null) yield `${id}: ${wrong}`;
}
