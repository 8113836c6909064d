// One WebSocket that resumes (docs/protocols/resume.md): the sessions that the client attaches, and what it says to
// them. The same streams and the same way for posts as server-sent events have, so both have the same cursors.
import type { Channel, CloseCode, Frame, FrameFault, Out } from '../../core/contract/channel.ts';
import type { ClientRequest, GatewayApi, PostedFrame } from '../../core/contract/gateway/gateway-api.ts';
import { guarded, internalError } from '../../core/contract/guarded.ts';
import { sizeOf } from '../../core/contract/traffic.ts';
import { highWater } from '../../core/link/client-sender.ts';
import { FaultLimit, mostFaults } from '../../core/link/fault-limit.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { checkedSessionId } from '../http/client-request.ts';
import { checkedKey, named } from '../http/post-id.ts';
import { describeError } from '../http/status.ts';
import { Attachment, type AttachmentOwner } from './attachment.ts';
import { type ClientMessage, readClientMessage } from './client-message.ts';
import { type ControlMessage, controlMessage, ownFrameMessage } from './gateway-message.ts';

/** What such a connection needs. */
export interface ResumableOptions {
  readonly board: Pick<GatewayApi, 'stream' | 'post' | 'refuse' | 'limited' | 'wake'>;
  /** Where the client connected. `session`: the only one that it may attach. */
  readonly request: ClientRequest;
  /** The protocol carries many sessions on one connection. */
  readonly carriesMany: boolean;
  /** The first message comes within this time, ms; default 10,000. */
  readonly attachMs?: number | undefined;
  /** Receives the errors that the client only sees as `internal`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Messages of a client that may be taken at once. With more the client is not read. */
const mostPending = 64;

/** Sessions on one connection. */
export const mostAttached = 64;

/** After so long without another message the client is told that the connection is alive, ms: a page sees no pings. */
const aliveMs = 15_000;

/** A class: a gateway may have thousands of these. */
class ResumableConnection implements AttachmentOwner {
  readonly #channel: Channel;
  readonly #options: ResumableOptions;
  /** By session, the one that has waited for longest first. */
  readonly #attached = new Map<string, Attachment>();
  readonly #faults = new FaultLimit();
  /** Runs until the first attach message; null from then on. */
  #deadline: NodeJS.Timeout | null;
  /** Messages that are being taken. */
  #pending = 0;
  /** Bytes of answers since the client has last read everything. */
  #answered = 0;
  #isPaused = false;
  /** What came while a stored session is brought back; null while none is. */
  #waiting: (() => void)[] | null = null;
  /** Nothing was said since the last sign of life. */
  #isSilent = true;
  readonly #alive: NodeJS.Timeout;
  #isOver = false;

  constructor(channel: Channel, options: ResumableOptions) {
    this.#channel = channel;
    this.#options = options;
    const { attachMs = 10_000 } = options;
    this.#deadline = setTimeout(() => this.#close('timeout', `no attach message within ${attachMs} ms`), attachMs);
    this.#alive = setInterval(() => this.#signLife(), aliveMs);
    channel.open({
      frame: (frame) => this.#guarded(() => this.#take(frame)),
      fault: (fault) => this.#guarded(() => this.#fault(fault)),
      drained: () => this.#drained(),
      end: () => this.#end(),
    });
  }

  wrote(attachment: Attachment): void {
    this.#isSilent = false;
    this.#attached.delete(attachment.session);
    this.#attached.set(attachment.session, attachment);
  }

  closed(attachment: Attachment, reason: string): void {
    attachment.end();
    this.#attached.delete(attachment.session);
    if (!this.#options.carriesMany) this.#close('normal', reason);
  }

  away(reason: string, isMoved: boolean): void {
    this.#close(isMoved ? 'moved' : 'going-away', reason);
  }

  failed(thrown: unknown): void {
    this.#options.onError?.(thrown);
    this.#close('error', internalError);
  }

  #guarded(act: () => void): void {
    if (!this.#isOver) guarded(act, (thrown) => this.failed(thrown));
  }

  #take(frame: Frame): void {
    let message: ClientMessage;
    try {
      message = readClientMessage(frame);
    } catch (thrown) {
      return this.#inOrder(() => this.#refuse(thrown));
    }
    this.#inOrder(() => this.#obey(message));
  }

