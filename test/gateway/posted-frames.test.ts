// A post that is mostly nonsense is not read to its end (docs/limits.md 5.5), and a long one takes turns (docs/limits.md 6.7).
import { expect, test } from 'vitest';
import { type PacedWork, unpaced } from '../../src/core/contract/paced-work.ts';
import { createPosts, mostRefusals } from '../../src/gateway/commands/posted-frames.ts';
import { createSteppedWork } from '../support/core/stepped-work.ts';

/** A link that refuses every frame but `ok`, in two frames of its own each. */
function scripted(work: Pick<PacedWork, 'queue'> = { queue: () => unpaced }) {
  const take = createPosts(work);
  const taken: string[] = [];
  const link = {
    frame({ text }: { readonly text: string }) {
      taken.push(text);
      return text === 'ok' ? [] : ['refused', text];
    },
    fault: ({ message }: { readonly message: string }) => [`fault ${message}`],
  };
  const post = (...texts: readonly string[]) =>
    take(
      link,
      texts.map((text) => ({ bytes: Buffer.from(text) })),
    );
  return { taken, post };
}

const bad = (count: number) => Array.from({ length: count }, (_, n) => `bad ${n}`);

test('frames that are all in order are taken', async () => {
  const { taken, post } = scripted();
  expect(await post('ok', 'ok')).toEqual({ ok: true });
  expect(taken).toEqual(['ok', 'ok']);
});

test('so many refusals end the post: the client hears how many frames were not taken', async () => {
  const { taken, post } = scripted();
  const result = await post('ok', ...bad(mostRefusals), 'ok', 'ok', 'ok');
  expect(taken).toEqual(['ok', ...bad(mostRefusals)]);
  expect(result.ok ? [] : result.frames.slice(2 * mostRefusals)).toEqual([
    `fault ${mostRefusals} frames of this post were refused; the last 3 were not taken`,
  ]);
});

test('as many refusals with nothing behind them are no reason to complain', async () => {
  const { post } = scripted();
  const result = await post('ok', ...bad(mostRefusals));
  expect(result.ok ? [] : result.frames).toHaveLength(2 * mostRefusals);
});

test('a long post is taken in portions, and the next one comes behind it', async () => {
  const work = createSteppedWork();
  const { taken, post } = scripted(work);
  const texts = Array.from({ length: 100 }, (_, n) => `${n}`);
  const results = [post(...texts.map(() => 'ok')), post('last')];
  expect(taken).toEqual([]);
  work.pass();
  expect(taken).toHaveLength(8);
  expect(work.passAll()).toBeGreaterThan(12);
  expect(taken).toEqual([...texts.map(() => 'ok'), 'last']);
  expect(await Promise.all(results)).toEqual([{ ok: true }, { ok: false, frames: ['refused', 'last'] }]);
});

test('a portion ends with 16 KiB, however few its frames are', async () => {
  const work = createSteppedWork();
  const { taken, post } = scripted(work);
  const result = post(...Array.from({ length: 6 }, () => 'x'.repeat(8 * 1024)));
  const counts: number[] = [];
  while (work.pass()) counts.push(taken.length);
  await result;
  expect(counts.slice(0, 3)).toEqual([2, 4, 6]);
});

test('a post that throws fails alone', async () => {
  const take = createPosts({ queue: () => unpaced });
  const link = {
    frame({ text }: { readonly text: string }) {
      if (text === 'bad') throw new Error('it is bad');
      return [];
    },
    fault: () => [],
  };
  await expect(take(link, [{ bytes: Buffer.from('bad') }])).rejects.toThrow('it is bad');
  expect(await take(link, [{ bytes: Buffer.from('ok') }])).toEqual({ ok: true });
});
