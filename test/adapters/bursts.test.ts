// Deltas that come together mean what they mean one by one, to every reader of every client protocol. The dialects of the
// core itself are in test/core/session/session-bursts.test.ts.
import { describe, expect, test } from 'vitest';
import type { Projection, SessionView } from '../../src/core/contract/adapter/projection.ts';
import { adapters, type Options } from '../../src/index.ts';
import { type Dialects, mustMeanTheSame } from '../support/core/burst-rig.ts';

/** Each session has a side of its own: some sides note a loss only once. */
function dialect(id: string, options: Options = {}, name?: string): (view: SessionView) => Projection {
  return (view) => {
    let ids = 0;
    const side = adapters.get(id)?.client?.frontend({ now: () => 0, id: (kind) => `${kind}-${++ids}` }, options);
    if (side === undefined) throw new Error(`no client side of ${id}`);
    return side.projection(view, name);
  };
}

const taking: Dialects = {
  claude: dialect('claude'),
  'rpc-message': dialect('rpc-message'),
  'pi, deltas only': dialect('pi', { dialect: 'delta-only' }),
  eca: dialect('eca'),
  'eca, which streams arguments': dialect('eca', {}, 'streams-asks'),
};
/** Their frames repeat the message: they are merged and take no bursts. */
const growing: Dialects = {
  pi: dialect('pi', { dialect: 'growing' }),
  'pi-legacy': dialect('pi-legacy'),
  'pi-server': dialect('pi-server'),
};

describe('a burst means what its deltas mean one by one', () => {
  test.each(Object.keys(taking))('to clients of %s, which take it as one', (name) => {
    const dialects = Object.fromEntries(Object.entries(taking).filter(([key]) => key === name));
    expect(mustMeanTheSame(dialects, 100)).toBeGreaterThan(10);
  });

  test.each(Object.keys(growing))('to clients of %s, beside others', (name) => {
    const beside = Object.entries({ ...taking, ...growing }).filter(([key]) => key === name || key === 'eca');
    mustMeanTheSame(Object.fromEntries(beside), 40);
  });
});
