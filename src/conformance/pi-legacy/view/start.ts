// Finds the frame from which a trace of pi-legacy is complete: a recording may begin late or hold one side only.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace } from '../../check/rule.ts';

/** The facts that the beginning of the trace shows. */
export interface Start {
  /** A prompt came before the first event of a run. */
  readonly isPrompted: boolean;
  /** Index of the frame from which the open runs are known; infinite when they never are. */
  readonly knownFrom: number;
  /** The trace holds lines of the client. */
  readonly hasClient: boolean;
}

const inRuns = /^(?:agent_(?:start|end)|turn_|message_|tool_execution_)/u;

/** Looks at types only. */
export function startOf({ frames }: Trace): Start {
  const lines = frames.map(({ by, json }) => ({ by, type: isDictionary(json) ? String(json.type) : '' }));
  const hasClient = lines.some(({ by }) => by === 'client');
  const first = lines.findIndex(({ by, type }) => by === 'agent' && inRuns.test(type));
  const prompt = lines.findIndex(({ by, type }) => by === 'client' && type === 'prompt');
  if (first < 0 || (prompt >= 0 && prompt < first)) return { isPrompted: prompt >= 0, knownFrom: 0, hasClient };
  if (lines[first]?.type === 'agent_start') return { isPrompted: false, knownFrom: first, hasClient };
  // Several runs may already be open, so ends come without starts. After the last unmatched end no run is open.
  let excess = 0;
  let most = 0;
  let knownFrom = Number.POSITIVE_INFINITY;
  for (const [frame, { by, type }] of lines.entries()) {
    if (by === 'client') continue;
    if (type === 'agent_start') excess -= 1;
    if (type === 'agent_end') excess += 1;
    if (excess <= most) continue;
    most = excess;
    knownFrom = frame + 1;
  }
  return { isPrompted: false, knownFrom, hasClient };
}
