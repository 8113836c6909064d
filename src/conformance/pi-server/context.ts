// What the checks of a pi-server play on: clients, sessions of their own, prompts. What only prepares a check is no
// failure of the peer when it fails, for other checks are about that.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import type { Check, Tools } from '../check/check.ts';
import { setup } from '../check/rule.ts';
import { type Client, createClient, expect } from './check-client.ts';
import type { ReceivedFrame } from './view/frames.ts';

/** A check of a pi-server. */
export type PiServerCheck = Check<CheckContext>;

/** A client and a session of its own. */
export interface ClientWithSession {
  readonly client: Client;
  readonly session: string;
}

/** What each check is given. */
export interface CheckContext {
  readonly tools: Tools;
  /** An id or name that nobody else uses. */
  mint(word: string): string;
  /** A connection that nothing was read from. */
  connect(): Promise<Client>;
  /** A connection that has been greeted. */
  client(): Promise<Client>;
  /** A session of its own, which is deleted at the end; `watched`: the client has switched to it. */
  session(client: Client, options?: { readonly watched?: boolean }): Promise<string>;
  /** Both. */
  clientWithSession(options?: { readonly watched?: boolean }): Promise<ClientWithSession>;
  /** Does what is no part of the check: what fails there makes it unclear. */
  prepare<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The prompt of that word, as a command. */
  prompt(
    session: string,
    word: string,
  ): { readonly type: 'prompt'; readonly sessionId: string; readonly message: string };
  /** Starts a prompt that goes on until it is aborted, as it is at the end at the latest; resolves when it goes on. */
  endless(place: ClientWithSession, more?: Dictionary): Promise<string>;
  /** Starts a prompt that takes a while; resolves when the agent is at work. Needs a session that is watched. */
  busy(place: ClientWithSession, more?: Dictionary): Promise<string>;
}

/** The stage of one check. */
export function createContext(tools: Tools): CheckContext {
  let minted = 0;
  const mint = (word: string) => `${word}-${tools.nonce}-${++minted}`;

  const connect = async () => createClient(await tools.connect(), mint, tools.transport === 'sse');
  async function client(): Promise<Client> {
    const connected = await connect();
    const isGreeting = ({ frame }: ReceivedFrame) => frame.type === 'server_ready';
    await setup(() => connected.until('server_ready', (heard) => heard.find(isGreeting)));
    return connected;
  }

  async function session(owner: Client, { watched = false } = {}): Promise<string> {
    const name = mint('session');
    await setup(async () => {
      await owner.succeeds({ type: 'create_session', sessionId: name });
      if (watched) await owner.succeeds({ type: 'switch_session', sessionId: name });
    });
    tools.atEnd(async () => {
      if (owner.connection.ended === null) await owner.ask({ type: 'delete_session', sessionId: name });
    });
    return name;
  }
  const prompt: CheckContext['prompt'] = (sessionId, word) => ({
    type: 'prompt',
    sessionId,
    message: tools.script(word),
  });

  async function running(
    { client: owner, session: name }: ClientWithSession,
    word: string,
    more: Dictionary,
  ): Promise<string> {
    const from = owner.now;
    const id = owner.start({ ...prompt(name, word), ...more });
    const isAtWork = (event: Dictionary) =>
      event.type === 'message_start' && dictionaryOf(event.message).role === 'assistant';
    await setup(() => owner.untilEvent(name, 'answer of the model that begins', isAtWork, from));
    return id;
  }

  return {
    tools,
    mint,
    connect,
    client,
    session,
    async clientWithSession(options) {
      const owner = await client();
      return { client: owner, session: await session(owner, options) };
    },
    prepare: setup,
    prompt,
    async endless(place, more = {}) {
      const { client: owner, session: name } = place;
      tools.atEnd(async () => {
        if (owner.connection.ended === null) await owner.ask({ type: 'abort', sessionId: name });
      });
      return running(place, 'endless', more);
    },
    busy: (place, more = {}) => running(place, 'busy', more),
  };
}

/** The version that a response carries; fails where it carries none. */
export function versionOf(frame: Dictionary): number {
  const { sessionVersion } = frame;
  expect(typeof sessionVersion === 'number', 'the response has no sessionVersion:', frame);
  return Number(sessionVersion);
}
