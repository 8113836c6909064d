// Builds dist/ before the tests that start it, unless dist/ is already the build of today's source.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What a build depends on: these folders, and the settings and scripts in the root folder. */
const sources = ['src', 'scripts'];
const setting = /\.(?:json|[cm]?[jt]s)$/u;
/** Where the last build left the hashes of its input and its output. */
const stamp = join(root, 'build/dist.stamp');

function filesIn(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) hash.update(`${file}\n`).update(readFileSync(file)).update('\n');
  return hash.digest('hex');
}

/** The source and dist/ as they are now. A dist/ that another build has changed is no longer the one of the stamp. */
function state(): string {
  const settings = readdirSync(root).filter((name) => setting.test(name));
  const input = [...settings.map((name) => join(root, name)), ...sources.flatMap(filesIn)];
  return `${hashOf(input)} ${hashOf(filesIn('dist'))}\n`;
}

export default function build(): void {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state()) return;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, state());
}
