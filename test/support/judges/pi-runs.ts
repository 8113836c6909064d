// How many runs a pi reports: everything from a prompt until it is idle again, with its retries and compactions.
import { z } from 'zod';
import { jsonOf } from './pi-messages.ts';

const Event = z.looseObject({ type: z.string(), willRetry: z.boolean().optional() });

/** Events that continue a run after its agent_end: pi starts the same prompt again (docs/protocols/pi.md 11.4). */
function continues(event: z.infer<typeof Event>): boolean {
  if (event.type === 'auto_retry_start') return true;
  return event.type.endsWith('compaction_end') && event.willRetry === true;
}

/** The runs that began in some lines. */
export interface Runs {
  readonly count: number;
  /** Two ran at once, as the oldest pi lets them: nothing on the wire tells their deltas apart. */
  readonly mixed: boolean;
}

/** Counts the runs that began in these lines; two that ran at once count as one. */
export function runsOf(lines: readonly string[]): Runs {
  let count = 0;
  let open = 0;
  let mixed = false;
  let goesOn = false;
  for (const line of lines) {
    const { data: event } = Event.safeParse(jsonOf(line));
    if (event === undefined) continue;
    if (event.type === 'agent_start') {
      if (open === 0 && !goesOn) count += 1;
      open += 1;
      mixed ||= open > 1;
      goesOn = false;
    }
    if (event.type === 'agent_end') {
      open = Math.max(0, open - 1);
      goesOn = event.willRetry === true;
    }
    if (continues(event)) goesOn = true;
  }
  return { count, mixed };
}
