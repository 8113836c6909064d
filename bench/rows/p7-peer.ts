// P7: the whole program on the delta-only wire, to stdout and to a WebSocket, against a peer on the same agent.
import type { Order } from '../agents/order.ts';
import { acpPeer, type Client, gatewayOnStdio, gatewayOnWebSocket } from '../clients.ts';
import { cpuOf } from '../processes.ts';
import { atLeast, atMost, type Family, type Figure, type Goal, short, WrongResult } from '../report.ts';
import { interleaveFresh, median, ratio, rowsOfPrograms } from '../rounds.ts';
import { mustSay, readClaude } from '../said.ts';
import { sized } from '../size.ts';
import { sampledDeltas } from '../workloads.ts';

/** 100,000 events a round and side, in messages of 200 KB; five rounds are half a million. */
const order = {
  dialect: 'delta-only',
  bytes: 50_000,
  sample: 10_000,
  plays: sized(5, 1),
  messages: 2,
} as const satisfies Order;

const why =
  'reading from the child, writing to the client and the text of the closing lines weigh as much as the deltas ' +
  '(docs/path-of-a-delta.md).';

export const peer: Family = {
  rows: ['P7'],
  how:
    'P7: 100,000 deltas a round (two messages of about 200 KB) from a child that writes as fast as it can; the figures ' +
    'are of five rounds of each side behind fifteen that are not counted, for V8 compiles until about a million deltas; the ' +
    'first of all is a row of its own. CPU time as in P5. Ours: `patchbay stdio` and `patchbay serve` with one WebSocket. ' +
    'Theirs: pi-acp, an adapter from pi to ACP on stdout, driven with initialize, session/new and session/prompt.',
  async *run(progress) {
    const { deltas } = sampledDeltas(order.dialect, order.bytes, order.sample);
    const events = deltas.length * order.plays * order.messages;
    const text = deltas.join('').repeat(order.plays * order.messages);
    const clients = [gatewayOnStdio(), await gatewayOnWebSocket(), await acpPeer()] as const;
    const [stdio, socket, acp] = clients;
    const side =
      (client: Client, name: string, check: (said: readonly Buffer[]) => void) => async (isShown: boolean) => {
        if (isShown) progress(name);
        const before = cpuOf(client.pid);
        const said = await client.run(order);
        const cost = cpuOf(client.pid) - before;
        if (isShown) check(said);
        return cost / events;
      };
    const mustBeWhole = (said: readonly Buffer[]) => mustSay(readClaude(said), { deltas: events, text, results: 1 });
    try {
      const { costs, first } = await interleaveFresh(
        {
          stdio: side(stdio, 'ours to stdout', mustBeWhole),
          socket: side(socket, 'ours to a WebSocket', mustBeWhole),
          acp: side(acp, 'pi-acp', (said) => mustHaveChunks(said, events)),
        },
        rowsOfPrograms,
      );
      yield* [
        ...figures('stdout', { us: atMost(1.2, why), moonshot: 0.7 }, costs.stdio, costs.acp),
        ...figures('WebSocket', { us: atMost(1.5, why), moonshot: 1 }, costs.socket, costs.acp),
        {
          row: 'P7',
          what: 'CLI, delta-only -> stdout, the first 100,000 deltas of a process: us of CPU per event',
          value: first.stdio,
          unit: 'us',
          detail: `one round; to a WebSocket ${short(first.socket)} us, pi-acp ${short(first.acp)} us`,
        },
      ];
    } finally {
      await Promise.all(clients.map((client) => client.stop()));
    }
  },
};

function figures(
  where: string,
  { us, moonshot }: { us: Goal; moonshot: number },
  ours: readonly number[],
  theirs: readonly number[],
): Figure[] {
  const what = `CLI, delta-only -> ${where}`;
  return [
    {
      row: 'P7',
      what: `${what}: CPU of pi-acp / ours`,
      value: ratio(theirs, ours),
      unit: 'x',
      goal: atLeast(15, why),
      moonshot: atLeast(30),
      detail: `us of CPU per event: ours ${short(median(ours))}, pi-acp ${short(median(theirs))}`,
    },
    {
      row: 'P7',
      what: `${what}: us of CPU per event`,
      value: median(ours),
      unit: 'us',
      goal: us,
      moonshot: atMost(moonshot),
    },
  ];
}

function mustHaveChunks(said: readonly Buffer[], events: number): void {
  const bytes = Buffer.concat(said);
  let chunks = 0;
  for (
    let at = bytes.indexOf('"agent_message_chunk"');
    at !== -1;
    at = bytes.indexOf('"agent_message_chunk"', at + 1)
  ) {
    chunks += 1;
  }
  if (chunks !== events) throw new WrongResult(`pi-acp sent ${chunks} chunks instead of ${events}`);
}
