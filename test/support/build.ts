// Builds dist/ once before the suite, so that every test which runs the command line runs today's source.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Each project of the suite asks for the build. */
const done = 'PATCHBAY_TEST_BUILD';

export default function build(): void {
  if (process.env[done] === String(process.pid)) return;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  process.env[done] = String(process.pid);
}
