// The figures of a gateway as text that Prometheus reads, and the page that lists them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limitRules } from '../../../src/core/contract/limits/limit-rule.ts';
import { Traffic } from '../../../src/core/contract/traffic.ts';
import { type Figures, metrics, metricsText } from '../../../src/core/metrics/metrics.ts';

function traffic(values: Partial<Traffic>): Traffic {
  return Object.assign(new Traffic(), values);
}

const figures: Figures = {
  sessions: 3,
  runs: 1,
  clients: 2,
  notes: new Map([
    ['loss', 7],
    ['violation', 4],
  ]),
  clientTraffic: new Map([['pi growing', traffic({ framesIn: 1, framesOut: 2, bytesIn: 3, bytesOut: 4, resumes: 5 })]]),
  agentTraffic: new Map([['a"\\\n', traffic({ framesOut: 6, bytesIn: 7, bytesOut: 8 })]]),
  events: new Map([['demo', 9]]),
  deepestReader: { frames: 10, bytes: 11 },
  windowBytes: 12,
  transcriptBytes: 13,
  loopDelay: new Map([['0.5', 0.001]]),
  starts: new Map([['demo', 14]]),
  restarts: new Map([['demo', 15]]),
  refusedCommands: new Map([['busy', 16]]),
  refusedRequests: new Map([['unauthorized', 17]]),
  limits: new Map([['sessions', 18]]),
};

test('each figure has its help, its type and its lines', () => {
  const lines = metricsText(figures).split('\n');
  expect(lines.slice(0, 3)).toEqual([
    '# HELP patchbay_sessions Open sessions.',
    '# TYPE patchbay_sessions gauge',
    'patchbay_sessions 3',
  ]);
  expect(lines.at(-1)).toBe('');
  expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
    'patchbay_sessions 3',
    'patchbay_runs 1',
    'patchbay_clients 2',
    'patchbay_notes_total{level="loss"} 7',
    'patchbay_notes_total{level="violation"} 4',
    'patchbay_events_total{peer="client",direction="in",dialect="pi growing"} 1',
    'patchbay_events_total{peer="client",direction="out",dialect="pi growing"} 2',
    'patchbay_events_total{peer="agent",direction="in",dialect="demo"} 9',
    'patchbay_events_total{peer="agent",direction="out",dialect="a\\"\\\\\\n"} 6',
    'patchbay_bytes_total{peer="client",direction="in",dialect="pi growing"} 3',
    'patchbay_bytes_total{peer="client",direction="out",dialect="pi growing"} 4',
    'patchbay_bytes_total{peer="agent",direction="in",dialect="a\\"\\\\\\n"} 7',
    'patchbay_bytes_total{peer="agent",direction="out",dialect="a\\"\\\\\\n"} 8',
    'patchbay_resumes_total{dialect="pi growing"} 5',
    'patchbay_resets_total{dialect="pi growing",reason="window"} 0',
    'patchbay_resets_total{dialect="pi growing",reason="epoch"} 0',
    'patchbay_resets_total{dialect="pi growing",reason="unknown"} 0',
    'patchbay_deepest_reader_frames 10',
    'patchbay_deepest_reader_bytes 11',
    'patchbay_window_bytes 12',
    'patchbay_transcript_bytes 13',
    'patchbay_event_loop_delay_seconds{quantile="0.5"} 0.001',
    'patchbay_agent_starts_total{dialect="demo"} 14',
    'patchbay_agent_restarts_total{dialect="demo"} 15',
    'patchbay_refusals_total{at="command",reason="busy"} 16',
    'patchbay_refusals_total{at="http",reason="unauthorized"} 17',
    'patchbay_limits_total{rule="sessions"} 18',
  ]);
});

/** The rows of the table below that heading, without its head, as cells without code marks. */
function rowsBelow(heading: string): string[][] {
  const page = readFileSync('docs/metrics.md', 'utf8');
  const [, part = ''] = page.split(`\n## ${heading}\n`);
  const rows = [...(part.split('\n## ')[0] ?? '').matchAll(/^\| (.*) \|$/gmu)].map(([, row = '']) => row);
  return rows.slice(1).map((row) => row.replaceAll('`', '').split(' | '));
}

test('docs/metrics.md lists exactly the exposed metrics', () => {
  const listed = metrics.map(({ name, type, labels, help }) => [name, type, labels.join(', '), help]);
  expect(rowsBelow('Metrics').map((row) => row.map((cell) => cell.trim()))).toEqual(listed);
  const exposed = metricsText(figures).matchAll(/^# TYPE (\S+) (\S+)$/gmu);
  expect([...exposed].map(([, name, type]) => [name, type])).toEqual(listed.map(([name, type]) => [name, type]));
});

test('docs/metrics.md lists exactly the rules', () => {
  expect(rowsBelow('Limits').map(([rule]) => rule)).toEqual([...limitRules]);
});
