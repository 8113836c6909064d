// P5: the whole program between an agent that writes long snapshot lines and stdout, against merely reading them.

import type { Order } from '../agents/order.ts';
import { discardingReader, gatewayOnStdio } from '../clients.ts';
import { cpuOf } from '../processes.ts';
import { atMost, type Family, short } from '../report.ts';
import { interleave, median, ratio } from '../rounds.ts';
import { mustSay, readClaude } from '../said.ts';
import { sized } from '../size.ts';
import { sampledDeltas } from '../workloads.ts';

const order = {
  dialect: 'snapshot',
  bytes: 50_000,
  sample: 100,
  plays: sized(20, 5),
  messages: 1,
} as const satisfies Order;
const events = order.sample * order.plays;

const why =
  'each line of 51 KB is about one read, so it is translated alone and leaves at once in a write of its own, which costs about as ' +
  'much as reading and dropping the line; one pass through every room is the rest (docs/path-of-a-delta.md).';

export const reading: Family = {
  rows: ['P5'],
  how:
    `P5: ${events} delta lines sampled from a message that grows to 50 KB (51 KB a line), written by a child process. ` +
    'Ours: `patchbay stdio --frontend claude --backend pi`, CPU time of all its threads from the prompt to the result ' +
    '(/proc/PID/task/*/schedstat). Theirs: a Node process that starts the same child, reads its stdout and drops it. Ten ' +
    'rounds of each are not counted.',
  async *run() {
    const { deltas } = sampledDeltas(order.dialect, order.bytes, order.sample);
    const expected = { deltas: events, text: deltas.join('').repeat(order.plays), results: 1 };
    const ours = gatewayOnStdio();
    const theirs = discardingReader();
    try {
      const costs = await interleave(
        {
          async ours(isShown) {
            const before = cpuOf(ours.pid);
            const said = await ours.run(order);
            const cost = cpuOf(ours.pid) - before;
            if (isShown) mustSay(readClaude(said), expected);
            return cost / events;
          },
          async discard() {
            const before = cpuOf(theirs.pid);
            await theirs.run(order);
            return (cpuOf(theirs.pid) - before) / events;
          },
        },
        { rounds: 7, warmUp: 10 },
      );
      yield* [
        {
          row: 'P5',
          what: 'CLI, 50 KB snapshots -> stdout: CPU / CPU of reading and discarding',
          value: ratio(costs.ours, costs.discard),
          unit: 'x',
          goal: atMost(1.3, why),
          moonshot: atMost(1.2),
          detail: `us of CPU per event: ours ${short(median(costs.ours))}, discard ${short(median(costs.discard))}`,
        },
      ];
    } finally {
      await Promise.all([ours.stop(), theirs.stop()]);
    }
  },
};
