// A man in the middle: leads the frames of a correct server through somebody who changes them. Knows no protocol.
import type { Channel } from '../../../src/core/contract/channel.ts';
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryIn } from '../../../src/core/model/dictionary.ts';
import { bytesOf, createFrame } from '../../../src/transports/framing/frame.ts';

/** One connection that is tampered with. */
export interface Link {
  /** Says something in the server's name. */
  toClient(frame: Dictionary): void;
  /** The same with any text. */
  say(text: string): void;
  /** Says something in the client's name. */
  toServer(frame: Dictionary): void;
  close(): void;
  /** All connections of this double that are open, this one included. */
  readonly all: ReadonlySet<Link>;
}

/** What becomes of the frames; without a function they pass. */
export interface Interceptor {
  /** What the client hears in the place of a frame of the server. */
  out?(frame: Dictionary, link: Link): readonly Dictionary[];
  /** What the server hears in the place of a frame of the client. */
  in?(frame: Dictionary, link: Link): readonly Dictionary[];
  /** The same for what is no JSON object. */
  raw?(text: string, link: Link): readonly string[];
}

/** Leads channels through one tamperer, who knows of all of them. */
export function intercepting(tamper: Interceptor): (channel: Channel) => Channel {
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
            for (const one of tamper.out?.(read, link) ?? [read]) link.toClient(one);
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
        if (read === null) for (const one of tamper.raw?.(text, link) ?? [text]) channel.send(one);
        else for (const one of tamper.in?.(read, link) ?? [read]) link.toServer(one);
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
