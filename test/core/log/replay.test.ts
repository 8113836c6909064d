// What a late client is told: legal, short, and enough to know what everybody else knows.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Out } from '../../../src/core/contract/channel.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import { replay, startReplay } from '../../../src/core/log/replay.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';
import { anyEvents, legalEvents } from '../../support/core/arbitraries.ts';
import { judge } from '../../support/core/judge.ts';
import { outline } from '../../support/core/outline.ts';
import { foldFrames, recordingProjection } from '../../support/core/recording.ts';
import { repaired } from '../../support/core/repaired.ts';
import { stateOf, stateSinceReset } from '../../support/core/state.ts';
import { runs } from '../../support/full.ts';

/** The whole replay at once. */
function replayCurrent(...start: Parameters<typeof startReplay>) {
  const replaying = startReplay(...start);
  const frames: Out[] = [];
  for (let made = replaying.next(); made !== null; made = replaying.next()) frames.push(...made);
  replaying.goLive();
  return { frames, projection: replaying.projection };
}

const folded = (events: readonly Event[]): Transcript => verify(events).end;
const told = (transcript: Transcript): Event[] => [...replay(transcript)].map(({ event }) => event);

function refolded(transcript: Transcript): Transcript {
  const again = emptyTranscript();
  for (const logged of replay(transcript)) fold(again, logged);
  return again;
}

describe('for any legal sequence, stopped anywhere', () => {
  test('folding the replay gives the same state', () => {
    fc.assert(
      fc.property(legalEvents, (events) => {
        const transcript = folded(events);
        const wasReplaced = events.some(({ type }) => type === 'history-reset');
        const compared = wasReplaced ? stateSinceReset : stateOf;
        expect(compared(refolded(transcript))).toEqual(compared(transcript));
      }),
      { numRuns: runs(1000) },
    );
  });

  test('the replay is legal, and leaves the same things open', () => {
    fc.assert(
      fc.property(legalEvents, (events) => {
        const again = told(folded(events));
        expect(verify(again).faults).toEqual([]);
        const { complaints, open } = judge(again);
        expect(complaints).toEqual([]);
        expect(open.sort()).toEqual(judge(events).open.sort());
      }),
      { numRuns: runs(1000) },
    );
  });

  test('a replay of the replay is the same again', () => {
    fc.assert(
      fc.property(legalEvents, (events) => {
        const once = refolded(folded(events));
        expect(told(refolded(once))).toEqual(told(once));
      }),
      { numRuns: 200 },
    );
  });
});

describe('for anything that an agent sends, repaired', () => {
  test('the replay is legal, and folding it gives the same state', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { transcript, log } = repaired(events);
        const again = told(transcript);
        expect(verify(again).faults).toEqual([]);
        expect(judge(again).complaints).toEqual([]);
        expect(judge(again).open.sort()).toEqual(judge(log).open.sort());
        expect(stateSinceReset(refolded(transcript))).toEqual(stateSinceReset(transcript));
      }),
      { numRuns: runs(1000) },
    );
  });
});

test('a compaction that is open when the history is replaced is told once, though its event was said before', () => {
  const start: Event = { type: 'compaction-start', trigger: 'threshold' };
  const end: Event = { type: 'compaction-end', outcome: 'completed' };
  const { transcript } = repaired([start, end, start, { type: 'history-reset', reason: 'new' }]);
  expect(told(transcript)).toEqual([start]);
});

