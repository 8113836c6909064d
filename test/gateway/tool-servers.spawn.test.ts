// Tool servers that a client brings along: who may bring them, which agent gets them, and that what they hold is in
// nothing that the gateway says or writes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOver, onNetwork, onStdio, openGateway, prompt, useRelay } from '../support/relay-rig.ts';

useRelay();

const secret = 'sk-3f9a17c0-very-secret';
const config = { command: 'server', args: ['--key', secret], env: { TOKEN: secret } };
const toolServers = ['good', 'bad'].map((name) => ({ name, config }));

/** Speaks Claude's format: says what it was given, complains of `bad` with all that it knows, and dies when asked to. */
const agent = `
  let given = {};
  const print = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, request_id, request, message } = JSON.parse(line);
    if (type === 'control_request') {
      if (request.subtype === 'mcp_set_servers') given = request.servers;
      const { bad } = given;
      const response = bad === undefined ? {} : { added: ['good'], removed: [], errors: { bad: JSON.stringify(bad) } };
      return print({ type: 'control_response', response: { subtype: 'success', request_id, response } });
    }
    if (type !== 'user') return;
    const words = JSON.stringify(message);
    if (words.includes('die')) process.exit(3);
    const holds = Object.values(given).every(({ args, env }) => args[1] === env.TOKEN && env.TOKEN.length > 9);
    const seen = JSON.stringify([process.argv, process.env]);
    const isSeen = Object.values(given).some(({ env }) => seen.includes(env.TOKEN));
    const text = 'given: ' + Object.keys(given) + '; whole: ' + holds + '; on the command line: ' + isSeen;
    print({ type: 'system', subtype: 'init', session_id: 's' });
    const content = [{ type: 'text', text }];
    print({ type: 'assistant', message: { id: 'm', role: 'assistant', model: 'm', content }, parent_tool_use_id: null });
    print({ type: 'result', subtype: 'success', is_error: false, result: text });
  });`;

const agents = {
  taking: { protocol: 'claude', command: [process.execPath, '-e', agent, '--'] },
  refusing: { protocol: 'demo' },
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tool-servers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the agent of a client that owns the process', () => {
  test('gets them on its stdin, and again when it was replaced; nobody else learns what they hold', async () => {
    const { gateway, rows } = openGateway({ agents, defaultAgent: 'taking' });
    const client = onStdio(gateway);
    const id = await client.open({ toolServers });
    client.say({ watch: id, as: 's' });
    const whole = 'given: good,bad; whole: true; on the command line: false';
    await client.ask(prompt('hello'), id);
    await client.hear('the end', isOver('s'));
    expect(client.words('s')).toBe(whole);
    const notices = client.told.flatMap(({ event }) => (event?.type === 'notice' ? [event.text] : []));
    expect(notices).toEqual(['The agent could not start these tool servers: bad.']);

    await client.ask(prompt('die'), id);
    await client.hear('the death', ({ event }) => event?.type === 'agent-changed' && event.state === 'down');
    await client.ask(prompt('again'), id);
    await client.hear('the other', () => client.words('s') === whole + whole);

    const page = path.join(folder, 'page.html');
    expect(await client.ask({ type: 'export', format: 'html', path: page }, id)).toMatchObject({ ok: true });
    expect(await client.ask({ type: 'create-session', id: 'a/b', toolServers })).toMatchObject({ ok: false });
    expect(await client.ask({ type: 'create-session', id, toolServers })).toMatchObject({ ok: false });
    for (const subject of ['state', 'messages', 'tool-servers'] as const) {
      expect(await client.ask({ type: 'query', subject }, id)).toMatchObject({ ok: true });
    }
    const written = readFileSync(page, 'utf8');
    expect(written).toContain('given: good,bad');
    for (const text of [JSON.stringify(client.told), JSON.stringify(rows), written]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('--key');
    }
  });

  test('opens without them if it takes none, and its client is told', async () => {
    const { gateway, rows } = openGateway({ agents, defaultAgent: 'refusing' });
    const client = onStdio(gateway);
    const opened = await client.ask({ type: 'create-session', toolServers });
    const problems = ['Tool servers were left out ("good", "bad"): this agent takes no tool servers.'];
    expect(opened).toMatchObject({ ok: true, data: { problems } });
    expect(rows).toContainEqual(['warn', 'tool servers of the client are left out', { left: 2 }]);
    expect(JSON.stringify([client.told, rows])).not.toContain(secret);
  });
});

test('clients on the network bring none', async () => {
  const { gateway, rows } = openGateway({ agents, defaultAgent: 'taking' });
  const client = onNetwork(gateway);
  const opened = await client.ask({ type: 'create-session', id: 'n', toolServers });
  const problems = ['Tool servers were left out ("good", "bad"): clients on the network may bring none.'];
  expect(opened).toMatchObject({ ok: true, data: { problems } });
  client.say({ watch: 'n' });
  await client.ask(prompt('hello'), 'n');
  await client.hear('the end', isOver('n'));
  expect(client.words('n')).toBe('given: ; whole: true; on the command line: false');
  expect(JSON.stringify([client.told, rows])).not.toContain(secret);
});
