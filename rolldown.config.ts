// What is published: one file for each program and for the library, what they share, and the library's types.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { defineConfig, type Plugin } from 'rolldown';
import manifest from './package.json' with { type: 'json' };

/** The programs and the library, as package.json names them, and what agents load by its path. */
const targets = [
  ...Object.values(manifest.bin),
  manifest.exports['.'].default,
  ...readdirSync('src/extensions').map((name) => `dist/extensions/${name.replace(/\.ts$/u, '.js')}`),
];
const entries = targets.map((target) => target.replace(/^(?:\.\/)?dist\//u, '').replace(/\.js$/u, ''));

/** Packages that are installed beside ours. zod is one because our types name its types; its code is in the bundle. */
const external = Object.keys(manifest.dependencies).filter((name) => name !== 'zod');

export default defineConfig({
  input: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])),
  platform: 'node',
  external: external.map((name) => new RegExp(`^${name}(?:/|$)`, 'u')),
  plugins: [declarations('types'), notices('third-party-notices.txt')],
  output: {
    dir: 'dist',
    cleanDir: true,
    chunkFileNames: 'chunks/[name].js',
    comments: false,
    // For those who work on the source; not published.
    sourcemap: true,
  },
});

/** The declarations of the library and those that these import, in that folder. Not checked here: `npm run check` does that. */
function declarations(folder: string): Plugin {
  const temporary = mkdtempSync(join(tmpdir(), 'patchbay-types-'));
  let emitted: Promise<unknown>;
  return {
    name: 'declarations',
    buildStart() {
      const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', temporary];
      emitted = promisify(execFile)(process.execPath, tsc);
    },
    async generateBundle() {
      try {
        await emitted;
        const texts = new Map<string, string>();
        for (const todo = ['index.d.ts']; todo.length > 0; ) {
          const file = todo.pop() ?? '';
          if (texts.has(file)) continue;
          const text = readFileSync(join(temporary, file), 'utf8');
          texts.set(file, text);
          const imports = [...text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/gu)];
          todo.push(...imports.map(([, path]) => posix.join(posix.dirname(file), `${path}.d.ts`)));
        }
        for (const [file, source] of texts) this.emitFile({ type: 'asset', fileName: `${folder}/${file}`, source });
      } finally {
        rmSync(temporary, { recursive: true, force: true });
      }
    },
  };
}

/** The licences of the packages whose code is in the bundle, as these licences ask. */
function notices(fileName: string): Plugin {
  return {
    name: 'notices',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
      const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(id) ?? []));
      const texts = [...folders].sort().map((folder) => {
        const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        const licence = readdirSync(folder).find((file) => /^licen[cs]e/iu.test(file));
        if (licence === undefined) return this.error(`${name} is taken into the bundle and has no licence file`);
        return `${name} ${version}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`;
      });
      this.emitFile({ type: 'asset', fileName, source: texts.join(`\n${'-'.repeat(80)}\n\n`) });
    },
  };
}
