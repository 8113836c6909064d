// What does not come back from a recording as it went in, each with its reason: the table of differences that the lossless
// test allows. Each has a row in the README of the adapter, and must be needed by some recording.
import { isDeepStrictEqual } from 'node:util';
import { type Apart, type Json, type Played, parsed } from './replay.ts';

type Line = Json | string;

/** A difference that is allowed. */
export interface Normalisation {
  readonly name: string;
  /** Words of its row in the README. */
  readonly row: string;
  /** Lines that only one side has. */
  readonly apart?: (played: Played, theirs: readonly Line[]) => Apart;
  /** What stands for a line of pi; null when we have none like it. */
  readonly theirs?: (line: Line) => Line | null;
  /** Changes a line, on both sides. */
  readonly line?: (line: Json) => Json;
  /** Our line, seen beside pi's. */
  readonly beside?: (ours: Json, theirs: Json) => Json;
}

function without(object: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

const dispositions: ReadonlySet<unknown> = new Set(['prompt', 'steer', 'follow_up']);

function isSaidWithoutData(line: Json): boolean {
  return line.type === 'response' && dispositions.has(line.command) && !Object.hasOwn(line, 'data');
}

/** The table. */
export const normalisations: readonly Normalisation[] = [
  {
    name: 'snapshots',
    row: 'snapshots run ahead of their deltas',
    line(line) {
      if (line.type !== 'message_update' || line.message === undefined) return line;
      const event = { ...Object(line.assistantMessageEvent) };
      return { ...without(line, 'message'), assistantMessageEvent: without(event, 'partial') };
    },
  },
  {
    name: 'lines that are refused',
    row: 'a line that pi cannot handle',
    apart: ({ refused }) => refused,
  },
  {
    name: 'second answers',
    row: 'two responses to one prompt',
    apart: ({ second }) => second,
  },
  {
    name: 'early answers',
    row: 'an `abort` before the run has begun',
    apart: ({ early }) => early,
  },
  {
    name: 'answers without id',
    row: 'a response without id',
    beside(ours, theirs) {
      const isAnonymous = theirs.type === 'response' && theirs.success === false && theirs.id === undefined;
      const isSame = ours.type === 'response' && ours.success === false && ours.error === theirs.error;
      return isAnonymous && isSame ? theirs : ours;
    },
  },
  {
    name: 'the end of a run',
    row: '`agent_settled`, `agent_end.willRetry` from a pi without them',
    apart({ toClient }, theirs) {
      const isSettled = (line: Line) => Object(line).type === 'agent_settled';
      const places = theirs.some(isSettled) ? [] : toClient.flatMap((line, at) => (isSettled(line) ? [at] : []));
      return { theirs: new Set(), ours: new Set(places) };
    },
    beside: (ours, theirs) =>
      ours.type === 'agent_end' && !Object.hasOwn(theirs, 'willRetry') ? without(ours, 'willRetry') : ours,
  },
  {
    name: 'what becomes of a prompt',
    row: '`disposition` from a pi without it',
    beside: (ours, theirs) => (isSaidWithoutData(theirs) ? without(ours, 'data') : ours),
  },
  {
    name: 'thinking levels',
    row: '`get_available_thinking_levels` to a pi without it',
    beside: (ours, theirs) =>
      theirs.command === 'get_available_thinking_levels' && theirs.success === false ? theirs : ours,
  },
  {
    name: 'stray output',
    row: 'output before a line without a line break, lines that are not JSON',
    theirs: (line) => (typeof line === 'string' ? parsed(line.slice(line.indexOf('{'))) : line),
  },
];

/** Recordings that cannot be played at all, with the reason; `isSo` says whether one is such. */
export const unplayable: readonly { readonly reason: string; isSo(lines: readonly Json[]): boolean }[] = [
  {
    reason: 'two runs at once (0.13.2): nothing on the wire tells their lines apart',
    isSo(lines) {
      let open = 0;
      return lines.some(({ type }) => {
        open += Number(type === 'agent_start') - Number(type === 'agent_end');
        return open > 1;
      });
    },
  },
];

/** The first place where two streams differ once these differences are out of the way; null when there is none. */
export function differenceOf(
  theirs: readonly Line[],
  played: Played,
  allowed: readonly Normalisation[],
): { at: number; theirs: unknown; ours: unknown } | null {
  const normal = (line: Json) => allowed.reduce((now, { line: change }) => change?.(now) ?? now, line);
  const lone = allowed.flatMap(({ apart }) => apart?.(played, theirs) ?? []);
  const said = theirs.flatMap((line, at) => {
    if (lone.some((places) => places.theirs.has(at))) return [];
    let now: Line | null = line;
    for (const { theirs: change } of allowed) if (now !== null && change !== undefined) now = change(now);
    if (now === null) return [];
    return [typeof now === 'string' ? now : normal(now)];
  });
  const told = played.toClient.filter((_, at) => !lone.some((places) => places.ours.has(at)));
  const heard = told.map((line, at) => {
    const other = said[at];
    if (other === undefined || typeof other === 'string') return normal(line);
    return normal(allowed.reduce((now, { beside }) => beside?.(now, other) ?? now, line));
  });
  const length = Math.max(said.length, heard.length);
  const at = Array.from({ length }).findIndex((_, place) => !isDeepStrictEqual(said[place], heard[place]));
  return at === -1 ? null : { at, theirs: said[at], ours: heard[at] };
}
