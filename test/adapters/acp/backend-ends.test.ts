// Whatever an ACP agent says and however its user stops the agent: no question stays open, and each run has an end.
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isFull } from '../../support/full.ts';
import { call, change, chosen, permission, session, type Talk, talk, text, thought } from './backend-words.ts';

/** The ids of our answers to questions of the agent. */
const answered = ({ sent }: Talk) =>
  sent.filter(({ method, id }) => method === undefined && id !== undefined).map(({ id }) => id);

const step = fc.oneof(
  fc.constant({ do: 'prompt' } as const),
  fc.constant({ do: 'stop' } as const),
  fc.record({ do: fc.constant('say'), id: fc.constantFrom(undefined, 'm1', 'm2') } as const),
  fc.record({ do: fc.constant('call'), id: fc.constantFrom('c1', 'c2', 'c3') } as const),
  fc.record({
    do: fc.constant('change'),
    id: fc.constantFrom('c1', 'c2', 'c3'),
    status: fc.constantFrom('in_progress', 'completed', 'failed'),
  } as const),
  fc.record({ do: fc.constant('ask'), id: fc.constantFrom('c1', 'c2', 'c3') } as const),
  fc.record({ do: fc.constant('decide'), decision: fc.constantFrom('allow', 'deny'), which: fc.nat(5) } as const),
  fc.constantFrom({ do: 'end' } as const, { do: 'fail' } as const, { do: 'silence' } as const),
);

/** Plays the steps; an agent answers a prompt once. Returns how many questions the agent has asked. */
function play(it: Talk, steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): number {
  let questions = 0;
  let open = false;
  const over = () => it.of('run-end').length === it.of('run-start').length;
  for (const one of steps) {
    if (it.closed !== undefined) break;
    if (one.do === 'prompt') {
      const before = it.of('run-start').length;
      it.prompt('hi');
      open = open || it.of('run-start').length > before;
    } else if (one.do === 'stop') it.ask({ type: 'abort', target: 'run' });
    else if (one.do === 'say') it.hear(one.id === undefined ? text('a') : thought('a', one.id), text('b', one.id));
    else if (one.do === 'call') it.hear(call(one.id, { rawInput: { a: 1 } }));
    else if (one.do === 'change') it.hear(change(one.id, { status: one.status }));
    else if (one.do === 'ask') {
      it.hear(permission(questions, one.id));
      questions += 1;
    } else if (one.do === 'decide')
      it.ask({ type: 'answer-approval', id: `permission-${one.which}`, decision: one.decision });
    else if (one.do === 'silence') {
      if (it.timers.has('cancelled')) it.wake('cancelled');
    } else if (open) {
      if (one.do === 'end') it.answer('session/prompt', { stopReason: 'end_turn' });
      else it.fail('session/prompt', -32_603, 'broken');
      open = false;
    }
    if (over()) open = false;
  }
  return questions;
}

test('random talks with stops: each question is answered once, each run ends once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const it = talk();
      const questions = play(it, steps);
      it.ask({ type: 'abort', target: 'run' });
      if (it.closed === undefined && it.timers.has('cancelled')) it.wake('cancelled');
      expect(answered(it).toSorted()).toEqual(Array.from({ length: questions }, (_, id) => id).toSorted());
      expect(it.of('approval-end')).toHaveLength(it.of('approval-request').length);
      expect(it.of('run-end')).toHaveLength(it.of('run-start').length);
      expect(it.faults()).toEqual([]);
    }),
    { numRuns: isFull ? 1_000 : 60 },
  );
});

describe('hostile agents', () => {
  function judged() {
    const it = talk();
    onTestFinished(() => expect(it.faults()).toEqual([]));
    return it;
  }

  test.each([0, '0', null, -1, 2 ** 53])('a question with the id %j is answered under that id', (id) => {
    const it = judged();
    it.prompt('hi');
    it.hear(permission(id, 'c'));
    it.ask({ type: 'answer-approval', id: 'permission-1', decision: 'allow' });
    expect(chosen(it, id)).toBe('y');
    it.answer('session/prompt', { stopReason: 'end_turn' });
  });

  test.each(['42', '[]', '"x"', 'null', '{"jsonrpc":"2.0","id":{}}', '{"id":{},"method":"session/update"}'])(
    'the line %s is noted, and the turn goes on',
    (line) => {
      const it = judged();
      it.prompt('hi');
      it.hearRaw(line);
      expect(it.notes).toHaveLength(1);
      it.hear(text('a', '1'));
      it.answer('session/prompt', { stopReason: 'end_turn' });
      expect(it.of('run-end')).toMatchObject([{ outcome: 'completed' }]);
    },
  );

  test('questions without end: 256 are open, the others are cancelled, and a stop answers all', () => {
    const it = judged();
    it.prompt('hi');
    const ids = Array.from({ length: 300 }, (_, id) => id);
    it.hear(...ids.map((id) => permission(id, `c${id}`)));
    expect(it.of('approval-request')).toHaveLength(256);
    expect(ids.slice(256).map((id) => chosen(it, id))).toEqual(Array.from({ length: 44 }, () => 'cancelled'));
    it.ask({ type: 'abort', target: 'run' });
    expect(answered(it)).toHaveLength(300);
    it.answer('session/prompt', { stopReason: 'cancelled' });
  });

  test('a question of another session is cancelled and asks nobody', () => {
    const it = judged();
    it.prompt('hi');
    const { params, ...rest } = permission(1, 'c');
    it.hear({ ...rest, params: { ...Object(params), sessionId: `${session}-other` } });
    expect([chosen(it, 1), it.of('approval-request')]).toEqual(['cancelled', []]);
    it.answer('session/prompt', { stopReason: 'end_turn' });
  });
});
