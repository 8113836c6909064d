// Instructions for the model, as the words of pi's command line (pi --help: `--system-prompt`, `--append-system-prompt`, in
// every version from 0.13.2 to 1.5.2). Pure.
import type { AgentLaunch } from '../../core/contract/adapter.ts';
import type { Instructions } from '../../core/contract/instructions.ts';

/** The start of a pi that is told so. For `--system-prompt` the last one counts; additions add up in newer versions. */
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

/** Where the words are the path of a file, pi reads that file instead; no such path ends in a line feed. */
function plain(text: string): string {
  return `${text}\n`;
}
