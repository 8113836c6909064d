// What the figures were measured on.
import { readFileSync } from 'node:fs';
import os from 'node:os';

/** The machine and the programs, one `name: value` a line. */
export function describeMachine(): string[] {
  const [first] = os.cpus();
  const gigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GB`;
  return [
    `processor: ${os.availableParallelism()} cores of ${first?.model.trim() ?? 'an unknown kind'}`,
    `memory: ${gigabytes(os.totalmem())}`,
    `system: ${os.type()} ${os.release()} ${os.arch()}`,
    `Node: ${process.version}, V8 ${process.versions.v8}`,
    `load: ${os
      .loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')} over 1, 5 and 15 minutes when the run began`,
    `packages: ${['pi-acp', 'ws', 'zod'].map((name) => `${name} ${versionOf(name)}`).join(', ')}`,
  ];
}

function versionOf(name: string): string {
  const manifest: unknown = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '?';
}
