// A child that the system refuses (docs/faults.md F31): what Node leaves undefined, what it tells later, what it throws.
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { spawnChannel } from '../../src/transports/child/child-process.ts';
import type { Spawn } from '../../src/transports/child/start-child.ts';
import { createSpareDescriptor } from '../../src/transports/spare-descriptor.ts';
import { record } from './support/recording-receiver.ts';

function errorWith(code: string): Error {
  return Object.assign(new Error(`spawn pi ${code}`), { code });
}

/** Node after EMFILE: no id, no pipes, and the error in the next tick. */
function refusing(code: string, pipes: object): Spawn {
  return () => {
    const child = Object.assign(new EventEmitter(), { pid: undefined, ...pipes });
    process.nextTick(() => child.emit('error', errorWith(code)));
    return child as unknown as ChildProcess;
  };
}

const throwing =
  (code: string): Spawn =>
  () => {
    throw errorWith(code);
  };

describe('a process that cannot be started ends its channel with the reason', () => {
  const undefinedPipes = { stdin: undefined, stdout: undefined, stderr: undefined };
  const nullPipes = { stdin: null, stdout: null, stderr: null };

  it.each<[string, Spawn, RegExp]>([
    ['EMFILE', refusing('EMFILE', undefinedPipes), /spawn pi EMFILE \(this process may open no more files;/],
    ['ENFILE', refusing('ENFILE', undefinedPipes), /spawn pi ENFILE \(this machine can open no more files\)$/],
    ['EAGAIN', refusing('EAGAIN', nullPipes), /spawn pi EAGAIN \(this user may start no more processes/],
    ['ENOMEM', throwing('ENOMEM'), /spawn pi ENOMEM \(this machine has no memory left for a process\)$/],
    ['EMFILE, thrown', throwing('EMFILE'), /spawn pi EMFILE/],
    ['EPERM', refusing('EPERM', nullPipes), /spawn pi EPERM$/],
  ])('%s', async (_name, spawn, reason) => {
    const channel = spawnChannel({ label: 'child test', command: ['pi'] }, spawn);
    const heard = record();
    channel.open(heard.receiver);
    channel.send('{"n":1}');
    channel.pause();
    channel.resume();
    channel.endInput();
    const ending = await heard.end();
    expect(ending.reason).toMatch(/^agent could not be started: /);
    expect(ending.reason).toMatch(reason);
    expect(heard.calls).toEqual(['end']);
  });
});

describe('the descriptor in reserve', () => {
  function rig() {
    const calls: string[] = [];
    const later: (() => void)[] = [];
    let isFull = false;
    const spare = createSpareDescriptor(
      () => {
        if (isFull) throw errorWith('EMFILE');
        calls.push('open');
        return 7;
      },
      (descriptor) => calls.push(`close ${descriptor}`),
      (callback) => later.push(callback),
    );
    function fill(isNow: boolean): void {
      isFull = isNow;
    }
    return { calls, later, spare, fill };
  }

  it('is free for the refusal and taken again afterwards', () => {
    const { calls, later, spare } = rig();
    spare.hold();
    spare.hold();
    expect(spare.freeFor(errorWith('EMFILE'))).toBe(true);
    expect(spare.freeFor(errorWith('ENFILE'))).toBe(true);
    expect([calls, later]).toEqual([['open', 'close 7'], [expect.any(Function)]]);
    later.shift()?.();
    expect(calls).toEqual(['open', 'close 7', 'open']);
  });

  it('is taken later if none is free', () => {
    const { calls, later, spare, fill } = rig();
    fill(true);
    spare.hold();
    later.shift()?.();
    expect([calls, later.length]).toEqual([[], 1]);
    fill(false);
    later.shift()?.();
    expect([calls, later.length]).toEqual([['open'], 0]);
  });

  it('stays where it is after any other error', () => {
    const { calls, spare } = rig();
    spare.hold();
    expect(spare.freeFor(errorWith('ENOENT'))).toBe(false);
    expect(spare.freeFor('EMFILE')).toBe(false);
    expect(calls).toEqual(['open']);
  });
});
