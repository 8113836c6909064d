// The check context of pi-server: clients, sessions of their own, prompts. A failure in the preparation of a check
// makes the check unclear, because another check covers it.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import type { Tools } from '../check/check.ts';
import { setup } from '../check/rule.ts';
import type { CheckRow } from '../check/rule-rows.ts';
import { type Client, createClient, expect } from './check-client.ts';
import type { ReceivedFrame } from './view/frames.ts';

/** A table of checks of pi-servers. */
export type PiServerRows = Readonly<Record<string, CheckRow<CheckContext>>>;

/** A client and a session of its own. */
export interface ClientWithSession {
  readonly client: Client;
  readonly session: string;
}

/** The tools of one check. */
export interface CheckContext {
  readonly tools: Tools;
  /** A unique id or name that begins with `word`. */
  mint(word: string): string;
  /** A new connection, before its greeting is read. */
  connect(): Promise<Client>;
  /** A new connection, greeted. */
  client(): Promise<Client>;
  /** A new session, deleted at the end of the check. `watched`: the client has switched to it. */
  session(client: Client, options?: { readonly watched?: boolean }): Promise<string>;
  /** A new client with a new session. */
  clientWithSession(options?: { readonly watched?: boolean }): Promise<ClientWithSession>;
  /** Runs preparatory work; a failure there makes the check unclear. */
  prepare<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Builds a prompt command with the prompt of a script word. */
  prompt(
    session: string,
    word: string,
  ): { readonly type: 'prompt'; readonly sessionId: string; readonly message: string };
  /**
   * Starts a prompt that runs until it is aborted, at the latest at the end of the check; resolves when the model
   * answers.
   */
  endless(place: ClientWithSession, more?: Dictionary): Promise<string>;
  /** Starts a prompt that takes a while; resolves when the model answers. Needs a watched session. */
  busy(place: ClientWithSession, more?: Dictionary): Promise<string>;
}

/** Builds the context for one check. */
export function createContext(tools: Tools): CheckContext {
  let minted = 0;
  const mint = (word: string) => `${word}-${tools.nonce}-${++minted}`;

  const connect = async () => createClient(await tools.connect(), mint, tools.transport === 'sse');
  async function client(): Promise<Client> {
    const connected = await connect();
    const isGreeting = ({ frame }: ReceivedFrame) => frame.type === 'server_ready';
    await setup(() => connected.until('server_ready', (received) => received.find(isGreeting)));
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

/** The session version in a response. Fails the peer if there is none. */
export function versionOf(frame: Dictionary): number {
  const { sessionVersion } = frame;
  expect(typeof sessionVersion === 'number', 'the response has no sessionVersion:', frame);
  return Number(sessionVersion);
}
