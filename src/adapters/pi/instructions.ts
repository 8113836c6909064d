// Passes instructions for the model as arguments of pi's command line (`--system-prompt` and `--append-system-prompt`,
// in every version from 0.13.2 to 1.5.2).

import type { Instructions } from '../../core/contract/adapter/instructions.ts';
import type { AgentLaunch } from '../../core/contract/adapter/launch.ts';

/**
 * Adds the instructions to the command line. The last `--system-prompt` wins; additions accumulate in newer versions.
 */
export function withInstructions(start: AgentLaunch, { text, addition }: Instructions): AgentLaunch {
  return {
    ...start,
    argv: [
      ...start.argv,
      ...(text === undefined ? [] : ['--system-prompt', plain(text)]),
      ...(addition === undefined ? [] : ['--append-system-prompt', plain(addition)]),
    ],
  };
}

/**
 * Prevents pi from reading a file: pi treats a text as a path if such a file exists, and no such path ends in a line
 * feed.
 */
function plain(text: string): string {
  return `${text}\n`;
}