  /** Messages keep their order while a stored session is brought back. */
  #inOrder(act: () => void): void {
    if (this.#waiting === null) act();
    else this.#waiting.push(act);
  }

  #obey(message: ClientMessage): void {
    if (message.is === 'attach') return this.#attach(message.session, message.cursor);
    if (this.#deadline !== null) return this.#close('bad-frame', 'the first message must be an attach message');
    if (message.is === 'detach') return this.#detach(message.session);
    if (message.is === 'frame') return this.#post(null, null, message.bytes);
    this.#post(message.session, message.id, message.bytes);
  }

  #attach(session: string, cursor: string | null): void {
    try {
      this.#mayAttach(checkedSessionId(session));
    } catch (thrown) {
      return this.#refuse(thrown);
    }
    this.#stopDeadline();
    if (this.#attached.size >= mostAttached)
      return this.#notAttached(
        session,
        new GatewayError('limit', `a connection carries at most ${mostAttached} sessions`),
      );
    const waking = this.#options.board.wake?.(session, cursor) ?? null;
    if (waking === null) return this.#open(session, cursor);
    this.#waiting = [];
    this.#updateReading();
    waking
      .then(() => this.#guarded(() => this.#open(session, cursor)))
      .catch((thrown: unknown) => this.#guarded(() => this.#notAttached(session, thrown)))
      .finally(() => this.#goOn());
  }

  #detach(session: string): void {
    const attachment = this.#attached.get(session);
    if (attachment === undefined)
      return this.#refuse(new GatewayError('invalid', `session ${session} is not attached`));
    attachment.end();
    this.#attached.delete(session);
  }

  /** Takes the messages that came while a stored session was brought back. */
  #goOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const act of waiting) this.#guarded(() => this.#inOrder(act));
    this.#updateReading();
  }

  #open(session: string, cursor: string | null): void {
    const { board, request, carriesMany } = this.#options;
    try {
      const reader = board.stream({ ...request, session }, cursor);
      const attachment = new Attachment(session, carriesMany, this.#channel, reader, this);
      this.#attached.set(session, attachment);
      attachment.pump();
    } catch (thrown) {
      this.#notAttached(session, thrown);
    }
  }

  #notAttached(session: string, thrown: unknown): void {
    const { code, message } = this.#problemOf(thrown);
    if (this.#options.carriesMany) this.#say({ type: 'closed', session, reason: message });
    else this.#close(code === 'not-found' ? 'not-found' : 'error', message);
  }

