// The rows of each agent protocol over all scenarios: every frame of the agent is in exactly one row, every event too, and
// the session is the same as without a tap. Rows that are let go are told.
import { describe, expect, it } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import type { Receiver } from '../../src/core/contract/channel.ts';
import type { Logged } from '../../src/core/model/event.ts';
import { createSession } from '../../src/core/session/open-session.ts';
import type { Session } from '../../src/core/session/session.ts';
import { defaultSessionLimits } from '../../src/core/session/session-ports.ts';
import { Taps } from '../../src/gateway/inspector/taps.ts';
import { WirePages } from '../../src/gateway/inspector/wire-pages.ts';
import type { WireTap } from '../../src/gateway/inspector/wire-tap.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { jsonlDecoder } from '../../src/transports/framing/jsonl.ts';
import { nullChannel } from '../../src/transports/memory.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { stillEnv } from '../support/decoding.ts';
import { hasScenarioFile, scenarioLines, scenarioNames } from '../support/fixtures.ts';

const agents = [...adapters.values()].filter(({ agent }) => agent !== undefined && agent.isBuiltIn !== true);
const mostBytes = 64 * 1024 * 1024;

/** Plays lines of an agent to a session. */
function play(
  protocol: string,
  lines: readonly string[],
  taps: Taps | null,
  { isWatched = true, isJoined = false } = {},
) {
  const adapter = adapters.get(protocol);
  const backend = adapter?.agent?.backend(stillEnv(), {});
  if (backend === undefined) throw new Error(`no agent of ${protocol}`);
  let receiver: Receiver | undefined;
  const open = (given: Receiver) => {
    receiver = given;
  };
  const channel = { ...nullChannel('agent'), buffered: 0, open };
  const tap = taps?.made('s');
  if (isWatched) taps?.watch('s');
  const logged: Logged['event'][] = [];
  const session = createSession({
    id: 's',
    epoch: '000000000000',
    clock: createVirtualClock(),
    limits: defaultSessionLimits,
    connect: () => ({ channel, backend }),
    note: (level, text) => taps?.note('s', level, text),
    logged: (event) => void logged.push(event),
    ...(tap && { tap }),
  });
  session.start();
  if (isJoined && receiver !== undefined)
    jsonlDecoder(receiver, { maxFrameBytes: 1 << 20 }).push(Buffer.from(`${lines.join('\n')}\n`));
  else for (const line of lines) receiver?.frame(createFrame(Buffer.from(line)));
  return { session, logged, tap };
}

const sideOf = (dialect: string) => {
  const side = adapters.get(dialect)?.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error(`no clients of ${dialect}`);
  return side;
};

const tapsOf = (bytes = mostBytes, evicted: () => void = () => {}) => new Taps(createVirtualClock(), bytes, evicted);

function pageOf(tap: WireTap, session: Session, dialects: readonly string[] = []) {
  return new WirePages(tap, session, sideOf).page({ session: 's', from: 0, to: 100_000, dialects });
}

describe.each(agents.map(({ id }) => id))('%s', (protocol) => {
  const named = scenarioNames.filter((name) => hasScenarioFile(name, protocol));

  it('has a scenario', () => expect(named.length).toBeGreaterThan(0));

  it.each(named)('%s', (scenario) => {
    const lines = scenarioLines(scenario, protocol);
    const taps = tapsOf();
    const { session, logged, tap } = play(protocol, lines, taps);
    if (tap === undefined) throw new Error('no tap');
    const { rows } = pageOf(tap, session, ['claude', 'canonical']);
    expect(rows.flatMap(({ from }) => from.map(({ text, cut }) => cut ?? text))).toEqual(
      lines.map((line) => (line.length > 4096 ? line.length : line)),
    );
    expect(rows.flatMap(({ seq }) => (seq === null ? [] : [seq]))).toEqual(
      Array.from({ length: session.transcript.lastSeq }, (_, place) => place + 1),
    );
    for (const { event, from, to, marks, command } of rows)
      expect(event !== undefined || from.length + to.length + marks.length > 0 || command !== undefined).toBe(true);
    // The same events stand in the dialect that loses nothing.
    const said = rows.flatMap(({ frames }) => frames.canonical ?? []).map(({ text }) => text);
    expect(said.filter((text) => text.includes('"event":')).length).toBe(session.transcript.lastSeq);
    expect(logged).toEqual(play(protocol, lines, null).logged);
  });
});

