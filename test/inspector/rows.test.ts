// The rows of each agent protocol over all scenarios: every frame of the agent is in exactly one row, every event too, and
// the session is the same as without a tap. Rows that are let go are told.
import { describe, expect, it } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import type { Receiver } from '../../src/core/contract/channel.ts';
import type { Logged } from '../../src/core/model/event.ts';
import { createSession, type Session } from '../../src/core/session/session.ts';
import { defaultSessionLimits } from '../../src/core/session/session-ports.ts';
import { Taps } from '../../src/gateway/inspector/taps.ts';
import { WirePages } from '../../src/gateway/inspector/wire-pages.ts';
import type { WireTap } from '../../src/gateway/inspector/wire-tap.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { nullChannel } from '../../src/transports/memory.ts';
import { createVirtualClock } from '../support/core/virtual-clock.ts';
import { stillEnv } from '../support/decoding.ts';
import { hasScenarioFile, scenarioLines, scenarioNames } from '../support/fixtures.ts';

const agents = [...adapters.values()].filter(({ agent }) => agent !== undefined && agent.isBuiltIn !== true);
const mostBytes = 64 * 1024 * 1024;

/** Plays lines of an agent to a session. */
function play(protocol: string, lines: readonly string[], taps: Taps | null) {
  const adapter = adapters.get(protocol);
  const backend = adapter?.agent?.backend(stillEnv(), {});
  if (backend === undefined) throw new Error(`no agent of ${protocol}`);
  let receiver: Receiver | undefined;
  const open = (given: Receiver) => {
    receiver = given;
  };
  const channel = { ...nullChannel('agent'), buffered: 0, open };
  const tap = taps?.made('s');
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
  for (const line of lines) receiver?.frame(createFrame(Buffer.from(line)));
  return { session, logged, tap };
}

const sideOf = (dialect: string) => {
  const side = adapters.get(dialect)?.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error(`no clients of ${dialect}`);
  return side;
};

function watching(bytes = mostBytes, evicted: () => void = () => {}): Taps {
  const taps = new Taps(() => 0, bytes, evicted);
  taps.watch(true);
  return taps;
}

function pageOf(tap: WireTap, session: Session, dialects: readonly string[] = []) {
  return new WirePages(tap, session, sideOf).page({ session: 's', from: 0, to: 100_000, dialects });
}

describe.each(agents.map(({ id }) => id))('%s', (protocol) => {
  const named = scenarioNames.filter((name) => hasScenarioFile(name, protocol));

  it('has a scenario', () => expect(named.length).toBeGreaterThan(0));

  it.each(named)('%s', (scenario) => {
    const lines = scenarioLines(scenario, protocol);
    const taps = watching();
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

describe('rows that are let go', () => {
  const lines = scenarioNames
    .filter((name) => hasScenarioFile(name, 'pi'))
    .flatMap((scenario) => scenarioLines(scenario, 'pi'));

  it('are told, the limit once, and the rest keeps its numbers', () => {
    let evicted = 0;
    const { session, tap } = play(
      'pi',
      lines,
      watching(64 * 1024, () => (evicted += 1)),
    );
    if (tap === undefined) throw new Error('no tap');
    const { rows, kept, end } = pageOf(tap, session, ['claude', 'eca', 'pi']);
    expect(evicted).toBe(1);
    expect(kept).toBeGreaterThan(0);
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: end - kept }, (_, place) => kept + place));
    expect(rows.at(-1)?.seq).toBe(session.transcript.lastSeq);
    const bytes = rows.flatMap(({ from }) => from).reduce((sum, frame) => sum + frame.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(64 * 1024);
    // In the middle of a run, a dialect still makes something of the rest.
    expect(rows.flatMap(({ frames }) => frames.claude ?? [])).not.toEqual([]);
  });

  it('are none while nobody looks', () => {
    const { tap, session } = play(
      'pi',
      lines,
      new Taps(
        () => 0,
        mostBytes,
        () => {},
      ),
    );
    if (tap === undefined) throw new Error('no tap');
    expect(pageOf(tap, session)).toEqual({ rows: [], kept: 0, end: 0 });
  });
});

describe('cells', () => {
  it('are cut, and their rest comes in parts', () => {
    const line = JSON.stringify({ type: 'of_a_later_version', text: 'é'.repeat(300_000) });
    const { session, tap } = play('pi', [line], watching());
    if (tap === undefined) throw new Error('no tap');
    const row = pageOf(tap, session).rows.find(({ from }) => from.length > 0);
    expect(row?.from[0]).toMatchObject({ text: line.slice(0, 4096), cut: line.length, bytes: Buffer.byteLength(line) });
    const pages = new WirePages(tap, session, sideOf);
    let whole = '';
    while (whole.length < line.length) {
      const { text } = pages.cell({ session: 's', row: row?.row ?? 0, column: 'from', index: 0, at: whole.length });
      expect(text).not.toBe('');
      whole += text;
    }
    expect(whole).toBe(line);
  });
});
