// Runs the checks and scenarios of a set against a target, several at a time, and returns one result for each check.
import type { Description, Needs, Result, Transport, Verdict } from '../check/check.ts';
import { type ConversationToJudge, judgeRules, type StoppedScenario } from '../check/judge.ts';
import type { AgentSet } from '../check/sets.ts';
import { programsAtOnce, usuallyAtOnce } from './at-once.ts';
import { createPeerPool } from './peer-pool.ts';
import { runOne, type Task, type TaskResult } from './run-one.ts';
import type { Target } from './target.ts';

/** Options for running checks. */
export interface RunOptions {
  /** Default: the first that the target has. */
  readonly transport?: Transport;
  /** Checks at the same time; default {@link usuallyAtOnce}, or {@link programsAtOnce} on stdio. */
  readonly atOnce?: number;
  /** How long a check waits for one message, ms; default 10,000. */
  readonly patienceMs?: number;
  /** How long a program may be silent after its start, ms; default a minute, and at least the patience. */
  readonly startMs?: number;
  /** Time limit of one check behind the start, ms; default ten times the patience, and at least a minute. */
  readonly limitMs?: number;
  /** Selects checks; default all. Scenarios run when a selected rule reads them. */
  only?(check: Description & { readonly needs?: Needs }): boolean;
  /** Selects among those scenarios; default all. */
  scenarios?(name: string): boolean;
  /**
   * The target may not exist: as long as no message of the peer has arrived, no check fails, and the run stops after
   * the first check without an answer. Default false: silence is a failure.
   */
  readonly mayBeNobody?: boolean;
  /** Ends the run early; checks that have not finished are unclear. */
  readonly signal?: AbortSignal;
  progress?(progress: Progress): void;
}

/** Progress of a run. */
export interface Progress {
  readonly id: string;
  readonly phase: 'started' | 'finished';
  /** Set in phase `finished`. */
  readonly verdict?: Verdict;
  /** The reason, for every verdict but `passed`. */
  readonly reason?: string;
  /** Checks and scenarios: finished, and in total. */
  readonly done: number;
  readonly of: number;
}

const defaultPatienceMs = 10_000;
const shortestLimitMs = 60_000;
const defaultStartMs = 60_000;
/**
 * Error texts of a server that has no room for another session or connection, which says nothing about the protocol.
 */
const full =
  /\b(?:session|connection) limit reached\b|\btoo many (?:sessions|connections)\b|\bas many (?:sessions|agents) as it may\b/iu;
/** Longest message that can be such an error, UTF-16 units. */
const longestRefusal = 1000;

