// A post that is mostly nonsense is not read to its end (docs/limits.md 5.5).
import { expect, test } from 'vitest';
import { mostRefusals, takePosted } from '../../src/gateway/commands/posted-frames.ts';

/** A link that refuses every frame but `ok`, in two frames of its own each. */
function scripted() {
  const taken: string[] = [];
  const link = {
    frame({ text }: { readonly text: string }) {
      taken.push(text);
      return text === 'ok' ? [] : ['refused', text];
    },
    fault: ({ message }: { readonly message: string }) => [`fault ${message}`],
  };
  const post = (...texts: readonly string[]) =>
    takePosted(
      link,
      texts.map((text) => ({ bytes: Buffer.from(text) })),
    );
  return { taken, post };
}

const bad = (count: number) => Array.from({ length: count }, (_, n) => `bad ${n}`);

test('frames that are all in order are taken', () => {
  const { taken, post } = scripted();
  expect(post('ok', 'ok')).toEqual({ ok: true });
  expect(taken).toEqual(['ok', 'ok']);
});

test('so many refusals end the post: the client hears how many frames were not taken', () => {
  const { taken, post } = scripted();
  const result = post('ok', ...bad(mostRefusals), 'ok', 'ok', 'ok');
  expect(taken).toEqual(['ok', ...bad(mostRefusals)]);
  expect(result.ok ? [] : result.frames.slice(2 * mostRefusals)).toEqual([
    `fault ${mostRefusals} frames of this post were refused; the last 3 were not taken`,
  ]);
});

test('as many refusals with nothing behind them are no reason to complain', () => {
  const { post } = scripted();
  const result = post('ok', ...bad(mostRefusals));
  expect(result.ok ? [] : result.frames).toHaveLength(2 * mostRefusals);
});
