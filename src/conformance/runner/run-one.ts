// Runs one check or one scenario against a peer within a time limit and returns its result.
import { messageOf } from '../../core/model/errors.ts';
import {
  CannotTell,
  type Connection,
  type Conversation,
  type LoggedMessage,
  type Needs,
  NotApplicable,
  PeerWrong,
  type Settings,
  type Tools,
  type Transport,
  type Verdict,
} from '../check/check.ts';
import type { Pool } from './peer-pool.ts';
import type { Target } from './target.ts';

/** A check, or a scenario for rules. */
export interface Task {
  readonly id: string;
  readonly needs?: Needs | undefined;
  /** On stdio the task gets a program of its own. */
  readonly isApart: boolean;
  run(tools: Tools): Promise<void>;
}

/** The result of one task. */
export interface TaskResult {
  readonly verdict: Verdict;
  readonly reason?: string;
  /** The rule that requires the message that did not come. */
  readonly check?: string | undefined;
  readonly ms: number;
  readonly conversations: readonly Conversation[];
}

/** The environment of a task. */
export interface TaskEnvironment {
  readonly usual: Settings;
  readonly target: Target;
  readonly pool: Pool;
  readonly transport: Transport;
  readonly nonce: string;
  readonly patienceMs: number;
  /** Time limit of the task, ms. */
  readonly limitMs: number;
  /** Abandons the task at once. */
  readonly signal: AbortSignal;
}

/** Never rejects for what a peer does. */
export async function runOne(task: Task, place: TaskEnvironment): Promise<TaskResult> {
  const { target, pool, transport, nonce, patienceMs } = place;
  const { needs = {} } = task;
  const began = performance.now();
  const connections: Connection[] = [];
  const undo: (() => Promise<void>)[] = [];
  let isOver = false;
  /** After a failure or a timeout an answer may still be outstanding. */
  let isClean = false;
  let prompts = 0;

  function ended(verdict: Verdict, reason?: string, check?: string): TaskResult {
    const conversations = connections.map(({ label, log }) => ({ connection: label, log: [...log] }));
    return {
      verdict,
      check,
      ms: performance.now() - began,
      conversations,
      ...(reason === undefined ? {} : { reason }),
    };
  }

  const settings = settingsOf(place.usual, needs, target);
  const reason = unfit(needs, place) ?? pool.unreachable({ transport, settings });
  if (reason !== null) return ended('not-applicable', reason);

  async function start(): Promise<void> {
    const isAlone = transport === 'stdio' && task.isApart ? needs.exclusive !== false : needs.exclusive === true;
    const lease = await pool.lease({ transport, settings, isAlone });
    if (isOver) return lease.release(false);
    undo.push(() => lease.release(isClean));
    const { peer } = lease;
    const tools: Tools = {
      nonce,
      transport,
      folder: target.folder ?? target.stdio?.cwd ?? process.cwd(),
      patienceMs,
      async connect() {
        const connection = await peer.connect(needs.binary === true);
        const seen = transport === 'stdio' ? sinceNow(connection, lease.isFresh) : connection;
        connections.push(seen);
        if (transport === 'stdio') return seen;
        if (isOver) await connection.close();
        else undo.push(() => connection.close());
        return seen;
      },
      script(word) {
        const prompt = target.script.get(word);
        if (prompt === undefined) throw new NotApplicable(noPrompt(word));
        prompts += 1;
        return prompt.replaceAll('{id}', `${nonce}-${prompts}`);
      },
      terminate: () => peer.terminate(),
      exit: () => peer.exit(),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      atEnd: (more) => undo.push(more),
    };
    await task.run(tools);
  }

  try {
    await bounded(start(), place);
    isClean = true;
    return ended('passed');
  } catch (thrown) {
    if (thrown instanceof PeerWrong) return ended('failed', thrown.message, thrown.check);
    isClean = thrown instanceof NotApplicable;
    if (thrown instanceof NotApplicable) return ended('not-applicable', thrown.message);
    if (thrown instanceof CannotTell) return ended('unclear', thrown.message);
    return ended('unclear', `the check itself failed: ${thrown instanceof Error ? thrown.stack : messageOf(thrown)}`);
  } finally {
    isOver = true;
    // Cleanup does not change the verdict, and a peer that is gone needs no cleanup.
    for (const step of undo.reverse()) await bounded(step(), place).catch(() => {});
  }
}

const noPrompt = (word: string) => `there is no prompt for '${word}'`;

/** Why the task cannot run on this target; null when it can. */
function unfit(needs: Needs, { target, transport }: TaskEnvironment): string | null {
  const missing = needs.script?.find((word) => !target.script.has(word));
  if (missing !== undefined) return noPrompt(missing);
  if (needs.raw === true && transport !== 'stdio') return `what is sent over ${transport} has frames of its own`;
  if (transport === 'stdio' && (needs.connections ?? 1) > 1) return 'a program on stdio has one connection';
  if (needs.binary === true && target.connectBinary === undefined) return 'no binary message can be sent';
  return null;
}

/** Rejects when the task exceeds its time limit or is abandoned. */
function bounded(work: Promise<void>, { limitMs, signal }: TaskEnvironment): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CannotTell('the run was stopped'));
    const timer = setTimeout(() => reject(new CannotTell(`it took longer than ${limitMs} ms`)), limitMs);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    const settle = (how: () => void) => () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      how();
    };
    work.then(settle(resolve), (thrown: unknown) => settle(() => reject(thrown))());
  });
}

/** Uses the usual limits; a target that cannot be given limits runs without them. */
function settingsOf(usual: Settings, { settings }: Needs, target: Target): Settings {
  const possible = target.settings?.(usual) ? usual : {};
  return settings === undefined ? possible : { ...possible, ...settings };
}

/** A view of a shared connection for one check: the greeting, and the messages from now on. */
function sinceNow(connection: Connection, isFresh: boolean): Connection {
  if (isFresh) return connection;
  const from = connection.log.length;
  // Keep only the greeting: our own first message was answered during another check.
  const first = connection.log.slice(0, 1).filter(({ by }) => by === 'peer');
  const { sendRaw, endInput } = connection;
  let own: LoggedMessage[] = first;
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
    ...(sendRaw === undefined ? {} : { sendRaw }),
    ...(endInput === undefined ? {} : { endInput }),
    until: (label, look) => connection.until(label, look),
    close: () => connection.close(),
  };
}
