// A channel to an agent behind faults: frames become bytes, meet their faults, and are cut into frames again.
import { PassThrough, Writable } from 'node:stream';
import type { Channel, Ending, Out, Receiver } from '../../core/contract/channel.ts';
import type { FaultRule } from '../../faults/rule.ts';
import { createFrameReader } from '../../transports/frame-reader.ts';
import { bytesOf } from '../../transports/framing/frame.ts';
import type { Framing } from '../../transports/framing/framing.ts';
import { createInjector } from './injector.ts';

/** What happens between the gateway and the agent. */
export interface ChannelFaults {
  readonly rules: readonly FaultRule[];
  /** 0 to 2^32 - 1. */
  readonly seed: number;
  /** The connection, counted from 0. */
  readonly connection: number;
  /** How the agent's bytes are cut into frames. */
  readonly framing: Framing;
  readonly maxFrameBytes: number;
}

/** The channel with faults. Its ends have the words that a program's ends have. */
export function faultyChannel(channel: Channel, faults: ChannelFaults): Channel {
  const { rules, seed, connection, framing, maxFrameBytes } = faults;
  const inlet = createFrameReader();
  const sources = { in: new PassThrough(), out: new PassThrough() };
  /** Why the agent behind the faults is gone; null while it is there. */
  let fate: Ending | null = null;
  let isStopped = false;

  const answers = framing.decoder(inlet, { maxFrameBytes });
  const requests = framing.decoder(
    { frame: ({ bytes }) => channel.send([bytes]), fault: (fault) => inlet.fault(fault) },
    { maxFrameBytes },
  );

  function ended(ending: Ending): void {
    injector.close();
    channel.close('normal', ending.reason);
    inlet.end(ending);
  }

  const injector = createInjector({
    rules,
    seed,
    connection,
    framing: framing.name === 'content-length' ? 'content-length' : 'lines',
    outputs: {
      in: writing((chunk) => requests.push(chunk)),
      out: writing((chunk) => answers.push(chunk)),
      err: writing(() => {}),
    },
    agent: {
      kill: () => ended({ reason: 'agent exited (signal SIGKILL)' }),
      exit: (code) => ended({ reason: `agent exited (code ${code})` }),
      reset: () => ended({ reason: 'agent closed its output' }),
      pause() {
        isStopped = true;
        channel.pause();
      },
      resume() {
        isStopped = false;
        if (!inlet.isPaused) channel.resume();
      },
    },
    ended(on, isFault) {
      if (on === 'out') {
        answers.end();
        ended(fate ?? { reason: 'agent closed its output' });
      } else if (isFault) {
        // A program ends when its input does.
        ended({ reason: 'agent exited (code 0)' });
      }
    },
    acted() {},
  });

  const receiver: Receiver = {
    frame: ({ bytes }) => void sources.out.write(wireOf(framing, [bytes])),
    fault: (fault) => inlet.fault(fault),
    remark: (text) => inlet.remark(text),
    end(ending) {
      fate = ending;
      sources.out.end();
    },
  };

  return {
    label: channel.label,
    open(own) {
      inlet.open(own);
      injector.connect('in', sources.in);
      injector.connect('out', sources.out);
      channel.open(receiver);
    },
    send(out) {
      if (!inlet.isEnded) sources.in.write(wireOf(framing, out));
    },
    get buffered() {
      return sources.in.writableLength;
    },
    pause() {
      inlet.pause();
      channel.pause();
    },
    resume() {
      inlet.resume();
      if (!isStopped) channel.resume();
    },
    close(code, reason) {
      injector.close();
      inlet.shut();
      channel.close(code, reason);
      inlet.end({ reason });
    },
  };
}

function wireOf(framing: Framing, out: Out): Uint8Array {
  return bytesOf(framing.encode(out));
}

function writing(take: (chunk: Buffer) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      take(chunk);
      done();
    },
  });
}
