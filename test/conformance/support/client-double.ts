// Helpers for broken clients: our own ones with somebody between them and our agent. Knows no protocol.
import type { Dictionary } from '../../../src/core/model/content.ts';
import type { Tamper } from './tamper.ts';

/** Changes lines of that type. */
export const sending = (type: string, change: (frame: Dictionary) => Dictionary) => (): Tamper => ({
  out: (frame) => [frame.type === type ? change(frame) : frame],
});

/** More lines before those of that type. */
export const before =
  (type: string, ...more: readonly Dictionary[]) =>
  (): Tamper => ({ out: (frame) => (frame.type === type ? [...more, frame] : [frame]) });

/** Does not send lines of that type. */
export const silentOn = (type: string) => (): Tamper => ({ out: (frame) => (frame.type === type ? [] : [frame]) });

/** Says what is no frame of its protocol, once in a connection. */
export const babbling = (text: string) => (): Tamper => {
  const heard = new Set<unknown>();
  return {
    out(frame, link) {
      if (!heard.has(link)) link.say(text);
      heard.add(link);
      return [frame];
    },
  };
};

/** Leaves when it hears something that holds those words. */
export const fleeing = (words: string) => (): Tamper => ({
  in(frame, link) {
    if (JSON.stringify(frame).includes(words)) link.close();
    return [frame];
  },
});

/** Without those fields. */
export const less = (frame: Dictionary, ...names: readonly string[]): Dictionary =>
  Object.fromEntries(Object.entries(frame).filter(([name]) => !names.includes(name)));
