// A channel to an agent that the gateway starts: frames on its stdin and stdout. The framing is a parameter.
import type { Readable } from 'node:stream';
import type { Channel } from '../../core/contract/channel.ts';
import type { Traffic } from '../../core/contract/traffic.ts';
import { createFrameReader } from '../frame-reader.ts';
import { createFrameWriter, type FrameWriter } from '../frame-writer.ts';
import type { Framing } from '../framing/framing.ts';
import { jsonl } from '../framing/jsonl.ts';
import { nullChannel } from '../memory.ts';
import { PacedInput } from '../paced-input.ts';
import { createFirstWords, followStderr } from './last-words.ts';
import { adoptGroup } from './process-group.ts';
import type { SocketPair } from './socket-pair.ts';
import { type Spawn, type StartOptions, startChild } from './start-child.ts';

/** How an agent is started. */
export interface SpawnOptions extends StartOptions {
  readonly label: string;
  readonly framing?: Framing;
  /** Default 32 MiB: agents send images in base64. */
  readonly maxFrameBytes?: number;
  /** Counts the bytes of both directions and the sent frames. */
  readonly traffic?: Traffic;
  /** Between SIGTERM and SIGKILL; default 5000. */
  readonly termGraceMs?: number;
  /** Between the end of stdin, when the channel is closed, and SIGTERM, ms; default 250. */
  readonly exitGraceMs?: number;
  /** Hears of the process. */
  readonly register?: ProcessRegister | undefined;
}

/** Knows which processes run, beyond the end of this one. */
export interface ProcessRegister {
  /** The leader of a process group was started. */
  note(pid: number): void;
  /** The leader has ended. */
  forget(pid: number): void;
}

/** More than a pipe or a socket holds, bytes: what comes behind so much was not written by the exited child. */
const mostLeft = 1024 * 1024;

/** A channel to a process. */
export type ChildChannel = Channel & {
  /** Undefined if the process could not be started. */
  readonly pid: number | undefined;
  /** Read already for the end reason; further listeners may read along. Null if the process could not be started. */
  readonly stderr: Readable | null;
  /** Closes stdin and keeps reading. Nothing can be sent afterwards. */
  endInput(): void;
};

/**
 * Starts the program in its own process group. Never throws: `end` reports failures. Its reason is `agent exited (code 1)`,
 * `agent exited (signal SIGKILL)`, `agent could not be started: …`, or the reason given to `close`.
 */
