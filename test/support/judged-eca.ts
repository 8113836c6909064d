// Judges a conversation of an ECA client with a server of ours: by the rules for everybody, and by our own promises.
import { ecaAgent } from '../../src/conformance/eca/agent.ts';
import { type ArgumentsReader, ecaOwn } from '../oracles/own/eca.ts';
import { type Breach, breachesIn, frameOf } from './judged.ts';

/** One message of a conversation. */
export interface Said {
  readonly by: 'client' | 'server';
  readonly message: unknown;
}

/** How to read a conversation. */
export interface EcaTalk {
  /** False when a run or a request may be in progress at the end. Default true. */
  readonly complete?: boolean;
  /** The clients that read the arguments of calls. Default both, for an unknown client. */
  readonly readers?: readonly ArgumentsReader[];
}

/** Only the server's messages: rules that need the client's do not apply. */
export const heard = (frames: readonly unknown[]): Said[] => frames.map((message) => ({ by: 'server', message }));

/** What is wrong with a conversation. */
export function judgedEca(
  talk: readonly Said[],
  { complete = true, readers = ['replaces', 'appends'] }: EcaTalk = {},
): Breach[] {
  const frames = talk.map(({ by, message }) => frameOf(by === 'server' ? 'agent' : 'client', message));
  const hasClient = talk.some(({ by }) => by === 'client');
  const heeded = ecaAgent.rules.filter(({ reads }) => reads !== 'both' || hasClient);
  return breachesIn([...heeded, ...ecaOwn(readers)], { frames, isComplete: complete });
}

/** The same, as sentences with the beginning of the message. */
export const ecaFaults = (talk: readonly Said[], options?: EcaTalk): string[] =>
  judgedEca(talk, options).map(
    ({ rule, at, says }) => `${rule} at ${at}: ${says} | ${JSON.stringify(talk[at]?.message)?.slice(0, 240)}`,
  );
