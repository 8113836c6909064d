// Recorded lines of real pi programs of four versions through the backend alone. What they say must come out: in
// order, whole, and in as many runs as pi reports.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { wholeContent } from '../../../src/core/log/messages.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { bench } from './harness.ts';
import { inOrder } from './order.ts';

const corpus = path.join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi');
const Row = z.looseObject({ dir: z.enum(['in', 'out']), line: z.string() });

/** The lines that pi printed in one recording. */
function linesOf(file: string): string[] {
  const rows = readFileSync(path.join(corpus, file), 'utf8').split('\n').filter(Boolean);
  return rows.map((row) => Row.parse(JSON.parse(row))).flatMap(({ dir, line }) => (dir === 'out' ? [line] : []));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const Content = z.looseObject({ type: z.string() });
const AssistantEnd = z.object({
  type: z.literal('message_end'),
  message: z.looseObject({ role: z.literal('assistant'), content: z.array(Content), stopReason: z.string() }),
});
const said = (lines: readonly string[]) =>
  lines.flatMap((line) => AssistantEnd.safeParse(parsed(line)).data?.message ?? []);
const count = (lines: readonly string[], type: string) =>
  lines.filter((line) => z.looseObject({ type: z.literal(type) }).safeParse(parsed(line)).success).length;
const of = (events: readonly Event[], type: Event['type']) => events.filter((event) => event.type === type).length;

/** Two runs at once, which only 0.13.2 lets happen: nothing tells their lines apart (docs/protocols/pi-legacy.md 1.7). */
function mixed(lines: readonly string[]): boolean {
  let open = 0;
  return lines.some((line) => {
    open += count([line], 'agent_start') - count([line], 'agent_end');
    return open > 1;
  });
}

const files = existsSync(corpus)
  ? readdirSync(corpus).flatMap((version) =>
      readdirSync(path.join(corpus, version)).flatMap((name) =>
        name.endsWith('.jsonl') ? [`${version}/${name}`] : [],
      ),
    )
  : [];

test(files.length === 0 ? `no traces at ${corpus}: nothing was checked` : `${files.length} traces`, () => {
  expect(files.length === 0 || files.length > 10).toBe(true);
});

describe.each(files)('%s', (file) => {
  const lines = linesOf(file);
  const pi = bench();
  pi.feed(...lines);
  pi.end();
  const delivered = pi.events();
  const ordered = inOrder(delivered);

  test('each run has one end', () => {
    const begun = of(delivered, 'run-start');
    expect(of(delivered, 'run-end')).toBe(begun);
    if (!mixed(lines)) expect(begun + of(delivered, 'retry-start')).toBe(count(lines, 'agent_start'));
  });

  test.skipIf(mixed(lines))('each message says what pi says it said (skipped where two runs mix)', () => {
    const messages = ordered.transcript.items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
    const texts = messages.map((message) =>
      wholeContent(message).map((part) => ('text' in part ? part.text : 'input' in part ? part.input : part)),
    );
    const incomplete = new Set(
      messages.flatMap(wholeContent).flatMap((part) => ('incomplete' in part && part.incomplete ? [part.id] : [])),
    );
    expect(texts).toEqual(
      said(lines).map(({ content }) =>
        content.map((part) => part.text ?? part.thinking ?? (incomplete.has(String(part.id)) ? {} : part.arguments)),
      ),
    );
    expect(messages.map(({ stop }) => stop?.raw)).toEqual(said(lines).map(({ stopReason }) => stopReason));
  });

  test.skipIf(mixed(lines))('the deltas add up to it (skipped where two runs mix)', () => {
    const streamed = new Map<number, string>();
    for (const event of delivered) {
      if (event.type === 'block-start') streamed.set(event.index, '');
      if (event.type === 'block-delta') streamed.set(event.index, streamed.get(event.index) + event.delta);
      if (event.type === 'block-end' && event.text !== undefined) expect(streamed.get(event.index)).toBe(event.text);
      if (event.type === 'block-end' && event.input !== undefined && !event.incomplete) {
        expect(JSON.parse(streamed.get(event.index) || '{}')).toEqual(event.input);
      }
    }
  });

  test('each tool that starts ends', () => {
    expect(of(delivered, 'tool-start')).toBe(count(lines, 'tool_execution_start'));
    expect(of(delivered, 'tool-end')).toBe(of(delivered, 'tool-start'));
  });

  test('nothing is out of order but calls that never ran', () => {
    const unanswered = new Set(['repair: turn-end: tool-open']);
    if (!mixed(lines)) expect(ordered.notes.filter((note) => !unanswered.has(note))).toEqual([]);
  });

  test('nothing is refused but what is no JSON', () => {
    const strays = lines.filter((line) => parsed(line) === null).length;
    expect(pi.notes().filter((note) => note.startsWith('violation'))).toHaveLength(strays);
  });
});
