// What `patchbay stdio` does.
import { configFrom } from './agent-config.ts';
import type { AgentOptions } from './agent-options.ts';
import { watchEditor } from './editor-watch.ts';
import { type ServeOptions, serveStdio } from './serve-stdio.ts';

/** What the options give. */
export interface StdioOptions extends AgentOptions {
  readonly frontend: string;
  readonly client: Readonly<Record<string, string>>;
  readonly verbose?: boolean;
}

/** Serves the client until it has gone. */
export async function stdio(command: readonly string[], options: StdioOptions): Promise<void> {
  const { frontend, client, verbose, ...agent } = options;
  await serveStdio({ config: configFrom(agent, command), frontend, client, verbose, ...watchOf(frontend) });
}

/** Clients that name their process are watched. */
function watchOf(frontend: string): Pick<ServeOptions, 'wrap' | 'failure'> {
  if (frontend !== 'eca') return {};
  const { wrap, gone } = watchEditor();
  return { wrap, failure: gone };
}
