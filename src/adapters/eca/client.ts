// The facts about the client of a connection: its era, its capabilities, and its folders.
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import type { InitializeParams } from './wire/client.ts';

/** One client. Only its connection changes these fields. */
export interface Client {
  /** The client is known to belong to the second era (docs/protocols/eca.md 1.6). */
  isModern: boolean;
  /** The client supports `chat/askQuestion`. */
  asks: boolean;
  /** The client shows `$/showMessage` to its user. */
  showsMessages: boolean;
  /** The chat that the user prompted last; null before the first prompt. */
  chat: string | null;
  /** Absolute paths. */
  folders: readonly string[];
  /** The client has sent `shutdown` or `exit`. Its user sees no further notifications. */
  isLeaving: boolean;
}

/** The folders that a client named, and warnings for the user about folders that were left out. */
interface Folders {
  readonly folders: readonly string[];
  readonly problems: readonly string[];
}

/** Reads what a client declares in `initialize`. */
export function clientOf({
  capabilities,
  initializationOptions,
  workspaceFolders,
}: InitializeParams): Pick<Client, 'isModern' | 'asks' | 'folders' | 'isLeaving'> & Pick<Folders, 'problems'> {
  const assistant = dictionaryOf(dictionaryOf(capabilities).codeAssistant);
  const hasNewWords = isDeclared(assistant.editor) || isDeclared(assistant.chatCapabilities);
  return {
    // Emacs sends `"chatAgent": null`: the presence of the field counts, not its value.
    isModern: hasNewWords || Object.hasOwn(dictionaryOf(initializationOptions), 'chatAgent'),
    asks: dictionaryOf(assistant.chatCapabilities).askQuestion === true,
    isLeaving: false,
    ...foldersOf(workspaceFolders ?? []),
  };
}

/** Clients without a handler for `$/showMessage`: eca-vscode 0.52, eca-desktop 0.9, eca-intellij 0.29. */
const namesWithoutMessages: ReadonlySet<string> = new Set(['vscode', 'desktop', 'intellij']);

/** Whether a client shows messages to its user. Decided by the client's name in `initialize`. */
export function showsMessages({ clientInfo }: InitializeParams): boolean {
  const { name } = dictionaryOf(clientInfo);
  return typeof name !== 'string' || !namesWithoutMessages.has(name.toLowerCase().replaceAll(/[\s_-]/gu, ''));
}

/** Folders that are kept per client. */
const mostFolders = 256;
/** Left-out folders that are named in warnings. */
const mostNamed = 8;
/** UTF-16 units of a URI that a warning repeats. */
const longestName = 200;

/** `false` means that the client lacks the capability. */
function isDeclared(capability: unknown): boolean {
  return capability !== undefined && capability !== null && capability !== false;
}

/** Keeps the folders that are on this machine. */
function foldersOf(given: readonly unknown[]): Folders {
  const folders = new Set<string>();
  const left: unknown[] = [];
  for (const folder of given) {
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
