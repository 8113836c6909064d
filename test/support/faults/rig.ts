// A gateway with clients of every dialect on one session, over both transports, and what must be so after every fault
// (docs/faults.md 1.8).
import { readdirSync } from 'node:fs';
import { type Config, parseConfig } from '../../../src/config/config.ts';
import { owner } from '../../../src/core/contract/principal.ts';
import { createGateway, type Gateway } from '../../../src/gateway/full-gateway.ts';
import { listen } from '../../../src/transports/http/server.ts';
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
];

/** One session under a fault. */
export interface FaultRig {
  readonly gateway: Gateway;
  readonly address: Address;
  readonly session: string;
  readonly observers: readonly Observer[];
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
  /** How many runs have ended for that client. */
  endings(observer: Observer): number;
  /** Judges all that was heard; tells what was lost and repeated between the transports. */
  judge(options?: Judging): { readonly lost: number; readonly repeated: number };
  close(): Promise<void>;
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
export function faultsOf({ name, dialect, frames }: Observer): string[] {
  const wrong = dialect.role.judge(frames);
  const ids = frames.map((frame): unknown => JSON.parse(frame).uuid).filter((id) => typeof id === 'string');
  if (new Set(ids).size < ids.length) wrong.push('an id comes twice');
  return wrong.map((fault) => `${name}: ${fault}`);
}

/** Clients of one dialect hear the same over both transports, in the same order. */
export function acrossTransports(observers: readonly Observer[]): { lost: number; repeated: number; wrong: string[] } {
  let [lost, repeated] = [0, 0];
  const wrong: string[] = [];
  for (const one of observers.filter(({ transport }) => transport === 'ws')) {
    const other = observers.find(
      ({ transport, frontend, options }) => transport === 'sse' && frontend === one.frontend && options === one.options,
    );
    if (other === undefined) continue;
    const [left, right] = [one, other].map(({ frames, dialect }) => frames.filter(dialect.isShared));
    const found = difference(left ?? [], right ?? []);
    lost += found.lost;
    repeated += found.repeated;
    if (left?.join('\n') !== right?.join('\n')) wrong.push(`${one.name} and ${other.name} heard different frames`);
  }
  return { lost, repeated, wrong };
}

/** Opens a gateway with one session of its default agent, and the clients. */
export async function openFaultRig({ config, clients = everybody }: RigOptions): Promise<FaultRig> {
  const before = descriptors();
  const parsed: Config = parseConfig(config);
  const gateway = createGateway(parsed, { log: () => {} });
  const server = await listen({ board: gateway.board });
  const address = { url: server.url, token: server.token ?? '' };
  const { id: session } = gateway.board.createSession({}, owner);
  const observers = await Promise.all(clients.map((kind) => observe(address, session, kind)));
  const summary = () => gateway.board.session(session, owner);
  await eventually(
    'all clients',
    () => summary().clients === clients.length,
    () => `; ${summary().clients} are there`,
  );
  let causedAt = 0;
  let prompts = 0;
  let promptedAt = observers.map(() => 0);
  const endings = ({ frames, dialect }: Observer) => dialect.endings(frames).length;

  return {
    gateway,
    address,
    session,
    observers,
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
      const sees = (frames: readonly string[]) => frames.some((frame) => frame.includes(words));
      await Promise.all(observers.map((one, at) => one.until(`${words} for ${one.name}`, promptedAt[at] ?? 0, sees)));
    },
    cause() {
      causedAt = performance.now();
    },
    async told(runs = prompts) {
      const times = await Promise.all(
        observers.map(async (one) => {
          const isTold = () => endings(one) >= runs;
          await one.until(`the end of run ${runs} for ${one.name}`, 0, isTold);
          return one.times[one.dialect.endings(one.frames).at(-1) ?? 0] ?? 0;
        }),
      );
      return Math.max(...times) - causedAt;
    },
    endings,
    judge({ runs = prompts, except } = {}) {
      const { lost, repeated, wrong } = acrossTransports(observers);
      for (const one of observers) {
        if (endings(one) !== runs) wrong.push(`${one.name} heard ${endings(one)} endings of ${runs} runs`);
      }
      wrong.push(...observers.flatMap(faultsOf));
      const unexpected = wrong.filter((words) => except?.test(words) !== true);
      if (unexpected.length > 0) throw new Error(unexpected.join('\n'));
      return { lost, repeated };
    },
    async close() {
      for (const one of observers) one.close();
      gateway.close('the test is over');
      await server.close();
      await Promise.all(observers.map((one) => one.cut()));
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
