// Shared by all our programs: the version, and the report of a failure.
import manifest from '../../package.json' with { type: 'json' };
import { GatewayError, messageOf } from '../core/model/errors.ts';

/** Prints the reason to stderr and sets the exit code: 2 for wrong usage, 1 for a failure while running. */
export function tellFailure(program: string, thrown: unknown): void {
  process.stderr.write(`${program}: ${messageOf(thrown)}\n`);
  const isUsage = thrown instanceof GatewayError && (thrown.code === 'invalid' || thrown.code === 'not-found');
  process.exitCode = isUsage ? 2 : 1;
}

/** The version of this package. */
export const ownVersion: string = manifest.version;
