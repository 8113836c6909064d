// What real ACP clients have sent, sent again to the gateway with the demo agent: each request is answered, in the shape
// and order that the rules ask for. Ids of sessions and folders are those of today.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type AcpRow, acpTraces, at, isJson, type Json, noAcpTraces, rowOf } from '../support/acp-traces.ts';
import { acpOrderFaults } from '../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const clients = ['acp.el-4d7d58d', 'acpx-0.19.1', 'sdk-client-2.4.0'];
const project = mkdtempSync(join(tmpdir(), 'patchbay-acp-traces-'));

/** Words that have the demo agent do what the recorded model did. */
function wordsFor(text: string): string {
  if (text.includes('[[tool]]')) return 'ask';
  return text.includes('[[slow]]') ? 'slow 20 long 1000' : 'think and tool';
}

interface Replay {
  readonly rows: readonly AcpRow[];
  /** Outcomes of the prompts: a stop reason or an error. */
  readonly ends: readonly unknown[];
}

/** Sends what the client has sent, each at its time. `sessions`: recorded ids and those of today. */
async function replay(recorded: readonly AcpRow[], sessions: Map<unknown, unknown>): Promise<Replay> {
  const child = spawn(process.execPath, [cli, 'stdio', '--frontend', 'acp', '--agent', 'demo'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const rows: AcpRow[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    rows.push({ dir: 'out', line, json: JSON.parse(line) });
    for (const look of [...waiting]) look();
  });
  const until = <Found>(find: () => Found | undefined): Promise<Found> =>
    new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const heard = (fits: (json: Json) => boolean) =>
    rows.findLast(({ dir, json }) => dir === 'out' && isJson(json) && fits(json))?.json;
  const say = (json: object) => {
    rows.push(rowOf('in', json));
    child.stdin.write(`${JSON.stringify(json)}\n`);
  };
  const answerTo = (id: unknown) => heard((json) => json.id === id && json.method === undefined);
  const asked = () => heard(({ method }) => method === 'session/request_permission');
  const open: Json[] = [];
  const ends: unknown[] = [];

  async function allAnswered(): Promise<void> {
    for (const request of open.splice(0)) {
      const answer = await until(() => answerTo(request.id));
      const then = recorded.find(
        ({ dir, json }) => dir === 'out' && at(json, 'id') === request.id && at(json, 'method') === undefined,
      );
      if (request.method === 'session/new')
        sessions.set(at(then?.json, 'result', 'sessionId'), at(answer, 'result', 'sessionId'));
      if (request.method === 'session/prompt')
        ends.push(at(answer, 'result', 'stopReason') ?? at(answer, 'error', 'code'));
    }
  }

  function ofToday(json: Json): Json {
    const params = { ...(json.params as Json) };
    if ('sessionId' in params) params.sessionId = sessions.get(params.sessionId) ?? params.sessionId;
    if ('cwd' in params) params.cwd = project;
    if (Array.isArray(params.prompt)) {
      params.prompt = params.prompt.map((block: Json) => ({ ...block, text: wordsFor(String(block.text)) }));
    }
    return { ...json, params };
  }

  const said = recorded.filter(({ dir }) => dir === 'in');
  for (const [place, { json }] of said.entries()) {
    if (!isJson(json)) continue;
    if (json.method === undefined) {
      const question = await until(asked);
      const kind = at(json, 'result', 'outcome', 'optionId') === 'allow_once' ? 'allow_once' : 'reject_once';
      const offered = at(question, 'params', 'options') as Json[];
      const optionId = offered.find((option) => option.kind === kind)?.optionId;
      const isCancelled = at(json, 'result', 'outcome', 'outcome') === 'cancelled';
      const outcome = isCancelled ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
      say({ jsonrpc: '2.0', id: at(question, 'id'), result: { outcome } });
    } else if (json.id === undefined) {
      const isOfQuestion = at(said[place + 1]?.json, 'result') !== undefined;
      await until(() =>
        isOfQuestion ? asked() : heard(({ params }) => at(params, 'update', 'sessionUpdate') === 'agent_message_chunk'),
      );
      say(ofToday(json));
    } else {
      await allAnswered();
      say(ofToday(json));
      open.push(json);
    }
  }
  await allAnswered();
  const gone = once(child, 'exit');
  child.stdin.end();
  await gone;
  return { rows, ends };
}

/** A client that was started again says hello again, also where the recording went on. */
function byProcess(rows: readonly AcpRow[]): readonly (readonly AcpRow[])[] {
  const all: AcpRow[][] = [];
  for (const row of rows) {
    if (all.length === 0 || at(row.json, 'method') === 'initialize') all.push([]);
    all.at(-1)?.push(row);
  }
  return all;
}

describe.skipIf(noAcpTraces !== null).each(clients)('%s', (program) => {
  it.each(acpTraces(program).map((trace) => [trace.scenario, trace] as const))(
    '%s',
    async (scenario, { connections }) => {
      const sessions = new Map<unknown, unknown>();
      const ends: unknown[] = [];
      for (const recorded of connections.flatMap(byProcess)) {
        const replayed = await replay(recorded, sessions);
        expect(acpSchemaFaults(replayed.rows, { only: 'out' })).toEqual([]);
        expect(acpOrderFaults(replayed.rows, { only: 'out' })).toEqual([]);
        ends.push(...replayed.ends);
      }
      expect(ends.length).toBeGreaterThan(0);
      expect(new Set(ends)).toEqual(new Set([scenario.startsWith('cancel') ? 'cancelled' : 'end_turn']));
    },
  );
});
