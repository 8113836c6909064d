import { expect, test } from 'vitest';
import type { Backend } from '../../../src/core/contract/adapter/backend.ts';
import type { Receiver } from '../../../src/core/contract/channel.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSession } from '../../../src/core/session/open-session.ts';
import { defaultSessionLimits } from '../../../src/core/session/session-ports.ts';
import { opening } from '../../support/core/burst-rig.ts';
import { openChannel } from '../../support/core/open-channel.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

test('each frame of the agent is told what the run has said at length', () => {
  const receivers: Receiver[] = [];
  let events: readonly Event[] = [];
  const backend: Backend = {
    decode: () => events.map((message) => ({ do: 'deliver', message })),
    encode: () => [],
  };
  const session = createSession({
    id: 's',
    epoch: '0123456789ab',
    clock: createVirtualClock(),
    limits: defaultSessionLimits,
    connect: () => ({ backend, channel: openChannel('agent', receivers) }),
    note: () => {},
  });
  session.start();
  const known: (readonly string[])[] = [];
  const say = (...list: Event[]) => {
    events = list;
    const mayRepeat = (texts: () => readonly string[]) => void known.push(texts());
    receivers[0]?.frame({ bytes: new Uint8Array(), text: '', json: null, from: () => ({}) as never, mayRepeat });
  };
  const text = 'word '.repeat(1000);
  say(...opening, { type: 'block-delta', index: 0, delta: text });
  say({ type: 'block-end', index: 0 });
  say({ type: 'message-end', stop: { reason: 'end' } }, { type: 'run-end', outcome: 'completed' });
  say({ type: 'run-start' });
  say();
  expect(known).toEqual([[], [text], [text], [text], []]);
});
