// Helpers that break our own clients by changing what they send to our agent.
import type { Dictionary } from '../../../src/core/model/content.ts';
import type { Interceptor } from './intercept.ts';

/** Changes sent lines of this type. */
export const changesSent = (type: string, change: (frame: Dictionary) => Dictionary) => (): Interceptor => ({
  out: (frame) => [frame.type === type ? change(frame) : frame],
});

/** Sends more lines before those of this type. */
export const sendsBefore =
  (type: string, ...more: readonly Dictionary[]) =>
  (): Interceptor => ({ out: (frame) => (frame.type === type ? [...more, frame] : [frame]) });

/** Drops sent lines of this type. */
export const omits = (type: string) => (): Interceptor => ({ out: (frame) => (frame.type === type ? [] : [frame]) });

/** Sends a text that is no frame, once on each connection. */
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

/** Disconnects on a line that contains this text. */
export const disconnectsOn = (words: string) => (): Interceptor => ({
  in(frame, link) {
    if (JSON.stringify(frame).includes(words)) link.close();
    return [frame];
  },
});

/** The frame without these fields. */
export const without = (frame: Dictionary, ...names: readonly string[]): Dictionary =>
  Object.fromEntries(Object.entries(frame).filter(([name]) => !names.includes(name)));