describe('deltas that come together', () => {
  const words = Array.from({ length: 300 }, (_, place) => `word ${place} é\\n`);
  const content = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });
  const update = (type: string, more: object = {}) => ({
    type: 'message_update',
    assistantMessageEvent: { type, contentIndex: 0, ...more },
  });
  const lines = [
    { type: 'agent_start' },
    { type: 'turn_start' },
    { type: 'message_start', message: content('') },
    update('text_start'),
    ...words.map((delta) => update('text_delta', { delta })),
    update('text_end', { content: words.join('') }),
    { type: 'message_end', message: content(words.join('')) },
    { type: 'agent_end', messages: [] },
  ].map((line) => JSON.stringify(line));

  it('are a row with all their frames, and give each dialect what they give one by one', () => {
    const single = play('pi', lines, tapsOf());
    const joined = play('pi', lines, tapsOf(), { isWatched: true, isJoined: true });
    if (single.tap === undefined || joined.tap === undefined) throw new Error('no tap');
    const dialects = ['claude', 'canonical', 'eca', 'pi'];
    const alone = pageOf(single.tap, single.session, dialects).rows;
    const together = pageOf(joined.tap, joined.session, dialects).rows;
    const bursts = together.filter(({ part }) => part > 0);
    expect(bursts.length).toBeGreaterThan(280);
    expect(new Set(bursts.map(({ row }) => row)).size).toBeLessThan(20);
    for (const { seq, after, from, event } of bursts) {
      expect(after).toBe((seq ?? 0) - 1);
      expect(from.map(({ text }) => JSON.parse(text).assistantMessageEvent.delta)).toEqual([
        (event as { delta: string }).delta,
      ]);
    }
    // A cell of one of them is found by its place.
    const [{ row, part, from }] = bursts.slice(-1) as [(typeof bursts)[number]];
    const cell = { session: 's', row, part, column: 'from', index: 0, at: 0 };
    expect(new WirePages(joined.tap, joined.session, sideOf).cell(cell).text).toBe(from[0]?.text);
    const told = (rows: typeof alone) => ({
      from: rows.flatMap(({ from }) => from.map(({ n, text, bytes }) => ({ n, text, bytes }))),
      events: rows.filter(({ seq }) => seq !== null).map(({ event }) => JSON.stringify(event)),
      frames: dialects.map((dialect) =>
        rows.flatMap(({ frames }) => frames[dialect] ?? []).map(({ text }) => still(text)),
      ),
    });
    expect(told(together)).toEqual(told(alone));
    expect(joined.session.transcript).toEqual(single.session.transcript);
    // The rows behind are the same when a page asks for them alone.
    const pages = new WirePages(joined.tap, joined.session, sideOf);
    const [last] = pages.page({ session: 's', from: joined.tap.end - 1, to: joined.tap.end, dialects: ['eca'] }).rows;
    expect(last?.frames.eca?.map(({ text }) => still(text))).toEqual(
      together.at(-1)?.frames.eca?.map(({ text }) => still(text)),
    );
  });
});

/** Without what a projection makes up. */
const still = (text: string) => text.replace(/"(?:uuid|timestamp|id)":"[^"]*"/gu, '');

describe('rows that are let go', () => {
  const lines = scenarioNames
    .filter((name) => hasScenarioFile(name, 'pi'))
    .flatMap((scenario) => scenarioLines(scenario, 'pi'));

  it('are told, the limit once, and the rest keeps its numbers', () => {
    let evicted = 0;
    const { session, tap } = play(
      'pi',
      lines,
      tapsOf(64 * 1024, () => (evicted += 1)),
    );
    if (tap === undefined) throw new Error('no tap');
    const { rows, kept, end } = pageOf(tap, session, ['claude', 'eca', 'pi']);
    expect(evicted).toBe(1);
    expect(kept).toBeGreaterThan(0);
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: end - kept }, (_, place) => kept + place));
    expect(rows.at(-1)?.seq).toBe(session.transcript.lastSeq);
    const bytes = rows.flatMap(({ from }) => from).reduce((sum, frame) => sum + frame.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(64 * 1024);
    // A range that is gone is empty, and one that is partly gone begins at the first row that is kept.
    const pages = new WirePages(tap, session, sideOf);
    const gone = { session: 's', from: 0, dialects: ['claude'] };
    expect(pages.page({ ...gone, to: kept })).toEqual({ rows: [], kept, end });
    expect(pages.page({ ...gone, to: kept + 2 }).rows.map(({ row }) => row)).toEqual([kept, kept + 1]);
    expect(() => pages.cell({ ...gone, row: kept - 1, part: 0, column: 'from', index: 0, at: 0 })).toThrow('not kept');
    // In the middle of a run, a dialect still makes something of the rest.
    expect(rows.flatMap(({ frames }) => frames.claude ?? [])).not.toEqual([]);
  });

  it('are none while nobody looks', () => {
    const { tap, session } = play('pi', lines, tapsOf(), { isWatched: false });
    if (tap === undefined) throw new Error('no tap');
    expect(pageOf(tap, session)).toEqual({ rows: [], kept: 0, end: 0 });
  });
});

describe('cells', () => {
  it('are cut, and their rest comes in parts', () => {
    const line = JSON.stringify({ type: 'of_a_later_version', text: 'é'.repeat(300_000) });
    const { session, tap } = play('pi', [line], tapsOf());
    if (tap === undefined) throw new Error('no tap');
    const row = pageOf(tap, session).rows.find(({ from }) => from.length > 0);
    expect(row?.from[0]).toMatchObject({ text: line.slice(0, 4096), cut: line.length, bytes: Buffer.byteLength(line) });
    const pages = new WirePages(tap, session, sideOf);
    let whole = '';
    while (whole.length < line.length) {
      const { text } = pages.cell({
        session: 's',
        row: row?.row ?? 0,
        part: 0,
        column: 'from',
        index: 0,
        at: whole.length,
      });
      expect(text).not.toBe('');
      whole += text;
    }
    expect(whole).toBe(line);
  });
});
