// A gateway with clients of every dialect on one session, over both transports, and what must be so after every fault
// (docs/faults.md 1.8).
import { readdirSync } from 'node:fs';
import { type Config, parseConfig } from '../../../src/config/config.ts';
import { owner } from '../../../src/core/contract/principal.ts';
import type { SessionStore } from '../../../src/core/contract/store/session-store.ts';
import { createGateway, type Gateway } from '../../../src/gateway/full-gateway.ts';
import { type ListenOptions, listen } from '../../../src/transports/http/server.ts';
import { eventually } from './eventually.ts';
import { type Address, type Kind, type Observer, observe } from './observers.ts';

/** Clients of every dialect. The first one speaks. */
export const everybody: readonly Kind[] = [
  { frontend: 'claude', transport: 'ws' },
  { frontend: 'claude', transport: 'sse' },
  { frontend: 'rpc-message', transport: 'ws' },
  { frontend: 'rpc-message', transport: 'sse' },
  { frontend: 'pi', transport: 'ws' },
  { frontend: 'pi', transport: 'sse' },
  { frontend: 'pi', transport: 'ws', options: 'dialect=delta-only' },
  { frontend: 'pi', transport: 'sse', options: 'dialect=delta-only' },
  { frontend: 'pi-legacy', transport: 'ws' },
  { frontend: 'pi-legacy', transport: 'sse' },
  { frontend: 'pi-server', transport: 'ws' },
  { frontend: 'pi-server', transport: 'sse' },
  { frontend: 'eca', transport: 'ws' },
  { frontend: 'eca', transport: 'sse' },
  { frontend: 'canonical', transport: 'ws' },
  { frontend: 'canonical', transport: 'sse' },
];

/** One session under a fault. */
export interface FaultRig {
  readonly gateway: Gateway;
  readonly address: Address;
  readonly session: string;
  /** Who is judged. */
  readonly observers: readonly Observer[];
  /** Another client. `isLate`: it missed something, so that nobody compares its frames. */
  join(kind: Kind, options?: JoinOptions): Promise<Observer>;
  /** That client is judged no longer. */
  dismiss(observer: Observer): void;
  /** Resolves when so many clients are on the session. */
  hasClients(count: number): Promise<void>;
  /** Resolves when the session is in that state. */
  hasState(state: string): Promise<void>;
  /** A prompt of that client; default of the first. */
  prompt(words: string, speaker?: Observer): void;
  /** Resolves when each client has a frame with these words since the last prompt. */
  allSee(words: string): Promise<void>;
  /** Notes that the fault happens now. */
  cause(): void;
  /** Resolves when every client has heard the end of so many runs; ms since the fault. */
  told(runs?: number): Promise<number>;
  /** Ms from the fault until the last of these times. */
  since(times: readonly number[]): number;
  /**
   * Resolves when clients of one dialect have as many shared frames: what is said behind the end of a run reaches one
   * transport before the other.
   */
  quiet(): Promise<void>;
  /** Judges all that was heard; tells what was lost and repeated between the transports. */
  judge(options?: Judging): { readonly lost: number; readonly repeated: number };
  close(): Promise<void>;
}

/** What the judge looks at of one client. */
export type Judged = Pick<Observer, 'name' | 'frontend' | 'transport' | 'options' | 'dialect' | 'frames' | 'endings'>;

/** How a client joins. */
export interface JoinOptions {
  /** Default: the gateway itself. */
  readonly address?: Address;
  readonly isLate?: boolean;
}

/** How to judge. */
export interface Judging {
  /** How many runs are over; default as many as there were prompts. */
  readonly runs?: number;
  /** Complaints that the row expects. */
  readonly except?: RegExp | undefined;
}

/** What a rig may be given. */
export interface RigOptions {
  readonly config: object;
  readonly clients?: readonly Kind[];
  readonly listen?: Omit<ListenOptions, 'board'>;
  /** Where the gateway keeps sessions; default nowhere. */
  openStore?(): Promise<SessionStore>;
  /** Opens the session, and gives its id; default a session of the default agent. */
  open?(address: Address): Promise<string>;
}

/** Open descriptors of this process; null where the system does not say. */
function descriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

