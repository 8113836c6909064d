// A world that stands still: the time of day, the ids and the timers of a run are the same in each run. Knows no protocol.
import crypto from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The time of day in every run, ms since 1970. */
const timeOfDay = Date.UTC(2030, 0, 1);

/** The folder that recordings name; {@link project} stands in its place while a recording is played. */
const recordedFolder = '/home/user/project';

let ids = 0;

const { Date: RealDate } = globalThis;
const startedAt = RealDate.now();

/** A folder of this run alone, with an empty home and an empty project in it. */
const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-outputs-'));
const project = path.join(folder, 'project');
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Stops the time and the chance of this process. Must run before a build is imported. */
export function standStill() {
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(timeOfDay);
      else super(...given);
    }
    static now() {
      return timeOfDay;
    }
  };
  performance.now = () => 0;
  Math.random = () => 0.5;
  crypto.randomUUID = () => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
  };
  crypto.randomBytes = (size) => Buffer.alloc(size, 7);
  globalThis.crypto.randomUUID = crypto.randomUUID;
  syncBuiltinESMExports();
  process.env.HOME = path.join(folder, 'home');
  process.env.XDG_STATE_HOME = path.join(folder, 'state');
  process.env.NO_COLOR = '1';
}

/** A fresh project, a fresh place for stored sessions and the first id again. Returns that place. */
export function newWorld() {
  ids = 0;
  for (const name of ['home', 'state', 'sessions', 'project']) {
    rmSync(path.join(folder, name), { recursive: true, force: true });
    mkdirSync(path.join(folder, name), { recursive: true });
  }
  return { sessions: path.join(folder, 'sessions'), project, folder };
}

/** The text of a recording as it is played here. */
export const played = (text) => text.replaceAll(recordedFolder, project);

/** The text of an output without this machine in it: its folders, and the times of files that were written in this run. */
export function unplaced(text) {
  const timeless = text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu, (time) =>
    isOfThisRun(RealDate.parse(time)) ? 'now' : time,
  );
  return timeless.replaceAll(project, recordedFolder).replaceAll(folder, '/outputs');
}

const isOfThisRun = (ms) => ms >= startedAt - 1000 && ms <= RealDate.now() + 1000;

/** A clock that moves only when it is told to. See Clock in src/core. */
export function createClock() {
  let now = 0;
  let count = 0;
  const timers = new Map();

  function firstDue(until) {
    let first = null;
    for (const [number, timer] of timers) {
      if (timer.at <= until && (first === null || timer.at < first.at)) first = { number, ...timer };
    }
    return first;
  }

  return {
    now: () => now,
    after(ms, callback) {
      count += 1;
      const number = count;
      timers.set(number, { at: now + Math.max(0, ms), callback });
      return () => timers.delete(number);
    },
    /** Rings what falls due within so many ms, and lets everybody speak after each ring. */
    async advance(ms, rest) {
      const until = now + ms;
      for (let due = firstDue(until); due !== null; due = firstDue(until)) {
        timers.delete(due.number);
        now = due.at;
        due.callback();
        await rest();
      }
      now = until;
    },
  };
}
