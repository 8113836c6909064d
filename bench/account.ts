// `npm run bench:account`: where each microsecond of a delta goes. The gateway runs under V8's sampling profiler. `--write`
// puts the table into docs/path-of-a-delta.md.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Order } from './agents/order.ts';
import { type Client, gatewayOnStdio, gatewayOnWebSocket } from './clients.ts';
import { cpuOf } from './processes.ts';
import { sized } from './size.ts';

interface Case {
  readonly what: string;
  readonly order: Order;
  readonly runs: number;
  open(node: readonly string[]): Client | Promise<Client>;
}

const burst: Order = { bytes: 50_000, sample: 10_000, plays: 5, messages: 2 };
/** As in row P5. */
const long: Order = { dialect: 'snapshot', bytes: 50_000, sample: 100, plays: 20 };
/** Each in a read of its own, as a model says them. */
const single: Order = { bytes: 1, sample: sized(4000, 1000), perSecond: 1000 };

const toStdout = (node: readonly string[]) => gatewayOnStdio(undefined, node);
const toSocket = (node: readonly string[]) => gatewayOnWebSocket(undefined, node);
const cases: readonly Case[] = [
  { what: 'bursts, stdout', order: burst, runs: sized(12, 3), open: toStdout },
  { what: 'bursts, WebSocket', order: burst, runs: sized(12, 3), open: toSocket },
  { what: 'single, stdout', order: single, runs: 2, open: toStdout },
  { what: 'single, WebSocket', order: single, runs: 2, open: toSocket },
  { what: '50 KB snapshots, stdout', order: long, runs: sized(5, 2), open: toStdout },
];

const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int(), columnNumber: z.int() }),
    }),
  ),
  startTime: z.number(),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});
type Profile = z.output<typeof Profile>;

/** us for each delta, by place; a place is a folder of the source, or something below it. */
type Account = ReadonlyMap<string, { readonly us: number; readonly functions: ReadonlyMap<string, number> }>;

async function account({ order, runs, open }: Case): Promise<Account> {
  const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-account-'));
  try {
    const client = await open(['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder]);
    // V8 has compiled what is hot after one run, and most of a start is over.
    await client.run(order);
    const from = process.hrtime.bigint() / 1000n;
    const before = cpuOf(client.pid);
    for (let run = 0; run < runs; run += 1) await client.run(order);
    const spent = cpuOf(client.pid) - before;
    const to = process.hrtime.bigint() / 1000n;
    await client.stop();
    const deltas = runs * order.sample * (order.plays ?? 1) * (order.messages ?? 1);
    const [file = ''] = readdirSync(folder);
    const profile = Profile.parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
    return sharedOut(profile, Number(from), Number(to), spent, deltas);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Shares the CPU time `spent` out by the samples between two times of the machine's monotonic clock, us. The profiler takes
 * the reads of the event loop for idle time: they are what the samples do not explain. On a busy machine samples hold
 * waiting too, and are scaled down.
 */
function sharedOut(profile: Profile, from: number, to: number, spent: number, deltas: number): Account {
  const { nodes, startTime, samples, timeDeltas } = profile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const places = new Map<number, { place: string; name: string }>();
  const found = new Map<string, { us: number; functions: Map<string, number> }>();
  let at = startTime;
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0;
    at += took;
    const frame = frames.get(id);
    if (at < from || at > to || frame === undefined || frame.functionName === '(idle)') continue;
    const known = places.get(id) ?? placeOf(frame);
    places.set(id, known);
    const entry = found.get(known.place) ?? { us: 0, functions: new Map() };
    entry.us += took;
    entry.functions.set(known.name, (entry.functions.get(known.name) ?? 0) + took);
    found.set(known.place, entry);
    total += took;
  }
  const scale = Math.min(1, spent / total) / deltas;
  for (const entry of found.values()) {
    entry.us *= scale;
    for (const [name, us] of entry.functions) entry.functions.set(name, us * scale);
  }
  found.set('not in JavaScript', { us: Math.max(0, spent - total) / deltas, functions: new Map() });
  return found;
}

type CallFrame = Profile['nodes'][number]['callFrame'];

function placeOf({ functionName, url, lineNumber, columnNumber }: CallFrame): { place: string; name: string } {
  if (functionName === '(garbage collector)') return { place: 'garbage collection', name: '' };
  if (url === '') return { place: 'native code of Node and V8', name: functionName };
  if (url.startsWith('node:')) return { place: 'JavaScript of Node', name: `${functionName} (${url})` };
  const source = sourceOf(fileURLToPath(url.startsWith('file:') ? url : `file://${url}`), lineNumber, columnNumber);
  const [, inside = ''] = /(?:^|\/)(node_modules\/[^/]+|src\/.*)$/u.exec(source) ?? [];
  const folder = /^src\/(?:core\/[^/]+|adapters\/[^/]+|transports\/framing|[^/]+)/u.exec(inside)?.[0];
  return {
    place: folder ?? (inside === '' ? 'other' : inside),
    name: `${functionName || '(anonymous)'} (${path.basename(source)})`,
  };
}

const maps = new Map<string, SourceMap | null>();

/** The file that a place in a bundle comes from. */
function sourceOf(bundle: string, line: number, column: number): string {
  let map = maps.get(bundle);
  if (map === undefined) {
    map = mapOf(bundle);
    maps.set(bundle, map);
  }
  const entry = map?.findEntry(line, column);
  return entry !== undefined && 'originalSource' in entry
    ? path.resolve(path.dirname(bundle), entry.originalSource)
    : bundle;
}

function mapOf(bundle: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return null;
  }
}

const accounts: Account[] = [];
for (const one of cases) {
  process.stderr.write(`${one.what}\n`);
  accounts.push(await account(one));
}
const places = [...new Set(accounts.flatMap((one) => [...one.keys()]))];
const sum = (one: Account) => [...one.values()].reduce((all, { us }) => all + us, 0);
const cost = (place: string) => accounts.reduce((all, one) => all + (one.get(place)?.us ?? 0) / sum(one), 0);
places.sort((a, b) => cost(b) - cost(a));
const cells = (values: readonly (number | string)[]) =>
  values.map((value) => (typeof value === 'number' ? value.toFixed(value < 1 ? 3 : 1) : value)).join(' | ');
const rows = places.map((place) => `| ${cells([place, ...accounts.map((one) => one.get(place)?.us ?? 0)])} |`);
const head = `| us a delta | ${cells(cases.map(({ what }) => what))} |\n|---|${'---|'.repeat(cases.length)}`;
const table = [head, `| all | ${cells(accounts.map(sum))} |`, ...rows].join('\n');
process.stdout.write(`${table}\n\n`);
if (process.argv.includes('--write')) {
  const page = 'docs/path-of-a-delta.md';
  const [start = '', rest = ''] = readFileSync(page, 'utf8').split(/(?<=<!-- account -->\n)/u);
  const end = rest.slice(rest.indexOf('<!-- end of the account -->'));
  writeFileSync(page, `${start}\n${table}\n\n${end}`);
}
for (const [index, { what }] of cases.entries()) {
  const all = [...(accounts[index] ?? [])].flatMap(([place, { functions }]) =>
    [...functions].map(([name, us]) => ({ name: `${place}: ${name}`, us })),
  );
  const most = all.sort((a, b) => b.us - a.us).slice(0, 30);
  process.stdout.write(`${what}\n${most.map(({ name, us }) => `  ${us.toFixed(3)}  ${name}\n`).join('')}\n`);
}
