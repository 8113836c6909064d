// Which stored sessions a client on the network may have an agent open: those inside the configured roots (docs/threats.md T9).
// Knows no protocol.
import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Command } from '../core/model/command.ts';
import { GatewayError } from '../core/model/errors.ts';
import { faultInWords, realInside } from './paths.ts';

/**
 * The command as an agent may be given it: with the path that was looked at, which no link leads away from. Throws
 * `invalid` when the path that it names is not there, or lies outside the roots. A path on the machine of a remote agent
 * cannot be looked at: it counts as not there.
 */
export function withPathsInside(command: Command, roots: readonly string[]): Command {
  switch (command.type) {
    case 'switch-session':
    case 'load-session':
      return { ...command, path: checked(command.path, roots) };
    case 'new-session':
      return command.parent === undefined ? command : { ...command, parent: checked(command.parent, roots) };
    default:
      return command;
  }
}

function checked(wish: string, roots: readonly string[]): string {
  const fault = faultInWords(wish) ?? (path.isAbsolute(wish) ? null : 'must be absolute');
  if (fault !== null) throw new GatewayError('invalid', `session path: ${fault}`);
  const real = realInside(wish, roots);
  if (real !== null && mayBeSession(real)) return real;
  throw new GatewayError('invalid', 'session path: must name a stored session inside one of the configured roots');
}

/** To open anything else may be to use it; and there are agents that empty a file which is none of theirs. */
function mayBeSession(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isDirectory() === true || (stats?.isFile() === true && /^(?:$|\s*\{\s*")/u.test(beginningOf(file)));
}

/** The first 64 bytes of a file. */
export function beginningOf(file: string): string {
  const head = Buffer.alloc(64);
  const opened = openSync(file, 'r');
  try {
    return head.toString('latin1', 0, readSync(opened, head));
  } finally {
    closeSync(opened);
  }
}
