// ECA's frames as server-sent events, under the names of ECA's own remote server (docs/protocols/eca.md 7). A
// notification is sent as its params, any other frame as the whole message in an unnamed event.
import type { EventEnvelope, EventReader } from '../../core/contract/adapter/event-envelope.ts';
import type { Options } from '../../core/contract/adapter/launch.ts';
import type { Out } from '../../core/contract/channel.ts';
import { isDictionary } from '../../core/model/dictionary.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { notificationFrame } from './json-rpc.ts';

/** Notification methods by event name. */
const methods: ReadonlyMap<string, string> = new Map([
  ['chat:content-received', 'chat/contentReceived'],
  ['chat:cleared', 'chat/cleared'],
  ['chat:status-changed', 'chat/statusChanged'],
  ['chat:opened', 'chat/opened'],
  ['chat:deleted', 'chat/deleted'],
  ['config:updated', 'config/updated'],
  ['tool:server-updated', 'tool/serverUpdated'],
  ['tool:server-removed', 'tool/serverRemoved'],
  ['providers:updated', 'providers/updated'],
  ['jobs:updated', 'jobs/updated'],
  ['session:message', '$/showMessage'],
  ['session:progress', '$/progress'],
]);
const events: ReadonlyMap<unknown, string> = new Map([...methods].map(([event, method]) => [method, event]));

/** The name that an event without a name is reported with. */
const unnamed = 'message';

function textOf(out: Out): string {
  if (typeof out === 'string') return out;
  // A chunk boundary may split a character.
  const stream = new TextDecoder();
  return out
    .map((piece) => (typeof piece === 'string' ? stream.decode() + piece : stream.decode(piece, { stream: true })))
    .concat(stream.decode())
    .join('');
}

/** The event name and params of a notification that has a name; null for any other frame. */
function named(text: string): { readonly event: string; readonly params: object } | null {
  const message: unknown = JSON.parse(text);
  if (!isDictionary(message) || 'id' in message || !isDictionary(message.params)) return null;
  const event = events.get(message.method);
  return event === undefined ? null : { event, params: message.params };
}

function paramsIn(data: string): object {
  let params: unknown;
  try {
    params = JSON.parse(data);
  } catch (cause) {
    throw new GatewayError('bad-frame', 'an event that is not JSON', { cause });
  }
  if (isDictionary(params)) return params;
  throw new GatewayError('bad-frame', 'an event whose data is no object');
}

const reader: EventReader = {
  read(event, data) {
    if (event === unnamed) return { frame: data };
    const method = methods.get(event);
    return method === undefined ? null : { frame: notificationFrame(method, paramsIn(data)) };
  },
  // Missed events are sent again after a reconnect, so there is nothing to reset.
  resumed() {},
};

const envelope: EventEnvelope = {
  wrap({ out, cursor }) {
    const id = cursor === null ? {} : { id: cursor };
    const notification = named(textOf(out));
    if (notification === null) return { event: unnamed, ...id, data: out };
    return { event: notification.event, ...id, data: JSON.stringify(notification.params) };
  },
  // ECA has no event for a reset, so the gateway sends its own, as with bare frames.
  lost: (reason) => ({ event: 'gateway', data: JSON.stringify({ type: 'reset', reason }) }),
  reader: () => reader,
};

/**
 * The envelope that the options select, for clients and agents. Undefined selects bare frames. Posts are always bare.
 */
export function eventEnvelope({ events: names }: Options): EventEnvelope | undefined {
  return names === 'frames' ? undefined : envelope;
}
