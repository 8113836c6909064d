// The events and posts of the SDK's browser entry: durable frames as numbered `client_event`s, live-only frames as
// `ephemeral_event`s (docs/protocols/claude.md 9.2).
import { z } from 'zod';
import type { EventEnvelope, EventReader } from '../../core/contract/adapter/event-envelope.ts';
import type { Options } from '../../core/contract/adapter/launch.ts';
import type { Out } from '../../core/contract/channel.ts';
import type { FrameEntry } from '../../core/contract/reader.ts';
import { GatewayError } from '../../core/model/errors.ts';

/** The options that select this envelope, for a client or an agent. */
export const EnvelopeOptions = z.looseObject({
  /** `sdk`: the envelope of the SDK's browser entry. */
  envelope: z.enum(['sdk']).optional(),
  /** The session's name in posts to an agent. A gateway accepts any name: the URL selects the session. */
  sessionId: z.string().optional(),
});

/** The first characters of a delta's frame. A test checks the projection against them. */
const liveHead = '{"type":"stream_event","event":{"type":"content_block_delta"';
const liveHeadBytes = new TextEncoder().encode(liveHead);

/** Any frame. The frontend or backend checks its content. */
const Payload = z.custom<object>((value) => typeof value === 'object' && value !== null, 'a frame is an object');

/** The body of a client's post. The SDK sends one event at a time. */
const Post = z.looseObject({ events: z.array(z.looseObject({ payload: Payload })).min(1) });

/**
 * An event from an agent. `source` is the sender: only the worker's own frames count, not what others sent to the
 * worker.
 */
const EventData = z.looseObject({ source: z.unknown().optional(), payload: Payload });

function bodyOf(entry: FrameEntry, head: string): Out {
  const { out } = entry;
  return typeof out === 'string' ? `${head}"payload":${out}}` : [`${head}"payload":`, ...out, '}'];
}

/** Whether the client may miss the frame: an `assistant` frame with the whole block follows. */
function isLive(out: Out): boolean {
  const first = typeof out === 'string' ? out : out[0];
  if (typeof first === 'string') return first.startsWith(liveHead);
  return first !== undefined && liveHeadBytes.every((byte, at) => first[at] === byte);
}

/** The known fields about a frame's place. A frame of a snapshot has none. */
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

/** The envelope that the options select; undefined for bare frames. */
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
  const read = EventData.safeParse(parsed(data));
  if (!read.success) throw new GatewayError('bad-frame', `an event ${event} without a payload`);
  return event === 'client_event' && read.data.source !== 'worker' ? null : read.data.payload;
}

/** A stream event, with its type. */
const Streamed = z.looseObject({ type: z.literal('stream_event'), event: z.looseObject({ type: z.string() }) });

/**
 * Drops the deltas of a block after a gap: the block would otherwise continue with a hole. The whole block follows, and
 * supplies the missing rest. Deltas pass again from the next block whose start is live, which is a block start after a
 * dropped delta.
 */
function createReader(): EventReader {
  /** `unknown`: no delta has shown yet which block is open. */
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

/** The longest id that is remembered. A longer id is no uuid, so its post counts each time. */
const longestId = 128;

/** The SDK gives each message a `uuid`, and posts it again if it got no answer. */
function idOf(payload: object): string | undefined {
  if (!('uuid' in payload) || typeof payload.uuid !== 'string') return undefined;
  return payload.uuid.length > longestId ? undefined : payload.uuid;
}

function inEvent(frame: string): string {
  return `{"payload":${frame}}`;
}
