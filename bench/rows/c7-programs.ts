// C7 and A7: as P7, with other agents. No peer is run beside them: none is among the packages of this project.
import type { Order } from '../agents/order.ts';
import {
  type AgentCommand,
  type Client,
  gatewayOnStdio,
  gatewayOnWebSocket,
  madeUpAcp,
  madeUpClaude,
} from '../clients.ts';
import { cpuOf } from '../processes.ts';
import { atLeast, atMost, type Family, type Figure, short } from '../report.ts';
import { interleaveFresh, median, rowsOfPrograms } from '../rounds.ts';
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

const whys = {
  C7:
    'as in P7: reading, writing and the closing lines weigh as much as the deltas, and a line of Claude Code is longer than one of ' +
    'pi, with an id of its own that the client gets too.',
  A7: 'as in P7: reading and writing weigh as much as the deltas.',
} as const;

export const claudeProgram: Family = {
  rows: ['C7'],
  how:
    'C7: as P7, with a made-up Claude Code as the agent. claude-agent-acp was not run: its figures, 25.0 and 19.1 us of ' +
    'CPU per event, come from docs/limits.md 3.1. They were measured on another machine, where pi-acp took 17.0 and 16.6 ' +
    '(here: P7), so those ratios compare two machines.',
  async *run(progress) {
    for (const { where, us, first } of await measure(madeUpClaude, progress)) {
      yield* [besidePeer(where, us), cost('C7', 'Claude Code', where, us, first)];
    }
  },
};

export const acpProgram: Family = {
  rows: ['A7'],
  how: 'A7: as P7, with a made-up ACP agent, to Claude frames.',
  async *run(progress) {
    for (const { where, us, first } of await measure(madeUpAcp, progress))
      yield cost('A7', 'ACP agent', where, us, first);
  },
};

/** us of CPU for each delta: the median, and that of the first round. */
interface Measured {
  readonly where: string;
  readonly us: number;
  readonly first: number;
}

async function measure(agent: AgentCommand, progress: (text: string) => void): Promise<Measured[]> {
  const { deltas } = sampledDeltas('delta-only', order.bytes, order.sample);
  const events = deltas.length * order.plays * order.messages;
  const text = deltas.join('').repeat(order.plays * order.messages);
  const clients = [gatewayOnStdio(agent), await gatewayOnWebSocket(agent)] as const;
  const [stdio, socket] = clients;
  const side = (client: Client, name: string) => async (isShown: boolean) => {
    if (isShown) progress(name);
    const before = cpuOf(client.pid);
    const said = await client.run(order);
    const cost = cpuOf(client.pid) - before;
    if (isShown) mustSay(readClaude(said), { deltas: events, text, results: 1 });
    return cost / events;
  };
  try {
    const sides = { stdout: side(stdio, 'to stdout'), WebSocket: side(socket, 'to a WebSocket') };
    const { costs, first } = await interleaveFresh(sides, rowsOfPrograms);
    return (['stdout', 'WebSocket'] as const).map((where) => ({
      where,
      us: median(costs[where]),
      first: first[where],
    }));
  } finally {
    await Promise.all(clients.map((client) => client.stop()));
  }
}

function besidePeer(where: string, us: number): Figure {
  return {
    row: 'C7',
    what: `CLI, Claude Code -> ${where}: claude-agent-acp in docs/limits.md 3.1 (not in this run) / ours`,
    value: peer.quick / us,
    unit: 'x',
    goal: atLeast(8, whys.C7),
    moonshot: atLeast(34),
    detail: `us of CPU per event: ours ${short(us)}, claude-agent-acp ${peer.quick}; with its other figure, ${peer.slow}: ${short(peer.slow / us)} x`,
  };
}

function cost(row: keyof typeof whys, agent: string, where: string, us: number, first: number): Figure {
  return {
    row,
    what: `CLI, ${agent} -> ${where}: us of CPU per event`,
    value: us,
    unit: 'us',
    goal: atMost(2, whys[row]),
    moonshot: atMost(0.5),
    detail: `the first 100,000 deltas of the process: ${short(first)} us`,
  };
}
