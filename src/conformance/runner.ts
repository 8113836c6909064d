// Runs checks over a target, several at a time, and tells what came of each. Knows no protocol.
import { messageOf } from '../core/errors.ts';
import {
  CannotTell,
  type Connection,
  type Conversation,
  type Description,
  type Exchange,
  type Needs,
  NotApplicable,
  PeerWrong,
  type Result,
  type Settings,
  type Tools,
  type Transport,
  type Verdict,
} from './check.ts';
import { judgeRules, type Played, type Stopped } from './judge.ts';
import { createPool, type Pool } from './pool.ts';
import type { AgentSet } from './sets.ts';
import type { Target } from './target.ts';

/** How checks are run. */
export interface RunOptions {
  /** Default: the first that the target has. */
  readonly transport?: Transport;
  /** Checks at the same time over WebSockets; default 8. On stdio a program is one connection, and each has its own. */
  readonly atOnce?: number;
  /** How long a check waits for anything; default 10,000 ms. */
  readonly patienceMs?: number;
  /** Which checks; default all. Scenarios are played when a rule that is chosen reads them. */
  only?(check: Description & { readonly needs?: Needs }): boolean;
  /** Which scenarios of those; default all. */
  scenarios?(name: string): boolean;
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

/** What is done in one go: a check of its own, or a scenario for rules. */
interface Task {
  readonly id: string;
  readonly needs?: Needs | undefined;
  run(tools: Tools): Promise<void>;
}

/** What came of one task. */
interface Done {
  readonly verdict: Verdict;
  readonly reason?: string;
  /** The rule that asks for what did not come. */
  readonly check?: string | undefined;
  readonly ms: number;
  readonly exchanges: readonly Conversation[];
}

/** What came of each check, in the order of the set. Never rejects for what a peer does. */
export async function runChecks(set: AgentSet, target: Target, options: RunOptions = {}): Promise<Result[]> {
  const { patienceMs = defaultPatienceMs, atOnce = defaultAtOnce, only = () => true, progress = () => {} } = options;
  const isPlayed = options.scenarios ?? (() => true);
  const usually = options.transport ?? firstOf(target);
  const checks = set.checks.filter((check) => only(check));
  const rules = set.rules.filter((rule) => only(rule));
  const scenarios = set.scenarios.filter(
    ({ name }) => isPlayed(name) && rules.some((rule) => rule.scenarios.includes(name)),
  );
  const tasks: Task[] = [
    ...checks,
    ...scenarios.map(({ name, needs, play }) => ({ id: `scenario ${name}`, needs, run: play })),
  ];
  const finished = new Map<string, Done>();
  const pool = createPool(target, { patienceMs });
  // Unique among all runs that a peer may have seen.
  const run = crypto.randomUUID().slice(0, 8);
  const waiting = tasks.entries();

  async function work(): Promise<void> {
    for (const [index, task] of waiting) {
      const { id } = task;
      progress({ id, phase: 'started', done: finished.size, of: tasks.length });
      const transport = task.needs?.transport ?? usually;
      const nonce = `${run}-${index}`;
      const done = await runOne(task, { usual: set.usual, target, pool, transport, nonce, patienceMs });
      finished.set(id, done);
      progress({ id, phase: 'finished', verdict: done.verdict, done: finished.size, of: tasks.length });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  await pool.stop();
  const played: Played[] = [];
  const stopped: Stopped[] = [];
  for (const { name } of scenarios) {
    const done = finished.get(`scenario ${name}`);
    if (done === undefined) continue;
    const { verdict, reason = '', check } = done;
    const isWhole = verdict === 'passed';
    for (const one of done.exchanges) played.push({ conversation: { ...one, scenario: name }, us: 'client', isWhole });
    if (verdict !== 'passed') stopped.push({ scenario: name, verdict, reason, check });
  }
  const own = checks.flatMap(({ id }): Result[] => {
    const done = finished.get(id);
    if (done === undefined) return [];
    const { verdict, reason, ms, exchanges } = done;
    return [{ id, verdict, ms, exchanges, ...(reason === undefined ? {} : { reason }) }];
  });
  return [...own, ...judgeRules(rules, played, stopped)];
}

function firstOf(target: Target): Transport {
  const ways: readonly Transport[] = ['memory', 'websocket', 'sse', 'stdio'];
  return ways.find((way) => target[way] !== undefined) ?? 'stdio';
}

interface Place {
  readonly usual: Settings;
  readonly target: Target;
  readonly pool: Pool;
  readonly transport: Transport;
  readonly nonce: string;
  readonly patienceMs: number;
}

async function runOne(task: Task, place: Place): Promise<Done> {
  const { target, pool, transport, nonce, patienceMs } = place;
  const { needs = {} } = task;
  const began = performance.now();
  const connections: Connection[] = [];
  const undo: (() => Promise<void>)[] = [];
  let prompts = 0;

  function ended(verdict: Verdict, reason?: string, check?: string): Done {
    const exchanges = connections.map(({ label, log }) => ({ connection: label, log: [...log] }));
    return { verdict, check, ms: performance.now() - began, exchanges, ...(reason === undefined ? {} : { reason }) };
  }

  const missing = needs.script?.find((word) => !target.script.has(word));
  if (missing !== undefined) return ended('not-applicable', `there is no prompt for '${missing}'`);
  if (needs.raw === true && transport !== 'stdio')
    return ended('not-applicable', `what is sent over ${transport} has frames of its own`);
  if (transport === 'stdio' && (needs.connections ?? 1) > 1)
    return ended('not-applicable', 'a program on stdio has one connection');
  if (needs.binary === true && target.connectBinary === undefined)
    return ended('not-applicable', 'no binary message can be sent');

  const settings = settingsOf(place.usual, needs, target);
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
        if (transport !== 'stdio') undo.push(() => connection.close());
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
    await task.run(tools);
    return ended('passed');
  } catch (thrown) {
    if (thrown instanceof PeerWrong) return ended('failed', thrown.message, thrown.check);
    if (thrown instanceof NotApplicable) return ended('not-applicable', thrown.message);
    if (thrown instanceof CannotTell) return ended('unclear', thrown.message);
    return ended('unclear', `the check itself failed: ${thrown instanceof Error ? thrown.stack : messageOf(thrown)}`);
  } finally {
    // What was said in clearing up is no part of the verdict, and a peer that is gone needs none.
    for (const step of undo.reverse()) await step().catch(() => {});
  }
}

/** Where its bounds cannot be set at all, the usual peer must do. */
function settingsOf(usual: Settings, { settings }: Needs, target: Target): Settings {
  const possible = target.settings?.(usual) ? usual : {};
  return settings === undefined ? possible : { ...possible, ...settings };
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
