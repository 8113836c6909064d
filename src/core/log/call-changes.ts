// The file changes of tool calls. A change is computed once, from the arguments, and attached to each event of the
// call. The adapter knows which arguments mean a change.
import type { Dictionary, FileChange } from '../model/content.ts';

/** Computes the file change that a call requests, if any. Must not throw. */
export type ReadChange = (name: string, input: Dictionary) => FileChange | undefined;

/** The changes of all calls that have not ended. */
export interface CallChanges {
  /** The change of a call whose arguments are known. */
  of(call: string, name: string, input: Dictionary): FileChange | undefined;
  /** Recomputes the change after the user replaced the arguments. */
  replaced(call: string, name: string, input: Dictionary): void;
  /** Forgets the call and returns its change for the final event. */
  ended(call: string): FileChange | undefined;
  clear(): void;
}

export function createCallChanges(read: ReadChange): CallChanges {
  const changes = new Map<string, FileChange | undefined>();
  return {
    of(call, name, input) {
      if (!changes.has(call)) changes.set(call, read(name, input));
      return changes.get(call);
    },
    replaced: (call, name, input) => void changes.set(call, read(name, input)),
    ended(call) {
      const change = changes.get(call);
      changes.delete(call);
      return change;
    },
    clear: () => changes.clear(),
  };
}
