// Clients of a session that note when they heard what. Each waits by its frames, never by a time.

import { adapters } from '../../../src/adapters/index.ts';
import { within } from '../../../src/conformance/bounded-wait.ts';
import type { Channel } from '../../../src/core/contract/channel.ts';
import { connectEventSource } from '../../../src/transports/sse/client.ts';
import { connectWebSocket } from '../../../src/transports/websocket/dial.ts';
import { createEndings, type Dialect, dialects } from './dialects.ts';

/** Where a gateway listens. */
export interface Address {
  readonly url: string;
  readonly token: string;
}

/** A kind of client. `options`: query parameters of its protocol. */
export interface Kind {
  readonly frontend: string;
  readonly transport: 'ws' | 'sse';
  readonly options?: string;
}

/** A client that takes notes. */
export interface Observer extends Kind {
  /** For the table and for messages: `claude ws`. */
  readonly name: string;
  readonly dialect: Dialect;
  readonly frames: readonly string[];
  /** The time of each frame, ms. */
  readonly times: readonly number[];
  /** Why nothing can come any more; null while something can. */
  readonly ended: string | null;
  readonly endedAt: number;
  say(frame: string): void;
  /** Where runs ended. */
  readonly endings: readonly number[];
  /** Resolves with the first frame from that index on that fits; default from the first one. */
  waitFor(label: string, fits: (frame: string) => boolean, from?: number): Promise<string>;
  /** Resolves as soon as that is so: asked with each frame. */
  until(label: string, isSo: () => boolean): Promise<void>;
  /** Resolves when the connection has ended. */
  cut(): Promise<string>;
  /** Stops reading and reads on. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** For the table and for messages. */
export const nameOf = ({ frontend, transport, options }: Kind): string =>
  [frontend, options?.replace(/^.*=/u, ''), transport].filter(Boolean).join(' ');

function channelTo({ url, token }: Address, session: string, { frontend, transport, options = '' }: Kind): Channel {
  const adapter = adapters.get(frontend);
  if (transport === 'ws') {
    const address = `${url.replace('http', 'ws')}/v1/${frontend}/ws?session=${session}${options && `&${options}`}`;
    return connectWebSocket(address, { token, framing: adapter?.framing.websocket });
  }
  const base = `${url}/v1/${frontend}/sessions/${session}`;
  const query = options && `?${options}`;
  return connectEventSource({
    streamUrl: `${base}/events${query}`,
    sendUrl: `${base}/frames${query}`,
    token,
    envelope: adapter?.envelope?.({}),
    firstWaitMs: 10,
  });
}

/** Connects a client to a session; resolves when it has greeted. */
export async function observe(address: Address, session: string, kind: Kind): Promise<Observer> {
  const dialect = dialects.get(kind.frontend);
  if (dialect === undefined) throw new Error(`nobody knows how a run ends for ${kind.frontend}`);
  const frames: string[] = [];
  const times: number[] = [];
  const endings = createEndings(dialect);
  const watchers = new Set<() => void>();
  let ended: string | null = null;
  let endedAt = 0;
  const wake = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const channel = channelTo(address, session, kind);
  channel.open({
    frame({ text }) {
      frames.push(text);
      endings.take(text);
      times.push(performance.now());
      wake();
    },
    fault: () => {},
    end({ reason }) {
      ended = reason;
      endedAt = performance.now();
      wake();
    },
  });
  const name = nameOf(kind);
  const lastWords = () =>
    `; ${name} heard at last:\n${frames
      .slice(-3)
      .map((frame) => frame.slice(0, 400))
      .join('\n')}`;
  /** Rejects at once when nothing can come any more. */
  const wait = <Found>(label: string, look: () => Found | undefined): Promise<Found> =>
    within(
      `${label} for ${name}`,
      watchers,
      () => {
        const found = look();
        if (found === undefined && ended !== null) throw new Error(`${ended} before ${label}${lastWords()}`);
        return found;
      },
      lastWords,
    );
  const observer: Observer = {
    ...kind,
    name,
    dialect,
    frames,
    times,
    get ended() {
      return ended;
    },
    get endedAt() {
      return endedAt;
    },
    say: (frame) => channel.send(frame),
    get endings() {
      return endings.places;
    },
    waitFor(label, fits, from = 0) {
      let at = from;
      const look = () => {
        while (at < frames.length && !fits(frames[at] ?? '')) at += 1;
        return frames[at];
      };
      return wait(label, look);
    },
    until: (label, isSo) => wait(label, () => (isSo() ? true : undefined)).then(() => {}),
    cut: () => within(`the end of ${name}`, watchers, () => ended ?? undefined),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => channel.close('normal', 'the test is over'),
  };
  await dialect.role.greet?.(observer.say, async (label, isEnough) => {
    await observer.until(label, () => isEnough(frames));
    return frames;
  });
  return observer;
}
