// The ids that a live peer uses in the place of those on the tape. They are learned from each request and put into the
// answers, without another change of the frame's bytes.
import { isDictionary } from '../core/model/dictionary.ts';
import { idKey, type KnownFrame } from './frame-kind.ts';

/** Ids of the tape and of the live peer. */
export interface IdMap {
  /** Learns from a frame of the peer and the frame of the tape in whose place it came. */
  learn(taped: KnownFrame, live: KnownFrame): void;
  /** A frame of the tape with the ids of the peer. */
  rewrite(text: string, frame: KnownFrame): string;
}

type Id = string | number;

// A string with what follows if it is a key with a plain value, or a bracket. Every string is taken whole, so that no match
// begins inside of one.
const token = /[{}[\]]|"([^"\\]*(?:\\.[^"\\]*)*)"(?:(\s*:\s*)("[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*))?/gsu;

/** An empty map. */
export function createIdMap(): IdMap {
  const live = new Map<Id, Id>();

  function learnIn(taped: unknown, heard: unknown): void {
    if (Array.isArray(taped) && Array.isArray(heard)) {
      taped.forEach((item, at) => {
        learnIn(item, heard[at]);
      });
    } else if (isDictionary(taped) && isDictionary(heard)) {
      for (const [key, value] of Object.entries(taped)) {
        const other = Object.hasOwn(heard, key) ? heard[key] : undefined;
        if (idKey.test(key) && isId(value) && isId(other)) live.set(value, other);
        else learnIn(value, other);
      }
    }
  }

  function rewrite(text: string, { json, isAnswer }: KnownFrame): string {
    let depth = 0;
    if (json === null || live.size === 0) return text;
    return text.replace(token, (all: string, key?: string, colon?: string, value?: string) => {
      if (key === undefined) {
        depth += all === '{' || all === '[' ? 1 : -1;
        return all;
      }
      if (colon === undefined || value === undefined || !idKey.test(key)) return all;
      const isOutside = depth === 1 && (key === 'id' || key === 'request_id');
      // The outer id of a frame that is no answer is the sender's own. A number deep inside may count anything.
      if (isOutside ? !isAnswer : !value.startsWith('"')) return all;
      const other = live.get(JSON.parse(value));
      return other === undefined ? all : `"${key}"${colon}${JSON.stringify(other)}`;
    });
  }

  return {
    learn({ json: taped, isAnswer }, { json: heard }) {
      // An answer repeats our ids.
      if (!isAnswer) learnIn(taped, heard);
    },
    rewrite,
  };
}

function isId(value: unknown): value is Id {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}
