// What programs need around them so that they talk to the fake model and to nothing else: variables and files, as data. Known
// programs are pi (docs/protocols/pi.md 2.3) and Claude Code (docs/protocols/claude.md 8.1); others ignore what is not theirs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startFakeAnthropic } from './endpoint.ts';

/** Variables on top of our own environment; undefined takes one away. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A place for a program to live in. */
export interface Surroundings {
  readonly env: Variables;
  /** Texts by their paths below the folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** Agents that find their models, and the key for them, in a file of their own. */
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
/** Two, so that one can be changed for the other. */
const models = [model, { ...model, id: 'fake-2', name: 'Fake Two' }];
const settings = {
  // So that `pi --mode rpc` finds the model without being told.
  defaultProvider: 'fake',
  defaultModel: model.id,
  // One millisecond instead of two seconds between the retries.
  retry: { enabled: true, maxRetries: 3, baseDelayMs: 1 },
  // Small enough that a talk of two sentences has something to compact.
  compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 10 },
};
/** Whatever would lead a program of our user to another model, or past ours. */
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
/** Names of variables that let a program into a service: with one of them, models of that service can be chosen. */
const opening = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|CREDENTIALS?)(?:_|$)|^(?:AWS|AZURE|GOOGLE|GCLOUD|CLOUDSDK)_/iu;

/**
 * For a model at that address and a folder of their own. `names`: the variables of our own environment. Agents with a models
 * file get no other key: with one in the environment they offer the models of its service, too, at its real address.
 */
export function surroundingsOf(
  protocol: string,
  modelUrl: string,
  folder: string,
  names: readonly string[],
): Surroundings {
  const provider = { baseUrl: modelUrl, apiKey: 'test', api: 'anthropic-messages', models };
  const hidden = [...elsewhere, ...names.filter((name) => opening.test(name))];
  return {
    env: {
      ...Object.fromEntries(hidden.map((name) => [name, undefined])),
      ANTHROPIC_BASE_URL: modelUrl,
      ...(withModelsFile.has(protocol) ? {} : { ANTHROPIC_API_KEY: 'sk-ant-no-key' }),
      PI_CODING_AGENT_DIR: join(folder, 'pi-agent'),
      PI_OFFLINE: '1',
      PI_SKIP_VERSION_CHECK: '1',
      CLAUDE_CONFIG_DIR: join(folder, 'claude'),
      CLAUDE_CODE_TMPDIR: join(folder, 'tmp'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Ten retries with growing waits by default: more than a minute.
      CLAUDE_CODE_MAX_RETRIES: '2',
    },
    files: new Map([
      ['pi-agent/models.json', JSON.stringify({ providers: { fake: provider } })],
      ['pi-agent/settings.json', JSON.stringify(settings)],
      ['claude/.claude.json', '{}'],
      ['tmp/.keep', ''],
    ]),
  };
}

/** A model that runs, and places for programs that use it. */
export interface ModelHome {
  /** Settles a program: its variables, which lead to a folder that no other has. */
  settle(): Variables;
  /** A working directory that holds nothing but `notes.txt`, which the model likes to read. */
  readonly project: string;
  readonly url: string;
  /** All of it is below this one. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** Starts the model on a free port, and makes a folder for programs of that protocol. */
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
