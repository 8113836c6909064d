// What a connection knows of its client: its era, what it can be asked, where it works. Pure.
import { dictionaryOf, isDictionary } from '../../core/dictionary.ts';
import type { InitializeParams } from './wire.ts';

/** One client. Only its connection changes it. */
export interface Client {
  /** It is known to belong to the newer era (reference eca, section 3). */
  isModern: boolean;
  /** It takes `chat/askQuestion`. */
  asks: boolean;
  /** Absolute paths. */
  folders: readonly string[];
}

/** What a client says of itself in `initialize`. */
export function clientOf({ capabilities, initializationOptions, workspaceFolders }: InitializeParams): Client {
  const assistant = dictionaryOf(dictionaryOf(capabilities).codeAssistant);
  const hasNewWords = isSaid(assistant.editor) || isSaid(assistant.chatCapabilities);
  return {
    // Emacs says `"chatAgent": null`: the word counts, not its value.
    isModern: hasNewWords || Object.hasOwn(dictionaryOf(initializationOptions), 'chatAgent'),
    asks: dictionaryOf(assistant.chatCapabilities).askQuestion === true,
    folders: foldersOf(workspaceFolders ?? []),
  };
}

/** Folders that are kept of a client. */
const mostFolders = 256;

/** False is what a client says that does not have it. */
function isSaid(capability: unknown): boolean {
  return capability !== undefined && capability !== null && capability !== false;
}

/** Those of the folders that are files of this machine. */
export function foldersOf(folders: readonly unknown[]): string[] {
  const paths = folders.flatMap((folder) => pathOf(isDictionary(folder) ? folder.uri : undefined) ?? []);
  return [...new Set(paths)].slice(0, mostFolders);
}

/** The folders after `workspace/didChangeWorkspaceFolders`. */
export function foldersAfter(
  before: readonly string[],
  change: { readonly added: readonly unknown[]; readonly removed: readonly unknown[] },
): string[] {
  const gone = new Set(foldersOf(change.removed));
  const kept = before.filter((folder) => !gone.has(folder));
  return [...new Set([...kept, ...foldersOf(change.added)])].slice(0, mostFolders);
}

/** The path in a file URI. */
function pathOf(uri: unknown): string | undefined {
  const [, encoded] = (typeof uri === 'string' ? /^file:\/\/(?:localhost)?(\/[^?#]*)/iu.exec(uri) : null) ?? [];
  if (encoded === undefined) return undefined;
  try {
    const path = decodeURIComponent(encoded);
    if (path.includes('\0')) return undefined;
    return /^\/[a-z]:/iu.test(path) ? path.slice(1) : path;
  } catch {
    return undefined;
  }
}
