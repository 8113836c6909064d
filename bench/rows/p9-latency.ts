// P9: how long one hop holds an event back when there is time enough for each.
import type { Order } from '../agents/order.ts';
import { type Client, gatewayOnStdio, rawRelay } from '../clients.ts';
import { atMost, type Bound, type Family, type Figure, type Goal, short, WrongResult } from '../report.ts';
import { interleave, quantile } from '../rounds.ts';

const order = { dialect: 'delta-only', bytes: 1, sample: 1000, perSecond: 1000 } as const satisfies Order;

/** Latencies of one round, us. */
interface Round {
  readonly p50: number;
  readonly p99: number;
}

const why =
  'the p99 of one session on two shared cores is that of the machine and of collections: it differs more between rounds than ' +
  'between the sides.';

export const latency: Family = {
  rows: ['P9'],
  how:
    'P9: one session, 1000 deltas a second for a second a round, 9 rounds of each side in turns. Each delta carries the ' +
    'time right before it was written (monotonic clock of the machine); the reader compares it with the time at which ' +
    'the chunk with it came. Ours: `patchbay stdio`. Theirs: a process that passes chunks on unread. The figures are ' +
    'the smallest p50 and p99 of any round, ours minus theirs.',
  async *run(progress) {
    const ours = gatewayOnStdio();
    const theirs = rawRelay();
    const kept = { ours: [] as Round[], relay: [] as Round[] };
    try {
      const side = (client: Client, name: keyof typeof kept) => async () => {
        const round = await measure(client);
        kept[name].push(round);
        return round.p50;
      };
      progress('rounds of a second in turns');
      const counted = await interleave(
        { ours: side(ours, 'ours'), relay: side(theirs, 'relay') },
        { rounds: 9, warmUp: 2 },
      );
      // The rounds of the warm-up come first.
      kept.ours.splice(0, kept.ours.length - counted.ours.length);
      kept.relay.splice(0, kept.relay.length - counted.relay.length);
    } finally {
      await Promise.all([ours.stop(), theirs.stop()]);
    }
    yield* [
      figure('p50', kept.ours, kept.relay, atMost(30, why), atMost(5)),
      figure('p99', kept.ours, kept.relay, atMost(200, why), atMost(0)),
    ];
  },
};

function figure(
  name: keyof Round,
  ours: readonly Round[],
  relay: readonly Round[],
  goal: Goal,
  moonshot: Bound,
): Figure {
  const least = (rounds: readonly Round[]) => Math.min(...rounds.map((round) => round[name]));
  return {
    row: 'P9',
    what: `1000 events/s, one session: ${name} minus a raw relay's`,
    value: least(ours) - least(relay),
    unit: 'us',
    goal,
    moonshot,
    detail: `least of ${ours.length} rounds, us: ours ${short(least(ours))}, relay ${short(least(relay))}`,
  };
}

async function measure(client: Client): Promise<Round> {
  const latencies: number[] = [];
  await client.run(order, (chunk, at) => {
    for (const [, stamp] of chunk.toString('latin1').matchAll(/"(?:text|delta)":"(\d{9,}) "/gu)) {
      latencies.push(Number(at - BigInt(stamp ?? 0)) / 1000);
    }
  });
  if (latencies.length !== order.sample) throw new WrongResult(`${latencies.length} stamps of ${order.sample} arrived`);
  return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}
