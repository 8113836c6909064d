// Runs checks over a target, several at a time, and tells what came of each. Knows no protocol.
import { messageOf } from '../core/errors.ts';
import {
  CannotTell,
  type Check,
  type CheckSet,
  type Connection,
  type Exchange,
  NotApplicable,
  PeerWrong,
  type Result,
  type Settings,
  type Tools,
  type Verdict,
} from './check.ts';
import { createPool, type Pool } from './pool.ts';
import type { Target } from './target.ts';

/** How checks are run. */
export interface RunOptions {
  /** Default: websocket where the target has it. */
  readonly transport?: 'websocket' | 'stdio';
  /** Checks at the same time over WebSockets; default 8. On stdio a program is one connection, and each has its own. */
  readonly atOnce?: number;
  /** How long a check waits for anything; default 10,000 ms. */
  readonly patienceMs?: number;
  /** Which checks; default all. */
  only?(check: Check<never>): boolean;
  progress?(told: Progress): void;
}

/** How far a run has come. */
export interface Progress {
  readonly id: string;
  readonly phase: 'started' | 'finished';
  /** Phase `finished`. */
  readonly verdict?: Verdict;
  /** Checks that have finished, and all. */
  readonly done: number;
  readonly of: number;
}

const defaultPatienceMs = 10_000;
const defaultAtOnce = 8;

/** What came of each check, in the order of the set. Never rejects for what a peer does. */
export async function runChecks<Stage>(
  set: CheckSet<Stage>,
  target: Target,
  options: RunOptions = {},
): Promise<Result[]> {
  const { patienceMs = defaultPatienceMs, atOnce = defaultAtOnce, only = () => true, progress = () => {} } = options;
  const usually = options.transport ?? (target.websocket === undefined ? 'stdio' : 'websocket');
  const checks = set.checks.filter((check) => only(check));
  const results = new Map<string, Result>();
  const pool = createPool(target, { patienceMs });
  // Unique among all runs that a peer may have seen.
  const run = crypto.randomUUID().slice(0, 8);
  const waiting = checks.entries();

  async function work(): Promise<void> {
    for (const [index, check] of waiting) {
      progress({ id: check.id, phase: 'started', done: results.size, of: checks.length });
      const transport = check.needs?.transport ?? usually;
      const nonce = `${run}-${index}`;
      const result = await runOne(set, check, { target, pool, transport, nonce, patienceMs });
      results.set(check.id, result);
      const { id, verdict } = result;
      progress({ id, phase: 'finished', verdict, done: results.size, of: checks.length });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  await pool.stop();
  return checks.flatMap(({ id }) => results.get(id) ?? []);
}

interface Place {
  readonly target: Target;
  readonly pool: Pool;
  readonly transport: 'websocket' | 'stdio';
  readonly nonce: string;
  readonly patienceMs: number;
}

async function runOne<Stage>(set: CheckSet<Stage>, check: Check<Stage>, place: Place): Promise<Result> {
  const { target, pool, transport, nonce, patienceMs } = place;
  const { needs = {} } = check;
  const began = performance.now();
  const connections: Connection[] = [];
  const undo: (() => Promise<void>)[] = [];
  let prompts = 0;

  function ended(verdict: Verdict, reason?: string): Result {
    const exchanges = connections.map(({ label, log }) => ({ connection: label, log }));
    const result: Result = { id: check.id, verdict, ms: performance.now() - began, exchanges };
    return reason === undefined ? result : { ...result, reason };
  }

  const missing = needs.script?.find((word) => !target.script.has(word));
  if (missing !== undefined) return ended('not-applicable', `there is no prompt for '${missing}'`);
  if (transport === 'stdio' && (needs.connections ?? 1) > 1)
    return ended('not-applicable', 'a program on stdio has one connection');
  if (needs.binary === true && target.connectBinary === undefined)
    return ended('not-applicable', 'no binary message can be sent');

  const settings = settingsOf(set, check, target);
  const reason = pool.unreachable({ transport, settings });
  if (reason !== null) return ended('not-applicable', reason);
  try {
    const lease = await pool.lease({ transport, settings, isAlone: needs.alone === true });
    undo.push(lease.release);
    const { peer } = lease;
    const tools: Tools = {
      nonce,
      transport,
      patienceMs,
      connect: async () => {
        const connection = peer.connect(needs.binary === true);
        const seen = transport === 'stdio' ? sinceNow(connection, lease.isFresh) : connection;
        connections.push(seen);
        if (transport === 'websocket') undo.push(() => connection.close());
        return seen;
      },
      script(word) {
        const prompt = target.script.get(word);
        if (prompt === undefined) throw new NotApplicable(`there is no prompt for '${word}'`);
        prompts += 1;
        return prompt.replaceAll('{id}', `${nonce}-${prompts}`);
      },
      terminate: () => peer.terminate(),
      exit: () => peer.exit(),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      atEnd: (more) => undo.push(more),
    };
    await check.run(set.stage(tools));
    return ended('passed');
  } catch (thrown) {
    if (thrown instanceof PeerWrong) return ended('failed', thrown.message);
    if (thrown instanceof NotApplicable) return ended('not-applicable', thrown.message);
    if (thrown instanceof CannotTell) return ended('unclear', thrown.message);
    return ended('unclear', `the check itself failed: ${thrown instanceof Error ? thrown.stack : messageOf(thrown)}`);
  } finally {
    // What was said in clearing up is no part of the verdict, and a peer that is gone needs none.
    for (const step of undo.reverse()) await step().catch(() => {});
  }
}

/** Where its bounds cannot be set at all, the usual peer must do. */
function settingsOf<Stage>(set: CheckSet<Stage>, { needs }: Check<Stage>, target: Target): Settings {
  const own = needs?.settings;
  const usual = target.settings?.(set.usual) ? set.usual : {};
  return own === undefined ? usual : { ...usual, ...own };
}

/** A connection that several checks use one after the other: each sees how it began, and what is said in its own time. */
function sinceNow(connection: Connection, isFresh: boolean): Connection {
  if (isFresh) return connection;
  const from = connection.log.length;
  const first = connection.log.slice(0, 1);
  let own: Exchange[] = first;
  return {
    label: connection.label,
    get log() {
      const count = first.length + connection.log.length - from;
      if (own.length !== count) own = [...first, ...connection.log.slice(from)];
      return own;
    },
    get ended() {
      return connection.ended;
    },
    send: (text) => connection.send(text),
    until: (label, look) => connection.until(label, look),
    close: () => connection.close(),
  };
}
