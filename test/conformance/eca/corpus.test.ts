// The rules of ECA against recordings of real programs, and against handmade sequences from docs/protocols/eca.md 4.
// Every violation has a reason in a table.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Trace } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { ecaAgent } from '../../../src/conformance/eca/agent.ts';
import { ecaClient } from '../../../src/conformance/eca/client.ts';
import { judgeTrace } from '../../../src/conformance/trace/trace-file.ts';
import { handMadeEca } from '../../support/eca-agent-traces.ts';
import { ecaTraces } from '../../support/eca-traces.ts';

type Rows = (typeof ecaTraces)[number]['rows'];

function traceOf(rows: Rows): Trace {
  const frames = rows.flatMap(({ dir, msg }): Trace['frames'][number][] => {
    if (dir !== 'in' && dir !== 'out') return [];
    return [{ at: 0, by: dir === 'in' ? 'client' : 'agent', text: JSON.stringify(msg), json: msg }];
  });
  return { frames, isComplete: true };
}

function breaches(rules: typeof ecaAgent.rules, trace: Trace): string[] {
  return rules.flatMap(({ id, level, judge }) => {
    if (level === 'MAY') return [];
    return [...judge(trace)].flatMap(({ frame, wrong }) => (wrong === null ? [] : [`${id} at ${frame}: ${wrong}`]));
  });
}

/** Violations by recording, and why the rule is right nevertheless. */
const theirs: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'a server of 2025-08-20: pieces of arguments, and still models in the greeting',
    new Map([
      [
        'eca/run-begins at 6: the model speaks while nothing is running',
        'The sequence is made by hand and leaves the progress out; the server that it stands for says so.',
      ],
    ]),
  ],
]);
const known = (name: string): string[] => [...(theirs.get(name)?.keys() ?? [])];

const method = fc.constantFrom(
  ...['initialize', 'initialized', 'shutdown', 'exit', 'chat/prompt', 'chat/contentReceived', 'chat/toolCallApprove'],
  ...[
    'chat/delete',
    'chat/promptStop',
    'chat/statusChanged',
    'config/updated',
    'tool/serverUpdated',
    '$/progress',
    'x',
  ],
);
const content = fc.record(
  {
    type: fc.constantFrom('text', 'progress', 'toolCallPrepare', 'toolCallRun', 'toolCalled', 'reasonText', 'usage'),
    id: fc.oneof(fc.constantFrom('a', '__proto__'), fc.anything()),
    state: fc.constantFrom('running', 'finished', 1),
    arguments: fc.jsonValue(),
    manualApproval: fc.boolean(),
  },
  { requiredKeys: [] },
);
/** Messages that are almost valid. */
const message = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id: fc.constantFrom(1, 2, 'a', null, {}),
      method,
      params: fc.oneof(
        fc.jsonValue(),
        fc.record({ chatId: fc.constantFrom('c', 1, null), content, role: fc.constantFrom('user', 'assistant', 3) }),
      ),
      result: fc.oneof(fc.jsonValue(), fc.constant({ chatId: 'c', status: 'success' })),
      error: fc.jsonValue(),
    },
    { requiredKeys: ['jsonrpc'] },
  ),
);

describe('servers', () => {
  test.skipIf(ecaTraces.length === 0)('there are recordings; without PATCHBAY_CORPUS none are judged', () => {
    expect(ecaTraces.length).toBeGreaterThan(0);
  });
  test.each(ecaTraces.map(({ name, rows }) => [name, rows] as const))('%s', (name, rows) => {
    expect(breaches(ecaAgent.rules, traceOf(rows))).toEqual(known(name));
  });
  test.each(handMadeEca.map(({ name, rows }) => [name, rows] as const))('by hand: %s', (name, rows) => {
    expect(breaches(ecaAgent.rules, traceOf(rows))).toEqual(known(name));
  });
});

describe('editors', () => {
  // The other recordings are by a probe, which is no editor.
  const editors = ecaTraces.filter(({ name }) => !name.startsWith('eca-server'));
  test.each(editors.map(({ name, rows }) => [name, rows] as const))('%s', (name, rows) => {
    expect(breaches(ecaClient.rules, traceOf(rows))).toEqual(known(name));
  });
});

// For each length all rules read the recording again.
const step = process.env.PATCHBAY_CONFORMANCE === 'all' ? 1 : 31;

/** Violations of a recording at MUST and SHOULD. */
function recorded(set: CheckSet, trace: Trace): string[] {
  const heeded = new Set(descriptionsOf(set).flatMap(({ id, level }) => (level === 'MAY' ? [] : [id])));
  const results = judgeTrace([set], [trace]).flatMap((judged) => judged.results);
  return results.flatMap(({ id, verdict, reason }) =>
    verdict === 'failed' && heeded.has(id) ? [`${id}: ${reason}`] : [],
  );
}

describe('parts of recordings', () => {
  const sets: readonly CheckSet[] = [ecaAgent, ecaClient];
  const setsFor = (name: string) => (name.startsWith('eca-server') ? [ecaAgent] : sets);

  test.each(['agent', 'client'] as const)('the messages of the %s alone show no violation', (side) => {
    for (const { name, rows } of ecaTraces) {
      const trace = traceOf(rows);
      const frames = trace.frames.filter(({ by }) => by === side);
      for (const isComplete of [true, false])
        for (const set of setsFor(name)) expect(recorded(set, { frames, isComplete })).toEqual([]);
    }
  });

  test('the rest of a recording from any frame on shows no new violation', () => {
    for (const { name, rows } of ecaTraces) {
      const { frames } = traceOf(rows);
      for (let from = 1; from < frames.length; from += step)
        for (const set of setsFor(name))
          expect([from, ...recorded(set, { frames: frames.slice(from), isComplete: false })]).toEqual([from]);
    }
  });
});

describe('rules', () => {
  test('apply to recordings', () => {
    const rules = [...ecaAgent.rules, ...ecaClient.rules];
    const traces = ecaTraces.map(({ rows }) => traceOf(rows));
    const heard = rules.filter(({ judge }) => traces.some((trace) => [...judge(trace)].length > 0));
    console.log(`${ecaTraces.length} recordings: ${heard.length} of ${rules.length} rules find something to judge`);
    if (ecaTraces.length > 0) expect(heard.length).toBeGreaterThan(rules.length / 2);
  });

  test('report nothing new for a recording cut at any frame', () => {
    for (const { name, rows } of ecaTraces) {
      const trace = traceOf(rows);
      for (let length = 0; length < trace.frames.length; length += step) {
        const cut = { frames: trace.frames.slice(0, length), isComplete: false };
        expect(breaches([...ecaAgent.rules, ...(name.startsWith('eca-server') ? [] : ecaClient.rules)], cut)).toEqual(
          [],
        );
      }
    }
  });

  test('never throw, whatever a trace holds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ by: fc.constantFrom('agent' as const, 'client' as const), json: message })),
        (said) => {
          const frames = said.map(({ by, json }) => ({ at: 0, by, text: JSON.stringify(json) ?? '', json }));
          for (const isComplete of [true, false])
            for (const { judge } of [...ecaAgent.rules, ...ecaClient.rules])
              for (const _ of judge({ frames, isComplete })) void _;
        },
      ),
      { numRuns: 50 },
    );
  });
});
