// A journal in a folder of its own, with a clock that the test owns.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Journal, type JournalOptions, openJournal } from '../../../src/stores/journal/journal.ts';
import { folderOf } from '../../../src/stores/journal/names.ts';
import { createVirtualClock, type VirtualClock } from '../../support/core/virtual-clock.ts';

/** A folder for a journal that does not exist yet. */
export const freshFolder = (): string =>
  join(realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-journal-'))), 'journal');

/** An open journal. */
export interface JournalRig {
  readonly journal: Journal;
  readonly folder: string;
  readonly clock: VirtualClock;
  dispose(): Promise<void>;
}

/** Opens a journal in a new folder, or in that one. */
export async function freshJournal(options: Partial<JournalOptions> = {}): Promise<JournalRig> {
  const folder = options.folder ?? freshFolder();
  const clock = createVirtualClock();
  const journal = await openJournal({ clock, ...options, folder });
  return {
    journal,
    folder,
    clock,
    async dispose() {
      await journal.close();
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

/** The folder of a session. */
export const folderIn = (folder: string, session: string): string => join(folder, 'sessions', folderOf(session));

/** The paths of a session's segments, the oldest first. */
export function segmentsIn(folder: string, session: string): string[] {
  const files = readdirSync(folderIn(folder, session)).filter((name) => /^\d+\.jsonl$/.test(name));
  return files.sort().map((name) => join(folderIn(folder, session), name));
}
