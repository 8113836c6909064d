// The version of a session, kept with the session: it goes where the session goes, into another process or to another gateway
// (docs/protocols/common.md 5).
import type { VersionCounter } from '../../ledger/session-versions.ts';
import type { SessionRecorder } from './session-recorder.ts';

/** The surroundings of a version. */
export interface SessionVersionPorts {
  /** Null while the session is not kept, or is being made again. */
  recorder(): SessionRecorder | null;
  /** The owner of the session counts, at another gateway. */
  readonly isFollowed: boolean;
}

/** A class: each session that a command has changed has one. */
export class SessionVersion implements VersionCounter {
  readonly #ports: SessionVersionPorts;
  #version = 0;

  constructor(ports: SessionVersionPorts) {
    this.#ports = ports;
  }

  get version(): number {
    return this.#version;
  }

  countChange(): void {
    if (this.#ports.isFollowed) return;
    this.#version += 1;
    this.#ports.recorder()?.version(this.#version);
  }

  /** Takes what is kept, or what the owner says. What comes late is older. */
  learn(version: number): void {
    this.#version = Math.max(this.#version, version);
  }
}
