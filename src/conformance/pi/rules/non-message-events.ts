// Rules on the events that tell of no message: tools, compactions, retries. Each start has its end, and both say the same
// (docs/protocols/pi.md 1.6, 9, 11).
import type { Finding } from '../../check/rule.ts';
import type { Line } from '../view/lines.ts';
import type { PiRows, PiView } from '../view/view.ts';

const of = { section: 'Event Stream', isMeasured: true } as const;

/** The name up to 0.64, and the name since. */
const compactionStarts = ['auto_compaction_start', 'compaction_start'];
const compactionEnds = ['auto_compaction_end', 'compaction_end'];
const compactionReasons: ReadonlySet<string> = new Set(['manual', 'threshold', 'overflow']);

/** Each end event follows a start event, and no start event stays without its end. */
function* paired(view: PiView, starts: readonly string[], ends: readonly string[], end: string): Generator<Finding> {
  let open: Line | null = null;
  let isSubscribed = false;
  for (const line of view.of(...starts, ...ends)) {
    const { frame, type } = line;
    if (starts.includes(type)) {
      yield { frame, wrong: open === null || end === 'retry' ? null : `${type} before the end of the one before` };
      open = line;
    } else {
      // A trace that begins late may lack the start.
      if (open !== null || isSubscribed || view.start.prompted < frame)
        yield { frame, wrong: open === null ? `${type} without a start` : null };
      open = null;
    }
    isSubscribed = true;
  }
  if (open !== null && view.isComplete) yield { frame: open.frame, wrong: `${open.type} has no end` };
}

/** Rules on tool events. */
export const toolEventRows: PiRows = {
  'tool-end-name': {
    ...of,
    sentence: 'A tool ends by the name by which it started.',
    covers: ['event:tool_execution_end'],
    scenarios: ['tool', 'toolfail'],
    *judge(view) {
      const names = new Map<unknown, unknown>();
      for (const { frame, type, json } of view.of('tool_execution_start', 'tool_execution_end')) {
        const { toolCallId: id, toolName: name } = json;
        if (type === 'tool_execution_start') names.set(id, name);
        else if (names.has(id)) yield { frame, wrong: name === names.get(id) ? null : `it ends as ${String(name)}` };
      }
    },
  },
};

/** Rules on compactions. */
export const compactionRows: PiRows = {
  'compaction-brackets': {
    section: 'Event Stream',
    sentence: 'auto_compaction_start (since 0.65: compaction_start) and its end alternate.',
    covers: ['event:auto_compaction_start', 'event:auto_compaction_end'],
    scenarios: ['compaction'],
    judge: (view) => paired(view, compactionStarts, compactionEnds, 'compaction'),
  },
  'compaction-reason': {
    ...of,
    sentence:
      'A compaction starts for manual, threshold or overflow (up to 1.5), and one that ends with a reason has that of its start.',
    covers: ['event:auto_compaction_start', 'event:auto_compaction_end'],
    scenarios: ['compaction'],
    *judge(view) {
      let open: unknown;
      for (const { frame, type, json } of view.of(...compactionStarts, ...compactionEnds)) {
        const { reason } = json;
        const isStart = compactionStarts.includes(type);
        if (typeof reason === 'string') {
          const isFine = isStart ? compactionReasons.has(reason) : open === undefined || reason === open;
          yield {
            frame,
            wrong: isFine ? null : `the reason is ${reason}${isStart ? '' : `, and was ${String(open)}`}`,
          };
        }
        open = isStart ? reason : undefined;
      }
    },
  },
};

/** Rules on retries. */
export const retryRows: PiRows = {
  'retry-brackets': {
    section: 'Event Stream',
    sentence: 'auto_retry_end ends what one or more auto_retry_start began.',
    covers: ['event:auto_retry_start', 'event:auto_retry_end'],
    scenarios: ['retry'],
    judge: (view) => paired(view, ['auto_retry_start'], ['auto_retry_end'], 'retry'),
  },
  'retry-counts': {
    ...of,
    sentence: 'Attempts count from 1, and no further than maxAttempts.',
    covers: ['event:auto_retry_start'],
    scenarios: ['retry'],
    *judge(view) {
      let before: number | null = null;
      for (const { frame, type, json } of view.of('auto_retry_start', 'auto_retry_end')) {
        const { attempt, maxAttempts } = json;
        if (type === 'auto_retry_end') before = 0;
        else if (typeof attempt === 'number') {
          const isNext = before === null ? attempt >= 1 : attempt === before + 1;
          const isWithin = typeof maxAttempts !== 'number' || attempt <= maxAttempts;
          yield { frame, wrong: isNext && isWithin ? null : `attempt ${attempt} behind ${before ?? 'none'}` };
          before = attempt;
        }
      }
    },
  },
};

/** Rules on lines of newer versions, where they occur. */
export const newerRows: PiRows = {
  'agent-end-retry': {
    ...of,
    sentence: 'Where agent_end says willRetry (since 0.87) it is a boolean, and a retry follows where it is true.',
    covers: [],
    scenarios: ['retry', 'text'],
    *judge(view) {
      const events = view.of('agent_end', 'agent_start', 'agent_settled', 'auto_retry_start', ...compactionStarts);
      for (const [index, { frame, type, json }] of events.entries()) {
        if (type !== 'agent_end' || json.willRetry === undefined) continue;
        const next = events[index + 1];
        const isBoolean = typeof json.willRetry === 'boolean';
        const goesOn = next?.type !== 'agent_settled';
        const wrong = json.willRetry === true && !goesOn ? `willRetry, and then ${String(next?.type)}` : null;
        yield { frame, wrong: isBoolean ? wrong : 'willRetry must be a boolean' };
      }
    },
  },
};
