// The circuit breakers of one protocol's clients: one for each agent, one for each session's shell and one for all shells.
// Part of the composition root; knows no protocol.
import type { BreakerLimits } from '../core/contract/breaker-limits.ts';
import { type Breaker, createBreaker } from '../core/ledger/circuit-breaker.ts';
import type { Clock } from '../core/contract/clock.ts';
import type { Command } from '../core/model/command.ts';
import { type Outcome, refused } from '../core/model/errors.ts';
import type { GatewayFigures } from '../core/model/gateway-figures.ts';
import { OutcomeData } from '../core/model/outcome-data.ts';

type Circuit = GatewayFigures['circuits'][number];

/** What a command was let through with. Its end must be told: once, more often does not matter. */
export interface Pass {
  ended(outcome: Outcome | 'timeout'): void;
}

/** All breakers. */
export interface CircuitBreakers {
  /** A refusal where a breaker is open. Commands that no breaker guards pass. */
  enter(command: Command, place: { readonly agent: string; readonly session: string }): Pass | Outcome;
  /** Its shell is gone. */
  forget(session: string): void;
  /** Names of agents whose breaker is open. */
  open(): string[];
  /** Names of sessions whose shell's breaker is open; `*` for that of all. */
  openShells(): string[];
  figures(): Pick<GatewayFigures, 'circuits' | 'shell'>;
}

/** One bad session must not close the shells of all others: that takes so many times its failures. */
const shellsToOne = 10;

const all = '*';
const free: Pass = { ended: () => {} };

/** All closed. `timeOrigin`: ms since 1970 when the clock was 0. */
export function createCircuitBreakers(limits: BreakerLimits, clock: Clock, timeOrigin: number): CircuitBreakers {
  const agents = new Map<string, Breaker>();
  const shells = new Map<string, Breaker>();
  const everyShell = createBreaker({ ...limits, failures: limits.failures * shellsToOne });

  function breakerOf(map: Map<string, Breaker>, name: string): Breaker {
    const known = map.get(name);
    if (known !== undefined) return known;
    const made = createBreaker(limits);
    map.set(name, made);
    return made;
  }

  /** What has been entered is left again where a later one is shut. */
  function through(breakers: readonly Breaker[], shut: (waitMs: number) => string): Outcome | readonly Breaker[] {
    const now = clock.now();
    for (const [place, breaker] of breakers.entries()) {
      const waitMs = breaker.enter(now);
      if (waitMs === null) continue;
      for (const entered of breakers.slice(0, place)) entered.leave('ignored', now, 0);
      return refused('agent-refused', shut(waitMs));
    }
    return breakers;
  }

  function passOf(
    breakers: readonly Breaker[],
    judge: (outcome: Outcome | 'timeout') => { result: Parameters<Breaker['leave']>[0]; latencyMs?: number },
  ): Pass {
    let isOver = false;
    return {
      ended(outcome) {
        if (isOver) return;
        isOver = true;
        const { result, latencyMs = 0 } = judge(outcome);
        for (const breaker of breakers) breaker.leave(result, clock.now(), latencyMs);
      },
    };
  }

  function guard(command: Command, agent: string, session: string): Outcome | Pass {
    const seconds = (ms: number) => Math.ceil(ms / 1000);
    switch (command.type) {
      case 'prompt': {
        const way = through(
          [breakerOf(agents, agent)],
          (waitMs) => `Circuit breaker open: Circuit open for ${agent} (recovery in ${seconds(waitMs)}s)`,
        );
        return 'ok' in way ? way : passOf(way, judgeRun);
      }
      case 'bash': {
        const way = through(
          [breakerOf(shells, session), everyShell],
          (waitMs) => `Bash circuit breaker open for session ${session}: recovery in ${seconds(waitMs)}s`,
        );
        return 'ok' in way ? way : passOf(way, judgeShell);
      }
      default:
        return free;
    }
  }

  function circuitOf(name: string, breaker: Breaker): Circuit {
    const { lastFailureAt, lastChangeAt, lastUsedAt, ...figures } = breaker.figures(clock.now());
    const timeOf = (at: number | null) => (at === null ? null : Math.round(timeOrigin + at));
    return {
      name,
      ...figures,
      lastFailureAt: timeOf(lastFailureAt),
      lastChangeAt: timeOf(lastChangeAt),
      lastUsedAt: timeOf(lastUsedAt),
    };
  }

  const circuitsOf = (map: Map<string, Breaker>) => [...map].map(([name, breaker]) => circuitOf(name, breaker));
  const openIn = (circuits: readonly Circuit[]) =>
    circuits.flatMap(({ name, state }) => (state === 'open' ? [name] : []));

  return {
    enter: (command, { agent, session }) => guard(command, agent, session),
    forget: (session) => void shells.delete(session),
    open: () => openIn(circuitsOf(agents)),
    openShells: () => openIn([circuitOf(all, everyShell), ...circuitsOf(shells)]),
    figures: () => ({
      circuits: circuitsOf(agents),
      shell: { all: circuitOf(all, everyShell), sessions: circuitsOf(shells) },
    }),
  };
}

/** A model that fails or is silent for too long; what the user stopped, or nobody could have answered, says nothing. */
function judgeRun(outcome: Outcome | 'timeout'): { result: 'succeeded' | 'failed' | 'ignored'; latencyMs?: number } {
  if (outcome === 'timeout') return { result: 'failed' };
  if (!outcome.ok) return { result: outcome.error.code === 'agent-down' ? 'failed' : 'ignored' };
  const run = OutcomeData.prompt.safeParse(outcome.data ?? {}).data;
  if (run?.outcome === 'failed') return { result: 'failed' };
  return { result: run?.outcome === 'completed' ? 'succeeded' : 'ignored', latencyMs: run?.longestSilenceMs ?? 0 };
}

/** A command that fails is a command that was carried out (docs/protocols/pi-server.md 21.4, 21.5). */
function judgeShell(outcome: Outcome | 'timeout'): { result: 'succeeded' | 'failed' | 'ignored' } {
  if (outcome === 'timeout') return { result: 'failed' };
  return { result: outcome.ok ? 'succeeded' : 'ignored' };
}
