// Helpers for broken clients: our own ones with somebody between them and our agent. Knows no protocol.
import type { Dictionary } from '../../../src/core/model/content.ts';
import type { Interceptor } from './intercept.ts';

/** Changes lines of that type. */
export const changesSent = (type: string, change: (frame: Dictionary) => Dictionary) => (): Interceptor => ({
  out: (frame) => [frame.type === type ? change(frame) : frame],
});

/** More lines before those of that type. */
export const sendsBefore =
  (type: string, ...more: readonly Dictionary[]) =>
  (): Interceptor => ({ out: (frame) => (frame.type === type ? [...more, frame] : [frame]) });

/** Does not send lines of that type. */
export const omits = (type: string) => (): Interceptor => ({ out: (frame) => (frame.type === type ? [] : [frame]) });

/** Says what is no frame of its protocol, once in a connection. */
export const sendsGarbage = (text: string) => (): Interceptor => {
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
export const disconnectsOn = (words: string) => (): Interceptor => ({
  in(frame, link) {
    if (JSON.stringify(frame).includes(words)) link.close();
    return [frame];
  },
});

/** Without those fields. */
export const without = (frame: Dictionary, ...names: readonly string[]): Dictionary =>
  Object.fromEntries(Object.entries(frame).filter(([name]) => !names.includes(name)));
