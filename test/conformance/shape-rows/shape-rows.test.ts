// Every row of shapes finds every value that departs from its shape: the broken peers of these rules. Each wrong value is put
// into a good conversation, at a place that the row reads. Other rules that find it too stand in also-found/, by row:
// `UPDATE=1` writes these files; read what it writes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Rule, Trace } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { misfit } from '../../../src/conformance/check/shape.ts';
import { sets } from '../../../src/conformance/index.ts';
import { isDictionary } from '../../../src/core/model/dictionary.ts';
import { isUpdate } from '../../support/fixtures.ts';
import { conversationsOf } from '../mutation/conversations.ts';
import { heldWithFakeAgent } from '../mutation/correct-clients.ts';
import type { Row } from '../mutation/mutators.ts';
import { talks } from './talks.ts';
import { wrongValues } from './wrong-values.ts';

type Part = NonNullable<Rule<Trace>['form']>['parts'][number];
type Path = readonly (string | number)[];
/** A place in a good conversation. */
interface GoodPlace {
  readonly trace: Trace;
  readonly frame: number;
  readonly value: unknown;
  readonly path: Path;
}

const traceOf = (rows: readonly Row[]): Trace => ({
  frames: rows.map(({ by, json }) => ({ at: 0, by, json, text: JSON.stringify(json) })),
  isComplete: true,
});

/** The path of this very object in a message. */
function pathTo(value: unknown, inside: unknown): Path | null {
  if (value === inside) return [];
  if (typeof inside !== 'object' || inside === null) return null;
  for (const [key, one] of Object.entries(inside)) {
    const path = pathTo(value, one);
    if (path !== null) return [Array.isArray(inside) ? Number(key) : key, ...path];
  }
  return null;
}

function edited(value: unknown, [step, ...rest]: Path, instead: unknown): unknown {
  if (step === undefined) return instead;
  if (Array.isArray(value)) return value.map((one, at) => (at === step ? edited(one, rest, instead) : one));
  return isDictionary(value) ? { ...value, [step]: edited(value[step], rest, instead) } : value;
}

const keysIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, one) => sum + 1 + keysIn(one), 0);

/** The place with the most fields. */
function bestPlace({ read, shape }: Part, traces: readonly Trace[]): GoodPlace | undefined {
  const places = traces.flatMap((trace) =>
    [...read(trace)].flatMap(({ frame, value }): GoodPlace[] => {
      const path = pathTo(value, trace.frames[frame]?.json);
      return path === null || misfit(value, shape) !== null ? [] : [{ trace, frame, value, path }];
    }),
  );
  return places.sort((one, other) => keysIn(other.value) - keysIn(one.value))[0];
}

function failing(set: CheckSet, trace: Trace): ReadonlySet<string> {
  const failed = set.rules.filter(({ judge }) => [...judge(trace)].some(({ wrong }) => wrong !== null));
  return new Set(failed.map(({ id }) => id));
}

/** What is not found, and the other rules that find something. */
function tried(set: CheckSet, { id, form }: Rule<Trace>, traces: readonly Trace[]) {
  const missed: string[] = [];
  const others = new Set<string>();
  for (const part of form?.parts ?? []) {
    const place = bestPlace(part, traces);
    if (place === undefined) missed.push(`${part.kind}: no conversation has it`);
    if (place === undefined) continue;
    const { trace, frame, value, path } = place;
    const usual = failing(set, trace);
    for (const wrong of wrongValues(part.shape, value)) {
      const frames = trace.frames.with(frame, {
        ...{ at: 0, by: trace.frames[frame]?.by ?? set.side, text: '' },
        json: edited(trace.frames[frame]?.json, path, wrong.value),
      });
      const broken: Trace = { frames, isComplete: true };
      const found = [...failing(set, broken)].filter((one) => !usual.has(one));
      // A message that is none of this kind any more is the subject of other rules.
      const isRead = [...part.read(broken)].some((one) => one.frame === frame && one.value === wrong.value);
      if (isRead ? !found.includes(id) : found.length === 0) missed.push(`${part.kind}: ${wrong.what}`);
      const reads = (rule: Rule<Trace>) =>
        rule.form?.parts.some((one) => [...one.read(broken)].some((at) => at.frame === frame)) === true;
      const related = new Set(set.rules.filter(reads).map((rule) => rule.id));
      if (isRead) for (const one of found) if (one !== id && !related.has(one)) others.add(one);
    }
  }
  return { missed, others: [...others].toSorted() };
}

const AlsoFound = z.record(z.string(), z.array(z.string()));
const fileOf = ({ protocol, side }: CheckSet) =>
  path.join(import.meta.dirname, 'also-found', `${protocol}-${side}.json`);

/** As the formatter writes it: a row that is too long for a line has one for each rule. */
function written(also: z.infer<typeof AlsoFound>): string {
  const rows = Object.entries(also).map(([id, others]) => {
    const row = `  ${JSON.stringify(id)}: ${JSON.stringify(others).replaceAll(',', ', ')}`;
    const list = others.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
    return row.length < 120 ? row : `  ${JSON.stringify(id)}: [\n${list}\n  ]`;
  });
  return rows.length === 0 ? '{}\n' : `{\n${rows.join(',\n')}\n}\n`;
}

async function conversationsFor(name: string, { protocol, side }: CheckSet): Promise<readonly Trace[]> {
  // The conversations of a client are with the fake agent, and those of an agent with our own are more of what agents say.
  const more = side === 'agent' ? await heldWithFakeAgent(protocol, side) : [];
  return [...(talks.get(name) ?? []), ...(await conversationsOf(protocol, side)), ...more].map(traceOf);
}

const withRows = sets.filter(({ rules }) => rules.some(({ form }) => form !== undefined));

describe.each(withRows.map((set) => [`${set.protocol} ${set.side}s`, set] as const))('%s', (name, set) => {
  const file = fileOf(set);
  const also = existsSync(file) ? AlsoFound.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  const seen: z.infer<typeof AlsoFound> = {};
  const held = conversationsFor(name, set);
  const rows = set.rules.filter(({ form }) => form !== undefined);

  test.each(rows.map((rule) => [rule.id, rule] as const))('%s', async (id, rule) => {
    const { missed, others } = tried(set, rule, await held);
    if (others.length > 0) seen[id] = others;
    expect({ missed, others }).toEqual({ missed: [], others: isUpdate ? others : (also[id] ?? []) });
  });

  test('the talks are good', () => {
    const wrong = (talks.get(name) ?? []).flatMap((rows) => [...failing(set, traceOf(rows))]);
    expect(wrong).toEqual([]);
  });

  test('what also finds a wrong shape is a rule', () => {
    if (isUpdate) writeFileSync(file, written(seen));
    const ids = descriptionsOf(set).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...Object.keys(also), ...Object.values(also).flat()]));
  });
});
