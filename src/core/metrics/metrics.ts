// Renders the figures of a gateway as Prometheus text. The page of the metrics names each one, and a test compares.
import type { NoteLevel } from '../contract/adapter/action.ts';
import type { Traffic } from '../contract/traffic.ts';

/** The figures. Totals count since the start of the gateway. */
export interface Figures {
  readonly sessions: number;
  /** Sessions with an open run. */
  readonly runs: number;
  readonly clients: number;
  readonly notes: ReadonlyMap<NoteLevel, number>;
  /** What clients send and get, by dialect. */
  readonly clientTraffic: ReadonlyMap<string, Traffic>;
  /** What agents are sent, and the bytes that they send, by dialect. */
  readonly agentTraffic: ReadonlyMap<string, Traffic>;
  /** Logged events, by the dialect of the agent. */
  readonly events: ReadonlyMap<string, number>;
  /** How far the slowest reader is behind. */
  readonly deepestReader: { readonly frames: number; readonly bytes: number };
  readonly windowBytes: number;
  readonly transcriptBytes: number;
  /** How late timers were since the last scrape, s, by quantile; empty if nobody measures. */
  readonly loopDelay: ReadonlyMap<string, number>;
  /** Started agents, by dialect. */
  readonly starts: ReadonlyMap<string, number>;
  /** Started agents that replaced one that had ended, by dialect. */
  readonly restarts: ReadonlyMap<string, number>;
  /** Refused commands of clients, by reason. */
  readonly refusedCommands: ReadonlyMap<string, number>;
  /** Refused HTTP requests and upgrades, by reason. */
  readonly refusedRequests: ReadonlyMap<string, number>;
  /** How often a limit was reached, by its name. */
  readonly limits: ReadonlyMap<string, number>;
}

/** A value and the values of its labels, in order. */
type Sample = readonly [value: number, ...labels: string[]];

/** One metric. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly labels: readonly string[];
  /** One sentence. */
  readonly help: string;
  samples(figures: Figures): readonly Sample[];
}

function gauge(name: string, help: string, value: (figures: Figures) => number): Metric {
  return { name, type: 'gauge', labels: [], help, samples: (figures) => [[value(figures)]] };
}

function counter(
  name: string,
  labels: readonly string[],
  help: string,
  samples: (figures: Figures) => readonly Sample[],
): Metric {
  return { name, type: 'counter', labels, help, samples };
}

function each(counts: ReadonlyMap<string, number>, ...labels: string[]): readonly Sample[] {
  return [...counts].map(([label, count]) => [count, ...labels, label]);
}

function eachTraffic(
  traffic: ReadonlyMap<string, Traffic>,
  samples: (one: Traffic, dialect: string) => readonly Sample[],
): readonly Sample[] {
  return [...traffic].flatMap(([dialect, one]) => samples(one, dialect));
}

/** All metrics, in the order of the text. */
export const metrics: readonly Metric[] = [
  gauge('patchbay_sessions', 'Open sessions.', ({ sessions }) => sessions),
  gauge('patchbay_runs', 'Sessions with an open run.', ({ runs }) => runs),
  gauge('patchbay_clients', 'Clients that read a session.', ({ clients }) => clients),
  counter(
    'patchbay_notes_total',
    ['level'],
    'Losses, repairs and violations of protocols, and faults of the gateway.',
    ({ notes }) => each(notes),
  ),
  counter(
    'patchbay_events_total',
    ['peer', 'direction', 'dialect'],
    'Frames from and to clients, frames to agents, logged events from agents.',
    ({ clientTraffic, agentTraffic, events }) => [
      ...eachTraffic(clientTraffic, ({ framesIn, framesOut }, dialect) => [
        [framesIn, 'client', 'in', dialect],
        [framesOut, 'client', 'out', dialect],
      ]),
      ...each(events, 'agent', 'in'),
      ...eachTraffic(agentTraffic, ({ framesOut }, dialect) => [[framesOut, 'agent', 'out', dialect]]),
    ],
  ),
  counter(
    'patchbay_bytes_total',
    ['peer', 'direction', 'dialect'],
    'Bytes from and to clients and agents; bytes that are sent count as characters, without framing.',
    ({ clientTraffic, agentTraffic }) =>
      [['client', clientTraffic] as const, ['agent', agentTraffic] as const].flatMap(([peer, traffic]) =>
        eachTraffic(traffic, ({ bytesIn, bytesOut }, dialect) => [
          [bytesIn, peer, 'in', dialect],
          [bytesOut, peer, 'out', dialect],
        ]),
      ),
  ),
  counter('patchbay_resumes_total', ['dialect'], 'Readers that went on at their cursor.', ({ clientTraffic }) =>
    eachTraffic(clientTraffic, ({ resumes }, dialect) => [[resumes, dialect]]),
  ),
  counter(
    'patchbay_resets_total',
    ['dialect', 'reason'],
    'Readers that lost their place and got a snapshot, or had to come back for one.',
    ({ clientTraffic }) =>
      eachTraffic(clientTraffic, ({ resets }, dialect) =>
        Object.entries(resets).map(([reason, count]) => [count, dialect, reason]),
      ),
  ),
  gauge(
    'patchbay_deepest_reader_frames',
    'Frames that the slowest reader has still to read.',
    ({ deepestReader }) => deepestReader.frames,
  ),
  gauge(
    'patchbay_deepest_reader_bytes',
    'Bytes that the slowest reader has still to read.',
    ({ deepestReader }) => deepestReader.bytes,
  ),
  gauge('patchbay_window_bytes', 'Memory of the frames that are kept for readers.', ({ windowBytes }) => windowBytes),
  gauge(
    'patchbay_transcript_bytes',
    'Memory of the transcripts of all sessions, estimated.',
    ({ transcriptBytes }) => transcriptBytes,
  ),
  {
    name: 'patchbay_event_loop_delay_seconds',
    type: 'gauge',
    labels: ['quantile'],
    help: 'How late timers were since the last scrape; quantile 1 is the longest delay.',
    samples: ({ loopDelay }) => each(loopDelay),
  },
  counter('patchbay_agent_starts_total', ['dialect'], 'Started agents.', ({ starts }) => each(starts)),
  counter(
    'patchbay_agent_restarts_total',
    ['dialect'],
    'Started agents that replaced an agent that had ended.',
    ({ restarts }) => each(restarts),
  ),
  counter(
    'patchbay_refusals_total',
    ['at', 'reason'],
    'Refused commands of clients, and refused HTTP requests and upgrades.',
    ({ refusedCommands, refusedRequests }) => [...each(refusedCommands, 'command'), ...each(refusedRequests, 'http')],
  ),
  counter('patchbay_limits_total', ['rule'], 'How often a peer has reached a limit.', ({ limits }) => each(limits)),
];

/** The body of `GET /metrics`. */
export function metricsText(figures: Figures): string {
  const lines = metrics.flatMap((metric) => [
    `# HELP ${metric.name} ${metric.help}`,
    `# TYPE ${metric.name} ${metric.type}`,
    ...metric.samples(figures).map((sample) => line(metric, sample)),
  ]);
  return `${lines.join('\n')}\n`;
}

function line({ name, labels }: Metric, [value, ...values]: Sample): string {
  if (labels.length === 0) return `${name} ${value}`;
  const pairs = labels.map((label, at) => `${label}="${escaped(values[at] ?? '')}"`);
  return `${name}{${pairs.join(',')}} ${value}`;
}

/** As the format asks; the names of dialects come from options that protocols check. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
