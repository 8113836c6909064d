// Runs before each test file. Test files share a process: each finds the environment and the folder that the first one found.
import { afterAll } from 'vitest';

const env = { ...process.env };
const folder = process.cwd();

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(folder);
});
