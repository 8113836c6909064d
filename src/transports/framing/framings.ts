// Finds the framing of a byte stream by its name.
import type { FramingName } from '../../core/contract/adapter/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { contentLength } from './content-length.ts';
import type { Framing } from './framing.ts';
import { jsonl } from './jsonl.ts';

/**
 * The framing for stdin and stdout of a program. Throws a GatewayError `unsupported` for framings that need whole messages,
 * as over WebSocket.
 */
export function streamFraming(name: FramingName): Framing {
  switch (name) {
    case 'jsonl':
      return jsonl;
    case 'content-length':
      return contentLength;
    case 'text':
    case 'lines':
    case 'event-stream':
      throw new GatewayError('unsupported', `${name} is no framing of a stream of bytes`);
    default:
      throw name satisfies never;
  }
}
