// What may be set for all clients and what one client may choose: defaults of real servers, and clear words for everything else.
import { expect, test } from 'vitest';
import { sideOf } from './client.ts';

/** The bounds that follow from the defaults (docs/protocols/pi-server.md 8.7, 11.2, 12.2 to 12.4). */
const usual = {
  ledger: {
    maxInFlight: 10_000,
    maxOutcomes: 2_000,
    idempotencyTtlMs: 600_000,
    dependencyWaitMs: 30_000,
    commandsPerMinute: 100,
    allCommandsPerMinute: 1_000,
    answersPerMinute: 60,
  },
  breaker: { latencyMs: 30_000, failures: 5, windowMs: 60_000, recoveryMs: 30_000, successes: 2 },
  maxFrameBytes: 10 * 1024 * 1024,
  questionMs: 60_000,
  drainMs: 30_000,
};

test('the defaults', () => expect(sideOf().limits).toEqual(usual));

test.each([
  [{ maxMessageBytes: 1000 }, { maxFrameBytes: 1000 }],
  [
    { commandsPerMinute: 3 },
    { ledger: { ...usual.ledger, commandsPerMinute: 3, allCommandsPerMinute: 30, answersPerMinute: 2 } },
  ],
  [{ maxInFlight: 2 }, { ledger: { ...usual.ledger, maxInFlight: 2 } }],
  [{ maxOutcomes: 2 }, { ledger: { ...usual.ledger, maxOutcomes: 2 } }],
  [{ idempotencyTtlMs: 5 }, { ledger: { ...usual.ledger, idempotencyTtlMs: 5 } }],
  [{ dependencyWaitMs: 5 }, { ledger: { ...usual.ledger, dependencyWaitMs: 5 } }],
  [{ drainMs: 5 }, { drainMs: 5 }],
  [{ breakerLatencyMs: 5 }, { breaker: { ...usual.breaker, latencyMs: 5 } }],
  [{ breakerFailures: 2 }, { breaker: { ...usual.breaker, failures: 2 } }],
  [{ commandTimeoutMs: 5 }, {}],
])('%o', (settings, changed) => expect(sideOf({}, settings).limits).toEqual({ ...usual, ...changed }));

test.each([
  [{}, { maxMessageBytes: '1000' }, /^pi-server settings: maxMessageBytes: /u],
  [{}, { commandsPerMinute: 0 }, /^pi-server settings: commandsPerMinute: /u],
  [{}, { drainMs: 2 ** 31 }, /^pi-server settings: drainMs: /u],
  [{}, { maxInFlight: 1.5 }, /^pi-server settings: maxInFlight: /u],
  [{}, { maxMessagebytes: 5 }, /^pi-server settings: .*maxMessagebytes/u],
  [{ dialect: '3.0' }, {}, /^pi-server adapter: dialect: /u],
  [{ dialekt: '1.0' }, {}, /^pi-server adapter: .*dialekt/u],
])('no: %o %o', (options, settings, words) => expect(() => sideOf(options, settings)).toThrow(words));
