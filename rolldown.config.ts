// What is published: the programs with their shared chunks, the library and the client library as one file each, each
// extension, the page of the inspector, and the types.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import {
  type CodeSplittingNameFunction,
  defineConfig,
  type OutputOptions,
  type Plugin,
  type RolldownOptions,
} from 'rolldown';
import manifest from './package.json' with { type: 'json' };

/** The entries for these files in dist, as package.json names them. */
const entriesOf = (...files: readonly string[]) =>
  Object.fromEntries(
    files.map((file) => {
      const name = file.replace(/^(?:\.\/)?dist\//u, '').replace(/\.js$/u, '');
      return [name, `src/${name}.ts`];
    }),
  );

/** Packages that those install who want traces (decision 0024). */
const tracing = Object.keys(manifest.devDependencies).filter((name) => name.startsWith('@opentelemetry/'));

/** Packages that are installed beside ours. zod is one because our types name its types; its code is in the bundle. */
const external = [...Object.keys(manifest.dependencies), ...tracing, 'ioredis']
  .filter((name) => name !== 'zod')
  .map((name) => new RegExp(`^${name}(?:/|$)`, 'u'));

const common = {
  platform: 'node',
  external,
  // Only the programs have side effects at load: an unused module is left out, together with all its imports.
  treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/](?!cli[\\/])/u, sideEffects: false }] },
} satisfies RolldownOptions;

const output = {
  dir: 'dist',
  comments: false,
  // For those who work on the source; not published.
  sourcemap: true,
} satisfies OutputOptions;

/** The side of an adapter has the name of its folder in front, for the readers of stack traces. */
function adapterIn(id: string | null | undefined): string {
  const folder = /[\\/]adapters[\\/]([^\\/]+)[\\/][^\\/]+$/u.exec(id ?? '')?.[1];
  return folder === undefined ? '' : `${folder}-`;
}

/** Names the chunk `program` for the static imports of main.ts, so that `patchbay --version` does not load the gateway. */
const chunkOfMain: CodeSplittingNameFunction = (id, chunking) => {
  const main = resolve('src/cli/main.ts');
  const seen = new Set<string>();
  for (const todo = [main]; todo.length > 0; ) {
    const next = todo.pop() ?? '';
    if (next === id) return id === main ? null : 'program';
    if (seen.has(next)) continue;
    seen.add(next);
    todo.push(...(chunking.getModuleInfo(next)?.importedIds ?? []));
  }
  return null;
};

/** The programs load only the code that they need. The library loads everything, so that it has a build of its own. */
export default defineConfig([
  {
    ...common,
    input: entriesOf(...Object.values(manifest.bin)),
    plugins: [notices('third-party-notices.txt'), declaresCommonJs('cli/package.json')],
    output: {
      ...output,
      cleanDir: true,
      // CommonJS loads faster, and a program can switch the compile cache on before it loads its chunks (decision 0021).
      format: 'cjs',
      chunkFileNames: ({ facadeModuleId }) => `chunks/${adapterIn(facadeModuleId)}[name].cjs`,
      // Few files: Node spends one to two milliseconds on each.
      codeSplitting: {
        groups: [
          { name: chunkOfMain, debugName: 'program', minShareCount: 2, priority: 2 },
          { name: 'gateway', tags: ['$initial'], minShareCount: 4, priority: 1 },
        ],
      },
    },
  },
  {
    ...common,
    input: entriesOf(manifest.exports['.'].default),
    plugins: [declarations('types'), rules('inspector/rules.json')],
    output: { ...output, codeSplitting: false },
  },
  {
    ...common,
    // For browsers too.
    platform: 'neutral',
    input: entriesOf(manifest.exports['./client'].default),
    output,
  },
  {
    // Agents load extensions by their path.
    input: entriesOf(
      ...readdirSync('src/extensions').map((name) => `dist/extensions/${name.replace(/\.ts$/u, '.js')}`),
    ),
    platform: 'node',
    output,
  },
  {
    // The page of the inspector.
    input: { app: 'src/inspector/main.tsx' },
    platform: 'browser',
    plugins: [page(), notices('inspector/third-party-notices.txt')],
    output: { dir: 'dist', entryFileNames: 'inspector/[name].[hash].js', minify: true, codeSplitting: false },
  },
]);

/** The rest of the page: its styles as one file, the shell that names both files, and all of them compressed. */
function page(): Plugin {
  const folder = 'src/inspector/styles';
  return {
    name: 'page',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const sheets = readdirSync(folder).sort();
        const style = sheets.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
        const css = style.replace(/\/\*[\s\S]*?\*\//gu, '').replace(/\s*\n\s*/gu, '\n');
        const cssName = `inspector/app.${createHash('sha256').update(css).digest('base64url').slice(0, 8)}.css`;
        const [app] = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []));
        if (app === undefined) return this.error('the page has no code');
        const shell = readFileSync('src/inspector/index.html', 'utf8')
          .replace('app.css', `/${cssName}`)
          .replace('app.js', `/${app.fileName}`);
        const files = { [app.fileName]: app.code, [cssName]: css, 'inspector/index.html': shell };
        for (const [fileName, source] of Object.entries(files)) {
          if (fileName !== app.fileName) this.emitFile({ type: 'asset', fileName, source });
          this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(source) });
          this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) });
        }
      },
    },
  };
}

/** The declarations of both libraries and those that these import, in that folder. Not checked here: `npm run check` does that. */
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
        for (const todo = ['index.d.ts', 'client/index.d.ts']; todo.length > 0; ) {
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

/** The texts of the numbered rules in docs/, by page and number, for the page of the inspector. */
function rules(fileName: string): Plugin {
  return {
    name: 'rules',
    generateBundle() {
      const pages = ['docs', 'docs/protocols'].flatMap((folder) =>
        readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
      );
      const texts = pages.flatMap((page) => {
        const rule = /^- \*\*([A-Z]?\d+(?:\.\d+)?)\*\* ?((?:.|\n(?! *- |\n|[#|]))*)/gmu;
        const found = [...readFileSync(page, 'utf8').matchAll(rule)];
        return found.map(([, number, text = '']) => [`${page} ${number}`, text.replace(/\s+/gu, ' ').trim()]);
      });
      this.emitFile({ type: 'asset', fileName, source: JSON.stringify(Object.fromEntries(texts)) });
    },
  };
}

/** Marks the programs as CommonJS, because the package itself holds ES modules. */
function declaresCommonJs(fileName: string): Plugin {
  return {
    name: 'declares-commonjs',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source: '{ "type": "commonjs" }\n' });
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
