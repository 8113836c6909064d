// What a client in this process is told of a session, that takes each frame at once: frames that wait would be merged.
import type { ClientRequest, GatewayApi } from '../../src/core/contract/gateway/gateway-api.ts';
import { drain } from './core/stream-rig.ts';
import type { Heard } from './resuming-readers.ts';
import { textOf } from './telling.ts';

/**
 * Reads a session behind that cursor until the gateway is over; the list grows, and a message of the gateway is its name in the
 * place of the frame. `onTold` is called behind all frames of one moment.
 */
export function readAll(
  board: Pick<GatewayApi, 'stream'>,
  request: ClientRequest & { readonly session: string },
  cursor: string | null,
  onTold: () => void = () => {},
): readonly Heard[] {
  const reader = board.stream(request, cursor);
  const heard: Heard[] = [];
  const read = () => {
    for (const entry of drain(reader)) {
      if (entry.kind === 'frame') heard.push({ cursor: entry.cursor, frame: textOf(entry.out) });
      else heard.push({ cursor: null, frame: entry.kind });
    }
  };
  reader.onReadable = () => {
    read();
    onTold();
  };
  read();
  return heard;
}
