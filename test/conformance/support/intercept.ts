// Intercepts the frames between a client and a correct server and lets a test change them.
import type { Channel } from '../../../src/core/contract/channel.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryIn } from '../../../src/core/model/dictionary.ts';
import { bytesOf, createFrame } from '../../../src/transports/framing/frame.ts';

/** One intercepted connection. */
export interface Link {
  /** Sends a frame to the client in the server's name. */
  toClient(frame: Dictionary): void;
  /** Sends any text to the client. */
  say(text: string): void;
  /** Sends a frame to the server in the client's name. */
  toServer(frame: Dictionary): void;
  close(): void;
  /** All open connections of this mutant, including this one. */
  readonly all: ReadonlySet<Link>;
}

/** What happens to the frames. Without a function, frames pass unchanged. */
export interface Interceptor {
  /** Replaces a frame from the server. */
  out?(frame: Dictionary, link: Link): readonly Dictionary[];
  /** Replaces a frame from the client. */
  in?(frame: Dictionary, link: Link): readonly Dictionary[];
  /** Replaces a text from the client that is no JSON object. */
  raw?(text: string, link: Link): readonly string[];
}

/** Wraps channels. One interceptor serves all connections of a mutant. */
export function intercepting(interceptor: Interceptor): (channel: Channel) => Channel {
  const all = new Set<Link>();
  return (channel) => {
    let tell = (_text: string): void => {};
    const link: Link = {
      all,
      toClient: (frame) => tell(JSON.stringify(frame)),
      say: (text) => tell(text),
      toServer: (frame) => channel.send(JSON.stringify(frame)),
      close: () => channel.close('error', 'tampered with'),
    };
    return {
      label: channel.label,
      open(receiver) {
        all.add(link);
        tell = (text) => receiver.frame(createFrame(bytesOf(text)));
        channel.open({
          frame(frame) {
            const read = dictionaryIn(frame.text);
            if (read === null) return receiver.frame(frame);
            for (const one of interceptor.out?.(read, link) ?? [read]) link.toClient(one);
          },
          fault: (fault) => receiver.fault(fault),
          end(ending) {
            all.delete(link);
            receiver.end(ending);
          },
        });
      },
      send(out) {
        const text = Buffer.from(bytesOf(out)).toString('utf8');
        const read = dictionaryIn(text);
        if (read === null) for (const one of interceptor.raw?.(text, link) ?? [text]) channel.send(one);
        else for (const one of interceptor.in?.(read, link) ?? [read]) link.toServer(one);
      },
      get buffered() {
        return channel.buffered;
      },
      pause: () => channel.pause(),
      resume: () => channel.resume(),
      close: (code, reason) => channel.close(code, reason),
    };
  };
}
