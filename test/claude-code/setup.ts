// Runs once before the opt-in suite: builds the gateway, gets Claude Code, and says aloud when there is none.
import type { TestProject } from 'vitest/node';
import build from '../support/build.ts';
import { type Found, findClaudeCode } from './install.ts';

declare module 'vitest' {
  interface ProvidedContext {
    claudeCode: Found;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  build();
  const found = await findClaudeCode();
  const says = 'reason' in found ? `SKIPPED: ${found.reason}` : `${found.version}, from ${found.from}`;
  process.stderr.write(`Claude Code: ${says}\n`);
  project.provide('claudeCode', found);
}
