// Runs before each test file. Test files share a process, so that a file has to leave the process as the file found it.
import { afterAll, expect } from 'vitest';

const env = { ...process.env };
const folder = process.cwd();

afterAll(() => {
  expect(process.env, 'a test has left something in process.env').toEqual(env);
  expect(process.cwd(), 'a test has left the folder').toBe(folder);
});
