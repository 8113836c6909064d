// What the answers about prompts say: what became of one, and which are taken back; in the agent's own words where it has
// some.
import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/core/model/errors.ts';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSessionRig, promptOf, type SessionRig } from '../../support/core/session-rig.ts';

const own = { extra: { p: { word: 'mine' } } };
const unsupported = refused('unsupported', 'no queue');

/** Another prompt joins the run of the first; the agent answers so. */
function joining(whenBusy: 'steer' | 'follow-up', outcome: Outcome) {
  return (rig: SessionRig, answer: (outcome: Outcome) => void) => {
    rig.prompt('one');
    rig.run();
    rig.session.submit(promptOf('two', whenBusy), answer);
    rig.agent.settle('prompt', outcome);
  };
}

test.each<[what: string, act: (rig: SessionRig, answer: (outcome: Outcome) => void) => void, data: unknown]>([
  [
    'one whose run begins',
    (rig, answer) => {
      rig.session.submit(promptOf('one'), answer);
      rig.run();
    },
    undefined,
  ],
  [
    'one whose agent said something of it',
    (rig, answer) => {
      rig.session.submit(promptOf('one'), answer);
      rig.agent.settle('prompt', { ok: true, data: own });
      rig.run();
    },
    own,
  ],
  [
    'the next one, which the agent said nothing of',
    (rig, answer) => {
      rig.prompt('one');
      rig.agent.settle('prompt', { ok: true, data: own });
      rig.run();
      rig.endRun();
      rig.session.submit(promptOf('two'), answer);
      rig.run();
    },
    undefined,
  ],
  [
    'one that nothing comes of',
    (rig, answer) => {
      rig.session.submit(promptOf('/now'), answer);
      rig.agent.say({ type: 'run-start', empty: true });
    },
    { taken: 'handled' },
  ],
  ['one that steers', joining('steer', { ok: true }), { taken: 'queued' }],
  ['one that follows, in the agent', joining('follow-up', { ok: true, data: own }), { taken: 'queued', ...own }],
  ['one that follows, in the session', joining('follow-up', unsupported), { taken: 'queued' }],
])('%s', (_, act, data) => {
  const outcomes: Outcome[] = [];
  act(createSessionRig(), (outcome) => void outcomes.push(outcome));
  expect(outcomes).toEqual([data === undefined ? { ok: true } : { ok: true, data }]);
});

test.each<[what: string, queue: Event | null, agent: Outcome, outcome: Outcome]>([
  [
    'the agent’s queue, as it told it',
    { type: 'queue-changed', steering: ['s'], followUp: ['f'] },
    { ok: true },
    { ok: true, data: { steering: ['s'], followUp: ['f', 'kept'] } },
  ],
  [
    'in the agent’s own words',
    null,
    { ok: true, data: own },
    { ok: true, data: { steering: [], followUp: ['kept'], ...own } },
  ],
  ['the session’s own queue alone', null, unsupported, { ok: true, data: { steering: [], followUp: ['kept'] } }],
])('what is taken back from a queue: %s', (_, queue, agent, outcome) => {
  const rig = createSessionRig();
  const outcomes: Outcome[] = [];
  rig.prompt('one');
  rig.run();
  rig.prompt('kept', 'follow-up');
  rig.agent.settle('prompt', unsupported);
  if (queue !== null) rig.agent.say(queue);
  rig.session.submit({ type: 'clear-queue' }, (one) => void outcomes.push(one));
  rig.agent.settle('clear-queue', agent);
  expect(outcomes).toEqual([outcome]);
});
