// A1: what a delta of other agents costs, against one of pi, for each kind of client.
import { createPipeline, type PipelineOptions } from '../pipeline.ts';
import { atMost, type Family, type Figure, short } from '../report.ts';
import { type Costs, interleave, median, ratio, timed } from '../rounds.ts';
import { mustBeFast, mustBeQuiet, mustSay, readClaude, readEca, readPi, readPiServer, type Said } from '../said.ts';
import { chunkBytes, closingLines, deltaLine, deltasOf, openingLines } from '../workloads.ts';

/** A client of the rows. */
interface Reader {
  readonly what: string;
  readonly client: Pick<PipelineOptions, 'to' | 'options'>;
  readonly read: (sent: readonly Uint8Array[]) => Said;
  /** Length of the answer. */
  readonly bytes: number;
  readonly plays: number;
}

/** Clients that are shown the whole message with each delta get a short answer. */
const brief = { bytes: 10_000, plays: 10 };
const long = { bytes: 200_000, plays: 1 };

const readers: readonly Reader[] = [
  { what: 'claude', client: { to: 'claude' }, read: readClaude, ...long },
  { what: 'rpc-message', client: { to: 'rpc-message' }, read: readClaude, ...long },
  { what: 'pi, delta-only', client: { to: 'pi', options: { dialect: 'delta-only' } }, read: readPi, ...long },
  { what: 'eca', client: { to: 'eca' }, read: readEca, ...long },
  { what: 'pi, growing', client: { to: 'pi', options: { dialect: 'growing' } }, read: readPi, ...brief },
  { what: 'pi-legacy', client: { to: 'pi-legacy' }, read: readPi, ...brief },
  { what: 'pi-server', client: { to: 'pi-server' }, read: readPiServer, ...brief },
];

type Agent = 'pi' | 'pi-server' | 'eca';
const others = ['pi-server', 'eca'] as const;

const lineOf = (line: string) => `${line}\n`;
const eventOf = (line: string) => lineOf(`{"type":"event","sessionId":"session-1","event":${line}}`);

/** The bytes of one run, as that agent writes them. */
function framesOf(agent: Agent, deltas: readonly string[]): string[] {
  const text = deltas.join('');
  if (agent === 'eca') return ecaFrames(deltas);
  const lines = [
    ...openingLines('delta-only'),
    ...deltas.map((delta) => deltaLine('delta-only', delta, '')),
    ...closingLines('delta-only', text),
  ];
  return lines.map(agent === 'pi' ? lineOf : eventOf);
}

function ecaFrames(deltas: readonly string[]): string[] {
  const chatId = '673078b4-690a-4e54-bcfe-1bf642b182fc';
  const framed = (role: string, content: object) => {
    const params = { chatId, role, content };
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'chat/contentReceived', params });
    return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  return [
    framed('user', { type: 'text', text: 'Which cable goes where?\n' }),
    framed('system', { type: 'progress', state: 'running', text: 'Generating' }),
    ...deltas.map((text) => framed('assistant', { type: 'text', text })),
    framed('system', { type: 'progress', state: 'finished', text: '' }),
  ];
}

function chunksOf(frames: readonly string[]): Buffer[] {
  const bytes = Buffer.from(frames.join(''));
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, place) =>
    Buffer.from(bytes.subarray(place * chunkBytes, (place + 1) * chunkBytes)),
  );
}

export const otherAgents: Family = {
  rows: ['A1'],
  how:
    'A1: as P1, with a pi, a pi-server and an ECA server that say the same text, one after the other in each round: 200 KB ' +
    'for clients that get deltas, 10 KB ten times for clients that get the whole message each time. The frames of the ECA ' +
    'server stand behind headers with their length. Ours: framing, backend, repair, transcript, the projection of that ' +
    'client, bytes joined for each chunk.',
  async *run(progress) {
    for (const reader of readers) {
      progress(reader.what);
      const costs = await measure(reader);
      for (const agent of others) yield figure(reader, agent, costs);
    }
  },
};

function measure({ client, read, bytes, plays }: Reader): Promise<Costs<Agent>> {
  const deltas = deltasOf(bytes);
  const text = deltas.join('');
  const side = (agent: Agent) => {
    const frames = framesOf(agent, deltas);
    const chunks = chunksOf(frames);
    return () => {
      let cost = 0;
      for (let play = 0; play < plays; play += 1) {
        const pipeline = createPipeline({ from: agent, ...client });
        const sent: Uint8Array[] = [];
        cost += timed(() => {
          for (const chunk of chunks) sent.push(...pipeline.push(chunk));
        });
        if (play > 0) continue;
        mustSay(read(sent), { deltas: deltas.length, text, results: 1 });
        mustBeQuiet(pipeline.notes.filter((note) => !note.startsWith('loss')));
        mustBeFast(pipeline.slow, deltas.length, frames.length - deltas.length);
      }
      return (cost * 1000) / (deltas.length * plays);
    };
  };
  return interleave<Agent>(
    { pi: side('pi'), 'pi-server': side('pi-server'), eca: side('eca') },
    { rounds: 9, warmUp: 2 },
  );
}

function figure({ what }: Reader, agent: (typeof others)[number], costs: Costs<Agent>): Figure {
  const us = (values: readonly number[]) => `${short(median(values))} (least ${short(Math.min(...values))})`;
  return {
    row: 'A1',
    what: `${agent} agent -> ${what}: a delta / one of a pi agent`,
    value: ratio(costs[agent], costs.pi),
    unit: 'x',
    goal: atMost(2),
    moonshot: atMost(1),
    detail: `us/event: ${agent} ${us(costs[agent])}, pi ${us(costs.pi)}`,
  };
}
