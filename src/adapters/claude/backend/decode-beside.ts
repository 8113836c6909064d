// What a stream event and its frame say beside what we have words for: fields of newer versions, which return to clients
// of this protocol (design rule 3). Knows no message. Pure, but for the memory of createShared.
import type { Dictionary, Extra } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import { restOf } from './decode-values.ts';

/** The fields of each that nobody has read. */
export interface Beside {
  readonly frame: Dictionary;
  readonly event: Dictionary;
}

/** There are none. */
export const nothingBeside: Beside = { frame: {}, event: {} };

/** `event`: what its schema does not name. */
export function besideOf(frame: Dictionary, event: object): Beside {
  return { frame: restOf(frame, 'event'), event: without(event, 'type') };
}

/** The name of its message is on every frame of a stream: the beginning tells it for all. */
export function withoutName(name: unknown, beside: Beside): Beside {
  const { api_message_id: own, ...frame } = beside.frame;
  return own === name ? { ...beside, frame } : beside;
}

interface Said {
  readonly extra?: Extra;
}

/** Makes one object of equal ones that follow each other: the hot path towards clients knows that again. */
export function createShared(): (said: Said) => Said {
  let last = { text: '', said: {} as Said };
  return (said) => {
    if (said.extra === undefined) return said;
    const text = JSON.stringify(said.extra);
    if (text !== last.text) last = { text, said };
    return last.said;
  };
}
