// A made-up ACP agent: opens sessions and says what a prompt orders, from bytes made ready beforehand, so that the reader
// is what is measured.
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { acpChunk, acpEnd } from '../agent-lines.ts';
import { sampledDeltas } from '../workloads.ts';
import { type Order, orderIn } from './order.ts';
import { bytesOf, write } from './out.ts';

type Plan = z.output<typeof Order>;

const session = 's1';

/** The chunks of one play, made once for all. */
const samples = new Map<string, Buffer>();

function sampleFor({ bytes, sample }: Plan): Buffer {
  const key = `${bytes} ${sample}`;
  const known = samples.get(key);
  if (known !== undefined) return known;
  const { deltas } = sampledDeltas('delta-only', bytes, sample);
  const made = bytesOf(deltas.map((text) => acpChunk(session, text)));
  samples.set(key, made);
  return made;
}

function say(plan: Plan, id: number): void {
  const said = sampleFor(plan);
  for (let play = 0; play < plan.plays * plan.messages; play += 1) write(said);
  write(bytesOf([acpEnd(id)]));
}

const Input = z.looseObject({
  id: z.int().optional(),
  method: z.string().optional(),
  params: z.looseObject({ prompt: z.array(z.looseObject({ text: z.string().optional() })).optional() }).optional(),
});

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = Input.parse(JSON.parse(line));
    const answer = (result: object) => write(bytesOf([JSON.stringify({ jsonrpc: '2.0', id, result })]));
    if (id === undefined || method === undefined) return;
    if (method === 'initialize') return answer({ protocolVersion: 1, agentCapabilities: {} });
    if (method === 'session/new') return answer({ sessionId: session });
    const plan = method === 'session/prompt' ? orderIn(params?.prompt?.map(({ text }) => text).join(' ') ?? '') : null;
    if (plan === null) answer({});
    else say(plan, id);
  })
  .on('close', () => process.exit(0));
