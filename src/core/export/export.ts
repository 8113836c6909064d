// Exports a session as an HTML page, for agents that have no export of their own. A page is made and written in
// portions (docs/limits.md 6.8).
import type { SessionView } from '../contract/adapter/projection.ts';
import type { Clock } from '../contract/clock.ts';
import { type PacedTask, unpaced, type WorkQueue } from '../contract/paced-work.ts';
import { addFigures, GatheredMessages, noFigures } from '../log/messages.ts';
import { frozen } from '../log/replay.ts';
import type { CommandOf } from '../model/command.ts';
import { GatewayError, messageOf, type Outcome, refused, type Settle } from '../model/errors.ts';
import { htmlPage, pageMark } from './html.ts';
import { type Child, pause, together, written } from './html-markup.ts';

/** Writes exports. */
export interface ExportPort {
  /** True if the client owns the process and may therefore name any path to the agent (docs/threats.md T9). */
  readonly pathsForAgent: boolean;
  /**
   * Begins the file of one export. `path` comes from a client and is unchecked. Throws a GatewayError, as the file
   * does: `invalid` for a forbidden path, `internal` if writing fails.
   */
  open(path: string | undefined): ExportFile;
}

/** A file that is being written. What was written is removed before a call throws. */
export interface ExportFile {
  write(html: string): void;
  /** Puts the whole file in its place and returns its absolute path. */
  finish(): string;
  /** Removes what was written. Idempotent, and without effect on a file that is finished. */
  abandon(): void;
}

/** The session, and where its exports go. */
export interface ExportsPorts {
  readonly view: SessionView;
  readonly clock: Clock;
  readonly port: ExportPort;
  /** Default: everything is done at once. */
  readonly work: WorkQueue | undefined;
}

/** A command that asks for an export. */
interface Order {
  readonly path: string | undefined;
  settle: Settle;
}

/** The export that is being made. */
interface Making {
  readonly order: Order;
  readonly file: ExportFile;
  readonly parts: Iterator<string, void>;
}

/** The exports of one session, one after the other: a page in the making holds all messages of the conversation. */
export class Exports implements PacedTask {
  readonly #ports: ExportsPorts;
  #waiting: readonly Order[] = [];
  #making: Making | null = null;

  constructor(ports: ExportsPorts) {
    this.#ports = ports;
  }

  /** See {@link ExportPort}. */
  get pathsForAgent(): boolean {
    return this.#ports.port.pathsForAgent;
  }

  /** Calls back once, when the file is whole. Events that come after the export has begun are not in the file. */
  submit({ path }: CommandOf<'export'>, settle: Settle): void {
    this.#waiting = [...this.#waiting, { path, settle }];
    this.#beginNext();
    if (this.#making !== null) (this.#ports.work ?? unpaced).run(this);
  }

  /** The session ends, and its exports with it. */
  end(outcome: Outcome): void {
    const orders = [...(this.#making === null ? [] : [this.#making.order]), ...this.#waiting];
    this.#making?.file.abandon();
    this.#making = null;
    this.#waiting = [];
    for (const { settle } of orders) settle(outcome);
  }

  step(): number | null {
    const making = this.#making;
    if (making === null) return null;
    const { file, parts, order } = making;
    let outcome: Outcome;
    try {
      const { done, value } = parts.next();
      if (done !== true) {
        if (value !== '') file.write(value);
        return value.length;
      }
      outcome = { ok: true, data: { path: file.finish() } };
    } catch (thrown) {
      file.abandon();
      outcome = refusalFor(thrown);
    }
    this.#making = null;
    try {
      order.settle(outcome);
    } finally {
      this.#beginNext();
    }
    return this.#making === null ? null : 0;
  }

  #beginNext(): void {
    while (this.#making === null) {
      const [order, ...rest] = this.#waiting;
      if (order === undefined) return;
      this.#waiting = rest;
      try {
        const file = this.#ports.port.open(order.path);
        this.#making = { order, file, parts: this.#parts() };
        // At once: by its first bytes the file is known as an export, which another one may replace.
        file.write(pageMark);
      } catch (thrown) {
        this.#making = null;
        order.settle(refusalFor(thrown));
      }
    }
  }

  #parts(): Iterator<string, void> {
    const { view, clock } = this.#ports;
    return written(together(pieces({ ...view, transcript: frozen(view.transcript) }, view.timeOrigin + clock.now())));
  }
}

function* pieces({ id, transcript, timeOrigin }: SessionView, exportedAt: number): Generator<Child, void> {
  const gathered = new GatheredMessages(timeOrigin);
  for (const item of transcript.items) {
    gathered.add(item);
    yield pause;
  }
  const messages = gathered.all();
  let figures = noFigures;
  for (const message of messages) {
    figures = addFigures(figures, message);
    yield pause;
  }
  yield htmlPage({ title: transcript.info.name ?? `Session ${id}`, exportedAt, messages, figures });
}

function refusalFor(thrown: unknown): Outcome {
  return refused(thrown instanceof GatewayError ? thrown.code : 'internal', messageOf(thrown));
}
