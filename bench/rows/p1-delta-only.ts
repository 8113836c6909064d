// P1: a whole translation against merely parsing the same lines, delta-only dialect.
import { parseLines, parseStrings } from '../baselines.ts';
import { createPipeline } from '../pipeline.ts';
import { atLeast, type Family, short, WrongResult } from '../report.ts';
import { interleave, median, ratio, timed } from '../rounds.ts';
import { mustBeFast, mustBeQuiet, mustSay, readClaude } from '../said.ts';
import { chunksOf, closingLines, deltaLine, deltasOf, openingLines } from '../workloads.ts';

const textBytes = 200_000;

export const deltaOnly: Family = {
  rows: ['P1'],
  how:
    'P1: the lines of one run with a 200 KB answer in pieces of 4 characters, in chunks of 64 KiB. Ours: framing, pi ' +
    'backend, repair, transcript, Claude projection, bytes joined for each chunk. Theirs: newline search, UTF-8 to ' +
    'string, JSON.parse, value dropped. Wall time of the whole run, block starts and ends included.',
  async *run() {
    const deltas = deltasOf(textBytes);
    const text = deltas.join('');
    const lines = [
      ...openingLines('delta-only'),
      ...deltas.map((delta) => deltaLine('delta-only', delta, '')),
      ...closingLines('delta-only', text),
    ];
    const chunks = [...chunksOf(lines)];
    const each = (ms: number) => (ms * 1000) / deltas.length;
    const mustParse = (objects: number) => {
      if (objects !== lines.length) throw new WrongResult(`${objects} objects in ${lines.length} lines`);
    };

    const costs = await interleave(
      {
        ours() {
          const pipeline = createPipeline();
          const sent: Uint8Array[] = [];
          const cost = timed(() => {
            for (const chunk of chunks) sent.push(...pipeline.push(chunk));
          });
          mustSay(readClaude(sent), { deltas: deltas.length, text, results: 1 });
          mustBeQuiet(pipeline.notes);
          mustBeFast(pipeline.slow, deltas.length);
          return each(cost);
        },
        parse: () => each(timed(() => mustParse(parseLines(chunks)))),
        strings: () => each(timed(() => mustParse(parseStrings(lines)))),
      },
      { rounds: 9, warmUp: 3 },
    );

    const us = (values: readonly number[]) => short(median(values));
    yield* [
      {
        row: 'P1',
        what: 'delta-only, 200 KB: JSON.parse alone / whole translation',
        value: ratio(costs.parse, costs.ours),
        unit: 'x',
        goal: atLeast(
          4,
          'each run begins with a fresh session, whose first lines are parsed by code that is still cold; the deltas alone are ' +
            'beyond the goal (docs/path-of-a-delta.md).',
        ),
        moonshot: atLeast(6),
        detail: `us/event: ours ${us(costs.ours)}, JSON.parse from bytes ${us(costs.parse)}, from ready strings ${us(costs.strings)}`,
      },
    ];
  },
};
