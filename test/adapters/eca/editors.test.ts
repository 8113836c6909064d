// Editors from their start to their end (fixtures/editors): each message as that editor writes it, answered as a real server
// answers it, before an agent that answers at once and before one that is slow.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fixturesFolder } from '../../support/fixtures.ts';
import { connect, methodsOf } from './client.ts';

const Line = z.strictObject({
  client: z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() }),
  /** The frames that come of it, in the parts that the editor reads; `end`: the connection is closed. */
  server: z.array(z.union([z.literal('end'), z.looseObject({})])),
});

const folder = path.join(fixturesFolder, 'editors');
const linesOf = (file: string) =>
  readFileSync(path.join(folder, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));

describe.each(readdirSync(folder))('%s', (file) => {
  test('each message is answered as real servers do, and nothing is held against any', () => {
    const editor = connect();
    for (const { client, server } of linesOf(file)) {
      const { sent, others, notes } = editor.raw(client);
      const ends = others.filter((action) => action.do === 'close').map(() => 'end');
      expect({ client, heard: [...sent, ...ends] }).toMatchObject({ client, heard: server });
      expect({ client, notes }).toEqual({ client, notes: [] });
    }
  });

  test('before an agent that says nothing: greeted all the same, and the prompt waits for it', () => {
    const editor = connect({ answering: ({ type }) => (type === 'query' ? undefined : { ok: true }) });
    const lines = linesOf(file);
    const send = (method: string) => editor.raw(lines.find(({ client }) => client.method === method)?.client);
    const { others } = send('initialize');
    const isNewer = !/-2025-/u.test(file);
    expect(others).toContainEqual({ do: 'timer', id: 'start-up', ms: 10_000 });
    expect(others.some((action) => action.do === 'timer' && action.id === 'greet')).toBe(isNewer);
    expect(editor.wake(isNewer ? 'greet' : 'start-up').sent).toHaveLength(1);
    expect(methodsOf(send('initialized').sent).slice(0, 2)).toEqual(['$/progress', 'config/updated']);
    const prompts = lines.filter(({ client }) => client.method === 'chat/prompt');
    expect(prompts.length).toBeGreaterThan(0);
    for (const { client } of prompts) {
      const { sent, notes } = editor.raw(client);
      expect([sent.filter(({ error }) => error !== undefined), notes]).toEqual([[], []]);
    }
  });
});
