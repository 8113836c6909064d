// The figures of a gateway as text that Prometheus reads.
import { expect, test } from 'vitest';
import { metricsText } from '../../../src/core/metrics/metrics.ts';

test('each figure has its type and its line', () => {
  const text = metricsText({
    sessions: 3,
    runs: 1,
    clients: 2,
    notes: new Map([
      ['loss', 7],
      ['violation', 4],
    ]),
  });
  expect(text.split('\n')).toEqual([
    '# TYPE patchbay_sessions gauge',
    'patchbay_sessions 3',
    '# TYPE patchbay_runs gauge',
    'patchbay_runs 1',
    '# TYPE patchbay_clients gauge',
    'patchbay_clients 2',
    '# TYPE patchbay_notes_total counter',
    'patchbay_notes_total{level="loss"} 7',
    'patchbay_notes_total{level="violation"} 4',
    '',
  ]);
});
