// Work in portions: what is done at once, what waits, and whose turn it is (docs/limits.md 6.1).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PacedTask, unpaced } from '../../../src/core/contract/paced-work.ts';
import { createSteppedWork, type SteppedWork } from '../../support/core/stepped-work.ts';

/** A task of so many steps, each of that size, that writes its name down. */
function taskOf(name: string, steps: number, done: string[], step: (left: number) => number = () => 0): PacedTask {
  let left = steps;
  return {
    step() {
      if (left === 0) return null;
      left -= 1;
      done.push(name);
      return step(left);
    },
  };
}

/** Takes so many ms of the work's time. */
const lasting = (work: SteppedWork, ms: number) => () => {
  work.now += ms;
  return 0;
};

describe('the budget', () => {
  test('work within it is done at once', () => {
    const work = createSteppedWork({ ms: 10, bytes: 100 });
    const done: string[] = [];
    work.queue().run(taskOf('a', 3, done));
    expect(done).toEqual(['a', 'a', 'a']);
  });

  test.each([
    ['ms', (work: SteppedWork) => lasting(work, 4), 3],
    ['bytes', () => () => 40, 3],
  ])('by %s: what is beyond waits until others were served, and takes less than all of it', (_, step, first) => {
    const work = createSteppedWork({ ms: 10, bytes: 100 });
    const done: string[] = [];
    work.queue().run(taskOf('a', 7, done, step(work)));
    expect(done).toHaveLength(first);
    work.pass();
    expect(done).toHaveLength(first + 2);
    work.passAll();
    expect(done).toHaveLength(7);
  });

  test('some of it is kept for what arrives during a pass', () => {
    const work = createSteppedWork({ ms: 10, bytes: 100 });
    const done: string[] = [];
    work.queue().run(taskOf('long', 9, done, lasting(work, 4)));
    work.pass();
    done.length = 0;
    work.queue().run(taskOf('new', 1, done));
    expect(done).toEqual(['new']);
  });

  test('is full again after others were served, with nothing in between', () => {
    const work = createSteppedWork({ ms: 10, bytes: 100 });
    const done: string[] = [];
    const queue = work.queue();
    queue.run(taskOf('a', 1, done, () => 1000));
    work.passAll();
    queue.run(taskOf('b', 1, done));
    expect(done).toEqual(['a', 'b']);
  });

  test('one that is too small for anything stops nothing: each pass is one step', () => {
    const work = createSteppedWork();
    const done: string[] = [];
    work.queue().run(taskOf('a', 5, done, lasting(work, 100)));
    expect(done).toEqual([]);
    // The last pass finds that the task has no more.
    expect(work.passAll()).toBe(6);
    expect(done).toHaveLength(5);
  });
});

