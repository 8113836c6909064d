// The real Claude Agent SDK as a client of the fake Claude Code, in this process: every behaviour, with permissions,
// hooks, a tool server, settings and an interrupt.
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import {
  createSdkMcpServer,
  type Options,
  query,
  type SDKMessage,
  type SpawnedProcess,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import type { Result } from '../../../src/conformance/check/check.ts';
import { claudeClient } from '../../../src/conformance/claude/client.ts';
import { createClientRun } from '../../../src/conformance/runner/client-runner.ts';
import { stdioChannel } from '../../../src/transports/stdio.ts';
import { takeTurns } from '../../support/agent-sdk.ts';

/** A program in this process that serves conversations. */
function conversations(take: (channel: ReturnType<typeof stdioChannel>) => Promise<void>): SpawnedProcess {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const events = new EventEmitter();
  let exitCode: number | null = null;
  void take(stdioChannel({ input: stdin, output: stdout, label: 'sdk' })).then(() => {
    exitCode = 0;
    stdout.end();
    events.emit('exit', 0, null);
  });
  return {
    stdin,
    stdout,
    killed: false,
    get exitCode() {
      return exitCode;
    },
    kill() {
      stdin.end();
      return true;
    },
    on: events.on.bind(events),
    once: events.once.bind(events),
    off: events.off.bind(events),
  };
}

const asked = { PreToolUse: [{ hooks: [() => Promise.resolve({ continue: true })] }] };
const calc = createSdkMcpServer({
  name: 'calc',
  tools: [
    tool('add', 'Adds', { a: z.number() }, ({ a }) =>
      Promise.resolve({ content: [{ type: 'text' as const, text: String(a) }] }),
    ),
  ],
});

/** Judges the SDK that is a dependency of ours. */
export async function judgeSdk(): Promise<readonly Result[]> {
  const run = createClientRun(claudeClient, { patienceMs: 5000 });
  const names = claudeClient.behaviours.map(({ name }) => name);
  const turns = takeTurns(names.map((name) => `[[${name}]] please`));
  const options: Options = {
    pathToClaudeCodeExecutable: '/conformance',
    spawnClaudeCodeProcess: () => conversations((channel) => run.serve(channel)),
    includePartialMessages: true,
    hooks: asked,
    mcpServers: { calc },
    canUseTool: (_tool, input) =>
      Promise.resolve(
        input.command === 'echo two'
          ? { behavior: 'deny', message: 'not two', interrupt: false }
          : { behavior: 'allow', updatedInput: input, updatedPermissions: [] },
      ),
  };
  const client = query({ prompt: turns.prompts, options });
  const heard: SDKMessage[] = [];
  for await (const message of client) {
    heard.push(message);
    turns.heard(message);
    const isOn = message.type === 'stream_event' && JSON.stringify(message.event).includes('and on');
    if (isOn && JSON.stringify(message.event).includes('text_delta')) await client.interrupt();
    if (message.type === 'result' && heard.filter(({ type }) => type === 'result').length === 1) {
      await client.setModel('conformance-1');
      await client.setPermissionMode('acceptEdits');
    }
  }
  return run.results();
}
