// Settings of protocols in the configuration and in the environment, and what is said of those that nobody reads.
import { describe, expect, test } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import { parseConfig, withEnvironment } from '../../src/config/config.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';

const frontends = (environment: Record<string, string>, inFile: unknown = {}) =>
  withEnvironment(parseConfig({ frontends: inFile }), environment).frontends;

describe('settings of a protocol', () => {
  test('come from the file, and the environment goes before, setting by setting', () => {
    const inFile = { 'pi-server': { drainMs: 1, maxInFlight: 2 } };
    expect(frontends({}, inFile)).toEqual(inFile);
    expect(frontends({ PATCHBAY_PI_SERVER: '{"drainMs":3,"maxOutcomes":4}' }, inFile)).toEqual({
      'pi-server': { drainMs: 3, maxInFlight: 2, maxOutcomes: 4 },
    });
  });

  test('of an empty variable, or of one that names no protocol, are none', () => {
    expect(frontends({ PATCHBAY_PI_SERVER: '', PATCHBAY_TOKEN: '{"a":1}', PATCHBAY_NOBODY: '{"a":1}' })).toEqual({});
  });

  test('are read for protocols that have any, whatever the others’ variables hold', () => {
    const others = [...adapters.values()].filter(({ client }) => client?.hasSettings === undefined);
    expect(others.map(({ id }) => id)).toEqual(expect.arrayContaining(['pi', 'demo', 'claude', 'eca']));
    for (const text of ['1', '{}', '{', '{"drainMs":5}']) {
      const environment = others.map(({ id }) => [`PATCHBAY_${id.replaceAll('-', '_').toUpperCase()}`, text]);
      expect(frontends(Object.fromEntries(environment))).toEqual({});
    }
  });

  test('belong to the protocols that say so', () => {
    const env = { now: () => 0, id: (kind: string) => kind };
    for (const { client } of adapters.values()) {
      expect(client?.frontend(env, {}).limits !== undefined).toBe(client?.hasSettings === true);
    }
  });

  test.each(['{', '[]', '5', '"x"', 'null'])('that are %s are refused with the name of the variable', (text) => {
    expect(() => frontends({ PATCHBAY_PI_SERVER: text })).toThrow(/^PATCHBAY_PI_SERVER: /u);
  });

  test.each<[string, object, RegExp]>([
    ['a protocol that there is not', { nobody: {} }, /no protocol named "nobody"/u],
    ['one that has no settings', { claude: { drainMs: 5 } }, /frontends\.claude: it has no settings/u],
    ['one that clients do not speak', { demo: {} }, /demo has no client side/u],
    ['a setting that there is not', { 'pi-server': { maxInflight: 5 } }, /maxInflight/u],
    ['a value that cannot be', { 'pi-server': { maxInFlight: '5' } }, /maxInFlight/u],
  ])('%s: the gateway does not start', (_name, inFile, message) => {
    const config = parseConfig({ frontends: inFile });
    expect(() => createGateway(config, { log: () => {} })).toThrow(message);
  });
});
