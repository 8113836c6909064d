// A1: the same answer from agents of several protocols, to clients of each kind.
import { type AgentName, agents, runOf } from '../agent-lines.ts';
import { createPipeline, type PipelineOptions } from '../pipeline.ts';
import { atMost, type Family, type Figure, short, WrongResult } from '../report.ts';
import { interleave, median, ratio, timed } from '../rounds.ts';
import { sized } from '../size.ts';
import { chunkBytes, deltasOf } from '../workloads.ts';

const textBytes = sized(100_000, 20_000);

/** Kinds of clients; growing messages are row C1. */
const clients: readonly Pick<PipelineOptions, 'to' | 'options'>[] = [
  { to: 'claude' },
  { to: 'rpc-message' },
  { to: 'pi', options: { dialect: 'delta-only' } },
  { to: 'pi-server' },
  { to: 'eca' },
  { to: 'acp' },
];

/** Why goals are missed. */
const whys = {
  agent:
    'deltas of an agent travel together only where its backend and the dialect of the client take bursts; where one of them ' +
    'does not, each delta is an event.',
  rpc: 'its frames go the way of Claude’s, with their keys in another order; what is above 1 is chance.',
} as const;

export const manyAgents: Family = {
  rows: ['A1'],
  how:
    `A1: an answer of ${textBytes / 1000} KB in pieces of 4 characters, from a pi (delta-only), a pi-server, an ECA server and an ACP ` +
    'agent, in chunks of 64 KiB, to a client of each kind. Wall time of the whole translation in memory, as in P1, agents in turns.',
  async *run(progress) {
    const deltas = deltasOf(textBytes);
    const wires = new Map(agents.map((agent) => [agent, chunksOf(runOf(agent, deltas))]));
    for (const client of clients) {
      const { to = '' } = client;
      progress(`to ${to}`);
      for (const [agent, chunks] of wires) mustBeEqual(agent, chunks, client);
      const side = (agent: AgentName) => () => cost(wires.get(agent) ?? [], { from: agent, ...client }, deltas.length);
      const costs = await interleave<AgentName>(
        { pi: side('pi'), 'pi-server': side('pi-server'), eca: side('eca'), acp: side('acp') },
        { rounds: 7, warmUp: 2 },
      );
      yield* (['pi-server', 'eca', 'acp'] as const).map(
        (agent): Figure => ({
          row: 'A1',
          what: `${agent} agent -> ${to}, against a pi`,
          value: ratio(costs[agent], costs.pi),
          unit: 'x',
          goal: atMost(2, whys.agent),
          moonshot: atMost(1),
          detail: `us for each delta: ${agent} ${short(median(costs[agent]))}, pi ${short(median(costs.pi))}`,
        }),
      );
    }
    progress('clients of a pi');
    const pi = wires.get('pi') ?? [];
    const side = (to: string) => () => cost(pi, { from: 'pi', to }, deltas.length);
    const sides = { claude: side('claude'), 'rpc-message': side('rpc-message'), eca: side('eca'), acp: side('acp') };
    const costs = await interleave(sides, { rounds: 7, warmUp: 2 });
    yield* (['rpc-message', 'eca', 'acp'] as const).map(
      (client): Figure => ({
        row: 'A1',
        what: `${client} client, against a claude client, agent pi`,
        value: ratio(costs[client], costs.claude),
        unit: 'x',
        ...(client === 'rpc-message' && { goal: atMost(1.1, whys.rpc) }),
        detail: `us for each delta: ${client} ${short(median(costs[client]))}, claude ${short(median(costs.claude))}`,
      }),
    );
  },
};

function chunksOf(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, place) => bytes.subarray(place * chunkBytes, (place + 1) * chunkBytes));
}

function sent(chunks: readonly Buffer[], options: PipelineOptions): Buffer {
  const pipeline = createPipeline(options);
  return Buffer.concat(chunks.flatMap((chunk) => [...pipeline.push(chunk)]));
}

/** What a client is told must not depend on the fast path, and must be more than the answer. */
function mustBeEqual(from: AgentName, chunks: readonly Buffer[], client: (typeof clients)[number]): void {
  const fast = sent(chunks, { from, ...client });
  if (!fast.equals(sent(chunks, { from, ...client, isFastPathOn: false }))) {
    throw new WrongResult(`${from} -> ${client.to}: the fast path tells something else`);
  }
  if (fast.length < textBytes) throw new WrongResult(`${from} -> ${client.to}: ${fast.length} bytes were told`);
}

function cost(chunks: readonly Buffer[], options: PipelineOptions, deltas: number): number {
  const pipeline = createPipeline(options);
  const ms = timed(() => {
    for (const chunk of chunks) pipeline.push(chunk);
  });
  return (ms * 1000) / deltas;
}
