// A sub-agent that speaks before its call is told: its frames wait for the call, live and for those who come late.
import { expect, test } from 'vitest';
import { adapters } from '../../../src/adapters/index.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { admitAll } from '../../support/garbage.ts';
import { faultsIn } from '../../support/judged.ts';
import { createLog, tellLate } from '../../support/telling.ts';

const events: Event[] = [
  { type: 'message-start', id: 'a' },
  { type: 'block-delta', parent: 'a', index: 0, delta: 'early ' },
  { type: 'block-start', index: 0, block: { kind: 'tool-call', id: 'a', name: 'task' } },
  { type: 'block-start', parent: 'a', index: 0, block: { kind: 'tool-call', id: 'b', name: 'read' } },
];

test('is told behind it, whenever a client comes', () => {
  const log = createLog();
  admitAll(log, events);
  log.close();
  const side = adapters.get('claude')?.client?.frontend({ now: () => 0, id: (kind) => kind }, {});
  if (side === undefined) throw new Error('claude has no client side');
  for (const { joined, texts } of tellLate(side, log.logged)) {
    const frames = texts.map((text) => JSON.parse(text));
    expect({ joined, violations: faultsIn('claude', frames) }).toEqual({ joined, violations: [] });
    expect({ joined, isTold: texts.some((text) => text.includes('early ')) }).toEqual({ joined, isTold: true });
  }
});
