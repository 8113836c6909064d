// The three ways in which pi's own RpcClient is tried: the real pi by itself, the same pi behind patchbay-pi, and the
// demo agent behind patchbay-pi.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { makePiHome, modelId } from './pi-rig.ts';
import { createTour, RpcClient, type Script, type Tour } from './rpc-tour.ts';

const realPi = fileURLToPath(new URL('../../node_modules/pi-modern/dist/cli.js', import.meta.url));
/** The stand-in for pi, built. */
export const patchbayPi = fileURLToPath(new URL('../../dist/cli/patchbay-pi.js', import.meta.url));

/** A tour that has not begun, and what must be cleared away after it. */
export interface RpcRig {
  readonly tour: Tour;
  /** The folder that paths in values lie in. */
  readonly dir: string;
  close(): Promise<void>;
}

const otherModel = 'fake-2';
/** A tool that runs until this file is there. */
const releaseFile = 'go';

/** A pi: the class of its own client, the program, the Node that runs the program, and the dialect that pi speaks. */
export interface RealPi {
  readonly Client: typeof RpcClient;
  readonly cli: string;
  readonly node: string;
  readonly dialect: 'growing' | 'delta-only';
}
const pinnedPi: RealPi = { Client: RpcClient, cli: realPi, node: process.execPath, dialect: 'growing' };

/** The real pi with two models and a prompt template, offline; the client starts it itself, or patchbay-pi does. */
export async function piRig(how: 'direct' | 'behind', pi: RealPi = pinnedPi): Promise<RpcRig> {
  const fake: FakeAnthropic = await startFakeAnthropic();
  // A retry that is far away, so that it can be aborted.
  const home = makePiHome({
    baseUrl: fake.url,
    settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 60_000 } },
  });
  writeFileSync(join(home.agentDir, 'models.json'), JSON.stringify({ providers: { fake: provider(fake.url) } }));
  mkdirSync(join(home.agentDir, 'prompts'));
  writeFileSync(join(home.agentDir, 'prompts', 'review.md'), '---\ndescription: Reviews things\n---\nReview it.\n');
  const agents = { real: { protocol: 'pi', command: [pi.node, pi.cli] } };
  const config = join(home.dir, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents }));
  // The client starts the `node` of the PATH.
  const path = how === 'direct' ? `${dirname(pi.node)}:${process.env.PATH}` : `${process.env.PATH}`;
  const client = new pi.Client({
    cliPath: how === 'direct' ? pi.cli : patchbayPi,
    cwd: home.project,
    env: {
      PATH: path,
      PI_CODING_AGENT_DIR: home.agentDir,
      PI_OFFLINE: '1',
      PI_SKIP_VERSION_CHECK: '1',
      PATCHBAY_AGENT: '',
      PATCHBAY_CONFIG: config,
      PATCHBAY_PI_DIALECT: pi.dialect,
    },
    provider: 'fake',
    model: modelId,
    args: ['--system-prompt', 'You are a test agent.'],
  });
  const script: Script = {
    text: '[[text]] one',
    tools: '[[tools]] two',
    waiting: '[[waiting]] three',
    started: ({ type }) => type === 'tool_execution_start',
    release: () => writeFileSync(join(home.project, releaseFile), ''),
    steer: '[[text]] to the left',
    followUp: '[[think]] and then',
    busy: '[[busy]] six',
    endless: '[[hold]] four',
    retry: '[[overloaded]] five',
    bash: 'echo out; echo err >&2; exit 3',
    hangingBash: 'sleep 60',
    model: { provider: 'fake', id: otherModel },
    folder: home.project,
  };
  return rig(client, script, home.dir, async () => {
    await fake.close();
    home.remove();
  });
}

function provider(baseUrl: string): object {
  const models = [modelId, otherModel].map((id) => ({
    id,
    name: `Model ${id}`,
    reasoning: true,
    input: ['text', 'image'],
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    contextWindow: 200_000,
    maxTokens: 16_384,
  }));
  return { baseUrl, apiKey: 'test', api: 'anthropic-messages', models };
}

/** The demo agent, which needs neither a home nor a model; without a dialect the usual one is spoken. */
export function demoRig({
  Client,
  dialect,
}: {
  Client: RealPi['Client'];
  dialect: RealPi['dialect'] | '';
} = pinnedPi): RpcRig {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-rpc-'));
  const client = new Client({
    cliPath: patchbayPi,
    cwd: dir,
    env: { PATCHBAY_AGENT: 'demo', PATCHBAY_PI_DIALECT: dialect },
    args: ['--no-session'],
  });
  const script: Script = {
    text: 'hello',
    tools: 'tool',
    waiting: 'select',
    started: ({ type }) => type === 'extension_ui_request',
    release: answerDialogs(client),
    steer: 'to the left',
    followUp: 'think',
    busy: 'slow 40 one two three four five',
    endless: 'hang',
    retry: 'retry 10',
    bash: 'ls',
    hangingBash: 'hang',
    model: { provider: 'demo', id: 'demo-medium' },
    folder: dir,
  };
  return rig(client, script, dir, () => rmSync(dir, { recursive: true, force: true }));
}

/** Answers the open dialog of a client that has not been started. `RpcClient` has no method for that. */
function answerDialogs(client: RpcClient): () => void {
  let open = '';
  client.onEvent((event) => {
    open = Dialog.safeParse(event).data?.id ?? open;
  });
  return () => {
    const { stdin } = Running.parse(Reflect.get(client, 'process'));
    stdin.write(`${JSON.stringify({ type: 'extension_ui_response', id: open, value: 'red' })}\n`);
  };
}

const Dialog = z.object({ type: z.literal('extension_ui_request'), method: z.literal('select'), id: z.string() });
const Running = z.object({ stdin: z.instanceof(Writable) });

/** Joins the parts of a rig. */
export function rig(client: RpcClient, script: Script, dir: string, clear: () => Promise<void> | void): RpcRig {
  return {
    tour: createTour(client, script),
    dir,
    async close() {
      await client.stop();
      await clear();
    },
  };
}
