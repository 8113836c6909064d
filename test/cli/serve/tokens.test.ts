// Which tokens `serve` accepts, from its options, the environment and the configuration.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configuredTokens, singleToken } from '../../../src/cli/serve/tokens.ts';
import { parseConfig } from '../../../src/config/config.ts';

let dir: string;
const file = (name: string, text: string) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'patchbay-tokens-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the single token', () => {
  test('comes from the option, a file without its line end, or the variable; the option comes first', () => {
    expect(singleToken({ token: 'one' }, { PATCHBAY_TOKEN: 'two' })).toBe('one');
    expect(singleToken({ tokenFile: file('good', 'three\n') }, { PATCHBAY_TOKEN: 'two' })).toBe('three');
    expect(singleToken({}, { PATCHBAY_TOKEN: 'two' })).toBe('two');
    expect(singleToken({}, { PATCHBAY_TOKEN: '' })).toBeUndefined();
  });

  test('is refused from two places, from an empty file, and from a file that is not there', () => {
    const good = file('good', 'three');
    expect(() => singleToken({ token: 'one', tokenFile: good }, {})).toThrow('not both');
    expect(() => singleToken({ tokenFile: file('empty', ' \n') }, {})).toThrow('is empty');
    expect(() => singleToken({ tokenFile: join(dir, 'none') }, {})).toThrow('cannot read the token');
  });
});

describe('the tokens of the configuration', () => {
  const long = 'a-token-of-many-characters';
  const sha256 = createHash('sha256').update(long).digest('hex');
  const read = (tokens: readonly object[], env: Record<string, string> = {}) =>
    configuredTokens(parseConfig({ agents: { here: { protocol: 'demo' } }, tokens }), env);

  test('a hash and a variable of the same token are compared alike, with the rights of their entry', () => {
    const entries = read(
      [
        { name: 'ci', role: 'controller', sha256, agents: ['here'] },
        { name: 'wall', role: 'observer', variable: 'WALL' },
      ],
      { WALL: long },
    );
    expect(entries.map(({ hash }) => hash.toString('hex'))).toEqual([sha256, sha256]);
    expect(entries.map(({ principal }) => principal)).toEqual([
      { name: 'ci', role: 'controller', agents: new Set(['here']), sessions: 'own' },
      { name: 'wall', role: 'observer', agents: null, sessions: 'all' },
    ]);
  });

  test.each<[string, object, string]>([
    ['an unset variable', { variable: 'WALL' }, 'the variable WALL is not set'],
    ['an unknown agent', { sha256, agents: ['there'] }, 'names an unknown agent there'],
  ])('%s is refused', (_, fields, words) => {
    expect(() => read([{ name: 'ci', role: 'controller', ...fields }])).toThrow(words);
  });

  test('a short token and a name that is taken are refused', () => {
    const entry = { name: 'ci', role: 'controller', variable: 'WALL' };
    expect(() => read([entry], { WALL: 'fifteen-letters' })).toThrow('fewer than 16 characters');
    expect(() => read([entry, entry], { WALL: long })).toThrow('two tokens have the name ci');
  });
});
