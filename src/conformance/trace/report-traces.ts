// Reads the conversations of our own JSON report as traces.
import { z } from 'zod';
import type { TraceFrame } from '../check/rule.ts';
import { type RecordedTrace, recordedFrame, TraceFileError } from './recorded.ts';

const Stored = z.object({
  side: z.enum(['agent', 'client']),
  conversations: z.array(
    z.object({
      connection: z.string(),
      scenario: z.string().optional(),
      log: z.array(
        z.object({ at: z.number(), by: z.enum(['us', 'peer']), text: z.string(), isFault: z.literal(true).optional() }),
      ),
    }),
  ),
});

/**
 * The conversations of a report that rules can judge again. Conversations of checks that act are left out, because they
 * may begin in any state. A report stores only conversations of checks that did not pass, so a report without failures
 * holds none.
 */
export function tracesOfReport(
  report: unknown,
  { isComplete }: { readonly isComplete: boolean },
): readonly RecordedTrace[] {
  const read = Stored.safeParse(report);
  if (!read.success) throw new TraceFileError(`the report cannot be read: ${z.prettifyError(read.error)}`);
  const { side, conversations } = read.data;
  const them = side;
  const us = side === 'agent' ? 'client' : 'agent';
  const judged = conversations.filter(({ scenario }) => side === 'client' || scenario !== undefined);
  if (judged.length === 0) throw new TraceFileError('the report holds no conversation that rules have read');
  return judged.map(({ connection, scenario, log }): RecordedTrace => {
    const frames = log.map(({ at, by, text, isFault }): TraceFrame => {
      const who = by === 'us' ? us : them;
      return isFault === true ? { at, by: who, text, isFault } : recordedFrame(who, text, at);
    });
    return {
      name: scenario === undefined ? connection : `${scenario}, ${connection}`,
      frames,
      isComplete,
      remarks: [],
    };
  });
}
