// What other gateways and their clients can make grow.
import type { IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import type { Delivery } from '../../src/core/contract/delivery.ts';
import { owner } from '../../src/core/contract/principal.ts';
import type { Outcome } from '../../src/core/model/errors.ts';
import { OwnerLine, ownerLineLimits } from '../../src/gateway/stored/owner-line.ts';
import { StoredNames } from '../../src/gateway/stored/stored-names.ts';
import { createHopCheck, hopHeader, signHop } from '../../src/transports/http/hop.ts';
import { type Acts, counted } from './rig.ts';

const address = 'http://10.0.0.1:1';
const secret = 'a-secret-of-gateways-that-is-long-enough';

export const gatewayActs: Acts = {
  async 'commands for the owner of a session'() {
    const sent: Delivery[] = [];
    const outcomes: Outcome[] = [];
    const line = new OwnerLine({
      session: 's',
      deliver: (delivery) => void sent.push(delivery),
      ownerOf: async () => address,
      learn: () => {},
      parted: () => {},
    });
    const { items, unsettled } = ownerLineLimits;
    for (const place of counted(unsettled + 1))
      line.forward({ type: 'set-name', name: `${place}` }, (outcome) => outcomes.push(outcome));
    expect(outcomes).toMatchObject([{ ok: false, error: { code: 'limit' } }]);
    // In order, one delivery at a time.
    const names: unknown[] = [];
    for (let at = 0; at < unsettled / items; at += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(sent).toHaveLength(at + 1);
      expect(sent[at]?.items).toHaveLength(items);
      names.push(...(sent[at]?.items ?? []));
      sent[at]?.taken();
    }
    expect(names).toEqual(counted(unsettled).map((place) => ({ command: { type: 'set-name', name: `${place}` } })));
    for (const { settled, over } of sent) {
      settled(0, { outcome: { ok: true }, version: 0 });
      settled(0, { outcome: { ok: true }, version: 0 });
      over({ code: 'timeout', message: 'gone' });
    }
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(sent.length);
    expect(outcomes).toHaveLength(unsettled + 1);
  },

  async 'names of stored sessions'() {
    let heads = [{ session: 's', names: ['a'] }];
    let reads = 0;
    const names = new StoredNames({
      async list() {
        reads += 1;
        return heads;
      },
    });
    const now = performance.now;
    const begun = 1_000;
    try {
      performance.now = () => begun;
      const found = await Promise.all(counted(1_000).map((at) => names.find(`unknown ${at}`)));
      expect(new Set(found)).toEqual(new Set([null]));
      expect([await names.find('a'), reads]).toEqual(['s', 1]);
      heads = [{ session: 's', names: ['b'] }];
      performance.now = () => begun + 4_999;
      expect([await names.find('a'), reads]).toEqual(['s', 1]);
      performance.now = () => begun + 5_000;
      expect([await names.find('a'), await names.find('b'), reads]).toEqual([null, 's', 2]);
    } finally {
      performance.now = now;
    }
  },

  async 'forwarded requests that are remembered'() {
    const check = createHopCheck({ secret, address });
    const request = { method: 'GET', target: '/v1/sessions/one', body: Buffer.alloc(0) };
    const arriving = () =>
      check({
        method: 'GET',
        url: request.target,
        rawHeaders: [hopHeader, signHop(secret, address, request, owner)],
      } as unknown as IncomingMessage);
    const now = Date.now;
    const begun = now();
    try {
      Date.now = () => begun;
      for (const _ of counted(65_536)) if (arriving() === null) throw new Error('refused too early');
      expect(arriving()).toBeNull();
      Date.now = () => begun + 60_001;
      expect(arriving()).not.toBeNull();
    } finally {
      Date.now = now;
    }
  },
};
