// Reads a tape for the commands that need one.
import { readFileSync } from 'node:fs';
import { protocolOf, protocols } from '../../adapters/protocols.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { type LoadedTape, loadTape } from '../../tape/loaded.ts';
import { TapeError } from '../../tape/reader.ts';

/** Reads the tape in a file. Throws `invalid` with the file and the line. */
export function tapeIn(
  file: string,
  options: { readonly conn?: string | undefined; readonly protocol?: string | undefined } = {},
): LoadedTape {
  try {
    return loadTape(readFileSync(file, 'utf8'), { ...options, isByLength });
  } catch (thrown) {
    const known = thrown instanceof TapeError ? '' : 'cannot read ';
    throw new GatewayError('invalid', `${known}${file}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Reads the text of a tape. Throws a TapeError. */
export function loadedTape(text: string): LoadedTape {
  return loadTape(text, { isByLength });
}

function isByLength(id: string): boolean {
  return protocols.has(id) && protocolOf(id).framing.stdio === 'content-length';
}
