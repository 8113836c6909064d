// The framings of byte streams by name, and that programs are spoken to in the one of their protocol.
import { expect, it } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import { streamFraming } from '../../src/transports/framing/framings.ts';

it.each(['jsonl', 'content-length'] as const)('%s', (name) => {
  expect(streamFraming(name).name).toBe(name);
});

it.each(['text', 'lines', 'event-stream'] as const)('%s is none', (name) => {
  expect(() => streamFraming(name)).toThrow(`${name} is no framing of a stream of bytes`);
});

it.each([...adapters.values()].map(({ id, framing }) => [id, framing.stdio] as const))('%s has %s', (_id, name) => {
  expect(streamFraming(name).name).toBe(name);
});
