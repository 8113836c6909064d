// The checks of ECA editors: our own backend, a VS Code-like editor with vscode-jsonrpc, and the recorded Emacs.
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node.js';
import type { Result } from '../../../src/conformance/check/check.ts';
import { ecaClient } from '../../../src/conformance/eca/client.ts';
import { createClientRun } from '../../../src/conformance/runner/client-runner.ts';
import { contentLength } from '../../../src/transports/framing/content-length.ts';
import { stdioChannel } from '../../../src/transports/stdio.ts';
import { ownEditor } from './own-editor.ts';

const wrong = (results: readonly Result[]) =>
  results.flatMap(({ id, verdict, reason }) =>
    verdict === 'failed' || verdict === 'unclear' ? [`${id} ${verdict}: ${reason}`] : [],
  );
const silent = (results: readonly Result[]) =>
  results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [id.replace('eca/client/', '')] : []));
const passed = (results: readonly Result[]) => results.filter(({ verdict }) => verdict === 'passed').length;

describe('editors', () => {
  test('our own backend passes', { timeout: 60_000 }, async () => {
    const results = await ownEditor.run(ecaClient, { patienceMs: 3000 });
    console.log(`our own backend: ${results.length} checks, ${passed(results)} passed`);
    expect(wrong(results)).toEqual([]);
    // This editor ends by closing the connection.
    expect(silent(results)).toEqual(['exit-after-shutdown', 'quiet-after-shutdown']);
  });

  test('one with vscode-jsonrpc passes', { timeout: 60_000 }, async () => {
    const run = createClientRun(ecaClient, { patienceMs: 3000 });
    const [toAgent, toEditor] = [new PassThrough(), new PassThrough()];
    const taken = run.serve(
      stdioChannel({ input: toAgent, output: toEditor, label: 'editor', framing: contentLength }),
    );
    await client(toEditor, toAgent);
    await taken;
    const results = run.results();
    expect(wrong(results)).toEqual([]);
    expect(silent(results)).toEqual([]);
  });

  test('an editor with unreadable frames is caught', async () => {
    const run = createClientRun(ecaClient, { patienceMs: 500 });
    const [toAgent, toEditor] = [new PassThrough(), new PassThrough()];
    const taken = run.serve(
      stdioChannel({ input: toAgent, output: toEditor, label: 'editor', framing: contentLength }),
    );
    toAgent.end('Content-Length: many\r\n\r\n{}');
    await taken;
    expect(wrong(run.results()).map((line) => line.split(' ')[0])).toEqual(['eca/client/frames-readable']);
  });
});

/** A VS Code-like editor from beginning to end: it queries before it is greeted, and has two chats. */
async function client(input: PassThrough, output: PassThrough): Promise<void> {
  const connection = createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  let requests = 0;
  const finished = new Map<string, () => void>();
  connection.onNotification('chat/contentReceived', ({ chatId, content }) => {
    const { type, state, manualApproval, id, text } = content;
    if (type === 'progress' && state === 'finished') finished.get(chatId)?.();
    if (type === 'toolCallRun' && manualApproval === true) {
      const answer = requests % 2 === 0 ? 'chat/toolCallApprove' : 'chat/toolCallReject';
      void connection.sendNotification(answer, { chatId, toolCallId: id });
    }
    if (type === 'text' && text === 'two ') void connection.sendNotification('chat/promptStop', { chatId });
  });
  connection.listen();

  async function prompt(message: string, chatId: string): Promise<void> {
    requests += 1;
    const over = new Promise<void>((resolve) => finished.set(chatId, resolve));
    const contexts = [{ type: 'file', path: '/a/file', linesRange: { start: 1, end: 2 } }, { type: 'cursor' }];
    const more = { requestId: `r${requests}`, model: 'conformance/model-1', agent: 'agent', contexts };
    await connection.sendRequest('chat/prompt', { chatId, message, ...more });
    await over;
  }

  const greeted = connection.sendRequest('initialize', {
    processId: process.pid,
    clientInfo: { name: 'Visual Studio Code', version: '1.100.0' },
    capabilities: { codeAssistant: { chat: true } },
    initializationOptions: { chatBehavior: 'agent' },
    workspaceFolders: [{ name: 'project', uri: 'file:///project' }],
  });
  const queried = connection.sendRequest('chat/queryContext', { query: '', contexts: [] });
  await Promise.all([greeted, queried]);
  await connection.sendNotification('initialized', {});
  await connection.sendNotification('mcp/stopServer', { name: 'files' });
  for (const { name } of ecaClient.behaviours) await prompt(`[[${name}]]`, 'one chat');
  await Promise.all([prompt('[[approval]]', 'one chat'), prompt('[[stop]]', 'another chat')]);
  await connection.sendRequest('chat/delete', { chatId: 'one chat' });
  await connection.sendRequest('shutdown');
  await connection.sendNotification('exit');
  connection.end();
}
