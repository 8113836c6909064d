// Whatever clients, the agent, the clock and the run do, in any order: a tool is allowed by one yes that was said to its
// own question while that was open, and by nothing else (docs/threats.md T22).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandOf } from '../../../src/core/model/command.ts';
import { refused } from '../../../src/core/model/errors.ts';
import { createSessionRig, question } from '../../support/core/session-rig.ts';

const deadlineMs = 1_000;
const which = fc.nat({ max: 3 });

const step = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), deadline: fc.option(fc.nat({ max: 1_500 })) }),
  fc.record({
    do: fc.constant('answer' as const),
    which,
    decision: fc.constantFrom('allow' as const, 'deny' as const),
    unable: fc.boolean(),
  }),
  fc.record({ do: fc.constant('settle' as const), which, well: fc.boolean() }),
  fc.record({ do: fc.constant('withdraw' as const), which }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 600 }) }),
  fc.record({ do: fc.constant('end run' as const) }),
);

interface Forwarded {
  readonly id: string;
  readonly answer: CommandOf<'answer-approval'>;
  outcome?: 'taken' | 'refused';
}

test('an approval ends once, and is allowed by exactly one yes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const rig = createSessionRig({ limits: { questionMs: deadlineMs } });
      rig.prompt('one');
      rig.run();
      const { agent } = rig;
      const ended = new Map<string, string[]>();
      const forwarded: Forwarded[] = [];
      let asked = 0;

      /** One of the newest. */
      const idOf = (which: number) => `q${asked - which}`;

      /** Reads what happened, and holds it against the law. */
      function look(): void {
        for (const { command, id } of agent.received.slice(1 + forwarded.length)) {
          if (command.type !== 'answer-approval') throw new Error(`the agent was asked for ${command.type}`);
          const others = forwarded.filter(({ answer }) => answer.id === command.id);
          // One at a time, none behind one that the agent has taken.
          expect(others.filter(({ outcome }) => outcome !== 'refused')).toEqual([]);
          forwarded.push({ id, answer: command });
        }
        for (const line of rig.log()) {
          const [, id, outcome] = /^\+?approval-end (\S+) (\S+)$/u.exec(line) ?? [];
          if (id === undefined || outcome === undefined) continue;
          ended.set(id, [...(ended.get(id) ?? []), outcome]);
          const taken = forwarded.filter(({ answer }) => answer.id === id).at(-1);
          if (outcome === 'allowed') expect(taken).toMatchObject({ answer: { decision: 'allow' }, outcome: 'taken' });
        }
      }

      let isOpen = true;
      for (const one of steps) {
        switch (one.do) {
          case 'ask': {
            if (!isOpen) rig.run();
            isOpen = true;
            const deadline = one.deadline === null ? {} : { timeoutMs: one.deadline };
            agent.say({ ...question, id: `q${++asked}`, ...deadline });
            break;
          }
          case 'answer': {
            const { decision } = one;
            rig.submit({ type: 'answer-approval', id: idOf(one.which), decision, unable: one.unable });
            break;
          }
          case 'settle': {
            const waiting = forwarded.filter(({ outcome }) => outcome === undefined);
            const open = waiting[one.which % waiting.length];
            if (open === undefined) break;
            open.outcome = one.well ? 'taken' : 'refused';
            agent.act({ do: 'settle', id: open.id, outcome: one.well ? { ok: true } : refused('invalid', 'what?') });
            break;
          }
          case 'withdraw':
            agent.say({ type: 'approval-end', id: idOf(one.which), outcome: 'cancelled' });
            break;
          case 'wait':
            rig.clock.advance(one.ms);
            break;
          case 'end run':
            if (isOpen) rig.endRun();
            isOpen = false;
            break;
          default:
            one satisfies never;
        }
        look();
      }
      if (isOpen) rig.endRun();
      look();
      const endings = Array.from({ length: asked }, (_, at) => ended.get(`q${at + 1}`)?.length);
      expect(endings).toEqual(endings.map(() => 1));
    }),
    { numRuns: 300 },
  );
});
