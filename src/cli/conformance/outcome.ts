// Writes the reports of a run to files and stdout, and computes the exit code.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Result } from '../../conformance/check/check.ts';
import { type CheckSet, descriptionsOf } from '../../conformance/check/sets.ts';
import { sets } from '../../conformance/index.ts';
import { renderBadge } from '../../conformance/report/badge.ts';
import { Explanations, explain } from '../../conformance/report/explanations.ts';
import { renderHtml } from '../../conformance/report/html.ts';
import { renderJson } from '../../conformance/report/json.ts';
import { renderJunit } from '../../conformance/report/junit.ts';
import { compareKnown, readKnownFailing } from '../../conformance/report/known-failing.ts';
import { renderMarkdown } from '../../conformance/report/markdown.ts';
import { isBad, makeReport, type Report } from '../../conformance/report/report.ts';
import { visible } from '../../conformance/report/safe-text.ts';
import { renderTable } from '../../conformance/report/table.ts';
import { renderTap } from '../../conformance/report/tap.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import type { ConformanceOptions } from './options.ts';

/** The judged peer and the results. */
export interface Judged {
  readonly set: CheckSet;
  readonly results: readonly Result[];
  /** The judged peer, in words. */
  readonly target: string;
  readonly startedAt: Date;
  /** The results come from a recording. */
  readonly isRecorded?: boolean;
  /** Our stdout belongs to the client and takes no reports. */
  readonly isStdoutTaken?: boolean;
}

/** A stream of text, e.g. our own stdout. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The output streams of a run, and the signal that stops the run. */
export interface Terminal {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Ends the run; the frames until then are judged. */
  readonly signal: AbortSignal;
}

/** 0: all passed. 1: the peer is wrong, or the list of known failures is stale. 2: unclear. */
export type ExitCode = 0 | 1 | 2;

type Format = 'json' | 'junit' | 'tap';
const renderers: Readonly<Record<Format, (report: Report) => string>> = {
  json: renderJson,
  junit: renderJunit,
  tap: renderTap,
};
const formats: readonly Format[] = ['json', 'junit', 'tap'];

/** Throws `invalid` for contradicting options and unreadable files, before any check runs. */
export function checkOutputs(options: ConformanceOptions, isStdoutTaken = false): void {
  const bare = formats.filter((format) => options[format] === true);
  const [first, second] = bare;
  if (first !== undefined && isStdoutTaken)
    throw new GatewayError('invalid', `stdout belongs to the client: name a file for --${first}`);
  if (first !== undefined && second !== undefined)
    throw new GatewayError('invalid', `--${first} and --${second} cannot share stdout: name a file`);
  if (options.knownFailing !== undefined) knownEntries(options.knownFailing);
  if (options.explanations === undefined) return;
  if (options.markdown === undefined)
    throw new GatewayError('invalid', '--explanations are for --markdown: name a file for it');
  explanationsIn(options.explanations);
}

/** Writes the reports, and everything else to stderr. Returns the exit code. */
export function conclude(judged: Judged, options: ConformanceOptions, terminal: Terminal): ExitCode {
  const { stdout, stderr } = terminal;
  const { set, results, startedAt, isRecorded = false } = judged;
  const target = options.label ?? judged.target;
  const known = knownOf(judged, options);
  const ms = Date.now() - startedAt.getTime();
  const { asOf } = options;
  const guess = asOf === undefined ? guessOf(judged) : undefined;
  const report = makeReport({
    ...{ set, results, target, startedAt, ms, isRecorded, asOf, guess },
    ...{ known: known.ids, stale: known.stale },
  });
  const bare = formats.find((format) => options[format] === true);
  for (const format of formats) {
    const file = options[format];
    if (typeof file === 'string') write(file, renderers[format](report));
  }
  if (options.html !== undefined) write(options.html, renderHtml(report));
  if (options.badge !== undefined) write(options.badge, renderBadge(report));
  if (options.markdown !== undefined) write(options.markdown, renderMarkdown(report, explained(set, options)));
  if (bare !== undefined) stdout.write(renderers[bare](report));
  const stream = bare === undefined && judged.isStdoutTaken !== true ? stdout : stderr;
  const colour = stream.isTTY === true && (process.env.NO_COLOR ?? '') === '';
  const silence = silenceOf(report);
  // If nothing was judged, a table with the same reason for each check is no use.
  if (silence === null || options.verbose === true)
    stream.write(renderTable(report, { colour, showsAllChecks: options.verbose === true }));
  for (const line of known.stale) tell(stderr, `${options.knownFailing} is stale: ${line}`);
  if (silence !== null) tell(stderr, guess === undefined ? silence : `${silence}\n${guess}`);
  return exitCodeOf(report, known.stale);
}

/** The guess of the set, for a peer that does not pass. */
function guessOf({ set, results }: Judged): string | undefined {
  if (!results.some(isBad)) return undefined;
  return set.guess?.(results.flatMap(({ conversations }) => conversations)) ?? undefined;
}

/** Failed MAY checks are only notices. */
function exitCodeOf({ results, counts }: Report, stale: readonly string[]): ExitCode {
  const bad = results.filter((entry) => entry.level !== 'MAY' && entry.known !== true && isBad(entry));
  if (stale.length > 0 || bad.some(({ verdict }) => verdict === 'failed')) return 1;
  const isJudged = counts.verdicts['not-applicable'] < counts.total;
  return bad.length > 0 || !isJudged ? 2 : 0;
}

/** The reason if nothing was judged at all; else null. */
function silenceOf({ counts: { verdicts }, results }: Report): string | null {
  if (verdicts.passed + verdicts.failed > 0) return null;
  const unclear = results.find(({ verdict }) => verdict === 'unclear') ?? results[0];
  return `nothing could be judged: ${unclear?.reason ?? 'there was no check'}`;
}

function knownOf({ set, results }: Judged, { knownFailing }: ConformanceOptions) {
  const entries = knownFailing === undefined ? [] : knownEntries(knownFailing);
  return compareKnown(entries, idsOf(set), results);
}

/** The ids of all checks of the protocol: one file of ids may serve both sides. */
function idsOf(set: CheckSet): readonly string[] {
  const kin = sets.filter(({ protocol }) => protocol === set.protocol);
  return [set, ...kin].flatMap((one) => descriptionsOf(one).map(({ id }) => id));
}

function explained(set: CheckSet, { explanations: file }: ConformanceOptions) {
  if (file === undefined) return {};
  const { byId, stray } = explain(explanationsIn(file), idsOf(set));
  if (stray.length > 0) throw new GatewayError('invalid', `${file} explains unknown checks: ${stray.join(', ')}`);
  return { explanations: byId };
}

function explanationsIn(file: string): Explanations {
  try {
    return Explanations.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (thrown) {
    const why = thrown instanceof z.ZodError ? z.prettifyError(thrown) : messageOf(thrown);
    throw new GatewayError('invalid', `cannot read ${file}: ${why}`, { cause: thrown });
  }
}

function knownEntries(file: string) {
  try {
    return readKnownFailing(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw new GatewayError('invalid', `cannot read ${file}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    throw new GatewayError('invalid', `cannot write ${file}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Writes a line with the prefix `patchbay: `. */
export function tell(stream: TextStream, sentence: string): void {
  writeLine(stream, `patchbay: ${sentence}`);
}

/** Writes a line that may hold text of the peer, with control characters escaped (docs/threats.md T18). */
export function writeLine(stream: TextStream, line: string): void {
  stream.write(`${visible(line)}\n`);
}
