// An envelope of nobody's protocol, so that the transports can be tested alone: `{"said":<frame>}` under a name, and
// frames that are JSON strings are only said live.
import type { EventEnvelope } from '../../../src/core/contract/adapter/event-envelope.ts';
import { GatewayError } from '../../../src/core/model/errors.ts';
import { bytesOf } from '../../../src/transports/framing/frame.ts';

export const taggedEnvelope: Required<EventEnvelope> = {
  wrap({ out, number }, isMissed) {
    const data = ['{"said":', ...(typeof out === 'string' ? [out] : out), '}'];
    if (bytesOf(out)[0] !== 0x22) return { event: 'tagged', ...(number === null ? {} : { id: `${number}` }), data };
    return isMissed ? null : { event: 'tagged_live', data };
  },
  lost: (reason) => ({ event: 'tagged_lost', data: JSON.stringify(reason) }),
  posted(body) {
    if (Array.isArray(body)) return body.map((frame) => ({ frame, id: JSON.stringify(frame) }));
    throw new GatewayError('invalid', 'not a list');
  },
  acceptedBody: '{"thank":"you"}',
  reader() {
    let resumptions = 0;
    return {
      read(event, data) {
        if (event === 'tagged_lost') return { lost: String(JSON.parse(data)) };
        if (event === 'tagged_count') return { frame: String(resumptions) };
        if (event !== 'tagged' && event !== 'tagged_live') return null;
        if (!data.startsWith('{"said":')) throw new GatewayError('bad-frame', 'nothing said');
        return { frame: data.slice('{"said":'.length, -1) };
      },
      resumed() {
        resumptions += 1;
      },
    };
  },
  post: (frames) => `[${frames.join(',')}]`,
};

/** The same for events alone, under the names that ECA gives them; what it has no name for is a default event. */
export const namingEnvelope: EventEnvelope = {
  wrap({ out, cursor }) {
    const event = bytesOf(out)[0] === 0x22 ? 'message' : 'chat:content-received';
    return { event, ...(cursor === null ? {} : { id: cursor }), data: out };
  },
  lost: taggedEnvelope.lost,
  reader: () => ({
    read: (event, data) => ({ frame: event === 'message' ? data : `{${JSON.stringify(event)}:${data}}` }),
    resumed() {},
  }),
};
