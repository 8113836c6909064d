// Environment variables and files with which a program talks to the fake model and to nothing else. Known programs are
// pi (docs/protocols/pi.md 2.3) and Claude Code (docs/protocols/claude.md 8.1); other programs ignore these settings.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startFakeAnthropic } from './endpoint.ts';

/** Added to our own environment; undefined removes a variable. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The environment of a program. */
export interface Surroundings {
  readonly env: Variables;
  /** File contents by path below the folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** Agents that read their models and the API key from a file of their own. */
const withModelsFile: ReadonlySet<string> = new Set(['pi', 'pi-legacy', 'pi-server']);

const model = {
  id: 'fake-1',
  name: 'Fake One',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  contextWindow: 200_000,
  maxTokens: 16_384,
};
/** Two models, so that a client can switch between them. */
const models = [model, { ...model, id: 'fake-2', name: 'Fake Two' }];
const settings = {
  // Makes `pi --mode rpc` select the model without arguments.
  defaultProvider: 'fake',
  defaultModel: model.id,
  // One millisecond instead of two seconds between retries.
  retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 },
  // Small enough that a conversation of two sentences can be compacted.
  compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 10 },
};
/** Variables that would lead the user's program to another model or past ours. */
const elsewhere = [
  'ANTHROPIC_MODEL',
  'ANTHROPIC_SMALL_FAST_MODEL',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
];
/** Names of variables with credentials: with one of them, a program offers the models of that service. */
const opening = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|CREDENTIALS?)(?:_|$)|^(?:AWS|AZURE|GOOGLE|GCLOUD|CLOUDSDK)_/iu;

/** Settings of Claude Code behind an ACP agent: its own reviewer would decide on permissions otherwise. */
const asksItsUser = JSON.stringify({ permissions: { defaultMode: 'default' } });

/** The agent folder of pi, below the folder of the program, at the place that pi has for it below a home. */
const agentFolder = 'home/.pi/agent';

/**
 * Leads to the agent folder. A pi-server loads sessions from below `~/.pi/agent/sessions` alone
 * (docs/protocols/pi-server.md 20.2), so its home must move together with its folder.
 */
function homeOf(protocol: string, folder: string): Variables {
  const home = join(folder, 'home');
  const moved = protocol === 'pi-server' ? { HOME: home, USERPROFILE: home } : {};
  return { ...moved, PI_CODING_AGENT_DIR: join(folder, agentFolder) };
}

/**
 * For a model at this address and a folder of the program's own. `names`: the variables of our own environment. Agents
 * with a models file get no other key: with a key in the environment they also offer the models of its service, at its
 * real address.
 */
export function surroundingsOf(
  protocol: string,
  modelUrl: string,
  folder: string,
  names: readonly string[],
): Surroundings {
  const provider = { baseUrl: modelUrl, apiKey: 'test', api: 'anthropic-messages', models };
  const home = homeOf(protocol, folder);
  const hidden = [...elsewhere, ...names.filter((name) => opening.test(name))];
  return {
    env: {
      ...Object.fromEntries(hidden.map((name) => [name, undefined])),
      ANTHROPIC_BASE_URL: modelUrl,
      ...(withModelsFile.has(protocol) ? {} : { ANTHROPIC_API_KEY: 'sk-ant-no-key' }),
      ...home,
      PI_OFFLINE: '1',
      PI_SKIP_VERSION_CHECK: '1',
      CLAUDE_CONFIG_DIR: join(folder, 'claude'),
      CLAUDE_CODE_TMPDIR: join(folder, 'tmp'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // The default is ten retries with growing delays: more than a minute.
      CLAUDE_CODE_MAX_RETRIES: '2',
    },
    files: new Map([
      [`${agentFolder}/models.json`, JSON.stringify({ providers: { fake: provider } })],
      [`${agentFolder}/settings.json`, JSON.stringify(settings)],
      ['claude/.claude.json', '{}'],
      ...(protocol === 'acp' ? [['claude/settings.json', asksItsUser] as const] : []),
      ['tmp/.keep', ''],
    ]),
  };
}

/** A running model, and folders for programs that use it. */
export interface ModelHome {
  /** Creates a folder for a program and returns the variables that lead to it. */
  settle(): Variables;
  /** A working directory that holds nothing but `notes.txt`, which the model likes to read. */
  readonly project: string;
  readonly url: string;
  /** Parent of all these folders. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** Starts the model on a free port and creates a folder for programs of this protocol. */
export async function startModelHome(protocol: string): Promise<ModelHome> {
  const fake = await startFakeAnthropic();
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-conformance-'));
  const project = join(folder, 'project');
  let settled = 0;
  mkdirSync(project);
  writeFileSync(join(project, 'notes.txt'), 'alpha\nbeta\n');
  return {
    settle() {
      settled += 1;
      const own = join(folder, `agent-${settled}`);
      const { env, files } = surroundingsOf(protocol, fake.url, own, Object.keys(process.env));
      for (const [path, text] of files) {
        mkdirSync(dirname(join(own, path)), { recursive: true });
        writeFileSync(join(own, path), text);
      }
      return env;
    },
    project,
    url: fake.url,
    folder,
    async remove() {
      await fake.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
