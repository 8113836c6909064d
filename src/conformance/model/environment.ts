// What programs need around them so that they talk to the fake model and to nothing else: variables and files, as data. Known
// programs are pi (reference pi, section 2) and Claude Code (reference claude-sdk, section 3); others ignore what is not theirs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startFakeAnthropic } from './endpoint.ts';

/** A place for a program to live in. */
export interface Surroundings {
  /** On top of our own environment; undefined takes a variable away. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Texts by their paths below the folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** The only model that pi knows there. */
const model = {
  id: 'fake-1',
  name: 'Fake One',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  contextWindow: 200_000,
  maxTokens: 16_384,
};
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
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_OAUTH_TOKEN',
  'ANTHROPIC_MODEL',
  'ANTHROPIC_SMALL_FAST_MODEL',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
];

/** For a model at that address and a folder of their own. */
function surroundingsOf(modelUrl: string, folder: string): Surroundings {
  const provider = { baseUrl: modelUrl, apiKey: 'test', api: 'anthropic-messages', models: [model] };
  return {
    env: {
      ...Object.fromEntries(elsewhere.map((name) => [name, undefined])),
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'sk-ant-no-key',
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
      ['project/notes.txt', 'alpha\nbeta\n'],
    ]),
  };
}

/** A model that runs, and a place for programs that use it. */
export interface ModelHome {
  readonly env: Surroundings['env'];
  /** A working directory that holds nothing but `notes.txt`, which the model likes to read. */
  readonly project: string;
  readonly url: string;
  /** All of it is below this one. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** Starts the model on a free port, and makes a folder for its programs. */
export async function startModelHome(): Promise<ModelHome> {
  const fake = await startFakeAnthropic();
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-conformance-'));
  const { env, files } = surroundingsOf(fake.url, folder);
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return {
    env,
    project: join(folder, 'project'),
    url: fake.url,
    folder,
    async remove() {
      await fake.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
