// One cell of docs/chaos-table.md: a fault in front of one agent, and clients of every protocol on its session.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { owner } from '../../../src/core/contract/principal.ts';
import { agentRoles } from '../agent-roles.ts';
import { eventually } from '../faults/eventually.ts';
import type { Kind, Observer } from '../faults/observers.ts';
import { type FaultRig, faultsOf } from '../faults/rig.ts';
import { must, withRig } from '../faults/row.ts';
import { tells } from '../telltale.ts';
import { type ChaosRow, places } from './rows.ts';

/** How the run that the fault hit ended, as the client that had asked for it was told. */
export type CellEnding = 'whole' | 'in part' | 'failed' | 'refused';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const launcher = file('./first-breaks.mjs');
const patchbay = file('../../../dist/cli/main.js');

/** One client of each protocol. */
export const chaosClients: readonly Kind[] = [
  'claude',
  'rpc-message',
  'pi',
  'pi-legacy',
  'pi-server',
  'eca',
  'acp',
].map((frontend) => ({ frontend, transport: 'ws' }));
/** Those that the table has a column for. */
export const chaosAgents = ['pi', 'pi-legacy', 'pi-server', 'claude', 'eca', 'acp'] as const;

/** An agent that is silent for so long has failed, ms. Far more than an agent needs here, also on a machine with other work. */
const silenceMs = 2500;
const seed = '20';
const limits = { silenceMs, abortMs: 1000, agentFrameBytes: 1024 * 1024 };

/** Runs one cell. `speaker`: who asks, by its place in `chaosClients`. Throws what does not end well. */
export async function runCell(row: ChaosRow, agent: string, speaker: number): Promise<CellEnding> {
  const role = agentRoles.get(agent);
  if (role === undefined) throw new Error(`nobody plays ${agent}`);
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-chaos-'));
  const log = join(folder, 'faults.jsonl');
  const { MID = '', ASK = '' } = places.get(agent) ?? {};
  const fault = row.fault.replace('MID', MID).replace('ASK', ASK);
  const faulty = [process.execPath, launcher, folder, patchbay, '--seed', seed, '--log', log, '--fault', fault, '--'];
  const command = [...faulty, ...(role.config.command ?? [])];
  const config = { agents: { cast: { ...role.config, command } }, limits };
  try {
    const ending = await withRig({ config, clients: chaosClients }, async (rig) => {
      const asker = rig.observers[speaker % rig.observers.length] as Observer;
      const found = await hit(rig, asker, role.turn, row);
      await healed(rig, rig.observers[(speaker + 1) % rig.observers.length] as Observer, role.turn);
      if (row.harm !== 'lossy') await Promise.all(rig.observers.map(isInOrder));
      return found;
    });
    await allGone(readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number));
    must(readFileSync(log, 'utf8').includes('"dir":"fault"'), `${fault} did not happen`);
    return ending;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Turn = { readonly prompt: string; readonly says: readonly string[] };

/**
 * A prompt that was refused: Claude's protocol has a result as the only word for it, without a turn around it. The judge of
 * pi-server counts the prompts of its own client, and other clients speak here too.
 */
const isExpected = /^claude \w+: claude\/own\/turn at \d+: result outside a turn|^pi-server \w+: pi-server\/version-/u;

/** Resolves as soon as what the client heard is a whole conversation in the order of its protocol. */
async function isInOrder(one: Observer): Promise<void> {
  const wrong = () => faultsOf(one).filter((words) => !isExpected.test(words));
  await one.until(`an end of the last run; ${wrong().join('; ')}`, () => wrong().length === 0);
}

/** Prompts the agent with the fault. Resolves when the client that asked was told an end, and the session has one. */
async function hit(
  { session, gateway, observers }: FaultRig,
  asker: Observer,
  turn: Turn,
  { isAborted = false }: ChaosRow,
): Promise<CellEnding> {
  const from = asker.frames.length;
  asker.say(asker.dialect.role.prompt(turn.prompt, asker.frames));
  if (isAborted) asker.say(asker.dialect.role.interrupt(asker.frames));
  const last = await asker.waitFor('an end', (frame) => asker.dialect.role.isOver(frame) || isRefusal(frame), from);
  await eventually('a session without a run', () => stateOf(gateway, session) !== 'running');
  await Promise.all(
    observers.map((one) => one.until('all answers', () => one.dialect.role.isAnswered?.(one.frames) ?? true)),
  );
  const run = asker.frames.slice(from);
  if (!asker.dialect.role.isOver(last)) return 'refused';
  if (asker.dialect.role.isCutShort(last, run)) return 'failed';
  return turn.says.every((words) => tells(run, words)) ? 'whole' : 'in part';
}

function stateOf(gateway: FaultRig['gateway'], session: string): string {
  return gateway.board.session(session, owner).state;
}

function isRefusal(frame: string): boolean {
  const { type, success, error } = JSON.parse(frame);
  return type === 'error' || success === false || (error !== undefined && error !== null);
}

/** The next prompt runs, and every client is told all of it and its end. */
async function healed({ observers }: FaultRig, asker: Observer, turn: Turn): Promise<void> {
  const froms = observers.map(({ frames }) => frames.length);
  asker.say(asker.dialect.role.prompt(turn.prompt, asker.frames));
  const [last = ''] = turn.says.slice(-1);
  await Promise.all(
    observers.map(async (one, at) => {
      const from = froms[at] ?? 0;
      if (one === asker || one.dialect.tellsAllEnds) {
        await one.until('the end of the next run', () => one.endings.some((place) => place >= from));
      }
      await one.until('the words of the next run', () => tells(one.frames.slice(from), last));
      await one.until('all answers', () => one.dialect.role.isAnswered?.(one.frames) ?? true);
    }),
  );
}

/** No process of these groups is left. */
async function allGone(leaders: readonly number[]): Promise<void> {
  const isAlive = (leader: number) => {
    try {
      return process.kill(-leader, 0);
    } catch {
      return false;
    }
  };
  await eventually('the end of all processes', () => !leaders.some(isAlive));
}
