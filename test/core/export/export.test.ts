// An export takes turns (docs/limits.md 6.8): what is in the page, who is answered when, and what is left of one that
// does not come to its end.
import { expect, test } from 'vitest';
import type { ExportPort } from '../../../src/core/export/export.ts';
import { pageMark } from '../../../src/core/export/html.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { GatewayError } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSessionRig } from '../../support/core/session-rig.ts';
import { createSteppedWork } from '../../support/core/stepped-work.ts';

const said = (text: string): Event => ({ type: 'message-added', role: 'user', content: [{ type: 'text', text }] });

/** A session of so many messages whose exports go on when the test says so. */
function opened({ messages = 2000, failAt = Number.POSITIVE_INFINITY } = {}) {
  const files: { path: string | undefined; parts: string[]; end: string }[] = [];
  const exports: ExportPort = {
    pathsForAgent: false,
    open(path) {
      if (path === '/refused.html') throw new GatewayError('invalid', 'not there');
      const file = { path, parts: [] as string[], end: '' };
      files.push(file);
      return {
        write(html) {
          if (file.parts.push(html) > failAt) throw new GatewayError('internal', 'the disk is full');
        },
        finish() {
          file.end = 'whole';
          return path ?? '';
        },
        abandon() {
          if (file.end === '') file.end = 'abandoned';
        },
      };
    },
  };
  const work = createSteppedWork();
  const rig = createSessionRig({ exports, work: work.queue() });
  rig.prompt('one');
  rig.run();
  for (let number = 0; number < messages; number += 1) rig.agent.say(said(`words ${number}.`));
  rig.answers.splice(0);
  rig.log();
  const order = (path: string): Command => ({ type: 'export', format: 'html', path });
  return { rig, work, files, exported: (path: string) => rig.submit(order(path), path) };
}

const until = (work: { pass(): boolean }, isSo: () => boolean) => {
  while (!isSo()) if (!work.pass()) throw new Error('nothing more is due');
};

test('the page of a long conversation is made and written in portions, and answered when it is whole', () => {
  const { rig, work, files, exported } = opened();
  exported('/a.html');
  // By its first bytes the file is known as an export from the beginning.
  expect(files[0]?.parts).toEqual([pageMark]);
  const passes = work.passAll();
  expect(rig.answers).toEqual(['/a.html: ok']);
  expect(files[0]?.end).toBe('whole');
  // 2,000 messages are gathered, counted, paired and written, 512 pieces at most at a time.
  expect(passes).toBeGreaterThan(3 * (2000 / 512));
  const parts = files[0]?.parts ?? [];
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(64 * 1024);
  expect(parts.join('').match(/words \d+\./gu)).toHaveLength(2000);
});

test('messages that make no page yet are gathered in portions too', () => {
  const { work, files, exported } = opened({ messages: 4000 });
  exported('/a.html');
  // Three looks at each message, 512 pieces at most at a time, come before the first of them is written.
  for (let pass = 0; pass < 20; pass += 1) work.pass();
  expect(files[0]?.parts.join('')).not.toContain('words 0.');
  work.passAll();
  expect(files[0]?.parts.join('')).toContain('words 3999.');
});

test('nothing is answered before, and the neighbours are served in between', () => {
  const { rig, work, files, exported } = opened();
  exported('/a.html');
  let neighbour = 0;
  const queue = work.queue();
  queue.run({
    step() {
      neighbour += 1;
      return neighbour < 5 ? 0 : null;
    },
  });
  until(work, () => neighbour === 5);
  expect([rig.answers, files[0]?.end]).toEqual([[], '']);
});

test.each([0, 1, 5, 20])('what is said after it has begun, here %i portions later, is not in the page', (passes) => {
  const { rig, work, files, exported } = opened();
  rig.agent.say({ type: 'message-start', id: 'm' }, { type: 'block-start', index: 0, block: { kind: 'text' } });
  exported('/a.html');
  for (let pass = 0; pass < passes; pass += 1) work.pass();
  rig.agent.say({ type: 'block-delta', index: 0, delta: 'late' }, { type: 'block-end', index: 0 });
  rig.agent.say({ type: 'message-end', stop: { reason: 'end' } }, said('later'));
  rig.agent.say({ type: 'session-changed', changes: { name: 'latest' } });
  if (passes > 1) rig.agent.say({ type: 'history-reset', reason: 'cleared' });
  work.passAll();
  const page = files[0]?.parts.join('') ?? '';
  expect(page.match(/words \d+\./gu)).toHaveLength(2000);
  expect(page).toContain('2000 messages');
  // At the beginning of a word: the style sheet isolates texts.
  expect(page.match(/\blate\w*/gu)).toBeNull();
});

test('one follows the other, and a refusal in between stops none', () => {
  const { rig, work, files, exported } = opened();
  for (const path of ['/a.html', '/refused.html', '/b.html']) exported(path);
  until(work, () => files.length === 2);
  expect([files[0]?.end, rig.answers]).toEqual(['whole', ['/a.html: ok', '/refused.html: invalid']]);
  work.passAll();
  expect(rig.answers).toEqual(['/a.html: ok', '/refused.html: invalid', '/b.html: ok']);
  expect(files[1]?.parts.join('')).toBe(files[0]?.parts.join(''));
});

test('the end of the session ends it: the file goes, who asked is told, once', () => {
  const { rig, work, files, exported } = opened();
  for (const path of ['/a.html', '/b.html']) exported(path);
  until(work, () => (files[0]?.parts.length ?? 0) > 2);
  rig.session.close('over');
  work.passAll();
  expect(rig.answers).toEqual(['/a.html: shutting-down', '/b.html: shutting-down']);
  expect(files.map(({ end }) => end)).toEqual(['abandoned']);
});

test('a client that leaves takes nothing with it: the file becomes whole', () => {
  const { rig, work, files, exported } = opened();
  exported('/a.html');
  work.pass();
  rig.leave();
  work.passAll();
  expect(files[0]?.end).toBe('whole');
});

test.each([0, 1, 3])('a file that cannot take portion %i is the end of that export alone', (failAt) => {
  const { rig, work, files, exported } = opened({ failAt });
  for (const path of ['/a.html', '/b.html']) exported(path);
  work.passAll();
  expect(rig.answers).toEqual(['/a.html: internal', '/b.html: internal']);
  expect(rig.problems).toEqual(['the disk is full', 'the disk is full']);
  expect(files.map(({ parts }) => parts.length)).toEqual([failAt + 1, failAt + 1]);
});

test('a text longer than a portion is escaped in slices that cut no pair', () => {
  const { rig, work, files, exported } = opened({ messages: 0 });
  const pair = '\r\n😀';
  for (let shift = 0; shift < 4; shift += 1) rig.agent.say(said(`[${'x'.repeat(shift)}${pair.repeat(10_000)}]`));
  exported('/a.html');
  work.passAll();
  const page = files[0]?.parts.join('') ?? '';
  const texts = page.match(/\[[^\]]*\]/gu);
  expect(texts).toEqual([0, 1, 2, 3].map((shift) => `[${'x'.repeat(shift)}${'\n😀'.repeat(10_000)}]`));
  expect(files[0]?.parts.length).toBeGreaterThan(4);
});
