// What the tool servers of an ACP client hold reaches the ACP agent, and is in nothing else that a gateway says, keeps or shows in a
// whole run with failures (docs/protocols/acp.md 3.15).
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { within } from '../../src/conformance/bounded-wait.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { scrubTape } from '../../src/tape/scrub.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { startInspector } from '../inspector/rig.ts';
import { freshJournal } from '../stores/journal/journal-rig.ts';
import { connectRaw } from '../support/acp-raw.ts';
import { at, rowsIn } from '../support/acp-traces.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';
import { startsIn, tellingCommand } from '../support/telling-program.ts';

const script = fileURLToPath(new URL('../support/scripted-acp.mjs', import.meta.url));
// No secret looks like another one, nor like one of a known service.
const [inEnv, inHeader] = ['vw81-of-env', 'vw83-of-a-header'];
const [inArgs, inAddress] = ['vw82-of-args', 'vw84-of-an-address'];
const secrets = [inEnv, inHeader, inArgs, inAddress];
const mcpServers = [
  { name: 'local', command: '/bin/server', args: ['--key', inArgs], env: [{ name: 'API_TOKEN', value: inEnv }] },
  {
    type: 'http',
    name: 'far',
    url: `https://example.test/${inAddress}`,
    headers: [{ name: 'X-State', value: inHeader }],
  },
  { type: 'sse', name: 'refused', url: 'https://example.test/', headers: [{ name: 'X-State', value: inHeader }] },
];
const base64 = (text: string) => Buffer.from(text).toString('base64').slice(0, 12);
const leaked = (texts: Readonly<Record<string, string>>, sought = secrets) =>
  Object.entries(texts).flatMap(([name, text]) =>
    sought.flatMap((one) => (text.includes(one) || text.includes(base64(one)) ? [`${name}: ${one}`] : [])),
  );
const filesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'utf8')] : []))
    .join('\n');

/** All that a client of the model is told of a session, and its export. */
async function model(gateway: Parameters<typeof connectRaw>[0], session: string, path: string) {
  const [near, far] = memoryPair();
  const heard: string[] = [];
  const watchers = new Set<() => void>();
  far.open({
    frame({ text }) {
      heard.push(text);
      for (const look of watchers) look();
    },
    fault() {},
    end() {},
  });
  gateway.board.connect(near, { frontend: 'canonical', options: {}, principal: owner, session });
  far.send(JSON.stringify({ id: 'x', command: { type: 'export', format: 'html', path } }));
  await within(
    'the export',
    watchers,
    () => heard.find((frame) => frame.includes('"id":"x"')),
    () => heard.join('\n'),
  );
  return heard;
}

test('what they hold is told to the agent alone', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acp-servers-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [record, tapes, page] = [join(folder, 'record'), join(folder, 'tapes'), join(folder, 'page.html')];
  const { journal, folder: kept, dispose } = await freshJournal();
  onTestFinished(dispose);
  const logged: unknown[] = [];
  const inspector = await startInspector(
    { agents: { acp: { protocol: 'acp', command: tellingCommand(script, record, []) } }, defaultAgent: 'acp' },
    { store: journal, recordTo: tapes, log: (...row) => void logged.push(row) },
  );
  const { gateway } = inspector;
  const client = await connectRaw(gateway);
  const opened = await client.ask('session/new', { cwd: folder, mcpServers });
  const session = String(at(opened.result, 'sessionId'));
  const look = await inspector.look(await inspector.logIn(), session);

  expect(await client.prompt(session, 'look')).toBe('end_turn');
  expect(await client.prompt(session, 'fail')).toMatchObject({ code: -32_603 });
  expect(await client.prompt(session, 'die')).toMatchObject({ code: -32_603 });
  expect(await client.prompt(session, 'look')).toBe('end_turn');
  await client.ask('session/new', { cwd: '/nowhere', mcpServers });
  await client.ask('session/new', { cwd: folder, mcpServers: [{ name: 'odd', env: inEnv, command: [inArgs] }] });
  await client.ask('session/load', { sessionId: 'nobody', cwd: folder, mcpServers });
  const told = await model(gateway, session, page);

  const wire = gateway.inspector?.wire({ session, from: 0, to: 1e6, dialects: ['acp', 'claude', 'eca'] }, owner);
  const texts = {
    events: told.join('\n'),
    export: readFileSync(page, 'utf8'),
    frames: client.rows.flatMap(({ dir, line }) => (dir === 'out' ? [line] : [])).join('\n'),
    inspector: JSON.stringify([wire, look.heard, gateway.inspector?.state(owner)]),
    log: JSON.stringify(logged),
  };
  expect(leaked(texts)).toEqual([]);
  for (const [name, text] of Object.entries(texts)) expect(text.length, name).toBeGreaterThan(100);
  expect(texts.export).toContain('three cables');
  await inspector.close();
  await journal.close();
  expect(leaked({ journal: filesIn(kept) })).toEqual([]);
  expect(filesIn(kept)).toContain('three cables');

  const given = startsIn(record).map(({ sent }) => secrets.filter((one) => sent.includes(one)));
  expect(given.slice(0, 2)).toEqual([secrets, secrets]);
  for (const { sent } of startsIn(record)) expect(acpSchemaFaults(rowsIn('in', sent))).toEqual([]);
  expect(acpSchemaFaults(client.rows, { only: 'out' })).toEqual([]);
  // A tape has every byte, until it is scrubbed (docs/guides/tapes.md).
  const tape = filesIn(tapes);
  const surroundings = { env: {}, home: '/home/nobody', user: 'nobody', host: 'nowhere' };
  expect(leaked({ tape })).toHaveLength(secrets.length);
  expect(leaked({ scrubbed: scrubTape(tape, surroundings).text }, [inEnv, inHeader])).toEqual([]);
});
