// Faults between a client and an agent whose bytes pass through this process: for `patchbay chaos`, and for agents that are
// tapes.
import type { Readable, Writable } from 'node:stream';
import type { FaultRow } from '../../faults/action.ts';
import { createFaultEngine } from '../../faults/engine.ts';
import type { Direction, FaultRule } from '../../faults/rule.ts';
import type { CutFraming } from '../../tape/cutter.ts';
import { createOutlet, type FaultDeed } from './outlet.ts';

/** What faults do to the agent as a whole. */
export interface FaultyAgent {
  kill(): void;
  pause(): void;
  resume(): void;
  /** Ends with that exit code. */
  exit(code: number): void;
  /** Both directions end at once. */
  reset(): void;
}

/** What an injector needs. */
export interface InjectorOptions {
  readonly rules: readonly FaultRule[];
  /** 0 to 2^32 - 1. */
  readonly seed: number;
  /** The connection, counted from 0. Default 0. */
  readonly connection?: number;
  /** Default `detect`. */
  readonly framing?: CutFraming;
  /** Where each direction goes: `in` to the agent, `out` to the client. */
  readonly outputs: Readonly<Record<Direction | 'err', Writable>>;
  readonly agent: FaultyAgent;
  /** Called once for each direction: everything is written, nothing more comes. */
  ended(on: Direction, isFault: boolean): void;
  /** Called for each fault that happens. */
  acted(row: FaultRow): void;
}

/** Passes bytes on, with faults. */
export interface Injector {
  /** Reads a direction from its source. */
  connect(on: Direction, source: Readable): void;
  /** Something waits for good: a stalled direction, a stopped agent. */
  isStuck(): boolean;
  /** Drops what is waiting and stops all timers. */
  close(): void;
}

/** An injector without sources. Its clock starts now. */
export function createInjector(options: InjectorOptions): Injector {
  const { rules, seed, connection, framing, outputs, agent, ended, acted } = options;
  const start = performance.now();
  const now = () => performance.now() - start;
  const engine = createFaultEngine({
    rules,
    seed,
    ...(connection === undefined ? {} : { connection }),
    ...(framing === undefined ? {} : { framing }),
    acted,
  });
  const sources = new Map<Direction, Readable>();
  let isPaused = false;
  let isClosed = false;
  let waker: NodeJS.Timeout | undefined;
  let continuer: NodeJS.Timeout | undefined;

  const outletOf = (on: Direction) =>
    createOutlet({ output: outputs[on], errors: outputs.err, now, deed, drained: () => sources.get(on)?.resume() });
  const outlets = { in: outletOf('in'), out: outletOf('out') };

  function deed(step: FaultDeed): void {
    switch (step.type) {
      case 'end':
        if (step.isFault) sources.get(step.on)?.resume();
        return ended(step.on, step.isFault);
      case 'reset':
        outlets.in.close();
        outlets.out.close();
        return agent.reset();
      case 'kill':
        return agent.kill();
      case 'exit':
        return agent.exit(step.code);
      case 'pause':
        isPaused = true;
        if (Number.isFinite(step.ms)) continuer = setTimeout(resume, Math.min(step.ms, 2 ** 30));
        return agent.pause();
      default:
        throw step satisfies never;
    }
  }

  function resume(): void {
    isPaused = false;
    continuer = undefined;
    agent.resume();
  }

  /** Sets the timer for what happens without bytes. */
  function plan(): void {
    clearTimeout(waker);
    const at = engine.wakeAt();
    if (at !== null && !isClosed) waker = setTimeout(wake, Math.min(Math.max(0, at - now()), 2 ** 30));
  }

  function wake(): void {
    const actions = engine.wake(now());
    for (const on of ['in', 'out'] as const) {
      const own = actions.filter((action) => action.on === on || (action.on === 'err' && on === 'out'));
      if (own.length > 0) outlets[on].take(own);
    }
    plan();
  }

  plan();
  return {
    connect(on, source) {
      sources.set(on, source);
      source.on('data', (chunk: Buffer) => {
        if (!outlets[on].take(engine.push(on, chunk, now()))) source.pause();
        plan();
      });
      source.on('end', () => {
        outlets[on].take(engine.end(on, now()));
        plan();
      });
      source.on('error', () => {});
    },
    isStuck: () => outlets.in.isStuck() || outlets.out.isStuck() || (isPaused && continuer === undefined),
    close() {
      isClosed = true;
      clearTimeout(waker);
      clearTimeout(continuer);
      outlets.in.close();
      outlets.out.close();
    },
  };
}
