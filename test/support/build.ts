// Builds dist/ once before the suite, so that every test which runs the command line runs today's source.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export default function build(): void {
  execFileSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
}