describe('what it tells', () => {
  const opening: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }, { type: 'message-start', id: 'm' }];
  const failure = { kind: 'provider' as const, message: 'away' };

  test('deltas are joined, what changed often is told once', () => {
    const events: Event[] = [
      { type: 'session-changed', changes: { name: 'a' } },
      { type: 'session-changed', changes: { cwd: '/' } },
      ...opening,
      { type: 'block-start', index: 0, block: { kind: 'text' } },
      { type: 'block-delta', index: 0, delta: 'a' },
      { type: 'notice', level: 'info', text: 'passing' },
      { type: 'block-delta', index: 0, delta: 'b' },
      { type: 'tool-start', call: 'a', name: 'look', input: {} },
      { type: 'tool-update', call: 'a', mode: 'append', content: [{ type: 'text', text: '1' }] },
      { type: 'tool-update', call: 'a', mode: 'append', content: [{ type: 'text', text: '2' }] },
      { type: 'retry-start', attempt: 1, maxAttempts: 2, delayMs: 5, failure },
      { type: 'retry-start', attempt: 2, maxAttempts: 2, delayMs: 5, failure },
      { type: 'dialog-request', id: 'd', kind: 'confirm', title: 'Sure?' },
    ];
    const again = told(folded(events));
    expect(outline(again)).toEqual([
      'session-changed',
      'run-start',
      'turn-start',
      'message-start m',
      'block-start 0 text',
      'block-delta 0 ab',
      'tool-start a',
      'tool-update a',
      'retry-start 2',
      'dialog-request d',
    ]);
    expect(again[0]).toMatchObject({ changes: { name: 'a', cwd: '/' } });
    expect(again[7]).toMatchObject({ mode: 'replace', content: [{ text: '1' }, { text: '2' }] });
  });

  test('an agent that is gone', () => {
    expect(outline(told(folded([{ type: 'agent-changed', state: 'down' }])))).toEqual(['agent-changed down']);
    const backAgain: Event[] = [
      { type: 'agent-changed', state: 'down' },
      { type: 'agent-changed', state: 'up' },
    ];
    expect(told(folded(backAgain))).toEqual([]);
  });

  test('what is over is past, what is open is present', () => {
    const ended: Event[] = [
      ...opening,
      { type: 'message-end', stop: { reason: 'end' } },
      { type: 'tool-start', call: 'a', name: 'look', input: {} },
      { type: 'tool-end', call: 'a', name: 'look', content: [], isError: false },
      { type: 'approval-request', id: 'x', name: 'look', input: {} },
      { type: 'approval-end', id: 'x', outcome: 'allowed' },
    ];
    const open: Event[] = [
      { type: 'message-start', id: 'n' },
      { type: 'block-start', index: 0, block: { kind: 'text' } },
      { type: 'tool-start', call: 'b', name: 'look', input: {} },
      { type: 'approval-request', id: 'x', name: 'other', input: {} },
      { type: 'compaction-start', trigger: 'manual' },
    ];
    const marks = (transcript: Transcript) => [...replay(transcript)].map((logged) => logged.replay);
    const past = ended.map(() => 'past');
    // The run goes on, and with it its start is open.
    expect(marks(folded(ended))).toEqual(['present', ...past.slice(1)]);
    expect(marks(folded([...ended, { type: 'run-end', outcome: 'completed' }]))).toEqual([...past, 'past']);
    expect(marks(folded([...ended, ...open])).slice(ended.length)).toEqual(open.map(() => 'present'));
  });
});

test('a projection that is told the past sees it grow, and then the present', () => {
  fc.assert(
    fc.property(legalEvents, (events) => {
      const transcript = folded(events);
      const seen: Transcript[] = [];
      const view = { id: 's', epoch: '0123456789ab', timeOrigin: 0, transcript };
      let ask = (): Transcript => transcript;
      const { frames, projection } = replayCurrent(view, (given) => {
        ask = () => given.transcript;
        const { event } = recordingProjection();
        return {
          event(logged) {
            seen.push(given.transcript);
            expect(given.transcript.lastSeq).toBe(logged.seq);
            return event(logged);
          },
        };
      });
      expect(seen).not.toContain(transcript);
      expect(ask()).toBe(transcript);
      expect(projection).toBeDefined();
      expect(stateSinceReset(foldFrames(frames))).toEqual(stateSinceReset(transcript));
    }),
    { numRuns: 200 },
  );
});
