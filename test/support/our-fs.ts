// The file system is ours for one test file: some functions of `node:fs` do what the file says, for all modules of the process.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll } from 'vitest';

/** Puts the functions that `make` gives in the place of the real ones until the test file that calls this has ended. */
export function replaceFs(
  make: (real: Readonly<typeof fs>) => Partial<Record<keyof typeof fs, (...call: never[]) => unknown>>,
): void {
  const real = { ...fs };
  const ours = make(real);
  const theirs = Object.fromEntries(Object.entries(real).filter(([name]) => Object.hasOwn(ours, name)));
  function put(functions: object): void {
    Object.assign(fs, functions);
    syncBuiltinESMExports();
  }
  beforeAll(() => put(ours));
  afterAll(() => put(theirs));
}
