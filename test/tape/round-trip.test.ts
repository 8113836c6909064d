// A tape that is played to its own other side comes out as it was: the fixtures as tapes, and the recordings that
// PATCHBAY_CORPUS names.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadTape } from '../../src/tape/loaded.ts';
import { createPlayer } from '../../src/tape/player.ts';
import type { TapeFrame } from '../../src/tape/reader.ts';
import { rowText, wireBytes } from '../../src/tape/row.ts';

function filesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
}

/** The lines of a fixture as what an agent says, with a request before every third. */
function asTape(fixture: string): string {
  const lines = fixture.split('\n').filter((line) => line !== '');
  const rows = lines.flatMap((line, at) => [
    ...(at % 3 === 0 ? [rowText({ dir: 'in', line: JSON.stringify({ type: 'prompt', id: `r${at}` }) })] : []),
    rowText({ dir: 'out', line }),
  ]);
  return rows.join('');
}

interface Said {
  readonly dir: string;
  readonly bytes: string;
}

const said = ({ dir, row }: TapeFrame): Said => ({ dir, bytes: wireBytes(row).toString('latin1') });

/** Plays one side to the other, which says what it says on the tape as soon as it is awaited. */
function played(frames: readonly TapeFrame[], side: 'agent' | 'client'): { all: Said[]; left: number } {
  const player = createPlayer(frames, { side, speed: Number.POSITIVE_INFINITY });
  const byNumber = new Map(frames.map((frame) => [frame.number, frame]));
  const all: Said[] = [];
  for (;;) {
    const next = player.next(0);
    if (next.type === 'over') return { all, left: player.departures(true).length };
    if (next.type === 'wait') throw new Error('nothing waits at this speed');
    if (next.type === 'send') {
      all.push({ dir: next.dir, bytes: next.bytes.toString('latin1') });
      continue;
    }
    const frame = byNumber.get(next.number);
    if (frame === undefined) throw new Error('an unknown row is awaited');
    player.heard(frame.text, 0);
    all.push(said(frame));
  }
}

test('every tape, either side', () => {
  const corpus = process.env.PATCHBAY_CORPUS;
  const tapes = [
    ...filesIn('fixtures/scenarios').map((file) => [file, asTape(readFileSync(file, 'utf8'))] as const),
    ...(corpus === undefined ? [] : filesIn(corpus).map((file) => [file, readFileSync(file, 'utf8')] as const)),
  ];
  expect(tapes.length).toBeGreaterThan(90);
  for (const [file, text] of tapes) {
    const { frames } = loadTape(text, { isByLength: (id) => id === 'eca' });
    for (const side of ['agent', 'client'] as const) {
      const heard = frames.filter(({ dir }) => side === 'agent' || dir !== 'err');
      expect([file, side, played(frames, side)]).toEqual([file, side, { all: heard.map(said), left: 0 }]);
    }
  }
  console.log(`${tapes.length} tapes`);
});
