// The conversations in one of our own JSON reports, as traces. Pure; knows no protocol.
import { z } from 'zod';
import { type RecordedTrace, recordedFrame, TraceFileError } from './recorded.ts';
import type { TraceFrame } from '../check/rule.ts';

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
 * Only what rules have read: what a check of its own said may begin anywhere. A report keeps the conversations of what did not
 * pass, so one that is all green has none.
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
