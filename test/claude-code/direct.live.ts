// Claude Code with nothing in front of it. What it says departs from the strict grammar only where that is known, so the
// docs/protocols/claude.md is still true; and told again to each kind of client, it is in that client's order and loses nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import type { Trace } from '../../src/conformance/check/rule.ts';
import { claudeAgent } from '../../src/conformance/claude/agent.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { failedIn } from '../conformance/claude/failed-in.ts';
import { type ClaudeHome, makeClaudeHome } from '../support/claude-code-rig.ts';
import { finalMessages } from '../support/judges/message-stream.ts';
import type { TraceRow } from '../support/translate.ts';
import { startDirect } from './direct-agent.ts';
import { isOfBackground, retell, runsThatWentWrong } from './retell.ts';
import { claudeScenarios } from './scenarios.ts';
import { allTalks, type Talk } from './talks.ts';

const found = inject('claudeCode');
const Result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.string().optional(),
  num_turns: z.number(),
  total_cost_usd: z.number(),
  terminal_reason: z.string().optional(),
});

/** Fresh traces in the corpus form, for whoever names a folder. */
function keep(name: string, rows: readonly TraceRow[]): void {
  const folder = process.env.PATCHBAY_TRACES;
  if (folder === undefined || folder === '') return;
  writeFileSync(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** The rows as the rules read them. */
function recordedIn(rows: readonly TraceRow[]): Trace {
  const by = { in: 'client', out: 'agent' } as const;
  const frames = rows.flatMap(({ dir, line }) =>
    dir === 'in' || dir === 'out' ? [{ at: 0, by: by[dir], text: line, json: JSON.parse(line) as unknown }] : [],
  );
  return { frames, isComplete: false };
}

/** What the results say, without what is of a clock or of one wire. */
function verdicts(frames: readonly unknown[]) {
  return frames.flatMap((frame) => Result.safeParse(frame).data ?? []);
}

/** How the judges say that arguments were changed behind their stream. */
const normalised = /differs from what streamed|other arguments/u;

describe.skipIf('reason' in found)('Claude Code alone', () => {
  let fake: FakeAnthropic;
  let home: ClaudeHome;
  beforeAll(async () => {
    fake = await startFakeAnthropic({ scenarios: claudeScenarios });
    home = makeClaudeHome({ binary: 'binary' in found ? found.binary : '', baseUrl: fake.url });
  });
  afterAll(async () => {
    home.remove();
    await fake.close();
  });

  async function traceOf({ start = {}, run }: Talk) {
    const agent = startDirect(home, start);
    try {
      await run(agent);
      return await agent.finish();
    } catch (thrown) {
      await agent.finish();
      throw thrown;
    }
  }

  test.each([...allTalks])('%s', async (name, talk) => {
    const { errors, departs = [], shows = [] } = talk;
    const { rows, code } = await traceOf(talk);
    keep(name, rows);
    const frames = rows.filter(({ dir }) => dir === 'out').map(({ line }): unknown => JSON.parse(line));
    expect(verdicts(frames).map(({ is_error }) => is_error)).toEqual(errors);
    expect(code).toBe(errors.at(-1) === true ? 1 : 0);
    for (const words of shows) expect(rows.map(({ line }) => line).join('\n')).toContain(words);
    const trace = recordedIn(rows);
    expect(failedIn(claudeAgent, [trace]).filter((fault) => !departs.some((id) => fault.startsWith(`${id}:`)))).toEqual(
      [],
    );

    for (const to of ['claude', 'pi', 'pi-legacy', 'rpc-message']) {
      const { violations, faults } = retell(rows, to);
      const own = faults
        .filter((fault) => talk.normalises !== true || !normalised.test(fault))
        .filter((fault) => talk.isInBackground !== true || !isOfBackground(fault));
      expect({ to, violations, faults: own }).toEqual({ to, violations: [], faults: [] });
    }
    expect(runsThatWentWrong(rows)).toBe(errors.filter(Boolean).length);
    const again = retell(rows, 'claude').frames.map((frame): unknown => JSON.parse(frame));
    const [whole, heard] = [await finalMessages(frames), await finalMessages(again)];
    for (const message of whole) if (message.stop_reason !== null) expect(heard).toContainEqual(message);
    expect(verdicts(again)).toEqual(verdicts(frames));
  });
});
