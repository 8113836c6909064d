// An agent that is a tape tells the sessions behind it where they leave the tape.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Channel } from '../../src/core/contract/channel.ts';
import { tapeChannel } from '../../src/gateway/tapes/tape-channel.ts';
import type { TapePlay } from '../../src/gateway/tapes/tape-player.ts';
import { loadTape } from '../../src/tape/loaded.ts';
import { rowText } from '../../src/tape/row.ts';
import { jsonl } from '../../src/transports/framing/jsonl.ts';
import { createMultiplexer } from '../../src/transports/multiplexer.ts';

const done = '{"type":"done"}';
const text = [
  { dir: 'in' as const, line: '{"type":"a","n":1}' },
  { dir: 'in' as const, line: '{"type":"b"}' },
  { dir: 'in' as const, line: '{"type":"c"}' },
  { dir: 'out' as const, line: done },
]
  .map(rowText)
  .join('');

const played = (play: Partial<TapePlay> = {}): Channel =>
  tapeChannel('a tape', loadTape(text, { protocol: 'any', isByLength: () => false }), {
    speed: Number.POSITIVE_INFINITY,
    ...play,
  });

/** Everything that a session hears, once it has said this. */
function hearing(channel: Channel, said: readonly string[] = []): string[] {
  const heard: string[] = [];
  channel.open({
    frame: (frame) => void heard.push(frame.text),
    fault: ({ message }) => void heard.push(message),
    remark: (words) => void heard.push(words.replace('The conversation leaves the tape: ', '')),
    end: ({ reason }) => void heard.push(reason),
  });
  for (const line of said) channel.send(line);
  return heard;
}

/** All that happens until a request of the tape is given up. */
const later = () => vi.advanceTimersByTimeAsync(2000);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const [a, b, c] = ['{"type":"a","n":2}', '{"type":"b"}', '{"type":"c"}'] as const;
const extras = Array.from({ length: 30 }, (_, n) => `{"type":"x${n}"}`);

describe('a session that', () => {
  test.each<[string, readonly string[], Partial<TapePlay>, readonly string[]]>([
    ['says the same in other words', [a, b, c], {}, [done]],
    ['says something else', ['{"type":"a","n":1,"m":{}}', b, c], {}, ['line 1: changed: a, m', done]],
    ['says more', [a, '{"type":"x\\u001b"}', b, c], {}, ['extra: x\\x1b', done]],
    ['leaves something out', [a, c], {}, ['line 3: reordered: c', 'line 2: missing: b', done]],
    ['says nothing to a tape that plays by itself', [], { isAlone: true }, [done]],
    [
      'says very much more',
      [...extras, a, b, c],
      {},
      [...extras.slice(0, 20).map((_, n) => `extra: x${n}`), 'there are more places, which are not told', done],
    ],
  ])('%s', async (_, said, play, expected) => {
    const heard = hearing(played(play), said);
    await later();
    expect(heard).toEqual(expected);
  });

  test('stands behind faults', async () => {
    const faults = { rules: [], seed: 1, connection: 0, framing: jsonl, maxFrameBytes: 1024 };
    const heard = hearing(played({ faults }), [a, '{"type":"x"}', b, c]);
    await later();
    expect(heard).toEqual(['extra: x', done]);
  });

  test('shares its connection: all of its sessions are told', async () => {
    const trunk = createMultiplexer({ label: 'trunk', channel: played(), route: () => ({ name: null }) });
    const [one, other] = [trunk.join('one'), trunk.join('other')];
    const heard = [hearing(one), hearing(other, [a, '{"type":"x"}', b, c])];
    await later();
    expect(heard).toEqual([
      ['extra: x', done],
      ['extra: x', done],
    ]);
  });
});
