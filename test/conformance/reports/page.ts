// Shared parts of the pages in docs/conformance/reports: their folder, versions, explanations and tables.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Level, Verdict } from '../../../src/conformance/check/check.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { Explanations, explain } from '../../../src/conformance/report/explanations.ts';
import type { Tally } from '../../../src/conformance/report/report.ts';

export const root = path.resolve(import.meta.dirname, '../../..');
export const folder = path.join(root, 'docs/conformance/reports');
const explanationsFolder = path.join(folder, 'explanations');

export const pageNames = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.md'));
export const readPage = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
export const writePage = (name: string, parts: readonly string[]): void =>
  writeFileSync(path.join(folder, name), `${parts.join('\n\n')}\n`);

export const explanationNames = (): readonly string[] =>
  readdirSync(explanationsFolder).map((name) => path.basename(name, '.json'));
export const explanationFile = (name: string): string => path.join(explanationsFolder, `${name}.json`);
export const explanationsIn = (name: string): Explanations =>
  Explanations.parse(JSON.parse(readFileSync(explanationFile(name), 'utf8')));

/** Why a check fails; throws where no explanation exists, because no failure is kept without one. */
export function explanationOf(name: string, id: string): string {
  const found = explain(explanationsIn(name), [id]).byId.get(id);
  if (found === undefined) throw new Error(`explanations/${name}.json does not say why ${id} fails`);
  return found;
}

/** A check that did not pass. */
export interface Trouble {
  readonly id: string;
  readonly level: Level;
  readonly verdict: Verdict;
  readonly reason?: string | undefined;
}

/** `12 passed, 1 n. a.`; failures stand out. */
export function tallyText({ passed, failed, unclear, 'not-applicable': silent }: Tally): string {
  const parts = [
    `${passed} passed`,
    ...(failed === 0 ? [] : [`**${failed} failed**`]),
    ...(unclear === 0 ? [] : [`**${unclear} unclear**`]),
    ...(silent === 0 ? [] : [`${silent} n. a.`]),
  ];
  return passed + failed + unclear + silent === 0 ? '–' : parts.join(', ');
}

export function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** The versions of the check sets. A page is stale when a set has another version. */
export const madeWith = (sets: readonly CheckSet[]): string =>
  `Made with the ${sets.map(({ protocol, side, version }) => `checks of ${protocol} ${side}s, version ${version}`).join('; ')}.`;

export const levelsOf = (set: CheckSet): ReadonlyMap<string, Level> =>
  new Map(descriptionsOf(set).map(({ id, level }) => [id, level]));
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
