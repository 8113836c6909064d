// Any client with any agent over any transport: one whole turn, then a turn that is interrupted. Knows no protocol.
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import type { Adapter } from '../../src/core/contract/adapter/adapter.ts';
import type { Channel } from '../../src/core/contract/channel.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import type { AgentRole } from '../support/agent-roles.ts';
import type { ClientRole } from '../support/client-roles.ts';
import { clientTransports, type Reach } from '../support/client-transports.ts';
import { isFull } from '../support/full.ts';
import { tells } from '../support/telltale.ts';

/** Who plays clients and agents, by adapter id. */
export interface Cast {
  readonly clients: ReadonlyMap<string, ClientRole>;
  readonly agents: ReadonlyMap<string, AgentRole>;
}

/** One client with one agent over one transport. */
export interface Pair {
  readonly name: string;
  readonly frontend: string;
  readonly backend: string;
  readonly reach: Reach;
}

/** Every frontend with every backend over every transport. */
export function pairsOf(adapters: readonly Adapter[]): Pair[] {
  const frontends = adapters.filter((adapter) => adapter.client !== undefined);
  const backends = adapters.filter((adapter) => adapter.agent !== undefined);
  return frontends.flatMap(({ id: frontend }) =>
    backends.flatMap(({ id: backend }) =>
      [...clientTransports].map(([transport, reach]) => ({
        name: `${frontend} client, ${backend} agent, ${transport}`,
        frontend,
        backend,
        reach,
      })),
    ),
  );
}

/**
 * A cover of them: each frontend with each backend, and each transport with each frontend and with each backend, as far as
 * there are enough of the others. Core names no protocol and no transport, so that a fault of all three together has no place.
 */
export function coverOf(adapters: readonly Adapter[]): Pair[] {
  const pairs = pairsOf(adapters);
  const frontends = [...new Set(pairs.map(({ frontend }) => frontend))];
  const backends = [...new Set(pairs.map(({ backend }) => backend))];
  const transports = [...clientTransports.values()];
  return pairs.filter(({ frontend, backend, reach }) => {
    const turn = frontends.indexOf(frontend) + backends.indexOf(backend);
    return transports[turn % transports.length] === reach;
  });
}

/** What a client hears, and waits for. */
function hear(channel: Channel) {
  const frames: string[] = [];
  const watchers = new Set<() => void>();
  let ending: string | null = null;
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  channel.open({
    frame(frame) {
      frames.push(frame.text);
      wake();
    },
    fault: ({ message }) => {
      ending ??= message;
      wake();
    },
    end({ reason }) {
      ending ??= reason;
      wake();
    },
  });
  return {
    frames,
    /** The frames from `from` on, as soon as they please. */
    until(label: string, from: number, isEnough: (heard: readonly string[]) => boolean): Promise<readonly string[]> {
      const look = () => {
        const heard = frames.slice(from);
        if (isEnough(heard)) return heard;
        if (ending !== null) throw new Error(`the connection ended (${ending}) before ${label}: ${heard.join('\n')}`);
        return undefined;
      };
      return within(label, watchers, look, () => `: ${frames.slice(from).join('\n')}`);
    },
  };
}

/** Runs a cover of the pairs of these protocols, in `npm run test:full` every pair; or those that `isWanted`. */
export function describePairs(
  adapters: readonly Adapter[],
  cast: Cast,
  isWanted: (pair: Pair) => boolean = () => true,
): void {
  const pairs = isFull ? pairsOf(adapters) : coverOf(adapters);
  describe.each(pairs.filter(isWanted))('$name', ({ frontend, backend, reach }) => {
    test('a whole turn, and one that is interrupted', async () => {
      const client = cast.clients.get(frontend);
      const agent = cast.agents.get(backend);
      if (client === undefined) throw new Error(`nobody plays a client of ${frontend}: test/support/client-roles.ts`);
      if (agent === undefined) throw new Error(`nobody plays an agent of ${backend}: test/support/agent-roles.ts`);
      const surroundings = await agent.start?.();
      const config = { ...agent.config, options: { ...agent.config.options, ...surroundings?.options } };
      const gateway = createGateway(parseConfig({ agents: { cast: config }, roots: [process.cwd()] }), {
        log: () => {},
      });
      const { channel, dispose } = await reach(gateway, frontend, 'cast');
      try {
        const ear = hear(channel);
        await client.greet?.(
          (frame) => channel.send(frame),
          (label, isEnough) => ear.until(label, 0, isEnough),
        );
        channel.send(client.prompt(agent.turn.prompt, client.greet === undefined ? [] : ear.frames));
        const first = await ear.until('the end of the first turn', 0, (heard) => heard.some(client.isOver));
        for (const words of agent.turn.says)
          expect({ words, told: tells(first, words) }).toEqual({ words, told: true });
        expect(first.filter(client.isOver).map((frame) => client.isCutShort(frame, first))).toEqual([false]);

        const from = ear.frames.length;
        channel.send(client.prompt(agent.endless.prompt, ear.frames));
        await ear.until('the beginning of the second turn', from, (heard) => tells(heard, agent.endless.says));
        channel.send(client.interrupt(ear.frames));
        const second = await ear.until('the end of the second turn', from, (heard) => heard.some(client.isOver));
        expect(second.filter(client.isOver).map((frame) => client.isCutShort(frame, second))).toEqual([true]);
        await ear.until('the answers to all commands', 0, (heard) => client.isAnswered?.(heard) ?? true);
        expect(client.judge(ear.frames)).toEqual([]);
      } finally {
        channel.close('normal', 'the test is over');
        gateway.close('the test is over');
        await dispose();
        await surroundings?.stop();
      }
    });
  });
}
