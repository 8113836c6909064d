// What a connection knows of its client: its era, what it can be asked, where it works. Pure.
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import type { InitializeParams } from './wire/client.ts';

/** One client. Only its connection changes it. */
export interface Client {
  /** It is known to belong to the newer era (docs/protocols/eca.md 1.6). */
  isModern: boolean;
  /** It takes `chat/askQuestion`. */
  asks: boolean;
  /** It shows `$/showMessage` to its user. */
  showsMessages: boolean;
  /** The chat that its user has prompted last; null before the first prompt. */
  chat: string | null;
  /** Absolute paths. */
  folders: readonly string[];
  /** It has said `shutdown` or `exit`: its user sees nothing more of what a connection has to tell. */
  isLeaving: boolean;
}

/** Folders that a client has named, and sentences for its user about those that are left out. */
interface Folders {
  readonly folders: readonly string[];
  readonly problems: readonly string[];
}

/** What a client says of itself in `initialize`. */
export function clientOf({
  capabilities,
  initializationOptions,
  workspaceFolders,
}: InitializeParams): Pick<Client, 'isModern' | 'asks' | 'folders' | 'isLeaving'> & Pick<Folders, 'problems'> {
  const assistant = dictionaryOf(dictionaryOf(capabilities).codeAssistant);
  const hasNewWords = isSaid(assistant.editor) || isSaid(assistant.chatCapabilities);
  return {
    // Emacs says `"chatAgent": null`: the word counts, not its value.
    isModern: hasNewWords || Object.hasOwn(dictionaryOf(initializationOptions), 'chatAgent'),
    asks: dictionaryOf(assistant.chatCapabilities).askQuestion === true,
    isLeaving: false,
    ...foldersOf(workspaceFolders ?? []),
  };
}

/** Clients whose code has no handler for `$/showMessage`: eca-vscode 0.52, eca-desktop 0.9, eca-intellij 0.29. */
const silentNames: ReadonlySet<string> = new Set(['vscode', 'desktop', 'intellij']);

/** Whether a client shows messages to its user, by the name that it gives itself in `initialize`. */
export function showsMessages({ clientInfo }: InitializeParams): boolean {
  const { name } = dictionaryOf(clientInfo);
  return typeof name !== 'string' || !silentNames.has(name.toLowerCase().replaceAll(/[\s_-]/gu, ''));
}

/** Folders that are kept of a client. */
const mostFolders = 256;
/** Of those that are left out, so many are named. */
const mostNamed = 8;
/** UTF-16 units of a URI that a sentence repeats. */
const longestName = 200;

/** False is what a client says that does not have it. */
function isSaid(capability: unknown): boolean {
  return capability !== undefined && capability !== null && capability !== false;
}

/** Those of the folders that are files of this machine. */
function foldersOf(said: readonly unknown[]): Folders {
  const folders = new Set<string>();
  const left: unknown[] = [];
  for (const folder of said) {
    const uri = isDictionary(folder) ? folder.uri : undefined;
    const path = pathOf(uri);
    if (path === undefined) left.push(uri);
    else folders.add(path);
  }
  const others = left.length - mostNamed;
  const problems = left.slice(0, mostNamed).map(leftOut);
  if (others > 0) problems.push(`${others} more folders were left out.`);
  return { folders: [...folders].slice(0, mostFolders), problems };
}

function leftOut(uri: unknown): string {
  if (typeof uri !== 'string') return 'A folder of the editor was left out: it has no URI.';
  const named = JSON.stringify(uri.length > longestName ? `${uri.slice(0, longestName)}…` : uri);
  return `The folder ${named} was left out: it is no folder of this machine.`;
}

/** The folders after `workspace/didChangeWorkspaceFolders`. */
export function foldersAfter(
  before: readonly string[],
  change: { readonly added: readonly unknown[]; readonly removed: readonly unknown[] },
): Folders {
  const gone = new Set(foldersOf(change.removed).folders);
  const kept = before.filter((folder) => !gone.has(folder));
  const { folders, problems } = foldersOf(change.added);
  return { folders: [...new Set([...kept, ...folders])].slice(0, mostFolders), problems };
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
