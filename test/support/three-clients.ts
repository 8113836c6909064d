// Three programs that people have, in front of an agent of a configuration, behind one interface: the Claude Agent SDK, an ECA editor,
// and a pi client on the network.
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { startTalk } from '../newest/sdk-talk.ts';
import { connections } from './approval-clients.ts';
import { modern, startEditor, wordsIn } from './eca-client.ts';
import type { GatewayServer } from './gateway.ts';

/** A client with one conversation. */
export interface AnyClient {
  /** Says a prompt and hears its run out: all that was heard in the run. */
  run(prompt: string, during?: () => Promise<unknown>): Promise<string>;
  /** Waits for a question in the run, and answers the question. */
  decide(isAllowed: boolean): Promise<void>;
  /** Waits for these words of the model in the run. */
  hears(words: string): Promise<void>;
  stop(): Promise<void>;
  /** The name under which the next client of its kind goes on with the conversation. */
  conversation(): Promise<string>;
  close(): Promise<void>;
}

/** Starts a client. `past`: the conversation of an earlier client. */
type Start = (place: AgentPlace, past?: string) => Promise<AnyClient>;

/** Where the agent is. */
export interface AgentPlace {
  readonly config: string;
  /** Its name in the configuration. */
  readonly agent: string;
  readonly cwd: string;
  /** For clients on the network. */
  readonly server?: GatewayServer;
  /** More variables for programs. */
  readonly env?: Readonly<Record<string, string>>;
}

const patchbayEca = fileURLToPath(new URL('../../dist/cli/patchbay-eca.js', import.meta.url));
const envOf = ({ config, agent, env }: AgentPlace) => ({ ...env, PATCHBAY_CONFIG: config, PATCHBAY_AGENT: agent });

/** The Claude Agent SDK, with patchbay-claude as its executable. */
export const startSdk: Start = async (place, past) => {
  const questions: ((isAllowed: boolean) => void)[] = [];
  let tell = () => {};
  const talk = startTalk(
    { query },
    {
      cwd: place.cwd,
      env: envOf(place),
      options: {
        ...(past === undefined ? {} : { resume: past }),
        canUseTool: (_, input) =>
          new Promise((resolve) => {
            questions.push((isAllowed) =>
              resolve(
                isAllowed ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'not today' },
              ),
            );
            tell();
          }),
      },
    },
  );
  let from = 0;
  return {
    async run(prompt, during) {
      const heard = await talk.turn(prompt, async (begins) => {
        from = begins;
        await during?.();
      });
      return JSON.stringify(heard);
    },
    async decide(isAllowed) {
      if (questions.length === 0)
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      questions.shift()?.(isAllowed);
    },
    hears: async (words) => void (await talk.hear(words, (frame) => JSON.stringify(frame).includes(words), from)),
    stop: async () => void (await talk.query.interrupt()),
    conversation: async () => String((await talk.hear('its id', ({ session_id: id }) => Boolean(id))).session_id),
    close: talk.close,
  };
};

/** An ECA editor in front of patchbay-eca. */
export const startEca: Start = async (place, past) => {
  let listed: string | null = null;
  const era = { ...modern, mint: () => listed ?? modern.mint() };
  const editor = startEditor(era, [process.execPath, patchbayEca, 'server'], { cwd: place.cwd, env: envOf(place) });
  await editor.greet(place.cwd);
  if (past !== undefined) {
    const { chats } = Chats.parse(await editor.request('chat/list', {}));
    listed = chats[0]?.id ?? null;
    await editor.request('chat/open', { chatId: listed });
  }
  const chat = editor.chat();
  return {
    async run(prompt, during) {
      await chat.prompt(prompt);
      await during?.();
      const heard = await chat.over();
      return `${JSON.stringify(heard)}\n${wordsIn(heard)}`;
    },
    async decide(isAllowed) {
      const asks = ({ type, manualApproval }: { type: string; manualApproval?: unknown }) =>
        type === 'toolCallRun' && manualApproval === true;
      const { id } = await chat.until('a question', asks);
      if (isAllowed) chat.approve(id);
      else chat.reject(id);
    },
    hears: async (words) => void (await chat.until(words, (content) => JSON.stringify(content).includes(words))),
    stop: async () => chat.stop(),
    // The next editor has a list, the newest one first.
    conversation: async () => '',
    async close() {
      const faults = editor.judge();
      await editor.close();
      if (faults.length > 0) throw new Error(faults.join('\n'));
    },
  };
};

/** The user chooses by the title. */
const Chats = z.object({ chats: z.array(z.object({ id: z.string(), title: z.string().min(1) })) });
const State = z.object({
  id: z.literal('state'),
  outcome: z.object({ data: z.object({ changes: z.object({ resume: z.string() }) }) }),
});

/** What the agent of a session calls the conversation. */
async function resumptionOf({ url, headers }: GatewayServer, session: string): Promise<string> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/canonical/ws?session=${session}`, { headers });
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 'state', command: { type: 'query', subject: 'state' } }));
  for await (const [data] of on(socket, 'message')) {
    const { success, data: answer } = State.safeParse(JSON.parse(String(data)));
    if (!success) continue;
    socket.close();
    return answer.outcome.data.changes.resume;
  }
  throw new Error('no answer');
}

/** A new session, or one that goes on with that conversation of the agent. */
async function createSession(server: GatewayServer, agent: string, resume?: string): Promise<string> {
  const response = await fetch(`${server.url}/v1/sessions`, {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ agent, resume }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return z.object({ id: z.string() }).parse(JSON.parse(text)).id;
}

/** A pi client on the network. */
const startPi: Start = async (place, past) => {
  const { server } = place;
  if (server === undefined) throw new Error('no server');
  const session = await createSession(server, place.agent, past);
  const it = await connections['pi over WebSocket'](server, session);
  const { frames } = it.client;
  let from = 0;
  return {
    async run(prompt, during) {
      from = frames.length;
      await it.prompt(prompt);
      await during?.();
      await it.over();
      return JSON.stringify(frames.slice(from));
    },
    async decide(isAllowed) {
      const { id } = await it.asked();
      await (isAllowed ? it.allow(id) : it.deny(id, 'not today'));
    },
    hears: async (words) =>
      void (await it.client.waitFor((frame) => JSON.stringify(frame).includes(words), words, from)),
    stop: it.interrupt,
    conversation: () => resumptionOf(server, session),
    close: it.client.close,
  };
};

/** By how they are called in the names of tests. */
export const threeClients: Readonly<Record<string, Start>> = {
  'the Agent SDK': startSdk,
  'an ECA editor': startEca,
  'a pi client': startPi,
};
