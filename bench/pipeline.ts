// The translation of the product, from an agent's bytes to a client's bytes, without sockets: the one place that says
// which parts it is made of. What is measured is src/, wired as agent-link, session and outlet wire it.
import { adapters } from '../src/adapters/index.ts';
import type { Backend } from '../src/core/contract/adapter/backend.ts';
import type { Options } from '../src/core/contract/adapter/launch.ts';
import type { Out } from '../src/core/contract/channel.ts';
import { createTranslator } from '../src/core/link/translator.ts';
import { createBatch } from '../src/transports/batch.ts';
import { createFrame } from '../src/transports/framing/frame.ts';
import { streamFraming } from '../src/transports/framing/framings.ts';
import { jsonl } from '../src/transports/framing/jsonl.ts';

/** From bytes of an agent to bytes of a client. */
export interface Pipeline {
  /** What the client is sent for this chunk, in as few pieces as the product writes. */
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** Frames that were cut out and handed over one by one, so far: all that the fast path did not take. */
  readonly slow: number;
  /** The notes so far; a clean workload gives none. */
  readonly notes: readonly string[];
}

/** What may be chosen. */
export interface PipelineOptions {
  /** The agent's protocol; default `pi`. */
  readonly from?: string;
  /** The client's protocol; default `claude`. */
  readonly to?: string;
  /** What the client chose. */
  readonly options?: Options;
  /** Whether the fast path may recognise lines before they are parsed; default true. */
  readonly isFastPathOn?: boolean;
}

/** An agent that says nothing unasked: it has opened its session and was given a prompt. What it says answers that. */
function atWork(backend: Backend): Backend {
  const hear = (message: object) => backend.decode(createFrame(Buffer.from(JSON.stringify(message))));
  const before = [
    ...(backend.start?.() ?? []),
    ...hear({ jsonrpc: '2.0', id: 0, result: { protocolVersion: 1 } }),
    ...hear({ jsonrpc: '2.0', id: 1, result: { sessionId: 's1' } }),
    ...backend.encode({ type: 'prompt', content: [{ type: 'text', text: 'Which cable goes where?' }] }, 'prompt'),
  ].filter((action) => action.do === 'deliver');
  return { ...backend, start: () => before };
}

/** A fresh pipeline. */
export function createPipeline(chosen: PipelineOptions = {}): Pipeline {
  const { from = 'pi', to = 'claude', options = {}, isFastPathOn = true } = chosen;
  let ids = 0;
  const env = { now: () => 0, id: (kind: string) => `${kind}-${++ids}` };
  const agent = adapters.get(from);
  const fresh = agent?.agent?.backend(env, {});
  const backend = from === 'acp' && fresh !== undefined ? atWork(fresh) : fresh;
  const side = adapters.get(to)?.client?.frontend(env, options);
  if (agent === undefined || backend === undefined || side === undefined)
    throw new Error(`no way from ${from} to ${to}`);
  const notes: string[] = [];
  const batch = createBatch();
  let slow = 0;
  const take = (outs: readonly Out[]) => {
    for (const out of outs) {
      const encoded = jsonl.encode(out);
      if (typeof encoded === 'string') batch.add(encoded);
      else for (const piece of encoded) batch.add(piece);
    }
  };
  const translator = createTranslator({
    id: 'session',
    epoch: '000000000000',
    backend,
    projection: side.projection,
    note: (level, text) => notes.push(`${level}: ${text}`),
    stretch(earlier, { bytes }) {
      take(earlier);
      batch.add(bytes);
    },
  });
  const decoder = streamFraming(agent.framing.stdio).decoder(
    {
      frame: (frame) => {
        slow += 1;
        take(translator.frame(frame));
      },
      ...(isFastPathOn ? { recognise: translator.glance, takeBurst: translator.takeBurst } : {}),
      fault: (fault) => notes.push(`fault: ${fault.message}`),
    },
    { maxFrameBytes: 32 * 1024 * 1024 },
  );
  return {
    notes,
    get slow() {
      return slow;
    },
    push(chunk) {
      decoder.push(chunk);
      take(translator.take());
      return batch.take();
    },
  };
}
