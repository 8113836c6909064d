import { expect, test } from 'vitest';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { mostRepeatedTexts, repeatedTexts } from '../../../src/core/log/repeated-texts.ts';
import type { Event } from '../../../src/core/model/event.ts';

const long = (name: string) => `${name} `.repeat(800);

function after(events: readonly Event[]): readonly string[] {
  const transcript = emptyTranscript();
  for (const [place, event] of events.entries()) fold(transcript, { seq: place + 1, at: 0, event });
  return repeatedTexts(transcript);
}

function message(id: string, text: string): Event[] {
  return [
    { type: 'message-start', id },
    { type: 'block-start', index: 0, block: { kind: 'text' } },
    { type: 'block-delta', index: 0, delta: text },
    { type: 'block-end', index: 0 },
    { type: 'message-end', stop: { reason: 'end' } },
  ];
}

test('what the run has said at length is known, the newest first', () => {
  const input = { path: 'a.txt', content: long('input') };
  const result = { type: 'text', text: long('result') } as const;
  expect(
    after([
      { type: 'run-start' },
      ...message('0', long('earlier')),
      { type: 'run-end', outcome: 'completed' },
      { type: 'run-start' },
      { type: 'message-added', role: 'user', content: [{ type: 'text', text: long('prompt') }] },
      ...message('1', long('first')),
      ...message('2', 'short'),
      { type: 'message-start', id: '3' },
      { type: 'block-start', index: 0, block: { kind: 'tool-call', id: 'c', name: 'Write' } },
      { type: 'block-delta', index: 0, delta: JSON.stringify(input) },
      { type: 'block-end', index: 0, input },
      { type: 'message-end', stop: { reason: 'tool-use' } },
      { type: 'tool-end', call: 'c', name: 'Write', content: [result], isError: false },
      { type: 'message-start', id: '4' },
      { type: 'block-start', index: 0, block: { kind: 'text' } },
      { type: 'block-delta', index: 0, delta: long('open') },
    ]),
  ).toEqual([long('open'), long('result'), long('input'), long('first'), long('prompt')]);
});

test('a long run does not make the list long', () => {
  const texts = Array.from({ length: 20 }, (_, number) => long(`text ${number}`));
  const messages = texts.flatMap((text, number) => message(`${number}`, text));
  expect(after([{ type: 'run-start' }, ...messages])).toEqual(texts.slice(-mostRepeatedTexts).reverse());
});
