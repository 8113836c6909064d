// The checks of a pi-server against our own: over WebSocket and stdio in front of the demo agent, and in front of the
// real pi where the agent matters. Intended differences are in the table of departures.
import { afterAll, describe, expect, test } from 'vitest';
import type { Check, Result } from '../../../src/conformance/check/check.ts';
import { piServerChecks } from '../../../src/conformance/pi-server/checks/index.ts';
import { piServerClient } from '../../../src/conformance/pi-server/client.ts';
import { departures } from '../../../src/conformance/pi-server/own-departures.ts';
import { type RunOptions, runChecks } from '../../../src/conformance/runner/runner.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import { killAllChildren } from '../../../src/transports/child/process-group.ts';
import { isFull } from '../../support/full.ts';
import { type Own, ownDemo, ownPi } from '../support/targets.ts';

afterAll(killAllChildren);

const { checks } = piServerChecks;
const count = (results: readonly Result[], verdict: Result['verdict']) =>
  results.filter((result) => result.verdict === verdict).length;

/** Failed and unclear checks, and departures that no longer exist. */
function faultsOf(results: readonly Result[]): string[] {
  return results.flatMap(({ id, verdict, reason }) => {
    if (verdict === 'passed') return departures.has(id) ? [`${id}: passed, and is no departure any more`] : [];
    return verdict === 'not-applicable' || (verdict === 'failed' && departures.has(id)) ? [] : [`${id}: ${reason}`];
  });
}

/** Reasons of checks that were not applicable. */
function unheard(results: readonly Result[]): string[] {
  return results.flatMap(({ id, verdict, reason }) => (verdict === 'not-applicable' ? [`${id}: ${reason}`] : []));
}

async function run(own: Own | Promise<Own>, options: RunOptions): Promise<Result[]> {
  const { target, remove } = await own;
  try {
    const results = await runChecks(piServerChecks, target, { patienceMs: 20_000, ...options });
    const known = results.filter(({ id, verdict }) => verdict === 'failed' && departures.has(id)).length;
    const failed = count(results, 'failed') - known;
    console.log(
      `${target.label}: ${results.length} checks, ${count(results, 'passed')} passed, ${known} departures, ${failed} failed, ` +
        `${count(results, 'unclear')} unclear, ${count(results, 'not-applicable')} not applicable`,
    );
    return results;
  } finally {
    await remove();
  }
}

/**
 * Run all checks that need an agent in front of the real pi, which takes about three seconds for each session, and all
 * over stdio, where each starts a program.
 */
const runsEverything = process.env.PATCHBAY_CONFORMANCE === 'all';
/** Over stdio one in so many checks is enough: stdio differs only in the start and the end. */
const everyOver = runsEverything ? 1 : 4;
/** Checks in which pi's own behaviour matters most; the demo agent covers all others. */
const piRows: ReadonlySet<string> = new Set([
  ...['7.3-36', '11-82', '17.2-93', '17.2-94', '17.2-95', '18-96:select', '18-97:input', '18.2-98'],
  ...['19-102', '19-103', '19.5-104b', '19.4-105', '20.2-107'],
]);

/** Checks that need no program of their own, which is the same on all transports. */
const isShared = ({ needs = {} }: Check<never>) => needs.settings === undefined && needs.exclusive !== true;

describe('our own server', () => {
  test('over WebSocket, in front of the demo agent', { timeout: 120_000 }, async () => {
    const results = await run(ownDemo(), {});
    expect(faultsOf(results)).toEqual([]);
    // The demo agent asks during prompts only.
    const elsewhere = Array.from({ length: 4 }, () => 'pi-server/18-96');
    expect(unheard(results).map((line) => line.split(':')[0])).toEqual(elsewhere);
  });

  test('over stdio, in front of the demo agent', { timeout: 120_000 }, async () => {
    const shared = piServerChecks.checks.filter((check) => check.needs?.transport === undefined && isShared(check));
    const chosen = new Set(shared.filter((_, place) => place % everyOver === 0).map(({ id }) => id));
    const only = ({ id, needs }: Check<never>) => needs?.transport === 'stdio' || chosen.has(id);
    const results = await run(ownDemo(), { transport: 'stdio', only });
    expect(faultsOf(results)).toEqual([]);
    for (const line of unheard(results)) expect(line).toMatch(/one connection|no prompt for 'later/u);
  });

  test.runIf(isFull)(
    'over WebSocket, in front of the real pi (in npm run test:full)',
    { timeout: 600_000 },
    async () => {
      const isChosen = ({ id }: Check<never>) => runsEverything || piRows.has(id.replace('pi-server/', ''));
      const only = (check: Check<never>) => check.needs?.script !== undefined && isChosen(check);
      const results = await run(ownPi(), { only, atOnce: 3, patienceMs: 60_000 });
      expect(faultsOf(results)).toEqual([]);
      expect(unheard(results)).toEqual([]);
      expect(results.length).toBeGreaterThanOrEqual(piRows.size);
    },
  );
});

describe('the table of checks', () => {
  test('has a unique id for each check, with its section', () => {
    for (const { id, section } of checks)
      expect(id).toMatch(new RegExp(`^pi-server/${section.replace('.', '\\.')}-\\d`, 'u'));
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  });

  test('has every row of docs/protocols/pi-server.md 23 but that of clients', () => {
    const rows = new Set(checks.map(({ id }) => Number(/-(\d+)[a-z]?(?::\w+)?$/u.exec(id)?.[1])));
    const all = Array.from({ length: 112 }, (_, index) => index + 1);
    expect(all.filter((row) => !rows.has(row))).toEqual([3]);
  });

  test('every departure names an existing check, with a reason', () => {
    for (const [id, reason] of departures) {
      expect([...checks, ...piServerClient.rules].map((check) => check.id)).toContain(id);
      expect(reason).toMatch(/^\S.*\.$/u);
    }
  });
});

describe('the runner', () => {
  const nobody: Target = { label: 'nobody', script: new Map() };

  test('without a way to reach the peer no check is applicable', async () => {
    const results = await runChecks(piServerChecks, nobody);
    expect(count(results, 'not-applicable')).toBe(checks.length);
  });

  test('a program that does not start makes all checks unclear, not failed', async () => {
    const isFirst = ({ section }: Check<never>) => section === '4';
    const absent: Target = { ...nobody, stdio: { command: [process.execPath, '-e', ''] } };
    const results = await runChecks(piServerChecks, absent, { only: isFirst, patienceMs: 5_000 });
    expect(count(results, 'failed')).toBe(0);
    expect(count(results, 'unclear')).toBeGreaterThan(0);
  });
});
