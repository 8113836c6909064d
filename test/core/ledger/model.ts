// What a ledger has to do, said as simply as possible: everything is kept in plain lists and looked for from the
// beginning. Written from the rules, not from the ledger; it speaks in the rig's lines, so that both can be compared
// word by word.
import type { LedgerLimits } from '../../../src/core/contract/limits/ledger-limits.ts';
import type { Ticket } from '../../../src/core/contract/ticket.ts';
import type { How } from './rig.ts';

type Result = { ok: true; opened?: string } | { ok: false; text: string };

interface One {
  label: string;
  ticket: Ticket;
  how: How;
  state: 'queued' | 'beginning' | 'waiting' | 'running' | 'over';
  /** Has left the queue. */
  isOut: boolean;
  done: number;
  waitsFor: string | null;
  beganAt: number;
  /** Life of its session in which it was carried out. */
  life: number | undefined;
  again: string[];
  /** Its session is gone. */
  hasLostKey: boolean;
  /** Told behind its end: `ok v1`, without what a repetition adds. */
  words: string[];
  timedOut: boolean;
  endedAt: number;
}

export interface Model {
  readonly log: string[];
  readonly runs: string[];
  send(label: string, ticket: Ticket, how: How): void;
  end(label: string, isWell: boolean): void;
  advance(ms: number): void;
  /** It has gone, and the ledger is told. */
  lose(session: string): void;
  shut(): void;
  inFlight(): number;
}

