// A counted reader is in all else the reader that it counts for.
import { expect, test } from 'vitest';
import { unpaced } from '../../src/core/contract/paced-work.ts';
import type { Reader } from '../../src/core/contract/reader.ts';
import { Traffic } from '../../src/core/contract/traffic.ts';
import { meteredReader } from '../../src/gateway/metering/metered-reader.ts';

test('sending takes its turn in the queue of the session', () => {
  const reader: Reader = { work: unpaced, read: () => [], mark: () => 0, onReadable() {}, close() {} };
  expect(meteredReader(reader, new Traffic(), () => {}, false).work).toBe(unpaced);
});
