// The log on a stream that nobody reads (docs/limits.md 5.1).
import { expect, it } from 'vitest';
import { logTo } from '../../src/cli/stderr-log.ts';

it('loses lines while a mebibyte waits, and says how many once somebody reads', () => {
  const written: string[] = [];
  const stream = {
    writableLength: 0,
    write(line: string) {
      written.push(line);
      stream.writableLength += line.length;
      return true;
    },
  };
  let told = 0;
  const log = logTo(stream, 'warn', {
    format: ({ level, text }) => `${level} ${text}\n`,
    lost: () => {
      told += 1;
    },
  });
  for (let count = 0; count < 10_000; count += 1) log('warn', 'x'.repeat(500));
  expect(stream.writableLength).toBeLessThan(1024 * 1024 + 1000);
  const lost = 10_000 - written.length;
  expect(told).toBe(lost);
  stream.writableLength = 0;
  written.splice(0);
  log('warn', 'next');
  log('warn', 'after');
  expect(written).toEqual([
    `error ${lost} lines of this log were lost, because nobody read it\n`,
    'warn next\n',
    'warn after\n',
  ]);
});