const scopeOf = ({ lane, session }: Ticket) => (lane === 'server' ? '(server)' : `of ${session}`);
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export function createModel(limits: LedgerLimits, sessions: readonly string[]): Model {
  const log: string[] = [];
  const runs: string[] = [];
  /** All that were ever admitted, in order. */
  const all: One[] = [];
  /** Those that hold up their lane. */
  const hasTurn = new Set<One>();
  /** In the order in which they began to wait. */
  let waiters: One[] = [];
  /** In the order in which they ended; what has been forgotten is taken out. */
  let idsKept: One[] = [];
  let keysKept: One[] = [];
  const lives = new Map<string, { life: number; version: number }>(
    sessions.map((name) => [name, { life: 0, version: 0 }]),
  );
  const admittedAt: { at: number; ticket: Ticket }[] = [];
  let timers: { at: number; ring: () => void; of: One }[] = [];
  const todo: (() => void)[] = [];
  let now = 0;
  let lifeCount = 0;
  let isShut = false;

  const unfinished = () => all.filter(({ state }) => state !== 'over');
  const byId = (id: string) => unfinished().find(({ ticket }) => ticket.id === id);
  const inLane = (one: One) => unfinished().filter((other) => scopeOf(other.ticket) === scopeOf(one.ticket));
  const runsThere = (one: One) => inLane(one).some(({ state, ticket }) => state === 'running' && ticket.runs === true);

  function work(): void {
    for (let next = todo.shift(); next !== undefined; next = todo.shift()) next();
  }

  function tellEnd(label: string, how: string, words: string[]): void {
    log.push(`${label} finished${how}: ${words.join(' ')}`, `${label} answer: ${words.join(' ')}`);
  }

  function refuse(label: string, text: string): void {
    log.push(`${label} accepted refused`);
    tellEnd(label, ' refused', [text]);
  }

  function repeat(label: string, one: One): void {
    tellEnd(label, ' replayed', [...one.words, 'replayed', ...(one.timedOut ? ['timed out'] : [])]);
  }

  function send(label: string, ticket: Ticket, how: How): void {
    if (isShut) return void log.push(`${label} answer: shutting-down: Server is shutting down`);
    keysKept = keysKept.filter(({ endedAt }) => now < endedAt + limits.idempotencyTtlMs);
    const { id, key } = ticket;
    const isKey = (one: One) =>
      key !== undefined && !one.hasLostKey && one.ticket.key === key && scopeOf(one.ticket) === scopeOf(ticket);
    const isId = (one: One) => id !== undefined && one.ticket.id === id;
    const looks: [string, string, One | undefined][] = [
      ['idempotencyKey', key ?? '', unfinished().find(isKey) ?? keysKept.find(isKey)],
      ['id', id ?? '', unfinished().find(isId) ?? idsKept.find(isId)],
    ];
    for (const [what, name, one] of looks) {
      if (one === undefined) continue;
      if (!same(one.ticket.payload, ticket.payload)) {
        const types = `previously used for '${one.ticket.type}', now used for '${ticket.type}'`;
        return refuse(label, `conflict: Conflicting ${what} '${name}': ${types}`);
      }
      const waiting = unfinished().reduce((sum, { again }) => sum + again.length, 0);
      if (one.state !== 'over' && waiting >= limits.maxInFlight) return refuse(label, busy);
      log.push(`${label} accepted replayed`);
      if (one.state === 'over') repeat(label, one);
      else one.again.push(label);
      return;
    }
    const recent = admittedAt.filter(({ at }) => at > now - 60_000);
    const here = recent.filter((other) => scopeOf(other.ticket) === scopeOf(ticket));
    const answers = here.filter((other) => other.ticket.allowance === 'answers');
    if (here.length >= limits.commandsPerMinute) {
      return refuse(label, `limit: Rate limit exceeded (${limits.commandsPerMinute} commands/minute)`);
    }
    if (recent.length >= limits.allCommandsPerMinute) {
      return refuse(label, `limit: Global rate limit exceeded (${limits.allCommandsPerMinute} commands/minute)`);
    }
    if (ticket.allowance === 'answers' && answers.length >= limits.answersPerMinute) {
      return refuse(label, `limit: Rate limit exceeded (${limits.answersPerMinute} answers/minute)`);
    }
    if (unfinished().length >= limits.maxInFlight) return refuse(label, busy);
    admittedAt.push({ at: now, ticket });
    log.push(`${label} accepted`);
    const one: One = {
      label,
      ticket,
      how,
      state: 'queued',
      isOut: false,
      done: 0,
      waitsFor: null,
      beganAt: 0,
      life: undefined,
      again: [],
      hasLostKey: false,
      words: [],
      timedOut: false,
      endedAt: 0,
    };
    all.push(one);
    const hasEarlier = inLane(one).some((other) => other !== one && !other.isOut && other.ticket.place === 'joins');
    const isBeside = ticket.place === 'beside' || (ticket.place === 'joins' && runsThere(one) && !hasEarlier);
    if (isBeside || turnOf(one) === one) {
      one.isOut = true;
      if (!isBeside) hasTurn.add(one);
      begin(one);
    }
    work();
  }

  /** Whose turn it is in that lane: the first that is not beside. */
  function turnOf(one: One): One | undefined {
    return inLane(one).find((other) => !other.isOut || hasTurn.has(other));
  }

  function begin(one: One): void {
    one.state = 'beginning';
    one.beganAt = now;
    log.push(`${one.label} started`);
    goOn(one);
  }

  function goOn(one: One): void {
    one.waitsFor = null;
    for (const id of one.ticket.dependsOn.slice(one.done)) {
      const quote = `Dependency '${id}'`;
      if (id === one.ticket.id)
        return end(one, { ok: false, text: `invalid: Command '${id}' cannot depend on itself` });
      const open = byId(id);
      const over = idsKept.find(({ ticket }) => ticket.id === id);
      if (open !== undefined) {
        if (!couldSucceed(open, one)) {
          const isQueued = !open.isOut && turnOf(open) === one;
          const why = isQueued
            ? 'is queued in the same lane and cannot be awaited from this command'
            : 'waits for this command and cannot be awaited from it';
          return end(one, { ok: false, text: `conflict: ${quote} ${why}` });
        }
        one.state = 'waiting';
        one.waitsFor = id;
        timers.push({
          at: Math.max(now, one.beganAt + limits.dependencyWaitMs),
          of: one,
          ring: () =>
            end(one, {
              ok: false,
              text: `timeout: Command 'dependsOn:${id}' timed out after ${limits.dependencyWaitMs}ms`,
            }),
        });
        waiters.push(one);
        return;
      }
      if (over === undefined) return end(one, { ok: false, text: `not-found: ${quote} is unknown` });
      if (over.words[0] !== 'ok') return end(one, { ok: false, text: `conflict: ${quote} failed: ${causeOf(over)}` });
      one.done += 1;
    }
    carryOut(one);
  }

  /** The words without their code. */
  const causeOf = (one: One) => one.words.join(' ').replace(/^[a-z-]+: /u, '');

  /**
   * Whether that one could still succeed if this one never came to an end. What cannot is struck out, until nothing
   * changes.
   */
  function couldSucceed(wanted: One, stuck: One): boolean {
    const others = unfinished().filter((one) => one !== stuck);
    const ends = new Set(others);
    const succeeds = new Set(others);
    for (let before = -1; before !== ends.size + succeeds.size; ) {
      before = ends.size + succeeds.size;
      for (const one of others) {
        const turn = turnOf(one);
        const first = one.isOut || turn === one ? undefined : turn;
        const awaited = one.waitsFor === null ? undefined : byId(one.waitsFor);
        if ([first, awaited].some((other) => other !== undefined && !ends.has(other))) ends.delete(one);
        const needs =
          one.state === 'running' ? [] : one.ticket.dependsOn.slice(one.done).flatMap((id) => byId(id) ?? []);
        if (!ends.has(one) || needs.some((other) => !succeeds.has(other))) succeeds.delete(one);
      }
    }
    return succeeds.has(wanted);
  }

  function carryOut(one: One): void {
    const { session, ifVersion, timeoutMs, type } = one.ticket;
    const life = session === undefined ? undefined : lives.get(session);
    if (ifVersion !== undefined && life === undefined) {
      return end(one, { ok: false, text: `not-found: Session ${session ?? ''} not found` });
    }
    if (ifVersion !== undefined && life?.version !== ifVersion) {
      const text = `stale: Session version mismatch: expected ${ifVersion}, got ${life?.version}`;
      return end(one, { ok: false, text });
    }
    one.state = 'running';
    one.life = life?.life;
    if (timeoutMs !== null) {
      timers.push({
        at: now + timeoutMs,
        of: one,
        ring: () => {
          one.timedOut = true;
          end(one, { ok: false, text: `timeout: Command '${type}' timed out after ${timeoutMs}ms` });
        },
      });
    }
    log.push(`${one.label} runs`);
    runs.push(one.label);
    if (one.how === 'ok') todo.push(() => end(one, { ok: true }));
    if (one.how === 'fail') todo.push(() => end(one, { ok: false, text: 'agent-refused: no' }));
    if (one.how === 'throw') todo.push(() => end(one, { ok: false, text: 'internal: thrown' }));
    if (one.ticket.runs !== true) return;
    for (const other of inLane(one)) {
      if (other.isOut) continue;
      if (other.ticket.place !== 'joins') break;
      other.isOut = true;
      todo.push(() => begin(other));
    }
  }

  /** The keys of its commands are free again, but for those of commands that close it. */
  function loseKeys(session: string): void {
    const isOf = ({ ticket }: One) =>
      ticket.lane === 'session' && ticket.session === session && ticket.effect !== 'closes';
    for (const one of unfinished().filter(isOf)) one.hasLostKey = true;
    keysKept = keysKept.filter((one) => !isOf(one));
  }

  /** Sessions come and go when their command answers, in time or not. A session that opens again begins a new life. */
  function changeWorld({ ticket: { effect, session = 'made' } }: One): void {
    if (effect === 'closes') {
      lives.delete(session);
      loseKeys(session);
    }
    if (effect === 'opens') {
      lifeCount += 1;
      lives.set(session, { life: lifeCount, version: 0 });
    }
  }

  function versionOf(one: One): string[] {
    const { effect, session } = one.ticket;
    const life = lives.get(session ?? (effect === 'opens' ? 'made' : ''));
    switch (effect) {
      case 'none':
        return life === undefined ? [] : [`v${life.version}`];
      case 'opens':
        return ['v0'];
      case 'changes':
        if (life === undefined || life.life !== one.life) return [];
        life.version += 1;
        return [`v${life.version}`];
      case 'closes':
        return [];
      default:
        return effect satisfies never;
    }
  }

  function end(one: One, result: Result): void {
    if (one.state === 'over') return;
    const wasRunning = one.state === 'running';
    one.words = result.ok ? ['ok', ...(wasRunning ? versionOf(one) : [])] : [result.text];
    one.state = 'over';
    one.endedAt = now;
    one.waitsFor = null;
    timers = timers.filter(({ of }) => of !== one);
    if (one.ticket.id !== undefined) idsKept = [...idsKept, one].slice(-limits.maxOutcomes);
    if (one.ticket.key !== undefined && !one.hasLostKey) keysKept = [...keysKept, one].slice(-limits.maxOutcomes);
    if (one.timedOut) log.push(`${one.label} undone`);
    tellEnd(one.label, '', [...one.words, ...(one.timedOut ? ['timed out'] : [])]);
    for (const label of one.again) repeat(label, one);
    const free = waiters.filter((other) => other.state === 'waiting' && other.waitsFor === one.ticket.id);
    waiters = waiters.filter((other) => other.state === 'waiting' && !free.includes(other));
    for (const other of free) {
      other.waitsFor = null;
      timers = timers.filter(({ of }) => of !== other);
      todo.push(() => {
        if (!result.ok)
          return end(other, { ok: false, text: `conflict: Dependency '${one.ticket.id}' failed: ${causeOf(one)}` });
        other.done += 1;
        goOn(other);
      });
    }
    if (!hasTurn.delete(one)) return;
    const next = inLane(one).find((other) => !other.isOut);
    if (next === undefined) return;
    next.isOut = true;
    hasTurn.add(next);
    todo.push(() => begin(next));
  }

  return {
    log,
    runs,
    send,
    end(label, isWell) {
      const one = all.find((other) => other.label === label);
      if (one === undefined) return;
      if (isWell) changeWorld(one);
      end(one, isWell ? { ok: true } : { ok: false, text: 'agent-refused: no' });
      work();
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const due = timers.filter(({ at }) => at <= until);
        const first = due.sort((a, b) => a.at - b.at)[0];
        if (first === undefined) break;
        now = first.at;
        timers = timers.filter((timer) => timer !== first);
        first.ring();
        work();
      }
      now = until;
    },
    lose(session) {
      lives.delete(session);
      loseKeys(session);
    },
    shut() {
      isShut = true;
    },
    inFlight: () => unfinished().length,
  };
}

const busy = 'busy: Server busy - too many concurrent commands. Please retry.';
