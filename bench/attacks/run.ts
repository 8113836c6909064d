// `npm run attacks [-- R1 R3 …] [--short]`: carries out each attack against the built gateway with its default limits,
// beside a session that streams, and prints what the others noticed. Fails when the gateway is gone or the witness cut.
import { describeMachine } from '../machine.ts';
import { type Outcome, wait, witnessed } from './arena.ts';
import { silent } from './connections.ts';
import { messages, posted } from './frames.ts';
import { fromAgent, fromClient } from './noise.ts';
import { optionStreams } from './options.ts';
import { evilProject } from './programs.ts';
import { manyBlocks, oneBlock } from './text.ts';

const isShort = process.argv.includes('--short');
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
/** The full size, or a small part of it. */
const size = (full: number, short: number) => (isShort ? short : full);

interface Attack {
  readonly row: string;
  readonly what: string;
  run(): Promise<Outcome>;
}

const millions = (count: number) => count.toLocaleString('en');
const [block, text] = [size(530, 80), size(560, 80)];
const [frames, junk] = [size(4_194_299, 80_000), size(4_000_000, 200_000)];
const [connections, siegeMs] = [size(600, 600), size(20_000, 5000)];

const attacks: readonly Attack[] = [
  {
    row: '–',
    what: 'no attack, 10 s',
    run: () =>
      witnessed(async () => {
        await wait(9000);
        return '–';
      }),
  },
  {
    row: 'R1',
    what: `${block} deltas of 1 MiB in one block, one reader stalls`,
    run: () => witnessed(oneBlock(block)),
  },
  { row: 'R2', what: `${text} MiB of text in 40 blocks, late clients`, run: () => witnessed(manyBlocks(text)) },
  { row: 'R3', what: `a post of ${millions(frames)} frames, three frontends`, run: () => witnessed(posted(frames)) },
  { row: 'R3', what: 'a post of 80,000 frames, three frontends', run: () => witnessed(posted(80_000)) },
  { row: 'R3', what: `WebSocket messages of ${millions(frames)} frames`, run: () => witnessed(messages(frames)) },
  { row: 'R4', what: 'a patchbay.json in a project, two stand-ins', run: () => witnessed(evilProject) },
  { row: 'R5', what: '42 combinations of options, twice', run: () => witnessed(optionStreams) },
  {
    row: 'R6',
    what: `${connections} silent connections without a token, three kinds`,
    run: () => witnessed(silent(connections, siegeMs)),
  },
  {
    row: 'R7',
    what: `${millions(junk)} bad messages of an agent, unread log`,
    run: () => witnessed(fromAgent(junk), 'pipe'),
  },
  {
    row: 'R7',
    what: `${millions(junk)} bad frames in posts, unread log`,
    run: () => witnessed(fromClient(junk), 'pipe'),
  },
];

const columns = [
  '',
  'attack',
  'the attacker',
  'others: longest gap',
  '/healthz: longest',
  'loop: longest turn, CPU',
  'peak memory',
  'alive',
];
const line = (cells: readonly string[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
process.stdout.write(`${describeMachine().join('\n')}\n\n`);
line(columns);
line(columns.map(() => '---'));
for (const { row, what, run } of attacks.filter(({ row }) => wanted.length === 0 || wanted.includes(row))) {
  const { attacker, gapMs, healthMs, refused, isCut, busiestMs, peak, isAlive } = await run();
  const isFine = isAlive && !isCut && refused === 0;
  if (!isFine) process.exitCode = 1;
  const alive = isAlive ? (isFine ? 'yes' : `yes, ${isCut ? 'witness cut' : `${refused} of /healthz refused`}`) : 'NO';
  line([
    row,
    what,
    attacker,
    `${Math.round(gapMs)} ms`,
    `${Math.round(healthMs)} ms`,
    `${Math.round(busiestMs)} ms`,
    `${Math.round(peak / 1e6)} MB`,
    alive,
  ]);
}
