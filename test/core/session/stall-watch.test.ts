// How long a model says nothing while it is its turn.
import { expect, test } from 'vitest';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createStallWatch } from '../../../src/core/session/agent/stall-watch.ts';

/** Something at a time: an event, or that the agent is held or heard again. */
type Step = readonly [at: number, what: Event | 'hold' | 'release'];

const start: Event = { type: 'run-start' };
const end: Event = { type: 'run-end', outcome: 'completed' };
const message: Event = { type: 'message-start', id: 'm' };
const text: Event = { type: 'block-start', index: 0, block: { kind: 'text' } };
const delta: Event = { type: 'block-delta', index: 0, delta: 'word' };
const call: Event = { type: 'block-start', index: 0, block: { kind: 'tool-call', id: 'a', name: 'look' } };
const said: Event = { type: 'message-end', stop: { reason: 'tool-use' } };
const works: Event = { type: 'tool-start', call: 'a', name: 'look', input: {} };
const worked: Event = { type: 'tool-end', call: 'a', name: 'look', content: [], isError: false };
const asks: Event = { type: 'approval-request', id: 'x', name: 'look', input: {} };
const answered: Event = { type: 'approval-end', id: 'x', outcome: 'allowed' };
const dialog: Event = { type: 'dialog-request', id: 'x', kind: 'input', title: 'Name?' };
const told: Event = { type: 'dialog-end', id: 'x', outcome: 'answered' };
const compacts: Event = { type: 'compaction-start', trigger: 'threshold' };
const compacted: Event = { type: 'compaction-end', outcome: 'completed' };
const failure = { kind: 'provider' as const, message: 'overloaded' };
const retries: Event = { type: 'retry-start', attempt: 1, maxAttempts: 3, delayMs: 100, failure };
const retried: Event = { type: 'retry-end', attempt: 1, success: true };

test.each<[string, number, readonly Step[]]>([
  [
    'nothing but a run',
    7,
    [
      [0, start],
      [7, end],
    ],
  ],
  [
    'the longest of several',
    30,
    [
      [0, start],
      [20, message],
      [50, text],
      [60, end],
    ],
  ],
  [
    'between two deltas',
    90,
    [
      [0, start],
      [1, message],
      [2, text],
      [3, delta],
      [93, delta],
      [94, end],
    ],
  ],
  [
    'while a call is written',
    50,
    [
      [0, start],
      [1, message],
      [2, call],
      [52, { ...delta }],
      [53, said],
      [54, end],
    ],
  ],
  [
    'not between a call and its tool',
    2,
    [
      [0, start],
      [1, message],
      [2, call],
      [4, said],
      [90, works],
      [91, worked],
      [92, end],
    ],
  ],
  [
    'not while a tool works',
    9,
    [
      [0, start],
      [1, message],
      [2, call],
      [3, said],
      [4, works],
      [500, worked],
      [509, end],
    ],
  ],
  [
    'not while a tool tells of its work',
    1,
    [
      [0, start],
      [1, works],
      [90, { type: 'activity', text: null }],
      [900, worked],
      [901, end],
    ],
  ],
  [
    'not while a user decides',
    6,
    [
      [0, start],
      [5, asks],
      [800, answered],
      [806, end],
    ],
  ],
  [
    'not while a user is asked',
    6,
    [
      [0, start],
      [5, dialog],
      [800, told],
      [806, end],
    ],
  ],
  [
    'not while the context is compacted',
    6,
    [
      [0, start],
      [5, compacts],
      [800, compacted],
      [806, end],
    ],
  ],
  [
    'not before a retry that was announced',
    5,
    [
      [0, start],
      [5, retries],
      [105, retried],
      [106, end],
    ],
  ],
  [
    'not before it, though something else is said',
    5,
    [
      [0, start],
      [5, retries],
      [60, { type: 'activity', text: null }],
      [104, message],
      [105, text],
      [106, delta],
      [107, end],
    ],
  ],
  [
    'behind its delay, while it goes on',
    45,
    [
      [0, start],
      [5, retries],
      [150, message],
      [151, retried],
      [152, end],
    ],
  ],
  [
    'not of the delay of one that was given up',
    40,
    [
      [0, start],
      [5, retries],
      [20, retried],
      [60, end],
    ],
  ],
  [
    'not while nobody listens',
    20,
    [
      [0, start],
      [20, 'hold'],
      [500, 'release'],
      [510, end],
    ],
  ],
  [
    'nor of what was in flight then',
    20,
    [
      [0, start],
      [20, 'hold'],
      [30, message],
      [400, text],
      [500, 'release'],
      [505, delta],
      [506, end],
    ],
  ],
])('is measured: %s', (_name, longest, steps) => {
  const transcript = emptyTranscript();
  const silence = createStallWatch(transcript);
  for (const [at, what] of steps) {
    if (typeof what === 'string') {
      silence.pause(what === 'hold', at);
      continue;
    }
    fold(transcript, { seq: transcript.lastSeq + 1, at, event: what });
    silence.event(what, at);
  }
  expect(silence.longestMs()).toBe(longest);
});

test('is nothing where nobody listened from the first', () => {
  const transcript = emptyTranscript();
  const silence = createStallWatch(transcript, true);
  fold(transcript, { seq: 1, at: 0, event: start });
  silence.event(start, 0);
  silence.pause(false, 900);
  expect(silence.longestMs()).toBe(0);
});
