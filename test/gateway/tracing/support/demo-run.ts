// A gateway with the demo agent and one client of it.
import { parseConfig } from '../../../../src/config/config.ts';
import { within } from '../../../../src/conformance/bounded-wait.ts';
import { owner } from '../../../../src/core/contract/principal.ts';
import { createGateway, type Gateway } from '../../../../src/gateway/full-gateway.ts';
import type { Tracer } from '../../../../src/gateway/tracing/tracer.ts';
import { memoryPair } from '../../../../src/transports/memory.ts';

/** A client of session `s`. */
export interface DemoRun {
  readonly gateway: Gateway;
  readonly logged: string[];
  /** Sends a prompt. */
  prompt(words: string): void;
  /** Resolves with the next frame of that type. */
  hear(type: string): Promise<Record<string, unknown>>;
  say(frame: object): void;
}

export function demoRun(tracer: Tracer): DemoRun {
  const agents = { robot: { protocol: 'demo', options: { paceMs: 0 } } };
  const logged: string[] = [];
  const config = parseConfig({ agents, defaultAgent: 'robot' });
  const gateway = createGateway(config, { log: (level, text) => logged.push(`${level} ${text}`), tracer });
  gateway.board.createSession({ id: 's' }, owner);
  const [near, far] = memoryPair();
  const frames: Record<string, unknown>[] = [];
  const watchers = new Set<() => void>();
  let read = 0;
  far.open({
    frame({ text }) {
      frames.push(JSON.parse(text));
      for (const watcher of [...watchers]) watcher();
    },
    fault() {},
    end() {},
  });
  gateway.board.connect(near, { frontend: 'pi', session: 's', options: {}, principal: owner });
  const say = (frame: object) => far.send(JSON.stringify(frame));
  return {
    gateway,
    logged,
    say,
    prompt: (message) => say({ type: 'prompt', message }),
    hear: (type) =>
      within(type, watchers, () => {
        while (read < frames.length) {
          const frame = frames[read++];
          if (frame?.type === type) return frame;
        }
        return undefined;
      }),
  };
}
