// When the log of a session is written through to the disk, and when clients are told that it is not (decision 0025).
import { expect, test } from 'vitest';
import type { Durability, StoredRecord } from '../../../src/core/contract/store/session-store.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { SessionRecorder } from '../../../src/core/session/kept/session-recorder.ts';

function start() {
  const records: StoredRecord[] = [];
  const said: string[] = [];
  const disk: { durability: Durability } = { durability: 'kept' };
  const recorder = new SessionRecorder({
    log: {
      append: (record) => void records.push(record),
      sync(done) {
        said.push(`sync ${records.length}`);
        done(disk.durability);
      },
    },
    place: 0,
    unkept: () => said.push('unkept'),
  });
  let seq = 0;
  const log = (event: Event) => recorder.event({ seq: ++seq, at: 0, event });
  return { disk, log, recorder, said };
}

test.each<[boolean, Event]>([
  [true, { type: 'run-end', outcome: 'completed' }],
  [true, { type: 'approval-end', id: 'a', outcome: 'allowed' }],
  [true, { type: 'dialog-end', id: 'd', outcome: 'answered' }],
  [false, { type: 'run-start' }],
  [false, { type: 'block-delta', index: 0, delta: 'x' }],
])('%s: an event goes to the disk at once, with all before it: %j', (isSynced, event) => {
  const { log, said } = start();
  log({ type: 'turn-start' });
  log(event);
  expect(said).toEqual(isSynced ? ['sync 2'] : []);
});

test('each time that the disk takes nothing is told once', () => {
  const { disk, recorder, said } = start();
  const told = (durability: Durability) => {
    disk.durability = durability;
    recorder.sync();
    return said.splice(0).includes('unkept');
  };
  const turns = ['kept', 'memory', 'memory', 'kept', 'memory', 'memory'] as const;
  expect(turns.map(told)).toEqual([false, true, false, false, true, false]);
});