/** Results in the order of the set. Never rejects for what a peer does. */
export async function runChecks(set: AgentSet, target: Target, options: RunOptions = {}): Promise<Result[]> {
  const { patienceMs = defaultPatienceMs, only = () => true, progress = () => {}, mayBeNobody = false } = options;
  const { startMs = defaultStartMs } = options;
  const { limitMs = Math.max(shortestLimitMs, 10 * patienceMs) + startMs, signal = new AbortController().signal } =
    options;
  const isPlayed = options.scenarios ?? (() => true);
  const usually = options.transport ?? firstOf(target);
  const atOnce = options.atOnce ?? (usually === 'stdio' ? programsAtOnce : usuallyAtOnce);
  const checks = set.checks.filter((check) => only(check));
  const rules = set.rules.filter((rule) => only(rule));
  const scenarios = set.scenarios.filter(
    ({ name }) => isPlayed(name) && rules.some((rule) => rule.scenarios.includes(name)),
  );
  const tasks: Task[] = [
    ...checks.map(({ id, needs, run }) => ({ id, needs, isApart: false, run })),
    ...scenarios.map(({ name, needs, run }) => ({ id: `scenario ${name}`, needs, isApart: true, run: run })),
  ];
  /** Ids of the tasks that test limits. */
  const bound = new Set(tasks.filter(({ needs }) => needs?.settings !== undefined).map(({ id }) => id));
  const finished = new Map<string, TaskResult>();
  const pool = createPeerPool(target, { patienceMs, startMs });
  // Unique across all runs that the peer may have seen.
  const run = crypto.randomUUID().slice(0, 8);
  const waiting = tasks.entries();
  let isReached = !mayBeNobody;
  /** Why the remaining tasks are skipped; null while none are skipped. */
  let givenUp: string | null = null;

  function note(id: string, done: TaskResult): void {
    finished.set(id, done);
    isReached ||= done.conversations.some(({ log }) =>
      log.some(({ by, isFault }) => by === 'peer' && isFault !== true),
    );
    if (!isReached && done.verdict !== 'not-applicable') givenUp ??= unreachedReason(done);
    if (signal.aborted) givenUp ??= stoppedRun;
  }

  async function work(): Promise<void> {
    for (const [index, task] of waiting) {
      const { id } = task;
      const why = givenUp ?? (signal.aborted ? stoppedRun : null);
      if (why !== null) {
        finished.set(id, { ...nothing, reason: `it was not tried: ${why}` });
        continue;
      }
      progress({ id, phase: 'started', done: finished.size, of: tasks.length });
      const transport = task.needs?.transport ?? usually;
      const nonce = `${run}-${index}`;
      const place = { usual: set.usual, target, pool, transport, nonce, patienceMs, limitMs, signal };
      const done = await runOne(task, place);
      note(id, done);
      const { verdict, reason } = done;
      const withReason = reason === undefined ? {} : { reason };
      progress({ id, phase: 'finished', verdict, ...withReason, done: finished.size, of: tasks.length });
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  await pool.stop();

  /** The result of a task, corrected by what the whole run showed. */
  function outcome(id: string): TaskResult | undefined {
    const done = finished.get(id);
    if (done?.verdict !== 'failed') return done;
    if (!isReached) return { ...done, verdict: 'unclear', reason: unreachedReason(done) };
    const { reason = '' } = done;
    if (bound.has(id)) return done;
    if (full.test(reason)) return { ...done, verdict: 'unclear', reason: noRoom(reason) };
    return set.excuse?.test(reason) === true ? { ...done, verdict: 'unclear' } : done;
  }
  const toJudge: ConversationToJudge[] = [];
  const stopped: StoppedScenario[] = [];
  for (const { name } of scenarios) {
    const id = `scenario ${name}`;
    const done = outcome(id);
    if (done === undefined) continue;
    const { verdict, reason = '', check } = done;
    const refusal = bound.has(id) ? undefined : refusalIn(done);
    if (refusal !== undefined) {
      stopped.push({ scenario: name, verdict: 'unclear', reason: noRoom(refusal) });
      continue;
    }
    const isComplete = verdict === 'passed';
    for (const one of done.conversations)
      toJudge.push({ conversation: { ...one, scenario: name }, us: 'client', isComplete });
    if (verdict !== 'passed') stopped.push({ scenario: name, verdict, reason, check });
  }
  const own = checks.flatMap(({ id }): Result[] => {
    const done = outcome(id);
    if (done === undefined) return [];
    const { verdict, reason, ms, conversations } = done;
    return [{ id, verdict, ms, conversations, ...(reason === undefined ? {} : { reason }) }];
  });
  return [...own, ...judgeRules(rules, toJudge, stopped)];
}

const stoppedRun = 'the run was stopped';
const nothing: TaskResult = { verdict: 'unclear', ms: 0, conversations: [] };

const noRoom = (words: string) => `the server takes no more of us: ${words}`;

/** The error of a full server in the messages of the peer. A conversation with such an error is not judged. */
function refusalIn({ conversations }: TaskResult): string | undefined {
  for (const { log } of conversations)
    for (const { by, text } of log) if (by === 'peer' && text.length < longestRefusal && full.test(text)) return text;
  return undefined;
}

function unreachedReason({ reason = '', conversations }: TaskResult): string {
  const isFaulty = conversations.some(({ log }) => log.some(({ by }) => by === 'peer'));
  return `${isFaulty ? 'nothing but what is no frame' : 'nothing'} was heard of the peer: ${reason}`;
}

function firstOf(target: Target): Transport {
  const ways: readonly Transport[] = ['memory', 'websocket', 'sse', 'stdio'];
  return ways.find((way) => target[way] !== undefined) ?? 'stdio';
}
