// Brings the commands of a followed session to its owner, in the order in which they were given: one delivery at a time is on
// its way, and the next one has all that came meanwhile.
import type { Deliver } from '../../core/contract/delivery.ts';
import type { Posted } from '../../core/log/stored-records.ts';
import type { Command } from '../../core/model/command.ts';
import { type Outcome, refused, type Settle } from '../../core/model/errors.ts';
import type { Forward, ForwardPosts } from '../../core/session/session-ports.ts';

/** Most items of a delivery, and most of a session that are not settled (docs/limits.md 11.10). */
export const ownerLineLimits = { items: 64, unsettled: 1024 };

/** What an owner is brought. */
export type LineItem =
  | { readonly command: Command }
  | { readonly posted: Posted }
  | { readonly sync: true }
  | { readonly stream: { readonly key: string; readonly source?: unknown } };

/** The dependencies of a line. */
export interface OwnerLinePorts {
  readonly session: string;
  readonly deliver: Deliver;
  /** Where the owner is reached; null: nobody has the session. */
  ownerOf(session: string): Promise<string | null>;
  /** The version of the session at its owner. */
  learn(version: number): void;
  /** What was said here may not have reached the owner: the session must be read anew, with what its records say of it. */
  parted(reason: string): void;
}

interface Waiting {
  readonly item: LineItem;
  /** Returns whether the item was not yet settled. */
  settle(outcome: Outcome): boolean;
}

const unreachable = { code: 'timeout', message: 'the gateway that has the session does not answer' } as const;
const ownerless = refused('timeout', 'the gateway that had the session is gone; another one takes it over');

/** A line to the owner of one session. */
export class OwnerLine implements ForwardPosts {
  readonly #ports: OwnerLinePorts;
  #waiting: Waiting[] = [];
  #isBusy = false;
  #unsettled = 0;

  constructor(ports: OwnerLinePorts) {
    this.#ports = ports;
  }

  readonly forward: Forward = (command, settle) => this.#take({ command }, settle);

  stream(key: string, source: unknown): void {
    this.#take({ stream: { key, source } }, () => {});
  }

  posted(posted: Posted): void {
    this.#take({ posted }, () => {});
  }

  sync(then: (isThere: boolean) => void): void {
    this.#take({ sync: true }, ({ ok }) => then(ok));
  }

  #take(item: LineItem, settle: Settle): void {
    if (this.#unsettled >= ownerLineLimits.unsettled)
      return settle(refused('limit', `${ownerLineLimits.unsettled} commands of this session wait for its gateway`));
    this.#unsettled += 1;
    let isSettled = false;
    this.#waiting.push({
      item,
      settle: (outcome) => {
        if (isSettled) return false;
        isSettled = true;
        this.#unsettled -= 1;
        settle(outcome);
        return true;
      },
    });
    if (!this.#isBusy) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isBusy = true;
    const { session, ownerOf, deliver } = this.#ports;
    const to = await ownerOf(session).catch(() => '');
    const sent = this.#waiting.splice(0, ownerLineLimits.items);
    const settleAll = (outcome: Outcome) => {
      const refusedItems = sent.filter(({ settle }) => settle(outcome)).map(({ item }) => item);
      // Who posts again under that id must not be told that it was taken.
      if (refusedItems.some((item) => 'posted' in item)) this.#ports.parted('its gateway does not answer');
    };
    let isTaken = false;
    const next = () => {
      if (isTaken) return;
      isTaken = true;
      this.#isBusy = false;
      if (this.#waiting.length > 0) void this.#send();
    };
    if (to === null || to === '') {
      settleAll(to === null ? ownerless : refused(unreachable.code, unreachable.message));
      next();
      if (to === null) this.#ports.parted('the gateway of the session is gone');
      return;
    }
    deliver({
      to,
      session,
      items: sent.map(({ item }) => item),
      taken: next,
      settled: (at, { outcome, version }) => {
        // A command is answered with the version that it has made.
        this.#ports.learn(version);
        sent[at]?.settle(outcome);
      },
      over: ({ code, message }) => {
        settleAll(refused(code, message));
        next();
      },
    });
  }
}
