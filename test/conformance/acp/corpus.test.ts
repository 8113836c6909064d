// The rules of ACP against recordings of real programs. Every violation has a reason in a table.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acpAgent } from '../../../src/conformance/acp/agent.ts';
import { acpClient } from '../../../src/conformance/acp/client.ts';
import type { Trace } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { judgeTrace } from '../../../src/conformance/trace/trace-file.ts';
import { type AcpRow, acpTraces, at, noAcpTraces } from '../../support/acp-traces.ts';

const agents = [
  ...['claude-agent-acp-0.101.0', 'codex-acp-2.6.0', 'codex-acp-2.6.0-auto-review'],
  ...['gemini-cli-0.61.0', 'pi-acp-0.0.34', 'qwen-code-0.24.4'],
];
/** All of them in front of codex-acp. The clients of the other recordings are a probe, which says wrong things on purpose. */
const clients = ['acp.el-4d7d58d', 'acpx-0.19.1', 'sdk-client-2.4.0'];

/** Violations of a SHOULD, by program and check, and why the rule is right nevertheless. */
const theirs: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['acp.el-4d7d58d', new Map([['acp/client/client-info', 'It sends no clientInfo (2.11).']])],
  [
    'gemini-cli-0.61.0',
    new Map([['acp/call-created', 'Where it asks for permission the request alone creates the call (4.36).']]),
  ],
  [
    'pi-acp-0.0.34',
    new Map([['acp/cancel-request', 'It does not know the notification, so the turn ends as any other (4.50).']]),
  ],
  ['qwen-code-0.24.4', new Map([['acp/own-methods', 'Its request craft/drainMidTurnQueue has no underscore (1.7).']])],
]);

/** The connections of a recording. acpx starts its agent anew for each session, and a client initializes a connection once. */
function connectionsIn(connections: readonly (readonly AcpRow[])[]): AcpRow[][] {
  return connections.flatMap((rows) => {
    const parts: AcpRow[][] = [[]];
    let isGreeted = false;
    for (const row of rows) {
      const isGreeting = row.dir === 'in' && at(row.json, 'method') === 'initialize';
      if (isGreeting && isGreeted) parts.push([]);
      isGreeted ||= isGreeting;
      parts.at(-1)?.push(row);
    }
    return parts;
  });
}

function traceOf(rows: readonly AcpRow[], isComplete: boolean): Trace {
  const frames = rows.map(({ dir, line, json }) => ({
    at: 0,
    by: dir === 'in' ? ('client' as const) : ('agent' as const),
    text: line,
    ...(json === undefined ? {} : { json }),
  }));
  return { frames, isComplete };
}

/** Violations at MUST and SHOULD, a line each: the check, and its reason. */
function violations(set: CheckSet, traces: readonly Trace[]): (readonly [id: string, reason: string])[] {
  const levels = new Map(descriptionsOf(set).map(({ id, level }) => [id, level]));
  return judgeTrace([set], traces).flatMap(({ results }) =>
    results.flatMap(({ id, verdict, reason = '' }) =>
      (verdict === 'failed' || verdict === 'unclear') && levels.get(id) !== 'MAY' ? [[id, reason] as const] : [],
    ),
  );
}

const judged = [
  ...[...agents, ...clients].map((program) => [program, acpAgent] as const),
  ...clients.map((program) => [program, acpClient] as const),
];

