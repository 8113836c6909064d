// What our programs have in common: their version, and how they tell that they failed. Knows no command.
import manifest from '../../package.json' with { type: 'json' };
import { GatewayError, messageOf } from '../core/model/errors.ts';

/** Says why and sets the exit code: 2 for a wrong call, 1 for what went wrong while running. */
export function tellFailure(program: string, thrown: unknown): void {
  process.stderr.write(`${program}: ${messageOf(thrown)}\n`);
  const isUsage = thrown instanceof GatewayError && (thrown.code === 'invalid' || thrown.code === 'not-found');
  process.exitCode = isUsage ? 2 : 1;
}

/** The version of this package. */
export const ownVersion: string = manifest.version;
