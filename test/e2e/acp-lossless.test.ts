// An ACP client in front of patchbay-acp, and behind it an ACP agent that says one of everything that the recorded agents do not:
// the client is told the same contents, and its answers are the agent's own (docs/protocols/acp.md 3.22, 4.35 to 4.44).
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { startAcpClient } from '../support/acp-client.ts';
import { contentsOf, settingsOf } from '../support/acp-contents.ts';
import { at, isJson, type Json } from '../support/acp-traces.ts';
import { acpOrderFaults } from '../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';

const { session } = methods.agent;
const script = fileURLToPath(new URL('../support/saying-acp.mjs', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acp-lossless-')));

const text = (words: string) => ({ type: 'text', text: words });
const update = (sessionUpdate: string, fields: object): Json => ({
  params: { update: { sessionUpdate, ...fields } },
});
const vendor = (value: unknown) => ({ _meta: { 'x.dev/state': value } });

const setup = {
  configOptions: [
    {
      id: 'style',
      name: 'Style',
      description: 'How it works',
      category: 'mode',
      type: 'select',
      currentValue: 'careful',
      options: [
        { value: 'careful', name: 'Careful', description: 'Asks' },
        { value: 'bold', name: 'Bold' },
      ],
    },
    {
      id: 'brain',
      name: 'Brain',
      category: 'model',
      type: 'select',
      currentValue: 'large',
      options: [
        { group: 'near', name: 'Near', options: [{ value: 'small', name: 'Small' }] },
        { group: 'far', name: 'Far', options: [{ value: 'large', name: 'Large', description: 'slow' }] },
      ],
    },
    {
      id: 'effort',
      name: 'Effort',
      category: 'thought_level',
      type: 'select',
      currentValue: 'lots',
      options: [{ value: 'lots', name: 'A lot', description: 'of thoughts' }],
    },
    {
      id: 'effort-2',
      name: 'Second effort',
      category: 'thought_level',
      type: 'select',
      currentValue: 'none',
      options: [{ value: 'none', name: 'None' }],
    },
    { id: 'fast', name: 'Fast', category: 'x', type: 'boolean', currentValue: true },
  ],
  modes: {
    currentModeId: 'careful',
    availableModes: [
      { id: 'careful', name: 'Careful', description: 'Asks' },
      { id: 'bold', name: 'Bold' },
    ],
  },
};

const call = {
  toolCallId: 'c1',
  name: 'patch',
  title: 'Patch two files',
  kind: 'edit',
  rawInput: ['not', 'an', 'object'],
  locations: [{ path: '/p/a.ts', line: 3 }, { path: '/p/b.ts' }],
};
const diffs = [
  { type: 'diff', path: '/p/a.ts', oldText: 'one\n', newText: 'two\n' },
  { type: 'content', content: text('and') },
  { type: 'diff', path: '/p/b.ts', newText: 'new\n', _meta: { hunk: 1 } },
];
const options = [
  { optionId: 'go', name: 'Go', kind: 'allow_once' },
  { optionId: 'project', name: 'In this project', kind: 'allow_always' },
  { optionId: 'user', name: 'Everywhere', kind: 'allow_always' },
  { optionId: 'stop', name: 'No', kind: 'reject_once' },
  { optionId: 'never', name: 'Never', kind: 'reject_always' },
];
const turn: Json[] = [
  update('agent_thought_chunk', { messageId: 'm1', content: text('Two files, '), ...vendor(1) }),
  update('agent_thought_chunk', { messageId: 'm1', content: text('then.') }),
  update('agent_message_chunk', { messageId: 'm1', content: text('I patch. '), ...vendor({ deep: [null, 1] }) }),
  update('agent_message_chunk', { messageId: 'm1', content: { type: 'image', data: 'AAAA', mimeType: 'image/gif' } }),
  update('agent_message_chunk', {
    messageId: 'm1',
    content: { type: 'resource', resource: { uri: 'file:///p/a.ts', mimeType: 'text/x-ts', text: 'one' } },
  }),
  update('agent_message_chunk', { messageId: 'm1', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } }),
  update('plan', {
    entries: [
      { content: 'patch', priority: 'high', status: 'in_progress' },
      { content: 'test', priority: 'low', status: 'pending' },
    ],
  }),
  update('tool_call', { ...call, status: 'pending', ...vendor('announced') }),
  update('tool_call_update', { toolCallId: 'c1', content: diffs, ...vendor('known') }),
  { method: 'session/request_permission', params: { toolCall: { toolCallId: 'c1', ...vendor('asked') }, options } },
  update('tool_call_update', { toolCallId: 'c1', status: 'in_progress' }),
  update('tool_call_update', { toolCallId: 'c1', ...vendor('half') }),
  update('tool_call_update', {
    toolCallId: 'c1',
    status: 'completed',
    title: 'Patched two files',
    kind: 'move',
    locations: [{ path: '/p/a.ts', line: 4 }],
    rawOutput: { files: 2, list: [{ ok: true }] },
    ...vendor('done'),
  }),
  update('tool_call', { toolCallId: 'c2', name: 'look', title: 'Look', kind: 'switch_mode', rawInput: { at: 'x' } }),
  update('tool_call_update', {
    toolCallId: 'c2',
    status: 'failed',
    content: [
      { type: 'content', content: { type: 'resource_link', uri: 'file:///p/c.ts', name: 'c.ts', size: 12 } },
      { type: 'content', content: { ...text('gone'), annotations: { priority: 1 } } },
    ],
    rawOutput: 'gone',
  }),
  {
    method: 'session/request_permission',
    params: { toolCall: { toolCallId: 'c3', name: 'rm', title: 'rm' }, options },
  },
  update('tool_call_update', { toolCallId: 'c3', status: 'failed' }),
  update('usage_update', { used: 5, size: 10, cost: { amount: 0.5, currency: 'USD' }, ...vendor('figures') }),
  update('session_info_update', { title: 'Two files', updatedAt: '2026-01-01T00:00:00Z', ...vendor('title') }),
  update('notice', { severity: 'warning', title: 'Careful', description: 'Two\nlines', ...vendor('notice') }),
  update('compaction_update', { compactionId: 'k', status: 'in_progress' }),
  update('compaction_update', { compactionId: 'k', status: 'completed', summary: [text('All was said.')] }),
  update('available_commands_update', {
    availableCommands: [{ name: 'costs', description: 'money', input: { hint: '' }, ...vendor('command') }],
  }),
  update('x_dev_update', { anything: [1, { two: null }] }),
  update('agent_message_chunk', { messageId: 'm2', content: text('Done.') }),
];

it('tells the contents, and returns the options of the agent', async () => {
  const said = join(folder, 'said.json');
  const result = { stopReason: 'refusal', usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } };
  writeFileSync(said, JSON.stringify({ setup, turn, result }));
  const config = join(folder, 'patchbay.json');
  const command = [process.execPath, script, said];
  writeFileSync(config, JSON.stringify({ agents: { one: { protocol: 'acp', command } }, defaultAgent: 'one' }));
  const env = { PATCHBAY_AGENT: '', PATCHBAY_CONFIG: config, XDG_STATE_HOME: folder };
  const choices = ['user', 'never'];
  const acp = await startAcpClient({ permission: () => choices.shift() ?? null }, undefined, { env });

  const opened = await acp.agent.request(session.new, { cwd: folder, mcpServers: [] });
  expect(Object.fromEntries(settingsOf([opened]))).toEqual(Object.fromEntries(settingsOf([setup])));
  const prompt = [{ type: 'text' as const, text: 'patch' }];
  const answer = await acp.agent.request(session.prompt, { sessionId: opened.sessionId, prompt });
  expect(answer).toMatchObject(result);
  for (const [configId, value] of [
    ['style', 'bold'],
    ['brain', 'small'],
    ['effort', 'lots'],
    ['effort-2', 'none'],
  ] as const) {
    await acp.agent.request(session.setConfigOption, { sessionId: opened.sessionId, configId, value });
  }
  await acp.close();

  const heard = acp.rows.flatMap(({ dir, json }) => (dir === 'out' && isJson(json) ? [json] : []));
  const theirs = new Map(contentsOf(turn.map((message) => ({ method: 'session/update', ...message }))));
  // The agent has not told all of this call.
  theirs.set('call c3 rawInput', '{}').set('call c3 kind', '"other"');
  const question = 'question of c3';
  theirs.set(
    question,
    String(theirs.get(question)).replace('"title":', '"rawInput":{},"title":').replace('[{"', '[{"kind":"other","'),
  );
  expect(Object.fromEntries(contentsOf(heard))).toEqual(Object.fromEntries(theirs));

  const answers = readFileSync(`${said}.answers`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map((one) => at(one, 'outcome', 'optionId') ?? [at(one, 'configId'), at(one, 'value')])).toEqual([
    'user',
    'never',
    ['style', 'bold'],
    ['brain', 'small'],
    ['effort', 'lots'],
    ['effort-2', 'none'],
  ]);
  // The schema knows no updates of vendors.
  const ruled = acp.rows.filter(({ line }) => !line.includes('x_dev_update'));
  expect(acpSchemaFaults(ruled, { only: 'out' })).toEqual([]);
  expect(acpOrderFaults(acp.rows, { only: 'out' })).toEqual([]);
});
