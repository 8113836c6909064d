// The framings of byte streams by name. Knows no stream and no protocol.
import type { FramingName } from '../../core/contract/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { contentLength } from './content-length.ts';
import type { Framing } from './framing.ts';
import { jsonl } from './jsonl.ts';

/**
 * How frames of that name are cut out of a program's stdin or stdout. Throws a GatewayError `unsupported` for the names
 * that only mean something where messages come whole, as over WebSocket.
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
