// Versions of the sets, versions of the judged programs, and guesses at them.
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/conformance/check/check.ts';
import { isOlder, setAsOf, setInVersion } from '../../src/conformance/check/history.ts';
import { type CheckSet, descriptionsOf } from '../../src/conformance/check/sets.ts';
import { agentSetOf, sets } from '../../src/conformance/index.ts';
import { said } from './support/reports.ts';

const idsOf = (set: CheckSet) => descriptionsOf(set).map(({ id }) => id);
const named = sets.map((set) => [`${set.protocol} ${set.side}s`, set] as const);

test.each(named)('%s: the history names checks of the set, and ends with its version', (_name, set) => {
  const { history = [], programs, version } = set;
  const ids = history.flatMap(({ added = [], were = {}, reworded = [] }) => [
    ...added,
    ...Object.values(were).flat(),
    ...reworded,
  ]);
  expect(idsOf(set)).toEqual(expect.arrayContaining([...ids, ...Object.keys(programs?.checks ?? {})]));
  const scenarios = set.side === 'agent' ? set.scenarios.map(({ name }) => name) : [];
  expect(scenarios).toEqual(expect.arrayContaining(Object.keys(programs?.scenarios ?? {})));
  if (history.length > 0) expect(history.at(-1)?.version).toBe(version);
});

const pi = agentSetOf('pi');
if (pi === undefined) throw new Error('there are no checks of pi');

describe('the checks of pi', () => {
  const levelIn = (set: CheckSet, wanted: string) => descriptionsOf(set).find(({ id }) => id === wanted)?.level;

  test('in version 1 lack what came later, and have the levels of then', () => {
    const first = setInVersion(pi, '1');
    expect(idsOf(pi).filter((id) => !idsOf(first).includes(id))).toEqual([
      'pi/stop-reason-known',
      'pi/update-message',
      'pi/blocks-streamed',
      'pi/compaction-reason',
    ]);
    expect([levelIn(first, 'pi/usage'), levelIn(pi, 'pi/usage')]).toEqual(['MUST', 'SHOULD']);
    expect([first.version, setInVersion(pi, pi.version)]).toEqual(['1', pi]);
  });

  test('as of an old pi lack the checks and scenarios of later ones', () => {
    const old = setAsOf(pi, '0.31.1');
    const missing = idsOf(pi).filter((id) => !idsOf(old).includes(id));
    expect(missing).toContain('pi/get-state-data');
    expect(missing).not.toContain('pi/compact-data');
    expect(old.scenarios.map(({ name }) => name)).not.toContain('busy');
    expect(idsOf(setAsOf(pi, '0.79.6'))).toEqual(idsOf(pi));
  });
});

test.each([
  ['0.9.0', '0.10.0', true],
  ['0.31.1', '0.32', true],
  ['1', '1.0.0', false],
  ['1.5.2', '0.79.6', false],
])('%s is older than %s: %s', (version, than, expected) => expect(isOlder(version, than)).toBe(expected));

describe('a guess at a pi', () => {
  const conversation = (...texts: string[]): Conversation[] => [{ connection: 'one', log: said(...texts) }];
  const ask = '{"type":"get_state","id":"1"}';
  test.each([
    ['that says nothing', [ask], /before 0\.16\.0 .*pi-legacy/u],
    [
      'with a queue mode',
      [ask, '{"type":"response","command":"get_state","success":true,"data":{"queueMode":"all"}}'],
      /before 0\.32\.0: --as-of 0\.31\.1/u,
    ],
    [
      'that cannot name a session',
      [
        ask,
        '{"type":"response","command":"set_session_name","success":false,"error":"Unknown command: set_session_name"}',
      ],
      /before 0\.50\.4/u,
    ],
    [
      'that is as new as can be',
      [ask, '{"type":"response","command":"get_state","success":true,"data":{"steeringMode":"all"}}'],
      null,
    ],
    ['that says no JSON', [ask, '"response" {'], null],
  ])('%s', (_name, texts, expected) => {
    const guess = pi.guess?.(conversation(...texts)) ?? null;
    if (expected === null) expect(guess).toBeNull();
    else expect(guess).toMatch(expected);
  });
});
