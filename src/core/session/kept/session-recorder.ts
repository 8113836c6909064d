// Writes what happens in a session to the log that is kept of it (decision 0026).
import type { Durability, StoredLog } from '../../contract/store/session-store.ts';
import type { KeptTicket, OpenPrompt, Posted, SessionRecord, SessionState } from '../../log/stored-records.ts';
import { type Burst, eventsIn, textIn } from '../../model/burst.ts';
import type { Content } from '../../model/content.ts';
import type { Event, Logged } from '../../model/event.ts';
import { OpenPrompts } from '../prompts/open-prompts.ts';

/** What a session needs of its log. */
export type KeptLog = Pick<StoredLog, 'append' | 'sync'>;

/** The log that is kept of a session. */
export interface KeptSession {
  readonly log: KeptLog;
  /** Place of the last record; 0: none. */
  readonly place: number;
  /** Something that should be on disk is only in memory. Called once until the disk takes something again. */
  unkept?(): void;
}

/** A class: its methods run for each event. */
export class SessionRecorder {
  readonly #kept: KeptSession;
  #place: number;
  #isUnkept = false;
  /** Null: nobody has prompted. */
  #prompts: OpenPrompts | null = null;

  constructor(kept: KeptSession) {
    this.#kept = kept;
    this.#place = kept.place;
  }

  /** Place of the last record. */
  get place(): number {
    return this.#place;
  }

  event({ seq, at, event }: Logged): void {
    this.#append({ kind: 'event', seq, at, event });
    this.#prompts?.event(event);
    const { type } = event;
    if (type === 'run-end' || type === 'approval-end' || type === 'dialog-end') this.sync();
  }

  /** `seq`: of the first delta. */
  burst(burst: Burst, seq: number, at: number): void {
    // A record of a burst holds no events between its deltas.
    if (burst.asides !== undefined) return this.#single(eventsIn(burst), seq, at);
    const { index, extra, text } = burst;
    const plain = { kind: 'burst' as const, seq, at, index, text, ends: endsOf(burst) };
    this.#append(extra === undefined ? plain : { ...plain, extra });
  }

  #single(events: Iterable<Event>, first: number, at: number): void {
    let seq = first;
    for (const event of events) this.event({ seq: seq++, at, event });
  }

  stream(key: string, sub: number, source: unknown): void {
    this.#append({ kind: 'stream', key, sub, source });
  }

  streamEnd(key: string): void {
    this.#append({ kind: 'stream-end', key });
  }

  restart(seq: number): void {
    this.#append({ kind: 'restart', seq });
  }

  posted(posted: Posted): void {
    this.#append({ kind: 'posted', ...posted });
  }

  /** A client gives a prompt. `isRunning`: a run is open. Returns the number of the prompt. */
  prompt(content: Content[], isRunning: boolean): number {
    // The next place: no other prompt of the session has this number.
    const prompt = this.#place + 1;
    this.#append({ kind: 'prompt', prompt, content });
    this.#prompts ??= new OpenPrompts([], isRunning);
    this.#prompts.taken(prompt, content);
    return prompt;
  }

  /** `isOver`: nothing of the prompt is to come any more. */
  promptAnswered(prompt: number, isOver: boolean): void {
    this.#append({ kind: 'prompt-answered', prompt, isOver });
    this.#prompts?.answered(prompt, isOver);
  }

  ticket(ticket: KeptTicket): void {
    this.#append({ kind: 'ticket', ...ticket });
  }

  version(version: number): void {
    this.#append({ kind: 'version', version });
  }

  /** The prompts that the conversation does not show yet, oldest first. */
  get prompts(): readonly OpenPrompt[] {
    return this.#prompts?.all() ?? [];
  }

  state(state: SessionState): void {
    this.#append({ kind: 'state', state });
  }

  #append(record: SessionRecord): void {
    this.#place += 1;
    this.#kept.log.append({ place: this.#place, ...record });
  }

  /** Calls back once all records are on disk, or once it is known that they are not. */
  sync(then?: (durability: Durability) => void): void {
    this.#kept.log.sync((durability) => {
      const wasUnkept = this.#isUnkept;
      this.#isUnkept = durability === 'memory';
      if (this.#isUnkept && !wasUnkept) this.#kept.unkept?.();
      then?.(durability);
    });
  }
}

/** Where each delta ends in the text. */
function endsOf(burst: Burst): number[] {
  const { text, bytes, ends, count } = burst;
  // As many characters as bytes: there are no escapes, and each byte is one character.
  if (text.length === bytes.length) return [...ends.subarray(0, count)];
  let end = 0;
  return Array.from({ length: count }, (_, place) => {
    end += textIn(burst, place, place + 1).length;
    return end;
  });
}
