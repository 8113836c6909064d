// The tool calls of one turn, and their results.
import type { ToolBook } from './lane.ts';
import type { Report } from './rules.ts';

/** The calls of one turn over all lanes. */
export interface ToolCalls {
  has(id: string): boolean;
  /** The view of one lane on the calls. */
  book(lane: string | null): ToolBook;
  /** Records a tool_result on a lane. */
  answer(lane: string | null, id: unknown, at: number): void;
}

interface Call {
  readonly lane: string | null;
  readonly at: number;
  state: 'owed' | 'excused' | 'answered' | 'settled';
}

/** Creates the record of one turn. */
export function createToolCalls(report: Report): ToolCalls {
  const calls = new Map<string, Call>();
  return {
    has: (id) => calls.has(id),
    book: (lane) => ({
      announce(id, at) {
        const before = calls.get(id)?.state;
        if (before === 'owed' || before === 'excused') report('tool-id', at, `tool call ${id} is still open`);
        calls.set(id, { lane, at, state: 'owed' });
      },
      excuse(id) {
        const call = calls.get(id);
        if (call?.state === 'owed') call.state = 'excused';
      },
      settle(at) {
        for (const [id, call] of calls) {
          if (call.lane !== lane) continue;
          if (call.state === 'owed') report('tool-unanswered', at, `tool call ${id} of frame ${call.at} has no result`);
          call.state = 'settled';
        }
      },
    }),
    answer(lane, id, at) {
      const call = typeof id === 'string' ? calls.get(id) : undefined;
      if (call === undefined) {
        report('tool-unknown', at, `a result for ${String(id)}`);
        return;
      }
      if (call.state === 'answered' || call.state === 'settled') report('tool-twice', at, `${id} is answered already`);
      else if (call.lane !== lane) report('parent', at, `the result of ${id} is on another lane than its call`);
      call.state = 'answered';
    },
  };
}
