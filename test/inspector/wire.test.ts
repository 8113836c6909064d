// The wire of a live session, and tapes: rows in the order of the log, each event once.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WirePage } from '../../src/core/contract/gateway/wire-rows.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { textOf } from '../../src/gateway/commands/posted-frames.ts';
import { type InspectorRig, type Page, startInspector } from './rig.ts';

let rig: InspectorRig;
let page: Page;
beforeAll(async () => {
  rig = await startInspector();
  page = await rig.logIn();
});
afterAll(() => rig.close());

const json = { 'content-type': 'application/json' };

async function opened(): Promise<string> {
  const answer = await rig.ask(page, 'sessions', { method: 'POST', headers: json, body: '{"agent":"demo"}' });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { session: string }).session;
}

/** A new session that the page looks at. */
async function looked(): Promise<string> {
  const session = await opened();
  await rig.look(page, session);
  return session;
}

async function wireOf(session: string, dialects = '', from = 0, to = 1000): Promise<WirePage> {
  const answer = await rig.ask(page, `wire?session=${session}&from=${from}&to=${to}&dialects=${dialects}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as WirePage;
}

async function says(session: string, text: string): Promise<void> {
  const request = { frontend: 'canonical', session, options: {}, principal: owner };
  const command = { type: 'prompt', content: [{ type: 'text', text }] };
  // An answer comes with the end of the run.
  const reader = rig.gateway.board.stream(request, null);
  let heard = '';
  await rig.gateway.board.post(request, [{ bytes: Buffer.from(JSON.stringify({ id: 1, command })) }]);
  await vi.waitUntil(() => {
    for (const entry of reader.read(1 << 20)) if (entry.kind === 'frame') heard += textOf(entry.out);
    return heard.includes('"run-end"');
  }, 10_000);
  reader.close();
}

describe('the state', () => {
  it('names version, agents, sessions and the dialects that clients can speak', async () => {
    const session = await opened();
    const state = (await (await rig.ask(page, 'state')).json()) as Record<string, unknown>;
    expect(state).toMatchObject({ version: '0.0.0', agents: [{ name: 'demo', protocol: 'demo' }] });
    expect(state.dialects).toEqual(expect.arrayContaining(['canonical', 'claude', 'eca', 'pi']));
    expect(state.sessions).toContainEqual(expect.objectContaining({ id: session, agent: 'demo', dialects: [] }));
  });
});

describe('the wire', () => {
  it('has each event once, in order, with what each dialect makes of it', async () => {
    const session = await looked();
    await says(session, 'think tool hello');
    const { rows, kept, end } = await wireOf(session, 'claude,eca');
    expect(kept).toBe(0);
    expect(end).toBe(rows.length);
    expect(rows.map(({ row }) => row)).toEqual(rows.map((_, place) => place));
    const seqs = rows.flatMap(({ seq }) => (seq === null ? [] : [seq]));
    expect(seqs).toEqual(seqs.map((_, place) => place + 1));
    expect(rows.some(({ command }) => command?.command.type === 'prompt')).toBe(true);
    const claude = rows.flatMap(({ frames }) => frames.claude ?? []).map(({ text }) => JSON.parse(text).type);
    expect(claude).toContain('assistant');
    expect(claude.at(-1)).toBe('result');
    expect(rows.flatMap(({ frames }) => frames.eca ?? [])).not.toEqual([]);
  });

  it('gives the same rows in parts and at once', async () => {
    const session = await looked();
    await says(session, 'hello');
    const whole = await wireOf(session, 'claude');
    const parts: unknown[] = [];
    for (let from = 0; from < whole.end; from += 5)
      parts.push(...(await wireOf(session, 'claude', from, from + 5)).rows);
    const plain = (value: unknown) => JSON.stringify(value).replace(/\\"(uuid|timestamp)\\":\\"[^"]*\\"/gu, '');
    expect(plain(parts)).toBe(plain(whole.rows));
  });

  it('of a session that no page looks at is not kept', async () => {
    const session = await opened();
    await says(session, 'hello');
    expect(await wireOf(session)).toEqual({ rows: [], kept: 0, end: 0 });
  });

  it('refuses what is not there', async () => {
    const session = await opened();
    expect((await rig.ask(page, `wire?session=${session}&dialects=nothing`)).status).toBe(400);
    expect((await rig.ask(page, 'wire?session=unknown')).status).toBe(404);
    expect((await rig.ask(page, `wire/cell?session=${session}&row=9&column=from`)).status).toBe(404);
  });
});

describe('tapes', () => {
  const tape = [
    { dir: 'meta', v: 1, protocol: 'pi', agent: 'pi' },
    { dir: 'in', line: '{"id":"1","type":"prompt","message":"hi"}', at: 0 },
    { dir: 'out', line: '{"id":"1","type":"response","command":"prompt","success":true}', at: 1 },
    { dir: 'out', line: '{"type":"agent_start"}', at: 2 },
    { dir: 'out', line: '{"type":"of_a_later_version"}', at: 3 },
    { dir: 'out', line: '{"type":"agent_end","messages":[]}', at: 4 },
  ]
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');

  it('play as sessions, and come back as tapes with the same frames', async () => {
    const answer = await rig.ask(page, 'tape', { method: 'POST', body: tape });
    expect(answer.status).toBe(201);
    const { session } = (await answer.json()) as { session: string };
    await vi.waitUntil(async () => (await wireOf(session)).rows.some(({ event }) => event?.type === 'run-end'), 10_000);
    const { rows } = await wireOf(session);
    const heard = rows.flatMap(({ from }) => from);
    expect(heard.map(({ n }) => n)).toEqual(heard.map((_, place) => place + 1));
    expect(heard.filter(({ text }) => text.includes('of_a_later_version'))).toHaveLength(1);
    const saved = await (await rig.ask(page, `tape?session=${session}`)).text();
    for (const { text } of heard) expect(saved).toContain(JSON.stringify(text));
    expect(JSON.parse(saved.split('\n', 1).join(''))).toMatchObject({ dir: 'meta', protocol: 'pi' });
  });

  it('play without their pauses, if they are asked to', async () => {
    const slow = tape.replace('"at":4', '"at":3600000');
    const answer = await rig.ask(page, 'tape?speed=max', { method: 'POST', body: slow });
    const { session } = (await answer.json()) as { session: string };
    await vi.waitUntil(async () => (await wireOf(session)).rows.some(({ event }) => event?.type === 'run-end'), 10_000);
    await rig.ask(page, `tape?session=${session}`, { method: 'DELETE' });
  });

  it('play behind faults, which are those of the command line', async () => {
    const faults = new URLSearchParams({ fault: 'dup @type=of_a_later_version', seed: '7' });
    const answer = await rig.ask(page, `tape?${faults}`, { method: 'POST', body: tape });
    const { session } = (await answer.json()) as { session: string };
    await vi.waitUntil(async () => (await wireOf(session)).rows.some(({ event }) => event?.type === 'run-end'), 10_000);
    const heard = (await wireOf(session)).rows.flatMap(({ from }) => from);
    expect(heard.filter(({ text }) => text.includes('of_a_later_version'))).toHaveLength(2);
    const close = () => rig.ask(page, `tape?session=${session}`, { method: 'DELETE' });
    expect((await close()).status).toBe(204);
    expect((await close()).status).toBe(404);
    const other = await opened();
    expect((await rig.ask(page, `tape?session=${other}`, { method: 'DELETE' })).status).toBe(404);
  });

  it.each([
    ['fault=dup+@type', /^fault "dup @type", column 6: /u],
    ['seed=4294967296', /^seed must be below 4294967296$/u],
    ['speed=0', /^speed must be a whole number from 1 to 9999, or max$/u],
    [Array.from({ length: 33 }, () => 'fault=dup').join('&'), /^at most 32 faults$/u],
  ])('behind other words are refused: %.30s', async (query, why) => {
    const answer = await rig.ask(page, `tape?${query}`, { method: 'POST', body: tape });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(why) } });
  });

  it('that are none are refused', async () => {
    for (const body of ['', 'no tape', '{"dir":"out","line":"{\\"what\\":1}"}\n'])
      expect((await rig.ask(page, 'tape', { method: 'POST', body })).status).toBe(400);
  });
});
