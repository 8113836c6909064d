// The transports to agents at an address. They are a port, because most starts need none of their code.
import type { FramingName } from '../core/contract/adapter/adapter.ts';
import type { EventEnvelope } from '../core/contract/adapter/event-envelope.ts';
import type { Channel } from '../core/contract/channel.ts';
import type { Traffic } from '../core/contract/traffic.ts';

/** Connects to agents at an address: transports/websocket/dial.ts and transports/sse/client.ts. */
export interface RemoteTransports {
  connectWebSocket(url: string, options: RemoteOptions & { readonly framing: FramingName }): Channel;
  connectEventSource(
    options: RemoteOptions & {
      readonly streamUrl: string;
      readonly sendUrl: string;
      readonly envelope?: EventEnvelope | undefined;
      readonly label: string;
    },
  ): Channel;
}

interface RemoteOptions {
  readonly token?: string | undefined;
  readonly maxFrameBytes: number;
  /** Counts the bytes of both directions and the sent frames. */
  readonly traffic?: Traffic;
}
