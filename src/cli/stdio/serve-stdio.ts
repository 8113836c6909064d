// Serves one client on our stdin and stdout until it leaves. Shared by `patchbay stdio` and the stand-ins.
import { Console } from 'node:console';
import type { Readable, Writable } from 'node:stream';
import { finderIn } from '../../adapters/protocols.ts';
import type { Config } from '../../config/config.ts';
import type { Channel, Out } from '../../core/contract/channel.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { createGatewayOf, type GatewayPorts, type StartOptions } from '../../gateway/gateway.ts';
import { streamFraming } from '../../transports/framing/framings.ts';
import { stdioChannel } from '../../transports/stdio.ts';
import { fixHeapGrowth } from '../heap-growth.ts';
import { onSignals } from '../signals.ts';
import { stderrLog } from '../stderr-log.ts';
import { partsFor } from './gateway-parts.ts';

/** The client to serve, and the conditions that end the service. */
export interface ServeOptions {
  /** The default agent of this configuration serves the client. */
  readonly config: Config;
  readonly frontend: string;
  /** Options of the frontend. */
  readonly client: Readonly<Record<string, unknown>>;
  /** The id of the session; default a new one. */
  readonly session?: string;
  /** The conversation of the agent that the session goes on with; default a new one. */
  readonly resume?: string | undefined;
  /** Log repairs and losses to stderr. */
  readonly verbose?: boolean;
  /** Where conversations of agents are noted, so that a client finds its sessions again; default nowhere. */
  readonly conversations?: GatewayPorts['conversations'];
  /**
   * How the session starts. If `opening.lost` is absent and the agent dies, the death is logged and the exit code is 1.
   */
  readonly opening?: StartOptions;
  /**
   * End when the agent ends, as the parent process expects of the agent itself: `always`, or only if the agent was
   * `silent` until then.
   */
  readonly endsWithAgent?: 'always' | 'silent';
  /** Ends the service when aborted; the reason is a sentence for the user. */
  readonly failure?: AbortSignal;
  /** The last frame for the client, when the service ends with the agent or by `failure`; null for none. */
  lastWords?(sentence: string): Out | null;
  /** The exit code after a signal; default the same as without a signal. */
  readonly signalCode?: (signal: NodeJS.Signals) => number;
  /** The client's streams; default our own stdin and stdout. */
  readonly input?: Readable;
  readonly output?: Writable;
  /** Wraps the client's channel for the gateway. */
  wrap?(channel: Channel): Channel;
}

/**
 * Resolves when the client has left and all frames are sent. Throws `invalid` or `not-found` as the gateway does, and
 * `agent-down` if the service ended with the agent or by `failure`.
 */
export async function serveStdio(options: ServeOptions): Promise<void> {
  const { config, frontend, client, opening, conversations } = options;
  // stdout carries the protocol: output of a package must not mix with the frames (docs/threats.md T30).
  globalThis.console = new Console(process.stderr);
  fixHeapGrowth();
  const parts = await partsFor(config, frontend);
  const adapter = finderIn(parts.adapters)(frontend, 'client');
  const log = stderrLog(options.verbose === true ? 'debug' : 'error');
  const gateway = createGatewayOf(parts, config, { log, ...(conversations && { conversations }) });
  const plain = stdioChannel({
    input: options.input ?? process.stdin,
    output: options.output ?? process.stdout,
    label: 'stdio',
    framing: streamFraming(adapter.framing.stdio),
    blank: adapter.client?.acceptsEmptyFrames === true ? 'deliver' : 'skip',
    maxFrameBytes: gateway.board.maxFrameBytes?.(frontend) ?? config.limits.clientFrameBytes,
  });
  const failures: string[] = [];
  const lastWords = () => (failures[0] === undefined ? null : (options.lastWords?.(failures[0]) ?? null));
  const wrapped = options.wrap?.(plain) ?? plain;
  const channel = options.lastWords === undefined ? wrapped : withLastWords(wrapped, lastWords);
  function fail(sentence: string): void {
    failures.push(sentence);
    // Commands refused by this failure are answered first.
    setImmediate(() => gateway.close(sentence));
  }
  const giveUp = () => fail(String(options.failure?.reason));
  options.failure?.addEventListener('abort', giveUp, { once: true });
  // The failure may have come while the adapters were loaded.
  if (options.failure?.aborted === true) giveUp();
  function lost(sentence: string, wasSilent: boolean): void {
    const ends = options.endsWithAgent === 'always' || (options.endsWithAgent === 'silent' && wasSilent);
    if (ends) {
      // A prompt that answers the last result would be refused with another result.
      if (options.lastWords !== undefined) channel.pause();
      return fail(sentence);
    }
    if (opening?.lost !== undefined) return opening.lost(sentence, wasSilent);
    log('error', 'the agent is gone', { agent: config.defaultAgent ?? 'demo', reason: sentence });
    process.exitCode = 1;
  }
  const watched: StartOptions = { commands: [], settled: () => {}, ...opening, lost };
  const { session: id, resume } = options;
  const served = gateway.serveClient(channel, { frontend, options: client, id, resume }, watched);
  onSignals(
    async (reason) => {
      await gateway.drain(reason, 0);
      await served;
    },
    () => 10_000 + gateway.drainMs,
    options.signalCode,
  );
  // An agent inside this process keeps no handle open: without a timer Node would exit during a silent run.
  const stayAlive = setInterval(() => {}, 60_000);
  try {
    await served;
  } finally {
    clearInterval(stayAlive);
    gateway.close('the client is gone');
  }
  const [failure] = failures;
  if (failure !== undefined) throw new GatewayError('agent-down', failure);
}

/** Sends the last words when the channel is closed: what the session has said leaves in turns of its own before. */
function withLastWords(channel: Channel, lastWords: () => Out | null): Channel {
  let isClosed = false;
  return {
    label: channel.label,
    open: (receiver) => channel.open(receiver),
    send: (out, isShared) => channel.send(out, isShared),
    get buffered() {
      return channel.buffered;
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close(code, reason) {
      const words = isClosed ? null : lastWords();
      isClosed = true;
      if (words !== null) channel.send(words);
      channel.close(code, reason);
    },
  };
}
