// From where on a trace of pi-legacy can be told: a recorder may have come late, or have written down one side alone. Knows no rule.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace } from '../../check/rule.ts';

/** How much of the beginning was heard. */
export interface Start {
  /** A prompt was heard before the first event of a run. */
  readonly isPrompted: boolean;
  /** Index of the frame from which on it is known what is open; infinite where it never is. */
  readonly knownFrom: number;
  /** Anything of the client was written down. */
  readonly hasClient: boolean;
}

const inRuns = /^(?:agent_(?:start|end)|turn_|message_|tool_execution_)/u;

/** Reads no more than types. */
export function startOf({ frames }: Trace): Start {
  const said = frames.map(({ by, json }) => ({ by, type: isDictionary(json) ? String(json.type) : '' }));
  const hasClient = said.some(({ by }) => by === 'client');
  const first = said.findIndex(({ by, type }) => by === 'agent' && inRuns.test(type));
  const prompt = said.findIndex(({ by, type }) => by === 'client' && type === 'prompt');
  if (first < 0 || (prompt >= 0 && prompt < first)) return { isPrompted: prompt >= 0, knownFrom: 0, hasClient };
  if (said[first]?.type === 'agent_start') return { isPrompted: false, knownFrom: first, hasClient };
  // Runs may be open already, and several of them: so many ends come without a start, and with the last of them all is over.
  let excess = 0;
  let most = 0;
  let knownFrom = Number.POSITIVE_INFINITY;
  for (const [frame, { by, type }] of said.entries()) {
    if (by === 'client') continue;
    if (type === 'agent_start') excess -= 1;
    if (type === 'agent_end') excess += 1;
    if (excess <= most) continue;
    most = excess;
    knownFrom = frame + 1;
  }
  return { isPrompted: false, knownFrom, hasClient };
}
