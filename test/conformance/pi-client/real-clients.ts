// Real clients of pi as programs use them, in front of our fake agent: pi's own RpcClient, and pi-acp, the bridge for editors of the
// Agent Client Protocol.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../../../src/conformance/check/check.ts';
import { piClient } from '../../../src/conformance/pi/client.ts';
import { createClientRun } from '../../../src/conformance/runner/client-runner.ts';
import { createRelay } from '../../../src/conformance/runner/relay.ts';
import { jsonl } from '../../../src/transports/framing/jsonl.ts';
import type { RpcClient } from '../../support/rpc-tour.ts';

const acp = fileURLToPath(new URL('../../../node_modules/pi-acp/dist/index.js', import.meta.url));

/** Judges a client that starts the program at `agent`, in a folder of its own. */
async function judgeClient(play: (agent: string, folder: string) => Promise<void>): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-clients-'));
  const run = createClientRun(piClient, { patienceMs: 5000 });
  const takes: Promise<void>[] = [];
  const relay = await createRelay({ folder, framing: jsonl, take: (channel) => void takes.push(run.serve(channel)) });
  try {
    await play(relay.path, folder);
    await Promise.all(takes);
    return run.results();
  } finally {
    await relay.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of that version of pi. Users of this class answer dialogs themselves; the class has no function for that. */
export const judgeRpcClient = (Client: typeof RpcClient): Promise<readonly Result[]> =>
  judgeClient(async (cliPath, cwd) => {
    const client = new Client({ cliPath, cwd });
    await client.start();
    const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' } as const;
    await client.promptAndWait('[[text]] hello', [image]);
    for (const behaviour of ['think', 'tool', 'toolfail', 'fail', 'inform', 'stray', 'compaction']) {
      await client.promptAndWait(`[[${behaviour}]] go`);
    }
    for (const behaviour of ['unknown-event', 'unknown-fields', 'separators', 'long'])
      await client.promptAndWait(`[[${behaviour}]] go`);
    const over = client.promptAndWait('[[busy]] go');
    await client.steer('another way');
    await client.followUp('and then?');
    await over;
    const [model] = await client.getAvailableModels();
    if (model === undefined) throw new Error('there is no model');
    await client.setModel(model.provider, model.id);
    await client.setThinkingLevel('high');
    await client.setSteeringMode('all');
    await client.setFollowUpMode('all');
    await client.setAutoCompaction(false);
    await client.setAutoRetry(false);
    await client.compact('Keep the names.');
    await client.bash('true');
    await client.setSessionName('Judged');
    await client.exportHtml('/tmp/judged.html');
    await client.fork((await client.getForkMessages())[0]?.entryId ?? '');
    await client.newSession('/tmp/parent.jsonl');
    await client.switchSession('/tmp/other.jsonl');
    await client.getState();
    await client.stop();
  });

/** An editor of the Agent Client Protocol that allows everything. */
function startEditor(child: ChildProcess) {
  const waiting = new Map<unknown, (message: Record<string, unknown>) => void>();
  let asked = 0;
  const write = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(JSON.parse(line));
  });
  function hear(message: Record<string, unknown>): void {
    if (typeof message.method !== 'string') return waiting.get(message.id)?.(message);
    if (message.id === undefined) return;
    const { options } = Object(message.params);
    const optionId = Array.isArray(options) ? Object(options[0]).optionId : undefined;
    write({ id: message.id, result: { outcome: { outcome: 'selected', optionId } } });
  }
  return {
    ask(method: string, params: object): Promise<Record<string, unknown>> {
      asked += 1;
      const id = asked;
      write({ id, method, params });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
  };
}

/** Drives pi-acp as its editor. */
export const judgePiAcp = (): Promise<readonly Result[]> =>
  judgeClient(async (agent, folder) => {
    // Without npm pi-acp cannot look for a newer pi, which would take seconds.
    const env = { HOME: folder, PATH: folder, PI_CODING_AGENT_DIR: folder, PI_ACP_PI_COMMAND: agent };
    const child = spawn(process.execPath, [acp], { env, cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    const editor = startEditor(child);
    await editor.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const opened = await editor.ask('session/new', { cwd: folder, mcpServers: [] });
    const { sessionId } = Object(opened.result);
    const behaviours = [
      'text',
      'think',
      'tool',
      'toolfail',
      'fail',
      'select',
      'confirm',
      'input',
      'editor',
      'inform',
      'stray',
    ];
    for (const behaviour of [
      ...behaviours,
      'unknown-event',
      'unknown-fields',
      'separators',
      'long',
      'compaction',
      'retry',
    ]) {
      const prompt = [{ type: 'text', text: `[[${behaviour}]] go` }];
      const { error } = await editor.ask('session/prompt', { sessionId, prompt });
      if (error !== undefined) throw new Error(`${behaviour}: ${JSON.stringify(error)}`);
    }
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await exited;
  });
