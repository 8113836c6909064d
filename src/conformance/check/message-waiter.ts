// What the peer of a check says, read as JSON once, and somebody who waits for one of it. Knows no protocol.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryIn } from '../../core/model/dictionary.ts';
import type { Connection } from './check.ts';

/** A message of the peer, at an index of the log. */
export interface ReceivedMessage {
  readonly at: number;
  readonly json: Dictionary;
}

/** The first message of the peer from there on that is meant; rejects as {@link Connection.until} does. */
export type WaitForMessage = (
  label: string,
  isIt: (json: Dictionary) => boolean,
  from: number,
) => Promise<ReceivedMessage>;

/** What is no object is heard as an empty one. */
export function createMessageWaiter(connection: Connection): WaitForMessage {
  const read = new WeakMap<object, Dictionary>();
  return (label, isIt, from) => {
    let at = from;
    return connection.until(label, () => {
      for (; at < connection.log.length; at += 1) {
        const json = said(at);
        if (isIt(json)) return { at, json };
      }
      return undefined;
    });
  };
  function said(at: number): Dictionary {
    const exchange = connection.log[at];
    if (exchange === undefined || exchange.by === 'us' || exchange.isFault === true) return {};
    const known = read.get(exchange) ?? dictionaryIn(exchange.text) ?? {};
    read.set(exchange, known);
    return known;
  }
}
