// A message that grows, told to a client of an old pi: by the product, and by JSON.stringify of the whole message.
import { adapters } from '../src/adapters/index.ts';
import type { Out } from '../src/core/contract/channel.ts';
import { emptyTranscript, fold } from '../src/core/log/fold.ts';
import type { Event } from '../src/core/model/event.ts';
import { bytesOf } from '../src/transports/framing/frame.ts';

/** Tells the deltas of one block. */
export interface Teller {
  delta(text: string): Out;
}

/** The pi projection in its growing dialect, at the beginning of a block of text. */
export function ourTeller(): Teller {
  const transcript = emptyTranscript();
  const env = { now: () => 0, id: (kind: string) => kind };
  const side = adapters.get('pi')?.client?.frontend(env, { dialect: 'growing' });
  const projection = side?.projection({ id: 'session', epoch: '000000000000', timeOrigin: 0, transcript });
  if (projection === undefined) throw new Error('pi has no client side');
  const tell = (event: Event) => {
    const logged = { seq: transcript.lastSeq + 1, at: 0, event };
    fold(transcript, logged);
    return projection.event(logged);
  };
  tell({ type: 'run-start' });
  tell({ type: 'turn-start' });
  tell({ type: 'message-start', id: 'message', model: 'patch-large', provider: 'acme' });
  tell({ type: 'block-start', index: 0, block: { kind: 'text' } });
  return {
    delta(text) {
      const [out, second] = tell({ type: 'block-delta', index: 0, delta: text });
      if (out === undefined || second !== undefined) throw new Error('a delta is not one line');
      return out;
    },
  };
}

interface Line {
  readonly assistantMessageEvent: { delta: string; partial: Message };
  readonly message: Message;
}
interface Message {
  readonly content: [{ text: string }];
}

/** The same lines the plain way; their shape is read from a line of ours. */
export function plainTeller(): Teller {
  const line = JSON.parse(bytesOf(ourTeller().delta('')).toString()) as Line;
  const { assistantMessageEvent, message } = line;
  let text = '';
  return {
    delta(delta) {
      text += delta;
      assistantMessageEvent.delta = delta;
      assistantMessageEvent.partial.content[0].text = text;
      message.content[0].text = text;
      return JSON.stringify(line);
    },
  };
}
