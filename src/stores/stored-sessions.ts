// Restricts the stored sessions that a network client may open to the configured roots (docs/threats.md T9).
import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Command } from '../core/model/command.ts';
import { GatewayError } from '../core/model/errors.ts';
import { faultInWords, realInside } from './paths.ts';

/**
 * The command with real paths instead of client paths, so that no link can redirect them. Throws `invalid` if a path
 * does not exist or lies outside the roots. A path on the machine of a remote agent cannot be checked and counts as
 * missing.
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

/** Whether the file may be a session. Agents may overwrite any other file, and opening a device has an effect. */
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
