// Steps after an answer run after that answer, even if the ledger answers late or before the outcome is known.

import { expect, test } from 'vitest';
import { adapterOf } from '../../src/adapters/index.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Ticket } from '../../src/core/contract/ticket.ts';
import type { CommandOf } from '../../src/core/model/command.ts';
import { type Outcome, refused } from '../../src/core/model/errors.ts';
import { createHub, type HubEntry } from '../../src/core/session/hub.ts';
import { ConnectionSessions } from '../../src/gateway/clients/connection-sessions.ts';
import type { AfterAnswer, SettleWithAfter } from '../../src/gateway/commands/after-answer.ts';
import type { CommandRequest } from '../../src/gateway/commands/command-intake.ts';
import { SessionRouter } from '../../src/gateway/sessions/session-router.ts';

const create: CommandOf<'create-session'> = { type: 'create-session' };
const ticket: Ticket = {
  type: 'create',
  payload: {},
  dependsOn: [],
  lane: 'server',
  place: 'in-turn',
  effect: 'opens',
  timeoutMs: 1,
};
const receipt = { replayed: false, timedOut: false };
const done: Outcome = { ok: true };

/** A router with a command that the test settles. `said` lists answers and steps in their order. */
function open() {
  const said: string[] = [];
  const close: AfterAnswer = { do: 'close', close: () => void said.push('close') };
  const idle = { reserve: () => {}, release: () => {}, closeUnused: () => {} };
  let settle: SettleWithAfter = () => {};
  let request: CommandRequest | undefined;
  const side = adapterOf('pi').client?.frontend({ now: () => 0, id: (kind) => kind }, {});
  if (side === undefined) throw new Error('unreachable');
  const router = new SessionRouter({
    sessions: {
      find: (): HubEntry => {
        throw new Error('unreachable');
      },
      announce: () => void said.push('announce'),
      name: () => {},
    },
    idle,
    notes: { add: () => {} },
    sessionless: {
      execute(_command, settled) {
        settle = settled;
      },
    },
    deletion: { carryOut: () => {} },
    own: new ConnectionSessions({ hub: createHub({ sessions: 1 }), idle, isOurs: false }),
    carriedOut: () => {},
    sinkOf: () => ({ submit: () => {} }),
    frontend: 'pi',
    principal: owner,
    side,
    isOurs: false,
    intake: {
      submit(submitted) {
        request = submitted;
      },
      count: () => {},
    },
    bound: undefined,
  });
  return {
    said,
    submit: (place?: Ticket) =>
      router.sink.submit(
        create,
        (outcome) => void said.push(outcome.ok ? 'answer' : outcome.error.code),
        undefined,
        place,
      ),
    settled: () => settle({ outcome: done, after: close }),
    /** The ledger executes the command. */
    execute: (answer: (outcome: Outcome) => void) => request?.execute(create, answer),
    /** The ledger answers. */
    answer: (outcome: Outcome) => request?.settle(outcome, receipt),
  };
}

test('without a ticket', () => {
  const { said, submit, settled } = open();
  submit();
  settled();
  expect(said).toEqual(['answer', 'close']);
});

test('with a ticket that is answered at once', () => {
  const { said, submit, settled, execute, answer } = open();
  submit(ticket);
  execute(answer);
  settled();
  expect(said).toEqual(['answer', 'close']);
});

test('with a ticket that is answered later', () => {
  const { said, submit, settled, execute, answer } = open();
  submit(ticket);
  execute(() => {});
  settled();
  expect(said).toEqual([]);
  answer(done);
  expect(said).toEqual(['answer', 'close']);
});

test('with a ticket that timed out: the step follows the outcome', () => {
  const { said, submit, settled, execute, answer } = open();
  submit(ticket);
  execute(() => {});
  answer(refused('timeout', 'late'));
  expect(said).toEqual(['timeout']);
  settled();
  expect(said).toEqual(['timeout', 'close']);
});