export function spawnChannel(
  options: SpawnOptions,
  spawnProcess?: Spawn,
  pair: SocketPair | null = null,
): ChildChannel {
  const { label, framing = jsonl, maxFrameBytes = 32 * 1024 * 1024, termGraceMs = 5000 } = options;
  const { exitGraceMs = 250, traffic, register } = options;
  /** Not the pair itself: the channel must not keep the end of the child. */
  const isReused = pair !== null;
  const inlet = createFrameReader();
  const started = startChild(options, settle, spawnProcess, pair?.theirs);
  // The child has its own copy, and our copy would keep the stream open behind the exit of the child.
  pair?.theirs.destroy();
  if (typeof started === 'string') {
    pair?.ours.destroy();
    const nobody = nullChannel(label);
    nobody.close('error', started);
    return { ...nobody, pid: undefined, stderr: null, endInput() {} };
  }

  const { child, stdin, stderr } = started;
  const stdout = pair?.ours ?? started.stdout;
  const { pid } = child;
  const group = pid === undefined ? undefined : adoptGroup(pid);
  if (pid !== undefined) register?.note(pid);
  const outlet = stdin === null ? undefined : createFrameWriter(stdin, framing, () => inlet.drained());
  const firstWords = createFirstWords();
  const decoder = framing.decoder(
    {
      frame(frame) {
        firstWords.frame(frame);
        inlet.frame(frame);
      },
      recognise: (peek, start, end) => inlet.recognise(peek, start, end),
      takeBurst: (peek, start, end, maxFrameBytes) => inlet.takeBurst(peek, start, end, maxFrameBytes),
      fault: (fault) => inlet.fault(fault),
    },
    { maxFrameBytes, reusedChunks: isReused, isPaused: () => inlet.isPaused },
  );
  const input = new PacedInput({
    inlet,
    decode: (bytes) => decoder.push(bytes),
    roomy: readOn,
    emptied: () => endWhenDrained(),
  });
  const stderrTail = stderr === null ? () => '' : followStderr(stderr);
  /** The reason of the end, once the process has exited or failed to start. */
  let fate: string | undefined;
  /** The reason given to `close`. */
  let closing: string | undefined;
  /** Bytes that were read since then, of stdout and stderr. */
  let readSince = 0;
  let draining: NodeJS.Immediate | undefined;
  let killing: readonly NodeJS.Timeout[] = [];

  // A write to a dead child emits `error`. Without a listener that would end the gateway.
  stdin?.on('error', () => expectExit('agent closed its input'));
  stdout?.on('error', () => {});
  stdout?.pause();
  if (pair !== null) {
    pair.hear(heard);
  } else {
    stdout?.on('data', (chunk: Buffer) => {
      // Node resumes the stream itself when the child exits. The input keeps the chunks that arrive then.
      if (!heard(chunk)) stdout.pause();
    });
  }
  stdout?.on('end', () => {
    expectExit('agent closed its output');
    endWhenDrained();
  });
  stderr?.on('data', (chunk: Buffer) => {
    if (fate !== undefined) readSince += chunk.length;
  });
  stderr?.on('end', endWhenDrained);
  child.on('exit', (code, signal) => {
    if (pid !== undefined) register?.forget(pid);
    group?.dissolve(termGraceMs);
    settle(code === null ? `agent exited (signal ${signal})` : `agent exited (code ${code})`);
  });

  /** Takes a chunk of stdout. Returns whether to read on. */
  function heard(chunk: Buffer): boolean {
    if (traffic !== undefined) traffic.bytesIn += chunk.length;
    firstWords.heard(chunk);
    if (closing !== undefined) return true;
    if (readSince > mostLeft) return false;
    if (fate !== undefined) readSince += chunk.length;
    if (isReused) input.pushReused(chunk);
    else input.push(chunk);
    return isWanted();
  }

  function isWanted(): boolean {
    return inlet.isOpen && !inlet.isPaused && !input.isFull;
  }

  /** Reads on, unless somebody wants otherwise. */
  function readOn(): void {
    if (isWanted()) stdout?.resume();
  }

  function settle(reason: string): void {
    fate ??= reason;
    endWhenDrained();
  }

  /**
   * Ends the channel after the last output. `close` may never come, because a grandchild can hold the pipes open; what the
   * child has written is in them when it exits.
   */
  function endWhenDrained(): void {
    if (fate === undefined || inlet.isEnded) return;
    if (closing !== undefined || pid === undefined) return finish();
    if (!mayDrain()) return stopDraining();
    if ((stdout?.readableEnded && stderr?.readableEnded) || readSince > mostLeft) return finish();
    // The exit may be told ahead of reads of the same round of the event loop, and the next round reads what is left.
    draining ??= setImmediate(() => {
      if (!mayDrain()) return stopDraining();
      const before = readSince;
      draining = setImmediate(() => {
        draining = undefined;
        if (readSince === before && mayDrain()) finish();
        else endWhenDrained();
      });
    });
  }

  /** Otherwise the output is still wanted and waits: the channel is paused or not open yet, or takes its turn. */
  function mayDrain(): boolean {
    return inlet.isOpen && !inlet.isPaused && input.isEmpty;
  }

  function stopDraining(): void {
    clearImmediate(draining);
    draining = undefined;
  }

  function finish(): void {
    stopDraining();
    killing.forEach(clearTimeout);
    if (inlet.isEnded) return;
    decoder.end();
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    const detail = [firstWords.text(), stderrTail()].filter((text) => text !== '').join('\n');
    inlet.end({ reason: closing ?? fate ?? 'agent ended', ...(detail === '' ? {} : { detail }) });
  }

  /** One pipe is closed. The exit normally follows; a process that stays is useless and is ended. */
  function expectExit(reason: string): void {
    setTimeout(() => {
      if (fate === undefined) close(reason);
    }, termGraceMs).unref();
  }

  function close(reason: string): void {
    if (closing !== undefined || inlet.isEnded) return;
    closing = reason;
    inlet.shut();
    input.clear();
    if (fate !== undefined) return finish();
    outlet?.end();
    // Keep reading and discard: a child that cannot write cannot exit.
    stdout?.resume();
    killing = [
      setTimeout(() => group?.signal('SIGTERM'), exitGraceMs),
      setTimeout(() => group?.signal('SIGKILL'), exitGraceMs + termGraceMs),
    ];
  }

  const acts: ChildActs = {
    open(receiver) {
      inlet.open(receiver);
      input.resume();
      readOn();
      endWhenDrained();
    },
    send(out) {
      if (closing !== undefined) return;
      traffic?.sent(out);
      outlet?.send(out);
    },
    pause() {
      if (closing !== undefined) return;
      inlet.pause();
      stdout?.pause();
      stopDraining();
    },
    resume() {
      inlet.resume();
      input.resume();
      if (closing === undefined) readOn();
      endWhenDrained();
    },
    close: (_code, reason) => close(reason),
    endInput: () => outlet?.end(),
  };
  return new RunningChild({ label, pid, stderr, outlet, acts });
}

type ChildActs = Pick<ChildChannel, 'open' | 'send' | 'pause' | 'resume' | 'close' | 'endInput'>;

/** A class, because of its getter: V8 gives each object literal with a getter a dictionary and a hidden class of its own. */
class RunningChild implements ChildChannel {
  readonly label: string;
  readonly pid: number | undefined;
  readonly stderr: Readable | null;
  readonly open: ChildActs['open'];
  readonly send: ChildActs['send'];
  readonly pause: ChildActs['pause'];
  readonly resume: ChildActs['resume'];
  readonly close: ChildActs['close'];
  readonly endInput: ChildActs['endInput'];
  readonly #outlet: FrameWriter | undefined;

  constructor({ label, pid, stderr, outlet, acts }: Pick<ChildChannel, 'label' | 'pid' | 'stderr'> & RunningParts) {
    this.label = label;
    this.pid = pid;
    this.stderr = stderr;
    this.open = acts.open;
    this.send = acts.send;
    this.pause = acts.pause;
    this.resume = acts.resume;
    this.close = acts.close;
    this.endInput = acts.endInput;
    this.#outlet = outlet;
  }

  get buffered(): number {
    return this.#outlet?.buffered ?? 0;
  }
}

interface RunningParts {
  readonly outlet: FrameWriter | undefined;
  readonly acts: ChildActs;
}
