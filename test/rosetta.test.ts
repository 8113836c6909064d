// The same conversation in every protocol: what an agent's file means is the canonical one, and what a client of a
// protocol is told is that protocol's file, to the byte. What does not cross is declared in losses.json.
// `UPDATE=1` rewrites what clients are told; read every line of it.
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import type { Adapter } from '../src/core/contract/adapter/adapter.ts';
import { verify } from '../src/core/log/grammar.ts';
import type { Event } from '../src/core/model/event.ts';
import { decodeLines, stillEnv } from './support/decoding.ts';
import {
  canonicalEvents,
  expectedLines,
  hasScenarioFile,
  isUpdate,
  type Losses,
  pending,
  scenarioFile,
  scenarioLines,
  scenarioLosses,
  scenarioNames,
  toldOnly,
} from './support/fixtures.ts';
import { faultsIn, judgedPiServer } from './support/judged.ts';
import { ecaFaults, heard } from './support/judged-eca.ts';
import { createLog, tell } from './support/telling.ts';

const all = [...adapters.values()];
const backends = all.filter(
  ({ id, agent }) => agent !== undefined && pending[`*/${id}`] === undefined && !toldOnly.has(id),
);
const frontends = all.filter((adapter) => adapter.client !== undefined);

/** Fields that only the protocol itself can read, and times, which no two tellings share. */
const ownWords: ReadonlySet<string> = new Set(['extra', 'raw', 'timestamp']);

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key, member]) => !ownWords.has(key) && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, bare(member)]));
}

/** The events without what is declared as lost: whole types, fields of a type, or with `parent` all of sub-agents. */
function reduced(events: readonly Event[], losses: Readonly<Record<string, string>>): unknown[] {
  const lost = (name: string) => Object.hasOwn(losses, name);
  return events.flatMap((event) => {
    const isOfSubAgent = 'parent' in event && event.parent !== undefined;
    if (lost(event.type) || (lost('parent') && isOfSubAgent)) return [];
    const fields = Object.entries(event).filter(([field]) => !lost(`${event.type}.${field}`));
    return [bare(Object.fromEntries(fields))];
  });
}

const lossesOf = (scenario: string, protocol: string): Losses[string] =>
  scenarioLosses(scenario)[protocol] ?? { decode: {}, encode: {} };

function logOf(scenario: string) {
  const log = createLog();
  for (const event of canonicalEvents(scenario)) log.admit(event);
  return log;
}

describe.each(scenarioNames)('%s', (scenario) => {
  test('events.jsonl is a legal conversation, whole', () => {
    const { faults, end } = verify(canonicalEvents(scenario));
    expect(faults).toEqual([]);
    expect([end.run, end.open.size, end.tools.size, end.approvals.size]).toEqual([null, 0, 0, 0]);
    expect(logOf(scenario).notes).toEqual([]);
  });

  test.each(backends.filter(({ id }) => hasScenarioFile(scenario, id)))(
    'the file of $id means it',
    (adapter: Adapter) => {
      const { decode } = lossesOf(scenario, adapter.id);
      const events = decodeLines(adapter, scenarioLines(scenario, adapter.id)).logged.map(({ event }) => event);
      const hint = `declare what ${adapter.id} cannot say in fixtures/scenarios/${scenario}/losses.json, under ${adapter.id}.decode`;
      expect(reduced(events, decode), hint).toEqual(reduced(canonicalEvents(scenario), decode));
    },
  );

  test.each(backends.filter(({ id }) => hasScenarioFile(scenario, id)))(
    'what the file of $id loses is lost indeed',
    (adapter: Adapter) => {
      const { decode } = lossesOf(scenario, adapter.id);
      const events = decodeLines(adapter, scenarioLines(scenario, adapter.id)).logged.map(({ event }) => event);
      for (const name of Object.keys(decode)) {
        const others = Object.fromEntries(Object.entries(decode).filter(([other]) => other !== name));
        expect(reduced(events, others), name).not.toEqual(reduced(canonicalEvents(scenario), others));
      }
    },
  );

  test.each(frontends)('a client of $id is told its file', ({ id, client }) => {
    const side = client?.frontend(stillEnv(), {});
    if (side === undefined) return;
    const { texts } = tell(side, logOf(scenario).logged);
    expect(texts).toEqual(expectedLines(scenario, id, texts));
  });

  test('losses.json has what the projections say is lost', () => {
    const found: Losses = Object.fromEntries(
      Object.entries(scenarioLosses(scenario)).map(([id, { decode }]) => [id, { decode, encode: {} }]),
    );
    for (const { id, client } of frontends) {
      const side = client?.frontend(stillEnv(), {});
      const own = found[id] ?? { decode: {}, encode: {} };
      for (const loss of side === undefined ? [] : tell(side, logOf(scenario).logged).losses) {
        own.encode[loss] = (own.encode[loss] ?? 0) + 1;
      }
      if (Object.keys(own.decode).length + Object.keys(own.encode).length > 0) found[id] = own;
    }
    const file = scenarioFile(scenario, 'losses.json');
    if (isUpdate && Object.keys(found).length > 0) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
    expect(scenarioLosses(scenario)).toEqual(found);
  });

  test('the judges are content with what Claude clients are told', () => {
    const native = scenarioLines(scenario, 'claude').map((line) => JSON.parse(line));
    expect(faultsIn('claude', native)).toEqual([]);
    const rpc = scenarioLines(scenario, 'rpc-message').map((line) => JSON.parse(line));
    expect(faultsIn('rpc-message', rpc)).toEqual([]);
  });

  test('the judge is content with what ECA clients are told', () => {
    const talk = heard(scenarioLines(scenario, 'eca').map((line): unknown => JSON.parse(line)));
    expect(ecaFaults(talk)).toEqual([]);
  });

  test('the judge is content with what pi-server clients are told', () => {
    const greeting = { serverVersion: '1', protocolVersion: '1.0.0', transports: ['websocket'] };
    const told = scenarioLines(scenario, 'pi-server').map((line): unknown => JSON.parse(line));
    const frames = [{ type: 'server_ready', data: greeting }, ...told];
    const said = frames.map((json) => ({ by: 'agent', json }) as const);
    expect(judgedPiServer(said, { bound: 'session' })).toEqual([]);
  });
});

describe('pending.json', () => {
  const missing = () =>
    scenarioNames
      .flatMap((scenario) => all.map(({ id }) => ({ scenario, id })))
      .filter(({ scenario, id }) => !hasScenarioFile(scenario, id));

  test('every scenario without a protocol’s file is listed', () => {
    const unlisted = missing().filter(
      ({ scenario, id }) => pending[`${scenario}/${id}`] === undefined && pending[`*/${id}`] === undefined,
    );
    expect(unlisted).toEqual([]);
  });

  test('nothing is listed that is there, or that nobody knows', () => {
    const stale = Object.keys(pending).filter((name) => {
      const [scenario, id] = name.split('/');
      const lacking = missing().filter((one) => one.id === id);
      if (scenario === '*') return lacking.length !== scenarioNames.length;
      return !lacking.some((one) => one.scenario === scenario);
    });
    expect(stale).toEqual([]);
  });
});
