// The circuit breakers of one protocol's clients: one per agent, one per session's shell, and one for all shells.

import type { Clock } from '../../core/contract/clock.ts';
import type { BreakerLimits } from '../../core/contract/limits/breaker-limits.ts';
import { type Breaker, createBreaker } from '../../core/ledger/circuit-breaker.ts';
import type { Command } from '../../core/model/command.ts';
import { type Outcome, refused } from '../../core/model/errors.ts';
import type { GatewayFigures } from '../../core/model/gateway-figures.ts';
import { OutcomeData } from '../../core/model/outcome-data.ts';

type BreakerFigures = GatewayFigures['circuits'][number];

/** The end of a command, as a breaker sees it. */
type End = Outcome | 'timeout';

interface Verdict {
  readonly result: Parameters<Breaker['leave']>[0];
  readonly latencyMs?: number;
}

/** A command that the breakers let through. Its caller must report its end; only the first report counts. */
export interface GuardedCall {
  ended(end: End): void;
}

/**
 * The breaker of all shells tolerates this many times the failures of one shell, so that one session's failing shell
 * does not block all shells.
 */
const failuresForAllShells = 10;

const allShells = '*';
const unguarded: GuardedCall = { ended: () => {} };

/** All breakers of the clients of one protocol. */
export class CircuitBreakers {
  readonly #limits: BreakerLimits;
  readonly #clock: Clock;
  readonly #timeOrigin: number;
  readonly #agents = new Map<string, Breaker>();
  readonly #shells = new Map<string, Breaker>();
  readonly #everyShell: Breaker;

  /** `timeOrigin`: ms since 1970 when the clock was 0. */
  constructor(limits: BreakerLimits, clock: Clock, timeOrigin: number) {
    this.#limits = limits;
    this.#clock = clock;
    this.#timeOrigin = timeOrigin;
    this.#everyShell = createBreaker({ ...limits, failures: limits.failures * failuresForAllShells });
  }

  /** A refusal if a breaker is open. Commands without a breaker always pass. */
  enter(command: Command, { agent, session }: { agent: string; session: string }): GuardedCall | Outcome {
    switch (command.type) {
      case 'prompt': {
        const breakers = [this.#breaker(this.#agents, agent)];
        const sentence = (seconds: number) =>
          `Circuit breaker open: Circuit open for ${agent} (recovery in ${seconds}s)`;
        return this.#enterAll(breakers, sentence) ?? this.#guard(breakers, judgeRun);
      }
      case 'bash': {
        const breakers = [this.#breaker(this.#shells, session), this.#everyShell];
        const sentence = (seconds: number) =>
          `Bash circuit breaker open for session ${session}: recovery in ${seconds}s`;
        return this.#enterAll(breakers, sentence) ?? this.#guard(breakers, judgeShell);
      }
      default:
        return unguarded;
    }
  }

  /** The session and its shell are gone. */
  forget(session: string): void {
    this.#shells.delete(session);
  }

  /** Names of agents whose breaker is open. */
  openAgents(): string[] {
    return namesOfOpen(this.#figuresOf(this.#agents));
  }

  /** Ids of sessions whose shell's breaker is open; `*` for the breaker of all shells. */
  openShells(): string[] {
    return namesOfOpen([this.#figuresOfAllShells(), ...this.#figuresOf(this.#shells)]);
  }

  figures(): Pick<GatewayFigures, 'circuits' | 'shell'> {
    return {
      circuits: this.#figuresOf(this.#agents),
      shell: { all: this.#figuresOfAllShells(), sessions: this.#figuresOf(this.#shells) },
    };
  }

  #breaker(map: Map<string, Breaker>, name: string): Breaker {
    const known = map.get(name);
    if (known !== undefined) return known;
    const created = createBreaker(this.#limits);
    map.set(name, created);
    return created;
  }

  /** Null if all breakers let the command through. Otherwise leaves the breakers that were entered already. */
  #enterAll(breakers: readonly Breaker[], sentence: (seconds: number) => string): Outcome | null {
    const now = this.#clock.now();
    for (const [place, breaker] of breakers.entries()) {
      const waitMs = breaker.enter(now);
      if (waitMs === null) continue;
      for (const entered of breakers.slice(0, place)) entered.leave('ignored', now, 0);
      return refused('agent-refused', sentence(Math.ceil(waitMs / 1000)));
    }
    return null;
  }

  #guard(breakers: readonly Breaker[], judge: (end: End) => Verdict): GuardedCall {
    let isOver = false;
    return {
      ended: (end) => {
        if (isOver) return;
        isOver = true;
        const { result, latencyMs = 0 } = judge(end);
        for (const breaker of breakers) breaker.leave(result, this.#clock.now(), latencyMs);
      },
    };
  }

  #figuresOf(map: ReadonlyMap<string, Breaker>): BreakerFigures[] {
    return [...map].map(([name, breaker]) => this.#figuresOfOne(name, breaker));
  }

  #figuresOfAllShells(): BreakerFigures {
    return this.#figuresOfOne(allShells, this.#everyShell);
  }

  #figuresOfOne(name: string, breaker: Breaker): BreakerFigures {
    const { lastFailureAt, lastChangeAt, lastUsedAt, ...figures } = breaker.figures(this.#clock.now());
    const timeOf = (at: number | null) => (at === null ? null : Math.round(this.#timeOrigin + at));
    return {
      name,
      ...figures,
      lastFailureAt: timeOf(lastFailureAt),
      lastChangeAt: timeOf(lastChangeAt),
      lastUsedAt: timeOf(lastUsedAt),
    };
  }
}

function namesOfOpen(breakers: readonly BreakerFigures[]): string[] {
  return breakers.flatMap(({ name, state }) => (state === 'open' ? [name] : []));
}

/** A failed or long silent model counts. Commands that the user stopped, or that no agent got, do not. */
function judgeRun(end: End): Verdict {
  if (end === 'timeout') return { result: 'failed' };
  if (!end.ok) return { result: end.error.code === 'agent-down' ? 'failed' : 'ignored' };
  const run = OutcomeData.prompt.safeParse(end.data ?? {}).data;
  if (run?.outcome === 'failed') return { result: 'failed' };
  return { result: run?.outcome === 'completed' ? 'succeeded' : 'ignored', latencyMs: run?.longestSilenceMs ?? 0 };
}

/** A shell command with a failing exit code was still carried out (docs/protocols/pi-server.md 21.4, 21.5). */
function judgeShell(end: End): Verdict {
  if (end === 'timeout') return { result: 'failed' };
  return { result: end.ok ? 'succeeded' : 'ignored' };
}
