// The filter from one protocol's agent to another's client, on a scripted agent and client.
import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import { createTranslator } from '../../../src/core/link/translator.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { outline } from '../../support/core/outline.ts';
import { heard, recordingProjection } from '../../support/core/recording.ts';

const deliver = (message: Event): Action<Event> => ({ do: 'deliver', message });
const frame = createFrame(Buffer.from('{}'));

/** A translator whose agent makes these actions of its frames, one list after the other. */
function translating(frames: Action<Event>[][], more: { start?: Action<Event>[]; end?: Action<Event>[] } = {}) {
  const notes: string[] = [];
  const left = [...frames];
  const translator = createTranslator({
    id: 's',
    epoch: '0123456789ab',
    backend: {
      start: () => more.start ?? [],
      decode: () => left.shift() ?? [],
      encode: () => [],
      end: () => more.end ?? [],
    },
    projection: (session) => {
      const { event } = recordingProjection();
      return {
        event(logged) {
          // The transcript is the fold up to and including the current event.
          expect(session.transcript.lastSeq).toBe(logged.seq);
          return event(logged);
        },
        notes: () => [{ level: 'loss', text: 'a loss' }],
      };
    },
    note: (level, text) => void notes.push(`${level} ${text}`),
  });
  return {
    notes,
    frame: () => outline(heard(translator.frame(frame))),
    end: () => outline(heard(translator.end())),
  };
}

test('each frame gives what the client would be sent for it', () => {
  const { frame: next, end } = translating([
    [deliver({ type: 'run-start' }), deliver({ type: 'turn-start' })],
    [],
    [deliver({ type: 'turn-end' }), deliver({ type: 'run-end', outcome: 'completed' })],
  ]);
  expect([next(), next(), next(), end()]).toEqual([
    ['run-start', 'turn-start'],
    [],
    ['turn-end', 'run-end completed'],
    [],
  ]);
});

test('what the agent says of itself comes with its first frame', () => {
  const { frame: next } = translating([[deliver({ type: 'run-start' })]], {
    start: [deliver({ type: 'session-changed', changes: {} })],
  });
  expect(next()).toEqual(['session-changed', 'run-start']);
});

test('order is repaired, and repairs and losses are noted', () => {
  const { frame: next, notes } = translating([
    [deliver({ type: 'turn-start' }), { do: 'note', level: 'violation', text: 'odd' }],
  ]);
  expect(next()).toEqual(['+run-start', 'turn-start']);
  expect(notes).toEqual(['violation turn-start: no-run', 'loss a loss', 'loss a loss', 'violation odd']);
});

describe('the end of the input', () => {
  test('closes an open run', () => {
    const { frame: next, end } = translating([
      [deliver({ type: 'run-start' }), deliver({ type: 'turn-start' }), deliver({ type: 'message-start', id: 'm' })],
    ]);
    next();
    expect(end()).toEqual(['+message-end error', '+turn-end', '+run-end failed']);
    expect(end()).toEqual([]);
  });

  test('after what the agent has held back', () => {
    const { frame: next, end } = translating([[deliver({ type: 'run-start' })]], {
      end: [deliver({ type: 'notice', level: 'info', text: 'held back' })],
    });
    next();
    expect(end()).toEqual(['notice held back', '+run-end failed']);
  });

  test('says nothing of no run', () => {
    expect(translating([]).end()).toEqual([]);
  });
});

test('what only a live session can do is left out', () => {
  const { frame: next, notes } = translating([
    [
      { do: 'send', frame: 'to the agent' },
      { do: 'settle', id: 'c1', outcome: { ok: true } },
      { do: 'timer', id: 't', ms: 5 },
      { do: 'close', code: 'normal', reason: 'bye' },
      deliver({ type: 'run-start' }),
    ],
  ]);
  expect(next()).toEqual(['run-start']);
  expect(notes).toEqual(['loss a loss']);
});
