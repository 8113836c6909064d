// Which stored conversation a session was: kept in one file each, found again by id and by place.
import { mkdtempSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storedIdsIn } from '../../../src/cli/stand-ins/stored-ids.ts';

const newFolder = () => join(mkdtempSync(join(tmpdir(), 'patchbay-ids-')), 'deep', 'ids');
const entry = (id: string, more: object = {}) => ({ id, agent: 'pi', cwd: '/here', file: `/kept/${id}`, ...more });

test('what was saved is found by others, by id', () => {
  const folder = newFolder();
  storedIdsIn(folder).save(entry('one'));
  expect(storedIdsIn(folder).find('one')).toEqual(entry('one'));
  expect(storedIdsIn(folder).find('two')).toBeNull();
  expect(statSync(join(folder, 'one.json')).mode & 0o777).toBe(0o600);
  for (const id of ['../one', 'two']) storedIdsIn(folder).remove(id);
  expect(storedIdsIn(folder).list()).toEqual([entry('one')]);
  storedIdsIn(folder).remove('one');
  expect(storedIdsIn(folder).list()).toEqual([]);
});

test('the latest is that of the agent and the place', () => {
  const folder = newFolder();
  const ids = storedIdsIn(folder);
  for (const [at, saved] of [
    entry('old'),
    entry('new'),
    entry('far', { cwd: '/there' }),
    entry('theirs', { agent: 'x' }),
  ].entries()) {
    ids.save(saved);
    utimesSync(join(folder, `${saved.id}.json`), 1000 + at, 1000 + at);
  }
  expect(ids.latest('pi', '/here')?.id).toBe('new');
  expect(ids.latest('x', '/here')?.id).toBe('theirs');
  expect(ids.latest('x', '/there')).toBeNull();
  const file = ids.find('old')?.file ?? '';
  expect([ids.holding('pi', file)?.id, ids.holding('y', file), ids.holding('pi', '/none')]).toEqual([
    'old',
    null,
    null,
  ]);
  expect(storedIdsIn('/nowhere').latest('pi', '/here')).toBeNull();
});

test.each(['../outside', 'a/b', '', 'a.json', 'x'.repeat(129)])('%j is nobody’s id', (id) => {
  const folder = newFolder();
  storedIdsIn(folder).save(entry('one'));
  storedIdsIn(folder).save(entry(id));
  expect([storedIdsIn(folder).find(id), readdirSync(folder)]).toEqual([null, ['one.json']]);
});

test('a file that is none of ours is passed over', () => {
  const folder = newFolder();
  const ids = storedIdsIn(folder);
  ids.save(entry('one'));
  writeFileSync(join(folder, 'two.json'), '{"id":');
  expect([ids.find('two'), ids.latest('pi', '/here')?.id]).toEqual([null, 'one']);
});

test('a file that goes while we look hides no other', () => {
  const folder = newFolder();
  const ids = storedIdsIn(folder);
  ids.save(entry('one'));
  symlinkSync('/nowhere', join(folder, 'two.json'));
  expect(ids.latest('pi', '/here')?.id).toBe('one');
});

test('the oldest are forgotten', () => {
  const folder = newFolder();
  const ids = storedIdsIn(folder);
  ids.save(entry('first'));
  for (let at = 0; at < 501; at += 1) writeFileSync(join(folder, `${at}.json`), JSON.stringify(entry(`${at}`)));
  utimesSync(join(folder, 'first.json'), 1, 1);
  ids.save(entry('last'));
  expect([ids.find('first'), readdirSync(folder).length]).toEqual([null, 500]);
});
