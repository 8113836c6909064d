// Recorded ECA servers of both eras: what they said is read without a violation, is in order as it stands, gives one run
// for each prompt, and reaches an ECA client behind the gateway as it was said, up to a declared list of differences.
import { describe, expect, test } from 'vitest';
import { verify } from '../../src/core/log/grammar.ts';
import { type Json, type PlayedEca, playEca } from '../support/eca-agent-replay.ts';
import { handMadeEca } from '../support/eca-agent-traces.ts';
import { type EcaPair, ecaNormalisations, ecaStrandOf } from '../support/eca-normalised.ts';
import { ecaTraces } from '../support/eca-traces.ts';

const traces = [...ecaTraces, ...handMadeEca];

const played = new Map<string, PlayedEca>();
function playedOf(trace: (typeof traces)[number]): PlayedEca {
  const known = played.get(trace.name) ?? playEca(trace);
  played.set(trace.name, known);
  return known;
}

const normalised = (pair: EcaPair, without?: string): EcaPair =>
  ecaNormalisations.filter(({ name }) => name !== without).reduce((now, { apply }) => apply(now), pair);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

/** Notifications by strand, each as text whose keys are in order. */
function strandsOf(messages: readonly Json[]): Record<string, string[]> {
  const strands: Record<string, string[]> = {};
  for (const message of messages) {
    const strand = ecaStrandOf(message);
    strands[strand] = [...(strands[strand] ?? []), JSON.stringify(sorted(message))];
  }
  return strands;
}

test.skipIf(ecaTraces.length === 0)(
  'there are recordings (skipped where PATCHBAY_CORPUS and ../shared/corpus are absent)',
  () => expect(ecaTraces.length).toBeGreaterThan(2),
);

describe('an ECA server', () => {
  test.each(traces)('$name: no violation and nothing to mend, and each prompt has its run', (trace) => {
    const { faults, log, prompts, refused } = playedOf(trace);
    expect(faults).toEqual([]);
    const { faults: disorder, end } = verify(log.logged.map(({ event }) => event));
    expect(disorder).toEqual([]);
    const { open, tools, approvals, dialogs, run } = end;
    expect([open.size, tools.size, approvals.size, dialogs.size, run]).toEqual([0, 0, 0, 0, null]);
    expect(end.runs).toBe(prompts - refused.filter((one) => one.startsWith('prompt:')).length);
  });

  test.each(traces)('$name: told as it was, up to what is declared', (trace) => {
    const { theirs, ours } = normalised(playedOf(trace));
    expect(strandsOf(ours)).toEqual(strandsOf(theirs));
  });

  // The recordings have most of them, so where they are absent nothing is proven.
  test.skipIf(ecaTraces.length === 0).each(ecaNormalisations)('declared with reason: $name', ({ name }) => {
    const isNeeded = traces.some((trace) => {
      const pair = normalised(playedOf(trace), name);
      return JSON.stringify(strandsOf(pair.ours)) !== JSON.stringify(strandsOf(pair.theirs));
    });
    expect(isNeeded).toBe(true);
  });
});
