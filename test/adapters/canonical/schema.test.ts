// canonical.schema.json, which front ends validate frames by: it is made from the model, takes every frame of the fixtures
// in both directions, and refuses what is none.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { canonicalSchema } from '../../../src/adapters/canonical/schema.ts';
import { sampleFrames } from '../../support/any-frame.ts';

test('is published as it is made (npx vitest run test/adapters/canonical -u makes it anew)', async () => {
  await expect(`${JSON.stringify(canonicalSchema(), null, 2)}\n`).toMatchFileSnapshot('../../../canonical.schema.json');
});

const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(canonicalSchema())));

describe('by the published schema', () => {
  test('every frame of the fixtures is one', () => {
    const frames = sampleFrames('canonical');
    expect(frames.length).toBeGreaterThan(200);
    for (const frame of frames) expect(schema.safeParse(frame).success, JSON.stringify(frame)).toBe(true);
  });

  test.each([
    ['an event without its text', { session: 's', seq: 1, at: 1, event: { type: 'block-delta', index: 0 } }],
    ['an event that nobody knows', { session: 's', seq: 1, at: 1, event: { type: 'hello' } }],
    ['a command without an id', { command: { type: 'clear-queue' } }],
    ['a command with a wrong word', { id: 1, command: { type: 'abort', target: 'everything' } }],
    ['an outcome without its error', { id: 1, outcome: { ok: false } }],
    ['nothing', {}],
  ])('%s is none', (_, frame) => expect(schema.safeParse(frame).success).toBe(false));

  test('a field that a later version adds does no harm', () => {
    const frame = { id: 1, later: true, command: { type: 'steer', content: [], later: true } };
    expect(schema.safeParse(frame).success).toBe(true);
  });
});
