// An ACP client behind an ACP agent is told what the agent has said: the recordings of real agents, through our backend and our
// projection, compared by their contents. Differences have names, and stand in docs/fidelity.md with their reasons.
import { describe, expect, test } from 'vitest';
import { setupOf } from '../../../src/adapters/acp/config-options.ts';
import { dialectName } from '../../../src/adapters/acp/frontend/dialect.ts';
import { acp } from '../../../src/adapters/acp/index.ts';
import { offersOf } from '../../../src/adapters/acp/questions.ts';
import { type Contents, contentsOf, settingsOf } from '../../support/acp-contents.ts';
import { acpDifferences } from '../../support/acp-differences.ts';
import { type PlayedAcp, playAcp } from '../../support/acp-replay.ts';
import { type AcpRow, acpTraces, at, isJson, noAcpTraces } from '../../support/acp-traces.ts';
import { stillEnv } from '../../support/decoding.ts';
import { tell } from '../../support/telling.ts';

const programs = [
  'claude-agent-acp-0.101.0',
  'codex-acp-2.6.0',
  'codex-acp-2.6.0-auto-review',
  'gemini-cli-0.61.0',
  'pi-acp-0.0.34',
  'qwen-code-0.24.4',
];
/** A replay has one session, opens it by session/new or session/load, and speaks version 1. */
const others = /^(?:two-sessions|fork|resume|version.*)$/u;
const recordings = programs.flatMap((program) =>
  acpTraces(program).flatMap(({ scenario, connections }) =>
    others.test(scenario) ? [] : connections.map((rows) => ({ name: `${program} ${scenario}`, rows })),
  ),
);

const dialect = dialectName({ notices: true, compaction: true, switches: true, forms: true, past: true });

function told({ logged, log }: PlayedAcp): { contents: Contents; losses: readonly string[] } {
  const side = acp.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error('no client side');
  const { texts, losses } = tell({ ...side, projection: (view) => side.projection(view, dialect) }, logged);
  const settings = settingsOf([setupOf(log.transcript.info, true)]);
  return { contents: new Map([...contentsOf(texts.map((text) => JSON.parse(text))), ...settings]), losses };
}

function said(rows: readonly AcpRow[]): Contents {
  const messages = rows.flatMap(({ dir, json }) => (dir === 'out' && isJson(json) ? [json] : []));
  const answers = messages.flatMap((message) => [message.result, at(message, 'params', 'update')]);
  return new Map([...contentsOf(messages), ...settingsOf(answers)]);
}

/** The client's own words, and the end of questions that it has answered, are for the connection to drop. */
const isOfConnection = (fact: string, theirs = '"', ours = '') =>
  fact === '$/cancel_request' || (fact === 'user' && ours.startsWith(theirs.slice(0, -1)));

/** What differs without a name, and the names of the rest. */
function compare(theirs: Contents, ours: Contents) {
  const names = new Set<string>();
  const losses: unknown[] = [];
  for (const fact of new Set([...theirs.keys(), ...ours.keys()])) {
    const pair = [theirs.get(fact), ours.get(fact)] as const;
    if (pair[0] === pair[1] || isOfConnection(fact, ...pair)) continue;
    const known = acpDifferences.find(({ covers }) => covers(fact, ...pair));
    if (known === undefined) losses.push([fact, ...pair]);
    else names.add(known.name);
  }
  return { names, losses };
}

describe.skipIf(noAcpTraces !== null)(`recorded agents (${noAcpTraces ?? 'there are recordings'})`, () => {
  test('a client is told what they have said', () => {
    const names = new Set<string>();
    for (const { name, rows } of recordings) {
      const { contents, losses } = told(playAcp(rows));
      const found = compare(said(rows), contents);
      expect(found.losses, name).toEqual([]);
      expect(losses, name).toEqual([]);
      for (const one of found.names) names.add(one);
    }
    expect(names).toEqual(new Set(acpDifferences.map(({ name }) => name)));
  });

  test('the answer that a client chooses is the option that the agent has offered', () => {
    let count = 0;
    for (const { name, rows } of recordings) {
      for (const { event } of playAcp(rows).logged) {
        if (event.type !== 'approval-request') continue;
        const offered = at(event.extra, 'acp', 'options');
        expect(
          offersOf(event).map(({ wire }) => wire),
          name,
        ).toEqual(offered);
        count += offersOf(event).length;
      }
    }
    expect(count).toBeGreaterThan(50);
  });
});
