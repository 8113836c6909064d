// Gathers the figures of a gateway for a scrape.
import type { LimitRule } from '../../core/contract/limits/limit-rule.ts';
import type { Figures } from '../../core/metrics/metrics.ts';
import type { Hub } from '../../core/session/hub.ts';
import type { CommandIntakes } from '../commands/command-intakes.ts';
import type { Notes } from '../notes.ts';
import type { LoopDelay } from './loop-delay.ts';
import { Counter, type Meter } from './meter.ts';
import type { SessionTally } from './session-tally.ts';

/** Where the figures are. */
export interface FiguresPorts {
  readonly hub: Hub;
  readonly intakes: Pick<CommandIntakes, 'refusals'>;
  readonly meter: Meter;
  readonly notes: Pick<Notes, 'counts'>;
  readonly tally: SessionTally;
  readonly loopDelay: LoopDelay | undefined;
}

/** The names of a ledger's refusals as limits. */
const ledgerRules = [
  ['busy', 'commandsInFlight'],
  ['rate', 'commandsPerMinute'],
  ['allRate', 'allCommandsPerMinute'],
  ['answers', 'answersPerMinute'],
] as const satisfies readonly (readonly [string, LimitRule])[];

/** The figures as of now. */
export function gatherFigures({ hub, intakes, meter, notes, tally, loopDelay }: FiguresPorts): Figures {
  const open = hub.list().map(({ session }) => session);
  const measures = open.map((session) => session.measure());
  const most = (values: readonly number[]) => values.reduce((highest, value) => Math.max(highest, value), 0);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const { clientTraffic, agentTraffic } = meter;
  return {
    sessions: open.length,
    runs: open.filter(({ state }) => state === 'running').length,
    clients: sum(open.map(({ readers }) => readers)),
    notes: notes.counts,
    clientTraffic,
    agentTraffic,
    events: tally.events(),
    deepestReader: {
      frames: most(measures.map(({ unreadFrames }) => unreadFrames)),
      bytes: most(measures.map(({ unreadBytes }) => unreadBytes)),
    },
    windowBytes: sum(measures.map(({ windowBytes }) => windowBytes)),
    transcriptBytes: sum(open.map(({ transcript }) => transcript.bytes)),
    loopDelay: loopDelay?.() ?? new Map(),
    starts: meter.starts.counts,
    restarts: meter.restarts.counts,
    refusedCommands: meter.refusedCommands.counts,
    refusedRequests: meter.refusedRequests.counts,
    limits: limitsReached(meter, intakes),
  };
}

/** The ledgers count their refusals themselves. */
function limitsReached(meter: Meter, intakes: Pick<CommandIntakes, 'refusals'>): ReadonlyMap<string, number> {
  const all = new Counter<string>();
  for (const [rule, count] of meter.limits.counts) all.add(rule, count);
  for (const refusals of intakes.refusals()) {
    for (const [name, rule] of ledgerRules) if (refusals[name] > 0) all.add(rule, refusals[name]);
  }
  return all.counts;
}
