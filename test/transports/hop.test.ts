// The signature of forwarded requests (decision 0033, docs/threats.md T43).
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { owner } from '../../src/core/contract/principal.ts';
import { bodyHashOf, createHopCheck, hopHeader, signHop } from '../../src/transports/http/hop.ts';

const secret = 'a-secret-of-gateways-that-is-long-enough';
const address = 'http://10.0.0.1:1';
const body = Buffer.from('{}');
const post = { method: 'POST', target: '/v1/pi/sessions/one/frames', body };
const arriving = (header: string, { method, target } = post, more: readonly string[] = []) =>
  ({ method, url: target, rawHeaders: [hopHeader, header, ...more] }) as unknown as IncomingMessage;

test('a signed request brings its principal and the hash of its body, once', () => {
  const check = createHopCheck({ secret, address });
  const principal = { ...owner, name: 'some', agents: new Set(['demo']) };
  const header = signHop(secret, address, post, principal);
  expect(check(arriving(header))).toEqual({ principal, bodyHash: bodyHashOf(body) });
  expect(check(arriving(header))).toBeNull();
});

test.each([
  ['another method', (header: string) => arriving(header, { ...post, method: 'DELETE' })],
  ['another target', (header: string) => arriving(header, { ...post, target: '/v1/pi/sessions/two/frames' })],
  [
    'another body',
    (header: string) => arriving(header.replace(/\.[0-9a-f]{64}\./u, `.${bodyHashOf(Buffer.from('x'))}.`)),
  ],
  ['other claims', (header: string) => arriving(`A${header.slice(1)}`)],
  ['a second header', (header: string) => arriving(header, post, [hopHeader, header])],
  ['no signature', () => arriving('')],
])('a request with %s does not count', (_, requestOf) => {
  expect(createHopCheck({ secret, address })(requestOf(signHop(secret, address, post, owner)))).toBeNull();
});

test('a request for another gateway, of another secret, or of another time does not count', () => {
  const check = createHopCheck({ secret, address });
  expect(check(arriving(signHop(secret, 'http://10.0.0.2:1', post, owner)))).toBeNull();
  expect(check(arriving(signHop(`${secret}!`, address, post, owner)))).toBeNull();
  const now = Date.now;
  const header = signHop(secret, address, post, owner);
  try {
    Date.now = () => now() + 31_000;
    expect(check(arriving(header))).toBeNull();
    Date.now = () => now() - 31_000;
    expect(check(arriving(header))).toBeNull();
  } finally {
    Date.now = now;
  }
});
