// Re-derives from the source who imports whom, and which words each layer may not say. The rules are ARCHITECTURE.md's.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Source text by path from the project's root, with forward slashes. */
type Sources = ReadonlyMap<string, string>;

function readSources(): Sources {
  const names = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.tsx?$/u.test(name)).map((name) => `src/${name.split(path.sep).join('/')}`);
  return new Map(files.sort().map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

/** What the files of a layer may import: packages by name (`node:` = all of Node), files by the start of their path. */
interface Layer {
  readonly of: RegExp;
  readonly packages: readonly string[];
  readonly files: readonly string[];
}

const wire = ['node:', 'ws', 'hono', '@hono/node-server', 'eventsource-parser'];
const everything: readonly string[] = ['src/'];

/** Loads adapters: the only file beside {@link libraryWire} in which an adapter may have a promise. */
const registry = 'src/adapters/protocols.ts';

const libraryWire = /^src\/adapters\/anthropic\/api\.ts$/;

/** The rooms of the core, the ground floor first: a room imports from itself and from the rooms before it. */
const coreRooms = [
  'model',
  'contract',
  'log',
  'fast-path',
  'ledger',
  'export',
  'stream',
  'link',
  'session',
  'metrics',
] as const;

/**
 * The rooms of the conformance checks, and the rooms that each of them may use: checks know no runner, and the runner knows no
 * protocol. All other rooms are protocols, which hold data for the checks.
 */
const conformanceRooms: Readonly<Record<string, readonly string[]>> = {
  check: [],
  model: [],
  runner: ['check', 'model'],
  report: ['check'],
  trace: ['check', 'report'],
  'pi-legacy': ['check', 'pi'],
  'pi-server': ['check', 'pi'],
  'rpc-message': ['check', 'claude'],
  '[^/]+': ['check'],
};

/** The first layer that matches a file counts. `$own` is the adapter's folder. */
const layers: readonly Layer[] = [
  { of: /^src\/core\/model\/file-change\.ts$/, packages: ['diff'], files: ['src/core/model/'] },
  ...coreRooms.map((room, floor) => ({
    of: new RegExp(`^src/core/${room}/`),
    packages: ['zod'],
    files: coreRooms.slice(0, floor + 1).map((lower) => `src/core/${lower}/`),
  })),
  { of: /^src\/adapters\/(index|protocols)\.ts$/, packages: [], files: ['src/core/', 'src/adapters/'] },
  {
    of: /^src\/adapters\/(pi-legacy|pi-server)\//,
    packages: ['zod'],
    files: ['src/core/', '$own', 'src/adapters/pi/'],
  },
  // An agent that is a library: its wire is a file of the adapter, and the only one that does I/O (decision 0014).
  { of: libraryWire, packages: ['@anthropic-ai/sdk'], files: ['src/core/', '$own'] },
  { of: /^src\/adapters\/[^/]+\//, packages: ['zod'], files: ['src/core/', '$own'] },
  { of: /^src\/extensions\//, packages: ['node:'], files: [] },
  // Of the other rooms it takes types alone: test/package.spawn.test.ts sees what is in its bundle.
  {
    of: /^src\/client\//,
    packages: ['eventsource-parser', 'zod'],
    files: ['src/client/', 'src/core/model/', 'src/adapters/claude/wire/', 'src/adapters/canonical/wire.ts'],
  },
  // A browser runs it. Of the model and the contracts it takes types alone: the page's bundle has no schema.
  {
    of: /^src\/inspector\//,
    packages: ['preact', '@preact/signals'],
    files: ['src/inspector/', 'src/client/', 'src/core/model/', 'src/core/contract/'],
  },
  { of: /^src\/transports\//, packages: wire, files: ['src/core/', 'src/transports/'] },
  {
    of: /^src\/workspace\//,
    packages: ['node:', 'ignore'],
    files: ['src/core/', 'src/stores/paths.ts', 'src/workspace/'],
  },
  { of: /^src\/tape\//, packages: ['zod'], files: ['src/core/', 'src/tape/'] },
  {
    of: /^src\/stores\/redis\//,
    packages: ['node:', 'ioredis'],
    files: ['src/core/', 'src/stores/redis/', 'src/stores/owned-log.ts'],
  },
  { of: /^src\/faults\//, packages: [], files: ['src/core/', 'src/faults/', 'src/tape/cutter.ts'] },
  { of: /^src\/stores\//, packages: ['node:'], files: ['src/core/', 'src/stores/'] },
  ...Object.entries(conformanceRooms).map(([room, lower]) => ({
    of: new RegExp(`^src/conformance/${room}/`),
    packages: ['node:', 'zod'],
    files: [
      'src/core/',
      '$own',
      'src/conformance/bounded-wait.ts',
      ...(room === 'runner' ? ['src/transports/'] : []),
      ...(room === 'trace' ? ['src/tape/'] : []),
      ...lower.map((other) => `src/conformance/${other}/`),
    ],
  })),
  { of: /^src\/conformance\/bounded-wait\.ts$/, packages: [], files: [] },
  { of: /^src\/conformance\/index\.ts$/, packages: [], files: ['src/conformance/'] },
  { of: /^src\/config\/(?:config|agent-config)\.ts$/, packages: ['*'], files: everything },
  { of: /^src\/config\//, packages: ['zod'], files: ['src/core/', 'src/config/'] },
  { of: /^src\/gateway\/log\.ts$/, packages: ['node:'], files: [] },
  { of: /^src\/(gateway\/[^/]+(\/[^/]+)?|index)\.ts$/, packages: ['*'], files: everything },
  { of: /^src\/cli\//, packages: ['*'], files: everything },
];

const statement = /^\s*(?:import|export)\s+(?:type\s+)?(?:[\w$*{][\w$\s,*{}]*?\s*from\s*)?['"]([^'"\n]+)['"]/gm;
const inlineImport = /\bimport\s*\(\s*(['"`])([^'"`\n]+)\1/g;
const unreadable = /\bimport\s*\(\s*(?!['"`)])|\brequire\s*\(|\bcreateRequire\b/g;

/** Every module that a file names: statements, re-exports, `import()` and `import('…').Type`. */
function importsOf(text: string): string[] {
  return [
    ...[...text.matchAll(statement)].map((match) => match[1]!),
    ...[...text.matchAll(inlineImport)].map((match) => match[2]!),
  ];
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The file that a relative import names. */
function target(file: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(file), specifier);
}

function importFaults(sources: Sources, exists: (file: string) => boolean): string[] {
  const faults: string[] = [];
  for (const [file, text] of sources) {
    const layer = layers.find((candidate) => candidate.of.test(file));
    if (layer === undefined) {
      faults.push(`${file}: no layer has a rule for it`);
      continue;
    }
    if (text.match(unreadable) !== null && !layer.packages.includes('*')) {
      faults.push(`${file}: imports something that cannot be read from the source`);
    }
    const own = `${file.split('/').slice(0, 3).join('/')}/`;
    const allowed = layer.files.map((start) => (start === '$own' ? own : start));
    for (const specifier of importsOf(text)) {
      if (specifier.startsWith('.')) {
        const imported = target(file, specifier);
        if (!/\.(tsx?|json)$/.test(specifier)) faults.push(`${file}: '${specifier}' does not end in .ts`);
        else if (!exists(imported)) faults.push(`${file}: '${specifier}' is no file`);
        else if (imported === 'package.json' && layer.packages.includes('*')) continue;
        else if (!allowed.some((start) => imported.startsWith(start)))
          faults.push(`${file}: may not import '${specifier}'`);
      } else if (specifier.startsWith('node:')) {
        if (!layer.packages.some((name) => name === 'node:' || name === '*'))
          faults.push(`${file}: may not import '${specifier}'`);
      } else if (!layer.packages.some((name) => name === packageOf(specifier) || name === '*')) {
        faults.push(`${file}: may not import '${specifier}'`);
      }
    }
  }
  return faults;
}

function cycles(sources: Sources): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      found.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const specifier of importsOf(sources.get(file) ?? '')) {
      if (specifier.startsWith('.')) visit(target(file, specifier), [...trail, file]);
    }
    done.add(file);
  };
  for (const file of sources.keys()) visit(file, []);
  return found;
}

/** The words of a text, identifiers taken apart: `piServerId` says pi. */
function spoken(text: string): string {
  return text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

const protocolName = /\b(?:pi|eca|claude|anthropic|json[- ]?rpc)\b/g;

function protocolNames(sources: Sources): string[] {
  const faults: string[] = [];
  for (const [file, text] of sources) {
    if (!/^src\/(core|transports)\//.test(file)) continue;
    for (const [index, line] of text.split('\n').entries()) {
      const names = spoken(line).match(protocolName);
      if (names !== null) faults.push(`${file}:${index + 1}: names ${names.join(', ')}`);
    }
    const inPath = spoken(file).match(protocolName);
    if (inPath !== null) faults.push(`${file}: names ${inPath.join(', ')}`);
  }
  return faults;
}

const outsideWorld =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bperformance\.now\b|\bprocess\.|\bcrypto\.|\bfetch\(|\basync\b|\bawait\b|\bPromise\b|\bconsole\./;

/** Rule 1, sans-IO: an adapter has no clock, no chance, no timer, no promise. Comments do not count. */
function outsideWorldFaults(sources: Sources): string[] {
  const faults: string[] = [];
  for (const [file, text] of sources) {
    if (!file.startsWith('src/adapters/') || file === registry || libraryWire.test(file)) continue;
    for (const [index, line] of text.split('\n').entries()) {
      const code = line.replace(/(^|\s)\/\/.*$/, '').replace(/^\s*(\/?\*).*$/, '');
      const found = code.match(outsideWorld);
      if (found !== null) faults.push(`${file}:${index + 1}: uses ${found[0]}`);
    }
  }
  return faults;
}

function withoutOpeningComment(sources: Sources): string[] {
  return [...sources].filter(([, text]) => !/^(?:#!.*\n)?\/[/*]/.test(text)).map(([file]) => file);
}

describe('the source', () => {
  const sources = readSources();
  const exists = (file: string): boolean => existsSync(path.join(root, file));

  test('is there', () => {
    for (const folder of ['src/core/', 'src/adapters/', 'src/transports/']) {
      const files = [...sources.keys()].filter((file) => file.startsWith(folder));
      expect(files.length, `files in ${folder}`).toBeGreaterThan(0);
    }
    const seen = [...sources.values()].flatMap(importsOf);
    expect(seen.length, 'imports seen').toBeGreaterThan(sources.size);
  });

  test('imports only what its layer may', () => expect(importFaults(sources, exists)).toEqual([]));
  test('has no import cycles', () => expect(cycles(sources)).toEqual([]));
  test('names no protocol in core and transports', () => expect(protocolNames(sources)).toEqual([]));
  test('reaches for no outside world in adapters', () => expect(outsideWorldFaults(sources)).toEqual([]));
  test('says at the top of each file what it is', () => expect(withoutOpeningComment(sources)).toEqual([]));
});

describe('the checks themselves', () => {
  const one = (file: string, text: string): Sources => new Map([[file, text]]);
  const exists = (file: string): boolean => /\.tsx?$/u.test(file);

  test.each([
    ['src/core/log/a.ts', "import fs from 'node:fs';"],
    ['src/core/log/a.ts', "import { WebSocket } from 'ws';"],
    ['src/core/log/a.ts', "import type { A } from '../../adapters/pi/wire.ts';"],
    ['src/core/log/a.ts', "import {\n  one,\n  type Two,\n} from '../../transports/stdio.ts';"],
    ['src/core/log/a.ts', "export * from '../../gateway.ts';"],
    ['src/core/log/a.ts', "export { a as b } from '../../stores/memory.ts';"],
    ['src/core/log/a.ts', "import '../../config.ts';"],
    ['src/core/log/a.ts', "import type { B } from '../session/b.ts';"],
    ['src/core/model/a.ts', "import type { B } from '../contract/b.ts';"],
    ['src/core/a.ts', ''],
    ['src/core/log/a.ts', "const a = () => import('node:net');"],
    ['src/core/log/a.ts', "type A = import('../../gateway.ts').Gateway;"],
    ['src/core/log/a.ts', 'const a = (name: string) => import(name);'],
    ['src/core/log/a.ts', "const fs = require('fs');"],
    ['src/core/log/a.ts', "import { b } from './b';"],
    ['src/core/log/a.ts', "import { b } from './b.js';"],
    ['src/adapters/claude/a.ts', "import { b } from '../eca/b.ts';"],
    ['src/adapters/claude/a.ts', "import { b } from '../pi/b.ts';"],
    ['src/adapters/claude/a.ts', "import { b } from '../index.ts';"],
    ['src/adapters/claude/a.ts', "import { b } from '../../transports/b.ts';"],
    ['src/adapters/claude/a.ts', "import { createHash } from 'node:crypto';"],
    ['src/adapters/pi-legacy/a.ts', "import { b } from '../pi-server/b.ts';"],
    ['src/adapters/index.ts', "import { b } from '../gateway.ts';"],
    ['src/transports/a.ts', "import { b } from '../adapters/index.ts';"],
    ['src/transports/a.ts', "import { z } from 'zod';"],
    ['src/transports/http/a.ts', "import { b } from '../../stores/b.ts';"],
    ['src/stores/a.ts', "import { b } from '../transports/b.ts';"],
    ['src/tape/a.ts', "import fs from 'node:fs';"],
    ['src/faults/a.ts', "import { randomInt } from 'node:crypto';"],
    ['src/conformance/check/a.ts', "import { b } from '../../stores/b.ts';"],
    ['src/conformance/check/a.ts', "import { b } from '../runner/b.ts';"],
    ['src/conformance/check/a.ts', "import { b } from '../../transports/b.ts';"],
    ['src/conformance/report/a.ts', "import { b } from '../trace/b.ts';"],
    ['src/conformance/runner/a.ts', "import { b } from '../pi/b.ts';"],
    ['src/conformance/pi/view/a.ts', "import { b } from '../../claude/b.ts';"],
    ['src/conformance/a.ts', ''],
    ['src/gateway/log.ts', "import { b } from './gateway.ts';"],
    ['src/elsewhere/a.ts', ''],
  ])('%s may not: %s', (file, text) => expect(importFaults(one(file, text), exists)).toHaveLength(1));

  test.each([
    ['src/core/log/a.ts', "import { z } from 'zod';\nimport { b } from './b.ts';"],
    ['src/core/session/a.ts', "import { b } from '../log/b.ts';"],
    ['src/adapters/pi-server/wire/a.ts', "import { b } from '../b.ts';\nimport { c } from '../../pi/c.ts';"],
    ['src/adapters/eca/a.ts', "import { z } from 'zod';\nimport { c } from '../../core/c.ts';"],
    ['src/adapters/index.ts', "import { a } from './eca/index.ts';"],
    ['src/conformance/trace/a.ts', "import { b } from '../report/b.ts';"],
    ['src/conformance/rpc-message/rules/a.ts', "import { b } from '../../claude/view/b.ts';"],
    ['src/adapters/protocols.ts', "const load = () => import('./eca/client-side.ts');"],
    ['src/transports/http/a.ts', "import { serve } from '@hono/node-server';\nimport { x } from 'hono/streaming';"],
    ['src/stores/a.ts', "import fs from 'node:fs/promises';"],
    ['src/gateway/gateway.ts', "import pino from 'anything';\nimport a from './adapters/index.ts';"],
    ['src/cli/main.ts', 'const load = (name: string) => import(name);'],
  ])('%s may: %s', (file, text) => expect(importFaults(one(file, text), exists)).toEqual([]));

  test('a cycle is seen', () => {
    const sources = new Map([
      ['src/core/a.ts', "import { b } from './b.ts';"],
      ['src/core/b.ts', "import type { c } from './c.ts';"],
      ['src/core/c.ts', "import { a } from './a.ts';"],
    ]);
    expect(cycles(sources)).toEqual(['src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts']);
  });

  test.each([
    '// as pi does',
    'const piServer = 1;',
    'const PI_LIMIT = 1;',
    'type EcaFrame = 1;',
    "const x = 'claude';",
    '/** JSON-RPC */',
    'class JsonRPCError {}',
    'const jsonrpc = 1;',
    'const viaAnthropic = 1;',
  ])('core may not say: %s', (text) => expect(protocolNames(one('src/core/a.ts', text))).toHaveLength(1));

  test.each(['const api = pipe(picture);', '// a decade', 'const json = parse(rpcs);'])('core may say: %s', (text) =>
    expect(protocolNames(one('src/core/a.ts', text))).toEqual([]),
  );

  test('adapters may name protocols', () => expect(protocolNames(one('src/adapters/pi/a.ts', '// pi'))).toEqual([]));

  test.each(['const at = Date.now();', 'setTimeout(f, 1);', 'const id = Math.random();', 'async function f() {}'])(
    'an adapter may not: %s',
    (text) => expect(outsideWorldFaults(one('src/adapters/eca/a.ts', text))).toHaveLength(1),
  );

  test.each(['const iso = new Date(ms).toISOString(); // async', '// await the reply', ' * Date.now()'])(
    'an adapter may: %s',
    (text) => expect(outsideWorldFaults(one('src/adapters/eca/a.ts', text))).toEqual([]),
  );

  test('a file without an opening comment is seen', () => {
    expect(withoutOpeningComment(one('src/core/log/a.ts', "import { z } from 'zod';"))).toEqual(['src/core/log/a.ts']);
    expect(withoutOpeningComment(one('src/cli/main.ts', '#!/usr/bin/env node\n// The command line.\n'))).toEqual([]);
  });
});