describe('turns', () => {
  test('the timer of a neighbour comes between two passes', () => {
    const work = createSteppedWork();
    const done: string[] = [];
    work.queue().run(taskOf('burst', 3, done));
    work.pass();
    done.push('timer');
    work.pass();
    expect(done).toEqual(['burst', 'timer', 'burst']);
  });

  test('queues take turns, whatever the number of their tasks', () => {
    const work = createSteppedWork();
    const done: string[] = [];
    const [many, one] = [work.queue(), work.queue()];
    for (const name of ['a', 'b', 'c']) many.run(taskOf(name, 2, done));
    one.run(taskOf('neighbour', 3, done));
    for (let pass = 0; pass < 6; pass += 1) work.pass();
    expect(done).toEqual(['a', 'neighbour', 'b', 'neighbour', 'c', 'neighbour']);
    work.passAll();
    expect(done.slice(6)).toEqual(['a', 'b', 'c']);
  });

  test('a new task does not overtake those of its queue', () => {
    const work = createSteppedWork({ ms: 10, bytes: 100 });
    const done: string[] = [];
    const queue = work.queue();
    queue.run(taskOf('a', 2, done, () => 100));
    work.pass();
    queue.run(taskOf('b', 1, done));
    work.passAll();
    expect(done).toEqual(['a', 'a', 'b']);
  });

  test('a task that waits already is not added again', () => {
    const work = createSteppedWork();
    const done: string[] = [];
    const queue = work.queue();
    const task = taskOf('a', 1, done);
    queue.run(task);
    queue.run(task);
    work.passAll();
    expect(done).toEqual(['a']);
  });

  test.each(['paced', 'unpaced'])(
    '%s: a task that adds itself within its step is asked again, after that step',
    (way) => {
      const work = createSteppedWork();
      const queue = way === 'paced' ? work.queue() : unpaced;
      const calls: string[] = [];
      const task: PacedTask = {
        step() {
          calls.push('begin');
          if (calls.length === 1) queue.run(task);
          calls.push('end');
          return null;
        },
      };
      queue.run(task);
      work.passAll();
      expect(calls).toEqual(['begin', 'end', 'begin', 'end']);
    },
  );

  test('a step that throws costs nobody else', () => {
    const work = createSteppedWork();
    const done: string[] = [];
    work.queue().run({
      step() {
        throw new Error('broken');
      },
    });
    work.queue().run(taskOf('a', 1, done));
    expect(() => work.pass()).toThrow('broken');
    work.passAll();
    expect(done).toEqual(['a']);
  });

  test.each([
    ['at once', { ms: 10, bytes: 100 }],
    ['in a pass', { ms: 0, bytes: 0 }],
  ])('what a step throws %s goes to `failed` alone, and the queue goes on', (_, budget) => {
    const failures: unknown[] = [];
    const work = createSteppedWork(budget, (thrown) => {
      failures.push(thrown);
      throw new Error('the port is broken too');
    });
    const done: string[] = [];
    const queue = work.queue();
    let calls = 0;
    const broken: PacedTask = {
      step() {
        calls += 1;
        throw 'broken';
      },
    };
    queue.run(broken);
    queue.run(taskOf('a', 2, done));
    work.passAll();
    work.finish();
    expect([failures, calls, done]).toEqual([['broken'], 1, ['a', 'a']]);
  });

  test('a task that asked for another step before it threw gets that step', () => {
    const failures: unknown[] = [];
    const work = createSteppedWork({ ms: 10, bytes: 100 }, (thrown) => failures.push(thrown));
    const queue = work.queue();
    const calls: string[] = [];
    const task: PacedTask = {
      step() {
        calls.push('step');
        if (calls.length > 1) return null;
        queue.run(task);
        throw 'broken';
      },
    };
    queue.run(task);
    expect([failures, calls]).toEqual([['broken'], ['step', 'step']]);
  });

  test('the end of the gateway does all that waits', () => {
    const work = createSteppedWork();
    const done: string[] = [];
    work.queue().run(taskOf('a', 3, done));
    work.queue().run(taskOf('b', 1, done));
    work.finish();
    expect(done.toSorted()).toEqual(['a', 'a', 'a', 'b']);
  });
});

test('each task does all its steps, in their order, whatever the budget', () => {
  const tasks = fc.array(fc.record({ queue: fc.nat(2), steps: fc.nat(5), bytes: fc.nat(60) }), { maxLength: 12 });
  fc.assert(
    fc.property(tasks, fc.nat(100), (planned, bytes) => {
      const work = createSteppedWork({ ms: 10, bytes });
      const queues = [work.queue(), work.queue(), work.queue()];
      const done: string[] = [];
      for (const [name, task] of planned.entries()) {
        queues[task.queue]?.run(taskOf(String(name), task.steps, done, () => task.bytes));
      }
      work.passAll();
      const expected = planned.flatMap(({ steps }, name) => Array.from({ length: steps }, () => String(name)));
      expect(done.toSorted()).toEqual(expected.toSorted());
    }),
  );
});
