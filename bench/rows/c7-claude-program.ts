// C7: as P7, with a Claude Code as the agent. The peer is not run: it is not among the packages of this project.
import type { Order } from '../agents/order.ts';
import { type Client, gatewayOnStdio, gatewayOnWebSocket, madeUpClaude } from '../clients.ts';
import { cpuOf } from '../processes.ts';
import { atLeast, atMost, type Family, type Figure, short } from '../report.ts';
import { interleave, median } from '../rounds.ts';
import { mustSay, readClaude } from '../said.ts';
import { sized } from '../size.ts';
import { sampledDeltas } from '../workloads.ts';

/** As in P7. */
const order = { bytes: 50_000, sample: 10_000, plays: sized(5, 1), messages: 2 } as const satisfies Order;

/**
 * What claude-agent-acp 0.23.1 took for the same text as `stream_event` lines, us of CPU per event, in two runs on
 * another machine (docs/limits.md 3.1). Not measured here.
 */
const peer = { slow: 25, quick: 19.1 };

const why =
  'as in P7: reading, writing and the closing lines weigh as much as the deltas, and a line of Claude Code is longer than one of ' +
  'pi, with an id of its own that the client gets too.';

export const claudeProgram: Family = {
  rows: ['C7'],
  how:
    'C7: as P7, with a made-up Claude Code as the agent. claude-agent-acp was not run: its figures, 25.0 and 19.1 us of ' +
    'CPU per event, come from docs/limits.md 3.1. They were measured on another machine, where pi-acp took 17.0 and 16.6 ' +
    '(here: P7), so those ratios compare two machines.',
  async *run(progress) {
    const { deltas } = sampledDeltas('delta-only', order.bytes, order.sample);
    const events = deltas.length * order.plays * order.messages;
    const text = deltas.join('').repeat(order.plays * order.messages);
    const clients = [gatewayOnStdio(madeUpClaude), await gatewayOnWebSocket(madeUpClaude)] as const;
    const [stdio, socket] = clients;
    const side = (client: Client, name: string) => async () => {
      progress(name);
      const before = cpuOf(client.pid);
      const said = await client.run(order);
      const cost = cpuOf(client.pid) - before;
      mustSay(readClaude(said), { deltas: events, text, results: 1 });
      return cost / events;
    };
    try {
      const costs = await interleave(
        { stdio: side(stdio, 'ours to stdout'), socket: side(socket, 'ours to a WebSocket') },
        { rounds: 5, warmUp: 1 },
      );
      yield* [...figures('stdout', costs.stdio), ...figures('WebSocket', costs.socket)];
    } finally {
      await Promise.all(clients.map((client) => client.stop()));
    }
  },
};

function figures(where: string, costs: readonly number[]): Figure[] {
  const ours = median(costs);
  const what = `CLI, Claude Code -> ${where}`;
  return [
    {
      row: 'C7',
      what: `${what}: claude-agent-acp in docs/limits.md 3.1 (not in this run) / ours`,
      value: peer.quick / ours,
      unit: 'x',
      goal: atLeast(8, why),
      moonshot: atLeast(34),
      detail: `us of CPU per event: ours ${short(ours)}, claude-agent-acp ${peer.quick}; with its other figure, ${peer.slow}: ${short(peer.slow / ours)} x`,
    },
    {
      row: 'C7',
      what: `${what}: us of CPU per event`,
      value: ours,
      unit: 'us',
      goal: atMost(2, why),
      moonshot: atMost(0.5),
    },
  ];
}
