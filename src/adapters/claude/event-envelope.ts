// The events and posts of the SDK's browser entry: durable frames in numbered `client_event`s, what is only said live in
// `ephemeral_event`s (docs/protocols/claude.md 9.2). Pure; knows no projection.
import { z } from 'zod';
import type { EventEnvelope, EventReader, Options } from '../../core/contract/adapter.ts';
import type { Out } from '../../core/contract/channel.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { FrameEntry } from '../../core/contract/reader.ts';

/** The options of a client or an agent that ask for it. */
export const EnvelopeOptions = z.looseObject({
  /** `sdk`: as the SDK's browser entry has it. */
  envelope: z.enum(['sdk']).optional(),
  /** The session's name in what is posted to an agent. Ours takes any; its address says which one is meant. */
  sessionId: z.string().optional(),
});

/** How the frame of a delta begins; a test holds the projection to it. */
const liveHead = '{"type":"stream_event","event":{"type":"content_block_delta"';
const liveHeadBytes = new TextEncoder().encode(liveHead);

/** Some frame, as it came: what is wrong with it is for the machines to say. */
const Payload = z.custom<object>((value) => typeof value === 'object' && value !== null, 'a frame is an object');

/** What a client posts; the SDK sends one at a time. */
const Post = z.looseObject({ events: z.array(z.looseObject({ payload: Payload })).min(1) });

/** What an agent says. `source` is who said it: what others said to the agent is none of ours. */
const Said = z.looseObject({ source: z.unknown().optional(), payload: Payload });

function bodyOf(entry: FrameEntry, head: string): Out {
  const { out } = entry;
  return typeof out === 'string' ? `${head}"payload":${out}}` : [`${head}"payload":`, ...out, '}'];
}

/** Whether the client may miss it: the whole block follows in an `assistant` frame. */
function isLive(out: Out): boolean {
  const first = typeof out === 'string' ? out : out[0];
  if (typeof first === 'string') return first.startsWith(liveHead);
  return first !== undefined && liveHeadBytes.every((byte, at) => first[at] === byte);
}

/** What is known of a frame's place; inside a snapshot that is nothing. */
function headOf({ cursor, number, at }: FrameEntry): string {
  let head = '{';
  if (cursor !== null) head += `"event_id":"${cursor}",`;
  if (number !== null) head += `"sequence_num":${number},`;
  head += '"source":"worker",';
  return at === null ? head : `${head}"created_at":"${new Date(at).toISOString()}",`;
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new GatewayError('bad-frame', 'an event that is not JSON', { cause });
  }
}

/** The envelope that those options ask for; undefined for frames that go bare. */
export function eventEnvelope(options: Options): Required<EventEnvelope> | undefined {
  const { data } = EnvelopeOptions.safeParse(options);
  if (data?.envelope === undefined) return undefined;
  const { sessionId = '' } = data;
  return {
    wrap(entry, isMissed) {
      if (isLive(entry.out)) return isMissed ? null : { event: 'ephemeral_event', data: bodyOf(entry, '{') };
      const id = entry.number === null ? {} : { id: String(entry.number) };
      return { event: 'client_event', ...id, data: bodyOf(entry, headOf(entry)) };
    },
    lost: (reason) => ({ event: 'catch_up_truncated', data: JSON.stringify({ reason }) }),
    posted(body) {
      const post = Post.safeParse(body);
      if (post.success) return post.data.events.map(({ payload }) => ({ frame: payload, id: idOf(payload) }));
      throw new GatewayError('invalid', `not a post of events: ${z.prettifyError(post.error)}`);
    },
    acceptedBody: '{}',
    reader: createReader,
    post: (frames) => `{"session_id":${JSON.stringify(sessionId)},"events":[${frames.map(inEvent).join(',')}]}`,
  };
}

function payloadOf(event: string, data: string): object | null {
  if (event !== 'client_event' && event !== 'ephemeral_event') return null;
  const said = Said.safeParse(parsed(data));
  if (!said.success) throw new GatewayError('bad-frame', `an event ${event} without a payload`);
  return event === 'client_event' && said.data.source !== 'worker' ? null : said.data.payload;
}

/** The type of a stream event. */
const Streamed = z.looseObject({ type: z.literal('stream_event'), event: z.looseObject({ type: z.string() }) });

/**
 * Leaves out the deltas of a block of which some were missed: the whole block goes on where its deltas stopped, and
 * could not if there was a hole in them. Deltas are heard again from the next block on that begins live, which is one
 * that begins behind a delta.
 */
function createReader(): EventReader {
  /** `unknown`: no delta has shown yet which block is open by now. */
  let missed: 'none' | 'unknown' | 'this block' = 'none';

  function isWhole(payload: object): boolean {
    if (missed === 'none') return true;
    const type = Streamed.safeParse(payload).data?.event.type;
    if (type === 'content_block_start' && missed === 'this block') missed = 'none';
    if (type !== 'content_block_delta') return true;
    missed = 'this block';
    return false;
  }

  return {
    read(event, data) {
      if (event === 'catch_up_truncated') return { lost: 'it cannot say all that came since' };
      const payload = payloadOf(event, data);
      return payload !== null && isWhole(payload) ? { frame: JSON.stringify(payload) } : null;
    },
    resumed() {
      missed = 'unknown';
    },
  };
}

/** Ids are remembered; what is longer is no uuid, and counts each time. */
const longestId = 128;

/** The SDK gives each message a `uuid`, and posts it again when it heard no answer. */
function idOf(payload: object): string | undefined {
  if (!('uuid' in payload) || typeof payload.uuid !== 'string') return undefined;
  return payload.uuid.length > longestId ? undefined : payload.uuid;
}

function inEvent(frame: string): string {
  return `{"payload":${frame}}`;
}
