// The address of a store: where it comes from, and that no message has its password (docs/threats.md T7).
import { expect, test } from 'vitest';
import { storeAddressIn } from '../../../src/cli/serve/shared-store.ts';
import { messageOf } from '../../../src/core/model/errors.ts';

const secret = 'redis://user:hidden@host:1/2?prefix=p:';

test('the address comes from the option, the variable or the configuration, in this order', () => {
  const config = { store: 'redis://c' };
  expect(storeAddressIn({}, {}, {})).toBeNull();
  expect(storeAddressIn({}, config, {})).toEqual({ url: 'redis://c', prefix: '' });
  expect(storeAddressIn({}, config, { PATCHBAY_STORE: secret })).toEqual({
    url: 'redis://user:hidden@host:1/2',
    prefix: 'p:',
  });
  expect(storeAddressIn({ store: 'rediss://o' }, config, { PATCHBAY_STORE: secret })?.url).toBe('rediss://o');
});

test.each([
  ['a password on the command line', { store: secret }, {}, {}, /PATCHBAY_STORE/u],
  ['a journal beside it', { store: 'redis://o', journal: '/j' }, {}, {}, /not in both/u],
  ['a configured journal beside it', {}, { journal: '/j' }, { PATCHBAY_STORE: secret }, /not in both/u],
  ['another protocol', {}, {}, { PATCHBAY_STORE: secret.replace('redis', 'http') }, /must be redis:/u],
  ['no address', {}, {}, { PATCHBAY_STORE: 'hidden' }, /must be redis:/u],
  ['an option of the library', {}, {}, { PATCHBAY_STORE: `${secret}&tls=0` }, /must be redis:/u],
  ['a bad prefix', {}, {}, { PATCHBAY_STORE: `${secret}{*` }, /prefix/u],
])('%s is refused without a word of it', (_, options, config, env, words) => {
  let said = '';
  try {
    storeAddressIn(options, config, env);
  } catch (thrown) {
    said = messageOf(thrown);
  }
  expect(said).toMatch(words);
  expect(said).not.toContain('hidden');
});
