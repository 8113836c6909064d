// The folders of a session, read for its prompts. Knows no protocol and no session.
import type { WorkspacePort } from '../core/workspace.ts';

/** Nothing outside of these folders is read. */
export function createWorkspace(_folders: readonly string[]): WorkspacePort {
  return { read: () => [], find: (_typed, _chosen, settle) => settle([]) };
}
