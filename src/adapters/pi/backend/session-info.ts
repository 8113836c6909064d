// Converts get_state answers to session info and computes differences.
import type { SessionInfo } from '../../../core/model/session-info.ts';
import { modelOf, same } from '../decode-values.ts';
import type { StateData } from '../wire/responses.ts';

/** Converts pi's state to session info. Fields that pi does not report stay absent. */
export function sessionInfoOf(state: StateData): SessionInfo {
  return present({
    agentSessionId: state.sessionId,
    name: state.sessionName ?? undefined,
    file: state.sessionFile ?? undefined,
    resume: state.sessionFile ?? undefined,
    model: state.model ? modelOf(state.model) : undefined,
    thinkingLevel: state.thinkingLevel,
    steeringMode: state.steeringMode,
    followUpMode: state.followUpMode,
    autoCompaction: state.autoCompactionEnabled,
    createdAt: state.createdAt,
  });
}

/** The fields of `now` that differ from `before`, or null if none does. */
export function changesOf(before: SessionInfo, now: SessionInfo): SessionInfo | null {
  const known = new Map(Object.entries(before));
  const changed = Object.entries(now).filter(([field, value]) => !same(known.get(field), value));
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

function present(info: SessionInfo): SessionInfo {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined));
}
