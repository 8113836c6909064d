// `patchbay redact`: a copy of a tape without secrets. redact-run.ts does the work.
import { Command } from 'commander';
import { collectWord } from '../agents/agent-options.ts';
import type { RedactOptions } from './redact-run.ts';

const help = `
Replaced by placeholders of the same length: tokens of a known shape, values of keys and headers such as authorization and
apiKey, values of environment variables whose names hold KEY, TOKEN, SECRET or PASSW, and the names of the user, the home
directory and this machine. Run it where the tape was recorded, with the same environment. Read the copy before you give
it away: no rule knows what is secret in your project.

Exit codes: 0 success, 1 a secret is still in the copy, 2 wrong usage.`;

/** The `redact` command. */
export function redactCommand(): Command {
  return new Command('redact')
    .description('copy a tape without secrets')
    .argument('<tape>', 'the tape')
    .requiredOption('-o, --output <file>', 'the copy; must not exist')
    .option('-f, --force', 'replace an existing copy')
    .option('--word <word>', 'a further word to be replaced; may be repeated', collectWord, [])
    .addHelpText('after', help)
    .action(async (tape: string, options: RedactOptions) => {
      const { redact } = await import('./redact-run.ts');
      redact(tape, options);
    });
}