describe.skipIf(noAcpTraces !== null)(`recordings${noAcpTraces === null ? '' : ` (${noAcpTraces})`}`, () => {
  test('there are 135', () => {
    expect([...agents, ...clients].flatMap(acpTraces)).toHaveLength(135);
  });

  test.each(judged)('%s: no MUST is failed, and each SHOULD that is has its reason', (program, set) => {
    const reasons = theirs.get(program) ?? new Map<string, string>();
    const seen = new Set<string>();
    for (const { scenario, connections } of acpTraces(program)) {
      const found = violations(
        set,
        connectionsIn(connections).map((rows) => traceOf(rows, false)),
      );
      for (const [id] of found) seen.add(id);
      expect([scenario, ...found.filter(([id]) => !reasons.has(id))]).toEqual([scenario]);
    }
    const begin = set === acpAgent ? /^acp\/(?!client)/u : /^acp\/client/u;
    expect([...seen].sort()).toEqual([...reasons.keys()].filter((id) => begin.test(id)).sort());
    const must = descriptionsOf(set).flatMap(({ id, level }) => (level === 'MUST' ? [id] : []));
    expect([...seen].filter((id) => must.includes(id))).toEqual([]);
  });

  test('most rules find something to judge', () => {
    const rules = [...acpAgent.rules, ...acpClient.rules];
    const traces = [...agents, ...clients].flatMap(acpTraces).flatMap(({ connections }) => connectionsIn(connections));
    const views = traces.map((rows) => traceOf(rows, false));
    const heard = rules.filter(({ judge }) => views.some((trace) => [...judge(trace)].length > 0));
    console.log(`${traces.length} connections: ${heard.length} of ${rules.length} rules find something to judge`);
    expect(heard.length).toBeGreaterThan(rules.length / 2);
  });

  // For each length all rules read the recording again.
  const step = process.env.PATCHBAY_CONFORMANCE === 'all' ? 1 : 97;
  test('a part of a recording, and one side of it, shows no violation that the whole does not show', () => {
    for (const program of agents) {
      const reasons = theirs.get(program) ?? new Map<string, string>();
      for (const { scenario, connections } of acpTraces(program)) {
        // It begins with a request before `initialize`, so a part that begins behind that request looks whole.
        if (scenario === 'unknown') continue;
        for (const rows of connectionsIn(connections)) {
          const parts = [rows.filter(({ dir }) => dir === 'out'), rows.filter(({ dir }) => dir === 'in')];
          for (let cut = 1; cut < rows.length; cut += step) parts.push(rows.slice(0, cut), rows.slice(cut));
          for (const part of parts) {
            const found = violations(acpAgent, [traceOf(part, false)]).filter(([id]) => !reasons.has(id));
            expect([scenario, ...found]).toEqual([scenario]);
          }
        }
      }
    }
  });
});

const method = fc.constantFrom(
  ...['initialize', 'session/new', 'session/load', 'session/prompt', 'session/update', 'session/cancel', 'x'],
  ...['session/request_permission', 'elicitation/create', 'fs/read_text_file', 'session/set_config_option'],
);
const update = fc.record(
  {
    sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update', 'agent_message_chunk', 'plan', 'usage_update', 7),
    toolCallId: fc.oneof(fc.constantFrom('a', '__proto__'), fc.jsonValue()),
    status: fc.constantFrom('pending', 'completed', 'failed', null, 3),
    content: fc.jsonValue(),
  },
  { requiredKeys: ['sessionUpdate'] },
);
const message = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id: fc.constantFrom(1, 2, 'a', null, {}),
      method,
      params: fc.oneof(
        fc.jsonValue(),
        fc.record({
          sessionId: fc.constantFrom('s', 1, null),
          update,
          prompt: fc.jsonValue(),
          options: fc.jsonValue(),
        }),
      ),
      result: fc.oneof(fc.jsonValue(), fc.constant({ sessionId: 's', stopReason: 'end_turn' })),
      error: fc.jsonValue(),
    },
    { requiredKeys: ['jsonrpc'] },
  ),
);

test('rules never throw, whatever a trace holds', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ by: fc.constantFrom('agent' as const, 'client' as const), json: message })),
      (said) => {
        const frames = said.map(({ by, json }) => ({ at: 0, by, text: JSON.stringify(json) ?? '', json }));
        for (const isComplete of [true, false])
          for (const { judge } of [...acpAgent.rules, ...acpClient.rules])
            for (const _ of judge({ frames, isComplete })) void _;
      },
    ),
    { numRuns: 50 },
  );
});
