// What calls of tools change in files: made once, from the arguments, and told with each event of a call's life. Knows no
// tool; which arguments mean a change is for the adapter to say.
import type { Dictionary, FileChange } from '../model/content.ts';

/** The change that a call asks for, if it is one of a file. Must not throw. */
export type ReadChange = (name: string, input: Dictionary) => FileChange | undefined;

/** The changes of the calls that have not ended. */
export interface CallChanges {
  /** Of a call whose arguments are known. */
  of(call: string, name: string, input: Dictionary): FileChange | undefined;
  /** The user gave it other arguments. */
  replaced(call: string, name: string, input: Dictionary): void;
  /** It has ended: what is told of it there. */
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
