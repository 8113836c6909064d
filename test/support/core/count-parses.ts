// How often JSON was parsed: what a text costs whoever reads it.
import { vi } from 'vitest';

/** The calls of JSON.parse while `read` runs. */
export function countParses(read: () => void): number {
  const spy = vi.spyOn(JSON, 'parse');
  try {
    read();
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
}
