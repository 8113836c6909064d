// What real ECA servers have said to real clients, before the judge of ours: he finds nothing but the departures that are
// known of them, and knows the clients of each era by how they read arguments.
import { expect, test } from 'vitest';
import { ecaTraces } from '../support/eca-traces.ts';
import { checkEcaOrder, describeEcaViolations } from './order/eca/order.ts';
import type { EcaRule } from './order/eca/rules.ts';

/** Where the real servers are laxer than we are, with the reason (docs/protocols/eca.md 1 to 5). */
const departures: ReadonlyMap<EcaRule, string> = new Map<EcaRule, string>([
  ['result', 'the newer server keeps its models for config/updated; some of its commands do not say what is required'],
  ['null', 'the newer server sends settings that it does not know yet as null'],
  ['progress', 'both leave the text of finished out, where the document requires one'],
  ['outputs', 'both send the text under one name, which the document calls by another'],
  [
    'arguments',
    'the server of the first era repeats the text so far, the newer one sends pieces: each serves one reader',
  ],
  ['status', 'the newer server says idle after a command that never ran, and running while it runs'],
  ['finished-twice', 'the server of the first era finishes a stopped run again with the next piece of its model'],
  [
    'finished-missing',
    'a chat of the newer server that is deleted, or a prompt that another supersedes, is never finished',
  ],
  ['outside-run', 'streams of the server of the first era go on beside each other, and behind the end of the first'],
  ['call-unended', 'the server of the first era rejects nothing when an approval is stopped; the newer one orphans it'],
  ['call-order', 'two calls of the server of the first era go on in streams of their own'],
  ['reason-id', 'the server of the first era has one id for all thoughts of a request'],
  ['reason-unclosed', 'no server ends a thought that is stopped'],
  ['answer', 'errors of the newer server have words for codes'],
  ['answer-missing', 'messages that are no JSON-RPC, and batches, are dropped'],
  [
    'shape',
    'a message of the server of the first era about an unknown model is null; calls that were stopped have no arguments',
  ],
  ['answer-unasked', 'requests that were sent as bytes, in pieces, are not read here'],
  ['early', 'a server talks to whoever leaves initialized out'],
  ['role', 'the newer server says more than the document knows: hooks, flags, tasks'],
  ['method', 'the newer server tells more than the document knows: jobs, providers'],
  ['chat', 'the newer server replays the chats that it opens'],
]);

const hasBoth = new Set(ecaTraces.map(({ era }) => era)).size === 2;

test.skipIf(ecaTraces.length === 0)('there are talks of both eras (skipped where there is no corpus)', () => {
  expect(hasBoth).toBe(true);
});

test.each(ecaTraces)('$name departs as is known', ({ talk }) => {
  const unknown = checkEcaOrder(talk).filter(({ rule }) => !departures.has(rule));
  expect(describeEcaViolations(unknown, talk)).toEqual([]);
});

test.each(ecaTraces)('$name serves the readers of its era alone', ({ talk, era }) => {
  const [own, other] = era === 'first' ? (['replaces', 'appends'] as const) : (['appends', 'replaces'] as const);
  const faults = (reader: typeof own) =>
    checkEcaOrder(talk, { readers: [reader] }).filter(({ rule }) => rule === 'arguments');
  expect(describeEcaViolations(faults(own), talk)).toEqual([]);
  const hasPieces = talk.filter(({ message }) => JSON.stringify(message).includes('toolCallPrepare')).length > 0;
  if (hasPieces) expect(faults(other).length).toBeGreaterThan(0);
});

test.skipIf(!hasBoth)('of the departures most are seen here', () => {
  const seen = new Set(ecaTraces.flatMap(({ talk }) => checkEcaOrder(talk).map(({ rule }) => rule)));
  expect([...seen].sort()).toEqual(
    expect.arrayContaining(['arguments', 'null', 'outputs', 'progress', 'result', 'status']),
  );
  expect([...seen]).toEqual(expect.arrayContaining(['call-unended', 'finished-twice', 'outside-run']));
});
