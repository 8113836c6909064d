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

/** Says the id of the process, goes as far as the words say, and then nothing more: the process is to be killed. */
function hold(words: string): void {
  const told = (update: object) =>
    JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: session, update } });
  const toolCall = { toolCallId: `call-${process.pid}`, title: 'look', kind: 'search', rawInput: { at: 'drawer' } };
  const lines = [acpChunk(session, `pid ${process.pid} `)];
  if (words !== 'hold text') lines.push(told({ sessionUpdate: 'tool_call', ...toolCall, status: 'in_progress' }));
  if (words === 'hold question') {
    const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }];
    const params = { sessionId: session, toolCall, options };
    lines.push(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params }));
  }
  write(bytesOf(lines));
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
    const words = params?.prompt?.map(({ text }) => text).join(' ') ?? '';
    if (words.startsWith('hold ')) return hold(words);
    const plan = method === 'session/prompt' ? orderIn(words) : null;
    if (plan === null) answer({});
    else say(plan, id);
  })
  .on('close', () => process.exit(0));
