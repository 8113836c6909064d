// The fixtures on disk: scenarios (one conversation in every protocol) and wire samples. Knows no protocol.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { Event } from '../../src/core/model/event.ts';

export const fixturesFolder = path.resolve(import.meta.dirname, '../../fixtures');
const scenariosFolder = path.join(fixturesFolder, 'scenarios');

/** Whether this run writes what it should compare. */
export const isUpdate = process.env.UPDATE === '1';

/** What a protocol's file does not say of the scenario. */
export const Losses = z.record(
  z.string(),
  z.strictObject({
    /** Events (`type`, or `parent` for all of sub-agents) and fields (`type.field`) that the file lacks, with the reason. */
    decode: z.record(z.string(), z.string()).default({}),
    /** The notes of the projection, each with how often it comes. */
    encode: z.record(z.string(), z.int().min(1)).default({}),
  }),
);
export type Losses = z.infer<typeof Losses>;

/** Scenarios that lack a protocol's file: `scenario/protocol`, or `*` for all scenarios, with the reason. */
const Pending = z.record(z.string(), z.string().min(1));

/** The names of all scenarios. */
export const scenarioNames: readonly string[] = readdirSync(scenariosFolder).sort();

export const pending: Readonly<Record<string, string>> = Pending.parse(
  JSON.parse(readFileSync(path.join(fixturesFolder, 'pending.json'), 'utf8')),
);

/** Protocols whose file says only what clients are told, with the reason: no backend reads it. */
export const toldOnly: ReadonlyMap<string, string> = new Map([
  ['acp', 'an agent says this inside of a prompt of its client; recorded agents are in test/adapters/acp/replay.txt'],
]);

/** Where the file of a scenario is, whether or not it is there. */
export function scenarioFile(scenario: string, name: string): string {
  return path.join(scenariosFolder, scenario, name);
}

/** Whether a scenario has the file of that protocol. */
export function hasScenarioFile(scenario: string, protocol: string): boolean {
  return existsSync(scenarioFile(scenario, `${protocol}.jsonl`));
}

/** The lines of a file, without their line ends; U+2028 and the like end no line. */
export function scenarioLines(scenario: string, protocol: string): string[] {
  if (!hasScenarioFile(scenario, protocol)) {
    throw new Error(
      `${scenario}/${protocol}.jsonl is not there; \`UPDATE=1 npx vitest run test/rosetta.test.ts\` writes what clients are told`,
    );
  }
  const text = readFileSync(scenarioFile(scenario, `${protocol}.jsonl`), 'utf8');
  if (!text.endsWith('\n')) throw new Error(`${scenario}/${protocol}.jsonl does not end with a line end`);
  return text.slice(0, -1).split('\n');
}

/** The scenario as canonical events. */
export function canonicalEvents(scenario: string): Event[] {
  return scenarioLines(scenario, 'events').map((line) => Event.parse(JSON.parse(line)));
}

/** The declared losses of a scenario. */
export function scenarioLosses(scenario: string): Losses {
  const file = scenarioFile(scenario, 'losses.json');
  return existsSync(file) ? Losses.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

/** With `UPDATE=1` writes the lines, and returns them; else returns what the file has. */
export function expectedLines(scenario: string, protocol: string, lines: readonly string[]): readonly string[] {
  const file = scenarioFile(scenario, `${protocol}.jsonl`);
  if (isUpdate) writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return isUpdate ? lines : scenarioLines(scenario, protocol);
}
