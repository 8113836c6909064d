// Names of folders and files in a journal. Any session id gets a safe name, and different ids get different names also on
// disks that ignore case.
import { createHash } from 'node:crypto';

/** Longest name that holds the id itself; a longer id is only in the head of its session. File systems allow 255 bytes. */
const longestName = 180;

/** The beginning of the names that hold the id, and of those that hold its hash. */
const plain = 's-';
const hashed = 'h-';

/** The name of a session's folder. */
export function folderOf(session: string): string {
  // A lone surrogate has no UTF-8, so bytes are those of UTF-16 for all ids that are not plain.
  const name = plain + session.replace(/[^a-z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return name.length <= longestName ? name : hashed + createHash('sha256').update(session, 'utf16le').digest('hex');
}

/** The session id of a folder; null: the folder is none of a session, or only the head of the session says the id. */
export function sessionOf(folder: string): string | null {
  if (!folder.startsWith(plain)) return null;
  const session = folder
    .slice(plain.length)
    .replace(/_([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return folderOf(session) === folder ? session : null;
}

/** Whether the name of the folder is the hash of an id. */
export const isHashed = (folder: string): boolean => /^h-[0-9a-f]{64}$/.test(folder);

/** The end of the names of files that are not whole yet. They are renamed when they are. */
export const unfinished = '.new';

/** The name of a segment. */
export const segmentName = (number: number): string => `${String(number).padStart(8, '0')}.jsonl`;

/** The numbers of the segments among these names, the newest first. */
export function segmentsAmong(names: readonly string[]): number[] {
  const numbers = names.flatMap((name) => (/^\d{8,}\.jsonl$/.test(name) ? [Number.parseInt(name, 10)] : []));
  return numbers.sort((a, b) => b - a);
}

/** The file with the head of a session, for lists. */
export const headName = 'head.json';
