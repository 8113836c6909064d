// Keeps the records of one ledger in the store of the sessions, under an id that no session can have (decision 0026).
import type { Clock } from '../../core/contract/clock.ts';
import { faultText } from '../../core/contract/guarded.ts';
import type { SessionStore, StoredLog, StoredLogOwner, StoredPast } from '../../core/contract/store/session-store.ts';
import { type LedgerKeeper, LedgerRecord } from '../../core/ledger/ledger-records.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Log } from '../log.ts';

/** The dependencies of a kept ledger. */
export interface KeptLedgerPorts {
  readonly store: SessionStore;
  readonly log: Log;
  readonly clock: Pick<Clock, 'after'>;
  /** Ms since 1970 when the clock of the ledger was 0. */
  readonly timeOrigin: number;
}

/** How often a ledger that another process has is asked for, a second apart: longer than a lease (docs/limits.md 11.4). */
const mostTries = 15;

/** A class: each ledger of a gateway with a store has one. */
export class KeptLedger implements LedgerKeeper {
  readonly timeOrigin: number;
  readonly #ports: KeptLedgerPorts;
  readonly #name: string;
  /** Null: nothing is kept. */
  #log: StoredLog | null = null;
  #place = 0;

  /** `name`: of the ledger among all that share the store. */
  constructor(name: string, ports: KeptLedgerPorts) {
    this.#name = `ledger:${name}`;
    this.#ports = ports;
    this.timeOrigin = ports.timeOrigin;
  }

  /** Reads what is kept, oldest first. `records`: everything that is to be kept at the moment. Never rejects. */
  async open(records: () => readonly LedgerRecord[]): Promise<LedgerRecord[]> {
    const { store, log } = this.#ports;
    const owner: StoredLogOwner = {
      snapshot: () => ({ place: this.#place, state: records() }),
      lost: () => {
        this.#log = null;
      },
    };
    try {
      const claimed = await this.#claim(owner);
      const past = claimed === null ? [] : await this.#read(claimed.past);
      this.#log = claimed?.log ?? (await store.create({ session: this.#name, kind: 'ledger' }, owner));
      return past;
    } catch (thrown) {
      log('error', 'the outcomes of commands are not kept', { ledger: this.#name, reason: faultText(thrown) });
      return [];
    }
  }

  keep(record: LedgerRecord, then?: () => void): void {
    if (this.#log === null) return then?.();
    this.#place += 1;
    this.#log.append({ place: this.#place, ...record });
    if (then !== undefined) this.#log.sync(then);
  }

  /** A gateway that was killed in a common store has its lease for a while. */
  async #claim(owner: StoredLogOwner): Promise<Awaited<ReturnType<SessionStore['claim']>> | null> {
    const { store, clock } = this.#ports;
    for (let tries = 1; ; tries += 1) {
      try {
        return await store.claim(this.#name, owner);
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown;
        if (thrown.code === 'not-found') return null;
        if (thrown.code !== 'conflict' || tries === mostTries) throw thrown;
        await new Promise<void>((resolve) => clock.after(1000, resolve));
      }
    }
  }

  async #read({ snapshot, records }: StoredPast): Promise<LedgerRecord[]> {
    const read: LedgerRecord[] = snapshot === null ? [] : LedgerRecord.array().parse(snapshot.state);
    this.#place = snapshot?.place ?? 0;
    for await (const stored of records()) {
      this.#place = stored.place;
      read.push(LedgerRecord.parse(stored));
    }
    return read;
  }
}
