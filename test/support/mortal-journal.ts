// A journal whose gateway can be killed within a test: what the disk has at a moment is all that is left for the next one.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { SessionStore } from '../../src/core/contract/store/session-store.ts';
import { systemClock } from '../../src/gateway/system-clock.ts';
import { openJournal } from '../../src/stores/journal/journal.ts';

export interface MortalJournal {
  readonly store: SessionStore;
  /** The gateway is killed: the store of the next one. */
  next(): Promise<SessionStore>;
  dispose(): Promise<void>;
}

export async function createMortalJournal(): Promise<MortalJournal> {
  const base = mkdtempSync(join(tmpdir(), 'patchbay-cuts-'));
  const journals: Awaited<ReturnType<typeof openJournal>>[] = [];
  const open = async (folder: string) => {
    const journal = await openJournal({ folder: join(base, folder), clock: systemClock });
    journals.push(journal);
    return journal;
  };
  return {
    store: await open('first'),
    next() {
      const isLeft = (file: string) => !/^(?:lock|processes)/u.test(basename(file));
      cpSync(join(base, 'first'), join(base, 'second'), { recursive: true, filter: isLeft });
      return open('second');
    },
    async dispose() {
      for (const journal of journals) await journal.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