/** How often each item is there. */
function tally(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** What the second has too little and too much of, beside the first. */
export function difference(first: readonly string[], second: readonly string[]): { lost: number; repeated: number } {
  const counts = tally(first);
  let repeated = 0;
  for (const [item, count] of tally(second)) {
    const wanted = counts.get(item) ?? 0;
    repeated += Math.max(0, count - wanted);
    counts.set(item, wanted - Math.min(wanted, count));
  }
  return { lost: [...counts.values()].reduce((sum, count) => sum + count, 0), repeated };
}

/** What is wrong with what one client heard of runs that are over. */
export function faultsOf({ name, dialect, frames }: Judged): string[] {
  const wrong = dialect.role.judge(frames);
  const ids = frames.map((frame): unknown => JSON.parse(frame).uuid).filter((id) => typeof id === 'string');
  if (new Set(ids).size < ids.length) wrong.push('an id comes twice');
  return wrong.map((fault) => `${name}: ${fault}`);
}

/** Clients of one dialect hear the same, in the same order, over whatever transport. */
function acrossTransports(observers: readonly Judged[]): { lost: number; repeated: number; wrong: string[] } {
  let [lost, repeated] = [0, 0];
  const wrong: string[] = [];
  const firsts = new Map<string, Judged>();
  for (const one of observers) {
    const key = `${one.frontend} ${one.options}`;
    const first = firsts.get(key) ?? one;
    firsts.set(key, first);
    const [expected, found] = [first, one].map(({ frames, dialect }) => frames.filter(dialect.isShared));
    const between = difference(expected ?? [], found ?? []);
    lost += between.lost;
    repeated += between.repeated;
    const at = (expected ?? []).findIndex((frame, place) => frame !== found?.[place]);
    if (at < 0 && expected?.length === found?.length) continue;
    const [left, right] = [expected?.[at], found?.[at < 0 ? (expected?.length ?? 0) : at]].map((frame) =>
      frame?.slice(0, 200),
    );
    wrong.push(`${first.name} and ${one.name} heard different frames: ${left} and ${right}`);
  }
  return { lost, repeated, wrong };
}

/** Clients of one dialect that have a different number of shared frames, in words; null where there are none. */
function unevenly(observers: readonly Judged[]): string | null {
  const firsts = new Map<string, { readonly name: string; readonly count: number }>();
  for (const { name, frontend, options, frames, dialect } of observers) {
    const count = frames.filter(dialect.isShared).length;
    const first = firsts.get(`${frontend} ${options}`) ?? { name, count };
    firsts.set(`${frontend} ${options}`, first);
    if (first.count !== count) return `${first.name} has ${first.count} frames, and ${name} has ${count}`;
  }
  return null;
}

/** Judges all that these clients heard of so many runs; throws what is wrong. `late`: those who missed something. */
export function judge(
  observers: readonly Judged[],
  { runs, except, late }: Judging & { readonly runs: number; readonly late?: ReadonlySet<Judged> },
): { readonly lost: number; readonly repeated: number } {
  const { lost, repeated, wrong } = acrossTransports(observers.filter((one) => late?.has(one) !== true));
  for (const one of observers) {
    const heard = one.endings.length;
    if (heard !== runs) wrong.push(`${one.name} heard ${heard} endings of ${runs} runs`);
  }
  wrong.push(...observers.flatMap(faultsOf));
  const unexpected = wrong.filter((words) => except?.test(words) !== true);
  if (unexpected.length > 0) throw new Error(unexpected.join('\n'));
  return { lost, repeated };
}

/** Opens a gateway with one session of its default agent, and the clients. */
export async function openFaultRig({
  config,
  clients = everybody,
  listen: listening,
  openStore,
  open,
}: RigOptions): Promise<FaultRig> {
  const before = descriptors();
  const parsed: Config = parseConfig(config);
  const store = await openStore?.();
  const gateway = createGateway(parsed, { log: () => {}, ...(store === undefined ? {} : { store }) });
  const server = await listen({ board: gateway.board, ...listening });
  const address = { url: server.url, token: server.token ?? '' };
  const session = (await open?.(address)) ?? gateway.board.createSession({}, owner).id;
  const summary = () => gateway.board.session(session, owner);
  const observers = await Promise.all(clients.map((kind) => observe(address, session, kind)));
  const everyone: Observer[] = [...observers];
  const late = new Set<Observer>();
  const hasClients = (count: number) =>
    eventually(
      `${count} clients`,
      () => summary().clients === count,
      () => `; ${summary().clients} are there`,
    );
  await hasClients(clients.length);
  let causedAt = 0;
  let prompts = 0;
  let promptedAt = observers.map(() => 0);

  return {
    gateway,
    address,
    session,
    observers,
    async join(kind, { address: via = address, isLate = false } = {}) {
      const count = summary().clients;
      const one = await observe(via, session, kind);
      await eventually('another client', () => summary().clients > count);
      observers.push(one);
      promptedAt.push(0);
      everyone.push(one);
      if (isLate) late.add(one);
      return one;
    },
    dismiss(observer) {
      const at = observers.indexOf(observer);
      observers.splice(at, 1);
      promptedAt.splice(at, 1);
    },
    hasClients,
    hasState: (state) =>
      eventually(
        `the state ${state}`,
        () => summary().state === state,
        () => `; it is ${summary().state}`,
      ),
    prompt(words, speaker = observers[0]) {
      promptedAt = observers.map(({ frames }) => frames.length);
      prompts += 1;
      speaker?.say(speaker.dialect.role.prompt(words, speaker.frames));
    },
    async allSee(words) {
      const sees = (frame: string) => frame.includes(words);
      await Promise.all(observers.map((one, at) => one.waitFor(words, sees, promptedAt[at])));
    },
    cause() {
      causedAt = performance.now();
    },
    async told(runs = prompts) {
      const times = await Promise.all(
        observers.map(async (one) => {
          await one.until(`the end of run ${runs}`, () => one.endings.length >= runs);
          return one.times[one.endings.at(-1) ?? 0] ?? 0;
        }),
      );
      return Math.max(...times) - causedAt;
    },
    since: (times) => Math.max(...times) - causedAt,
    async quiet() {
      const punctual = () => observers.filter((one) => !late.has(one));
      await eventually(
        'the same frames over all transports',
        () => unevenly(punctual()) === null,
        () => `; ${unevenly(punctual())}`,
      );
    },
    judge: ({ runs = prompts, except } = {}) => judge(observers, { runs, except, late }),
    async close() {
      for (const one of everyone) one.close();
      gateway.close('the test is over');
      await server.close();
      await store?.close();
      await Promise.all(everyone.map((one) => one.cut()));
      const now = () => descriptors() ?? 0;
      if (before !== null)
        await eventually(
          'all descriptors',
          () => now() <= before,
          () => `; ${now()}, before ${before}`,
        );
    },
  };
}