  #mayAttach(session: string): void {
    const { request, carriesMany } = this.#options;
    if (request.session !== undefined && request.session !== session)
      throw new GatewayError('invalid', `this connection is for session ${request.session}`);
    if (this.#attached.has(session)) throw new GatewayError('invalid', `session ${session} is attached`);
    if (!carriesMany && this.#attached.size > 0)
      throw new GatewayError('invalid', 'a connection of this protocol carries one session');
  }

  #post(session: string | null, id: string | null, bytes: Uint8Array): void {
    const { board, request } = this.#options;
    let target: string;
    let frame: PostedFrame = { bytes };
    try {
      if (id !== null) frame = named(frame, checkedKey(id, 'id'), 0);
      target = this.#targetOf(session);
    } catch (thrown) {
      return this.#refuse(thrown, id);
    }
    this.#setPending(this.#pending + 1);
    board
      .post({ ...request, session: target }, [frame])
      .then((result) => {
        if (!result.ok) this.#refuseFrame(target, id, result.frames);
        else if (id !== null) this.#say({ type: 'accepted', id });
      })
      .catch((thrown: unknown) => this.#refuse(thrown, id))
      .finally(() => this.#setPending(this.#pending - 1));
  }

  /** The session that a frame is for. Throws a GatewayError `invalid` if that is none or not clear. */
  #targetOf(named: string | null): string {
    if (named !== null) {
      if (this.#attached.has(named)) return named;
      throw new GatewayError('invalid', 'no such session is attached');
    }
    const [first, second] = this.#attached.keys();
    if (first !== undefined && second === undefined) return first;
    const message = first === undefined ? 'no session is attached' : 'name a session: several are attached';
    throw new GatewayError('invalid', message);
  }

  /** Bytes that never became a message. */
  #fault(fault: FrameFault): void {
    const { board, request } = this.#options;
    if (this.#deadline !== null) return this.#close('bad-frame', fault.message);
    try {
      const session = this.#targetOf(null);
      this.#refuseFrame(session, null, board.refuse({ ...request, session }, fault));
    } catch {
      this.#refuse(new GatewayError(fault.code, fault.message));
    }
  }

  /** A frame that its protocol refuses, in the words of the protocol. */
  #refuseFrame(session: string, id: string | null, frames: readonly string[]): void {
    if (this.#isOver) return;
    if (id !== null) {
      const parsed = frames.map((frame): unknown => JSON.parse(frame));
      this.#say({ type: 'refused', id, frames: parsed });
    } else {
      const name = this.#options.carriesMany ? session : null;
      for (const frame of frames) this.#answer(ownFrameMessage(frame, name));
    }
    this.#countFault();
  }

  /** A message that has no effect. Before the first attach message it ends the connection. */
  #refuse(thrown: unknown, id: string | null = null): void {
    if (this.#isOver) return;
    const { code, message } = this.#problemOf(thrown);
    if (this.#deadline !== null) return this.#close('bad-frame', message);
    this.#say({ type: 'refused', ...(id === null ? {} : { id }), code, message });
    this.#countFault();
  }

  #problemOf(thrown: unknown) {
    const { problem } = describeError(thrown);
    if (problem.code === 'internal') this.#options.onError?.(thrown);
    return problem;
  }

  #countFault(): void {
    if (!this.#faults.isTooMuch(performance.now())) return;
    this.#options.board.limited('badFrames');
    this.#close('bad-frame', `more than ${mostFaults} bad frames within 10 s`);
  }

  #say(message: ControlMessage): void {
    if (!this.#isOver) this.#answer(controlMessage(message));
  }

  #answer(out: Out): void {
    this.#channel.send(out);
    this.#isSilent = false;
    this.#answered += sizeOf(out);
    this.#updateReading();
  }

  #setPending(pending: number): void {
    this.#pending = pending;
    this.#updateReading();
  }

  /** A client that says more than is taken, or does not read its answers, is not read (docs/protocols/resume.md 5.5). */
  #updateReading(): void {
    const mustPause = this.#waiting !== null || this.#pending >= mostPending || this.#answered > highWater;
    if (this.#isOver || mustPause === this.#isPaused) return;
    this.#isPaused = mustPause;
    if (mustPause) this.#channel.pause();
    else this.#channel.resume();
  }

  #drained(): void {
    this.#answered = 0;
    this.#updateReading();
    for (const attachment of [...this.#attached.values()]) attachment.pump();
  }

  #signLife(): void {
    if (this.#isSilent) this.#channel.send(controlMessage({ type: 'alive' }));
    this.#isSilent = true;
  }

  #stopDeadline(): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#deadline = null;
  }

  #close(code: CloseCode, reason: string): void {
    if (this.#isOver) return;
    this.#end();
    this.#channel.close(code, reason);
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#alive);
    this.#stopDeadline();
    for (const attachment of this.#attached.values()) attachment.end();
    this.#attached.clear();
  }
}

/** Serves a client that attaches its sessions itself. */
export function serveResumable(channel: Channel, options: ResumableOptions): void {
  new ResumableConnection(channel, options);
}
