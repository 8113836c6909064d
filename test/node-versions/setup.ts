// Runs once before the suite: builds the gateway and gets the newer Nodes.
import type { TestProject } from 'vitest/node';
import build from '../support/build.ts';
import { findPrograms, type Programs } from '../support/programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    programs: Programs;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  build();
  project.provide('programs', await findPrograms(['node-22', 'node-24']));
}
