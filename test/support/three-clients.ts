// Three programs that people have, in front of an agent of a configuration, behind one interface: the Claude Agent SDK, an ECA editor,
// and a pi client on the network.
import { fileURLToPath } from 'node:url';
import { query } from '@anthropic-ai/claude-agent-sdk';
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
  close(): Promise<void>;
}

/** Where the agent is. */
export interface AgentPlace {
  readonly config: string;
  /** Its name in the configuration. */
  readonly agent: string;
  readonly cwd: string;
  readonly server: GatewayServer;
}

const patchbayEca = fileURLToPath(new URL('../../dist/cli/patchbay-eca.js', import.meta.url));
const envOf = ({ config, agent }: AgentPlace) => ({ PATCHBAY_CONFIG: config, PATCHBAY_AGENT: agent });

async function startSdk(place: AgentPlace): Promise<AnyClient> {
  const questions: ((isAllowed: boolean) => void)[] = [];
  let tell = () => {};
  const talk = startTalk(
    { query },
    {
      cwd: place.cwd,
      env: envOf(place),
      options: {
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
    close: talk.close,
  };
}

async function startEca(place: AgentPlace): Promise<AnyClient> {
  const editor = startEditor(modern, [process.execPath, patchbayEca, 'server'], { cwd: place.cwd, env: envOf(place) });
  await editor.greet(place.cwd);
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
    async close() {
      const faults = editor.judge();
      await editor.close();
      if (faults.length > 0) throw new Error(faults.join('\n'));
    },
  };
}

/** A pi client on a session of the server. */
export async function attachPi({ server }: AgentPlace, session: string): Promise<AnyClient> {
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
    close: it.client.close,
  };
}

/** By how they are called in the names of tests. */
export const threeClients: Readonly<Record<string, (place: AgentPlace) => Promise<AnyClient>>> = {
  'the Agent SDK': startSdk,
  'an ECA editor': startEca,
  'a pi client': async (place) => attachPi(place, await place.server.createSession(place.agent)),
};
