// Renders the figures of a gateway as Prometheus text.
import type { NoteLevel } from '../contract/adapter.ts';

/** The figures. */
export interface Figures {
  readonly sessions: number;
  /** Sessions with an open run. */
  readonly runs: number;
  readonly clients: number;
  readonly notes: ReadonlyMap<NoteLevel, number>;
}

/** The body of `GET /metrics`. */
export function metricsText({ sessions, runs, clients, notes }: Figures): string {
  return [
    ...gauge('patchbay_sessions', sessions),
    ...gauge('patchbay_runs', runs),
    ...gauge('patchbay_clients', clients),
    '# TYPE patchbay_notes_total counter',
    ...[...notes].map(([level, count]) => `patchbay_notes_total{level="${level}"} ${count}`),
    '',
  ].join('\n');
}

function gauge(name: string, value: number): string[] {
  return [`# TYPE ${name} gauge`, `${name} ${value}`];
}
