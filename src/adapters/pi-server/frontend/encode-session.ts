// Describes a session as SessionInfo or StoredSessionInfo (docs/protocols/pi-server.md 17.5, 20.1).
import type { Dictionary } from '../../../core/model/content.ts';
import type { SessionState, SessionSummary } from '../../../core/model/outcome-data.ts';
import { encodeModel, present } from '../../pi/encode-values.ts';

/** Known facts about a session from its list entry, its state, or both. */
export interface Known {
  /** The registry's id, not the agent's own. */
  readonly id: string;
  readonly summary?: Partial<SessionSummary> | undefined;
  readonly state?: SessionState | undefined;
}

/** SessionInfo. An unknown model or creation time is omitted. */
export function sessionInfo({ id, summary = {}, state }: Known): Dictionary {
  const info = state?.changes ?? {};
  const model = info.model ?? summary.model;
  return present({
    sessionId: id,
    sessionName: nameOf(info.name ?? summary.name),
    sessionFile: info.file ?? summary.file,
    model: model === undefined ? undefined : encodeModel(model),
    thinkingLevel: info.thinkingLevel ?? summary.thinkingLevel ?? 'off',
    isStreaming: state?.running ?? summary.running ?? false,
    messageCount: state?.messageCount ?? summary.messageCount ?? 0,
    createdAt: info.createdAt ?? summary.createdAt,
  });
}

/**
 * StoredSessionInfo: `sessionPath` is `sessionFile` under the name that `load_session` uses
 * (docs/protocols/pi-server.md 20.1).
 */
export function storedSessionInfo(summary: SessionSummary): Dictionary {
  const { id, name, file, cwd, createdAt, model, thinkingLevel, messageCount, exists } = summary;
  return present({
    sessionId: id,
    sessionName: nameOf(name),
    sessionFile: file ?? '',
    sessionPath: file ?? '',
    cwd: cwd ?? '',
    model: model === undefined ? undefined : encodeModel(model),
    createdAt,
    thinkingLevel: thinkingLevel ?? 'off',
    isStreaming: false,
    messageCount: messageCount ?? 0,
    fileExists: exists ?? true,
  });
}

/** A missing name is an absent field, not an empty one. */
function nameOf(name: string | undefined): string | undefined {
  return name === '' ? undefined : name;
}
