// A recognised frame reaches the log like any event; a failure in either half of a recogniser ends that agent and
// nothing else.

import { expect, test } from 'vitest';
import type { Backend } from '../../../src/core/contract/adapter/backend.ts';
import type { CloseCode, Peek, Receiver } from '../../../src/core/contract/channel.ts';
import { linkAgent } from '../../../src/core/link/agent-link.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { openChannel } from '../../support/core/open-channel.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const delta: Event = { type: 'block-delta', index: 0, delta: 'text' };
const peek: Peek = { header: null, bytes: new Uint8Array(), lineEnd: () => -1, ascii: () => '', utf8: () => '' };

/** An agent whose backend recognises frames like this, and the events that it gave. */
function linked(recognise: Backend['recognise'], hear: (event: Event) => void = () => {}) {
  const told: string[] = [];
  const receivers: Receiver[] = [];
  const channel = { ...openChannel('agent', receivers), close: (code: CloseCode) => void told.push(`close ${code}`) };
  const backend: Backend = { decode: () => [], encode: () => [], ...(recognise === undefined ? {} : { recognise }) };
  linkAgent({ channel, backend }, createVirtualClock(), {
    event: hear,
    note: (_level, text) => void told.push(text),
    end: () => {},
  });
  return { told, look: () => receivers[0]?.recognise?.(peek, 0, 1) };
}

const right = () => ({ next: 7, ending: new Uint8Array([1]), splice: null, accept: () => delta });
const broken = () => {
  throw new Error('broken');
};

test('what a backend recognises is heard once it is accepted', () => {
  const heard: Event[] = [];
  const recognise = linked(right, (event) => void heard.push(event)).look();
  expect(heard).toEqual([]);
  recognise?.accept();
  expect({ heard, next: recognise?.next, ending: recognise?.ending }).toEqual({
    heard: [delta],
    next: 7,
    ending: new Uint8Array([1]),
  });
});

test.each<[string, Backend['recognise']]>([
  ['a backend that recognises nothing', () => null],
  ['one that cannot recognise', undefined],
])('%s', (_name, recognise) => {
  expect(linked(recognise).look() ?? null).toBeNull();
});

test.each<[string, Backend['recognise'], ((event: Event) => void)?]>([
  ['looking', broken],
  ['accepting', () => ({ ...right(), accept: broken })],
  ['hearing', right, broken],
])('a fault in %s ends the agent', (_name, recognise, hear) => {
  const { told, look } = linked(recognise, hear);
  look()?.accept();
  expect(told).toEqual(['internal error: broken', 'close error']);
});
