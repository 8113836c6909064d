// Everything that the demo agent can do, and every scenario, as clients of pi are told it: the judge of pi's order is
// content in each dialect, from the first line on and for who comes late.
import { describe, expect, test } from 'vitest';
import { verbs } from '../../../src/adapters/demo/script-verbs.ts';
import type { Dialect } from '../../../src/adapters/pi/frontend/dialect.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { canonicalEvents, scenarioNames } from '../../support/fixtures.ts';
import { faultsIn, judged } from '../../support/judged.ts';
import { createLog, tell, tellLate } from '../../support/telling.ts';
import { promptOf, startDemo } from '../demo/driver.ts';
import { type Json, sideOf } from './client.ts';

const dialects: readonly Exclude<Dialect, 'legacy'>[] = ['growing', 'delta-only'];
const read = (texts: readonly string[]) => texts.map((text): Json => JSON.parse(text));

/** What a prompt makes the demo agent do; one that never ends is ended as a session ends it. */
function playedOut(prompt: string): Event[] {
  const driver = startDemo({ paceMs: 0 });
  driver.send(promptOf(prompt));
  driver.settleDown(3_000);
  return driver.events;
}

const stories: readonly [name: string, events: () => readonly Event[]][] = [
  ...verbs.map(({ name }): [string, () => Event[]] => [
    `the verb ${name}`,
    () => playedOut(name === 'slow' ? 'slow 1 hello' : name === 'long' ? 'long 40' : name),
  ]),
  ...scenarioNames.map((name): [string, () => Event[]] => [`the scenario ${name}`, () => canonicalEvents(name)]),
];

describe.each(stories)('%s', (_, events) => {
  const log = createLog();
  for (const event of events()) log.admit(event);
  log.close();

  test.each(dialects)('%s', (dialect) => {
    expect(faultsIn('pi', read(tell(sideOf(dialect), log.logged).texts))).toEqual([]);
  });

  test('for who comes late', () => {
    const readers = tellLate(sideOf(), log.logged);
    const step = Math.max(1, Math.floor(readers.length / 12));
    for (const { joined, texts } of readers.filter((one) => one.joined % step === 0)) {
      // The past does not tell that pi ended and restarted its agent for a retry: such a client saw one agent_start only.
      // Messages of the past come without updates.
      const ofThePast = new Set(['pi/agent-end-messages', 'pi/blocks-streamed']);
      const violations = judged('pi', read(texts)).filter(({ rule }) => !ofThePast.has(rule));
      expect({ joined, violations }).toEqual({ joined, violations: [] });
    }
  });
});
