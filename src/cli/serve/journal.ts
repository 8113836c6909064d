// The journal of `patchbay serve`: opened before the gateway, closed behind it (decision 0025).
import type { Log } from '../../gateway/log.ts';
import { systemClock } from '../../gateway/system-clock.ts';
import type { Journal, JournalOptions } from '../../stores/journal/journal.ts';
import type { ProcessRegister } from '../../transports/child/child-process.ts';

/** An open journal, as a gateway uses it. */
export interface OpenJournal {
  readonly store: Journal;
  readonly register: ProcessRegister;
}

/**
 * Opens the journal in that folder. Rejects with `conflict` while another gateway uses the folder, and with `invalid` if other
 * users may write to it.
 */
export async function openJournalIn(options: Omit<JournalOptions, 'clock'>, log: Log): Promise<OpenJournal> {
  // Loaded on demand: most gateways keep nothing.
  const [{ openJournal }, { startTimeOf }] = await Promise.all([
    import('../../stores/journal/journal.ts'),
    import('../../stores/journal/process-identity.ts'),
  ]);
  const store = await openJournal({ ...options, clock: systemClock });
  const { orphans, processes } = store;
  if (orphans > 0) log('warn', 'agents that a killed gateway had left were ended', { orphans });
  const register: ProcessRegister = {
    note: (pid) => processes.note(pid, startTimeOf(pid)),
    forget: (pid) => processes.forget(pid),
  };
  return { store, register };
}
