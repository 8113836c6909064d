// Runs once before the suite: builds the gateway, gets the programs of today; behind the suite it prints the table.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Found as FoundClaudeCode, findClaudeCode } from '../claude-code/install.ts';
import build from '../support/build.ts';
import { findPrograms, type Programs } from '../support/programs.ts';
import { printTables } from './table.ts';

declare module 'vitest' {
  interface ProvidedContext {
    programs: Programs;
    claude: FoundClaudeCode;
    /** A folder in which each test file leaves its cells. */
    cells: string;
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  build();
  const programs = await findPrograms([
    'pi-newest',
    'pi-0.87',
    'pi-0.73',
    'sdk-newest',
    'sdk-0.2',
    'claude-agent-acp',
    'acpx',
    'node-22',
  ]);
  const claude = await findClaudeCode();
  const says = 'reason' in claude ? `SKIPPED: ${claude.reason}` : `${claude.version}, from ${claude.from}`;
  process.stderr.write(`Claude Code: ${says}\n`);
  const cells = mkdtempSync(join(tmpdir(), 'patchbay-cells-'));
  project.provide('programs', programs);
  project.provide('claude', claude);
  project.provide('cells', cells);
  return () => {
    printTables(cells);
    rmSync(cells, { recursive: true });
  };
}
