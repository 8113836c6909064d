// Waits for a message of the peer, and parses each message once.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryIn } from '../../core/model/dictionary.ts';
import type { Connection } from './check.ts';

/** A message of the peer, with its index in the log. */
export interface ReceivedMessage {
  readonly at: number;
  readonly json: Dictionary;
}

/**
 * Resolves with the first matching message of the peer at or after index `from`. Rejects like {@link Connection.until}.
 */
export type WaitForMessage = (
  label: string,
  isIt: (json: Dictionary) => boolean,
  from: number,
) => Promise<ReceivedMessage>;

/** A message that is no JSON object counts as an empty object. */
export function createMessageWaiter(connection: Connection): WaitForMessage {
  const read = new WeakMap<object, Dictionary>();
  return (label, isIt, from) => {
    let at = from;
    return connection.until(label, () => {
      for (; at < connection.log.length; at += 1) {
        const json = messageAt(at);
        if (isIt(json)) return { at, json };
      }
      return undefined;
    });
  };
  function messageAt(at: number): Dictionary {
    const exchange = connection.log[at];
    if (exchange === undefined || exchange.by === 'us' || exchange.isFault === true) return {};
    const known = read.get(exchange) ?? dictionaryIn(exchange.text) ?? {};
    read.set(exchange, known);
    return known;
  }
}
