// What one open session reads from and writes to files: its history, its own file, and other stored sessions.
import type { SessionView } from '../../core/contract/adapter/projection.ts';
import type { Message } from '../../core/model/content.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/event.ts';
import type { SessionFile } from '../../core/model/outcome-data.ts';
import type { SessionInfo } from '../../core/model/session-info.ts';
import type { KeptFile, SessionFiles, SessionOrigin } from './session-files.ts';
import type { FoundSession, StoredSessions } from './stored-sessions.ts';

/** The dependencies of the persistence of one session. */
export interface SessionPersistencePorts {
  readonly files: Pick<SessionFiles, 'keep' | 'goOn' | 'release'>;
  readonly stored: Pick<StoredSessions, 'find' | 'filesOf'>;
}

/** The persistence of one open session. */
export class SessionPersistence {
  readonly #origin: SessionOrigin;
  readonly #ports: SessionPersistencePorts;
  /** The file that the session writes to; null if the session is not kept. */
  #kept: KeptFile | null;
  /** The session came back from a store, and nothing has happened in it since. */
  #isBack: boolean;
  /** The stored session that was read last. If the conversation is replaced, it continues this one. */
  #lastRead: FoundSession | undefined;

  constructor(origin: SessionOrigin, ports: SessionPersistencePorts) {
    this.#origin = origin;
    this.#ports = ports;
    this.#isBack = origin.isBack === true;
    this.#kept = this.#isBack ? null : ports.files.keep(origin);
  }

  /** Facts about the session that are known before its agent reports any. */
  get info(): SessionInfo | undefined {
    const { cwd, keep, createdAt, found } = this.#origin;
    const name = found?.stored?.name;
    const info: SessionInfo = {
      ...(cwd === undefined ? {} : { cwd }),
      ...(this.#kept === null ? {} : { file: this.#kept.file }),
      ...(keep === true ? { createdAt } : {}),
      ...(name === undefined ? {} : { name }),
    };
    return Object.keys(info).length === 0 ? undefined : info;
  }

  /** The history that the session continues. */
  get history(): readonly Message[] | undefined {
    return this.#origin.found?.stored?.messages;
  }

  /** Stored sessions of the same agent in the same folder. */
  siblings(): SessionFile[] {
    return this.#ports.stored.filesOf(this.#origin);
  }

  /** The messages of a stored session that the gateway keeps itself. Throws what StoredSessions.find throws. */
  read(file: string): readonly Message[] {
    // The file may be the session's own.
    this.#kept?.keeper.write();
    const found = this.#ports.stored.find(file, this.#origin.agent);
    if (found.stored === null)
      throw new GatewayError('unsupported', 'only the agent that wrote the session can read it');
    this.#lastRead = found;
    return found.stored.messages;
  }

  /**
   * Takes each event but deltas once the log has it. Returns what changes with the event: a replaced conversation has
   * another file and name.
   */
  logged(event: Event, view: SessionView): SessionInfo | undefined {
    if (event.type !== 'history-reset') {
      const changes = this.#isBack ? this.#goOn(view) : undefined;
      this.#kept?.keeper.record(event, view);
      return changes;
    }
    const found = event.reason === 'switched' ? this.#lastRead : undefined;
    this.#lastRead = undefined;
    return this.#startNewFile(view, found);
  }

  /** The session is over. */
  end(view: SessionView): void {
    this.#kept?.keeper.flush(view);
    if (this.#kept !== null) this.#ports.files.release(this.#kept);
  }

  /** Goes on in the file that the log of the session names. Not before something happens: a look writes nothing. */
  #goOn(view: SessionView): SessionInfo | undefined {
    this.#isBack = false;
    const { file } = view.transcript.info;
    this.#kept = this.#ports.files.goOn(this.#origin, view);
    return this.#kept === null || this.#kept.file === file ? undefined : { file: this.#kept.file };
  }

  /** The old file keeps the old conversation. */
  #startNewFile({ transcript }: SessionView, found: FoundSession | undefined): SessionInfo | undefined {
    if (this.#kept === null && !this.#isBack) return undefined;
    this.#isBack = false;
    const { files } = this.#ports;
    this.#kept?.keeper.write();
    if (this.#kept !== null) files.release(this.#kept);
    const createdAt = new Date().toISOString();
    this.#kept = files.keep({ ...this.#origin, createdAt, found }, transcript.items.length);
    const name = found?.stored?.name ?? '';
    return { ...(this.#kept && { file: this.#kept.file }), ...(name === (transcript.info.name ?? '') ? {} : { name }) };
  }
}
