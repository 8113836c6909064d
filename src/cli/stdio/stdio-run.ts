// Carries out `patchbay stdio`. stdio.ts declares the options, and loads this file when the command runs.
import { configFrom, tellConfigFile } from '../agents/agent-config.ts';
import type { AgentOptions } from '../agents/agent-options.ts';
import { watchEditor } from './editor-watch.ts';
import { type ServeOptions, serveStdio } from './serve-stdio.ts';

/** The parsed options. */
export interface StdioOptions extends AgentOptions {
  readonly frontend: string;
  readonly client: Readonly<Record<string, string>>;
  readonly verbose?: boolean;
}

/** Serves the client until it leaves. */
export async function stdio(command: readonly string[], options: StdioOptions): Promise<void> {
  const { frontend, client, verbose, ...agent } = options;
  const config = configFrom(agent, command);
  tellConfigFile(agent);
  await serveStdio({ config, frontend, client, verbose, ...watchOf(frontend) });
}

/** For ECA, whose clients name their process: stops serving when that process ends. */
function watchOf(frontend: string): Pick<ServeOptions, 'wrap' | 'failure'> {
  if (frontend !== 'eca') return {};
  const { wrap, gone } = watchEditor();
  return { wrap, failure: gone };
}
