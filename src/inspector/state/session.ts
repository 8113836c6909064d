// One session as the page knows it: its events in order, what they mean, and commands to it.
import { signal } from '@preact/signals';
import type { Command, QuerySubject } from '../../core/model/command.ts';
import type { Content, Cost, Usage } from '../../core/model/content.ts';
import type { Event } from '../../core/model/event.ts';
import type { SessionInfo } from '../../core/model/session-info.ts';
import { createEventLog } from './event-log.ts';
import { createConversation, fold } from './fold.ts';
import type { AgentKind, ErrorFrame, EventFrame, Frame, Outcome } from './frames.ts';
import { base } from './items.ts';

/** What the whole session has used so far. */
export interface Totals {
  readonly usage: Usage;
  readonly cost: number;
  readonly contextTokens?: number | undefined;
  readonly contextWindow?: number | undefined;
}

const nothing: Totals = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, cost: 0 };

/** Why everything so far is void (docs/protocols/resume.md 4.2). */
const resets: ReadonlyMap<string, string> = new Map([
  ['window', 'this page had fallen too far behind'],
  ['epoch', 'the session has begun another life'],
  ['unknown', 'the gateway does not know where this page was'],
  ['restart', 'the connection was cut before this page had a place'],
]);

/** How a session stands. */
export type Standing = { readonly is: 'live' } | { readonly is: 'ended'; readonly reason: string };

/** A class: one for each session, with the hot path of its frames. */
export class Session {
  readonly id: string;
  readonly log = createEventLog();
  readonly conversation = createConversation();
  /** Counts changes of the list of items. */
  readonly listed = signal(0);
  /** The beginning of the first prompt. */
  readonly firstWords = signal<string | null>(null);
  readonly running = signal(false);
  readonly waiting = signal(0);
  readonly info = signal<SessionInfo>({});
  readonly agent = signal<AgentKind | null>(null);
  readonly totals = signal<Totals>(nothing);
  readonly standing = signal<Standing>({ is: 'live' });
  /** Whether the snapshot has been taken to its end. Before its end, the log has no places for the rows of the wire. */
  readonly isWhole = signal(false);
  readonly activity = signal<string | null>(null);
  readonly queue = signal<{ readonly steering: readonly string[]; readonly followUp: readonly string[] }>({
    steering: [],
    followUp: [],
  });
  /** The newest refusal, for the status line. */
  readonly problem = signal<string | null>(null);
  timeOrigin = 0;
  #send: (frame: unknown) => Promise<void> = () => Promise.reject(new Error('not attached'));
  readonly #asked = new Map<string, (outcome: Outcome) => void>();
  readonly #name = Math.random().toString(36).slice(2, 8);
  #count = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** `send`: how frames reach the session. */
  connected(send: (frame: unknown) => Promise<void>): void {
    this.#send = send;
  }

  /** Sends a command; resolves with the outcome, and never rejects. A refusal is shown. */
  async ask(command: Command): Promise<Outcome> {
    const told = await this.#command(command);
    this.problem.value = told.ok ? null : told.error.message;
    return told;
  }

  /** What the agent says about itself; null if it says nothing. */
  async query(subject: QuerySubject): Promise<Readonly<Record<string, unknown>> | null> {
    const told = await this.#command({ type: 'query', subject });
    return told.ok ? ((told.data ?? null) as Readonly<Record<string, unknown>> | null) : null;
  }

  #command(command: Command): Promise<Outcome> {
    this.#count += 1;
    const id = `${this.#name}-${this.#count}`;
    const outcome = new Promise<Outcome>((resolve) => this.#asked.set(id, resolve));
    this.#send({ id, session: this.id, command }).catch((error: Error) =>
      this.#answer(id, { ok: false, error: { code: 'internal', message: error.message } }),
    );
    return outcome;
  }

  /** `cursor`: null within a snapshot (docs/protocols/resume.md 2.2). */
  take(frame: Frame, cursor: string | null): void {
    if ('event' in frame) this.#event(frame);
    else if ('snapshot' in frame) {
      this.agent.value = frame.snapshot.agent ?? null;
      this.timeOrigin = frame.snapshot.timeOrigin;
      if (this.log.length > 0) this.#forget();
    } else if ('loss' in frame) this.log.learnLosses(frame.loss.dialect, [{ seq: frame.seq, field: frame.loss.field }]);
    else if ('outcome' in frame) this.#answer(String(frame.id), frame.outcome);
    else if ('error' in frame) this.problem.value = (frame as ErrorFrame).error.message;
    else this.standing.value = { is: 'ended', reason: frame.ended.reason };
    if (cursor !== null) this.isWhole.value = true;
  }

  /** All frames so far are void. */
  reset(reason: string): void {
    this.#forget();
    const text = `begins again with what is kept: ${resets.get(reason) ?? reason}`;
    this.conversation.items.push({ ...base(0, 'note', 'reset'), is: 'note', level: 'divider', text });
    this.listed.value += 1;
  }

  closed(reason: string): void {
    this.running.value = false;
    this.standing.value = { is: 'ended', reason };
  }

  #forget(): void {
    this.log.clear();
    Object.assign(this.conversation, createConversation());
    this.isWhole.value = false;
    this.running.value = false;
    this.waiting.value = 0;
    this.totals.value = nothing;
    this.listed.value += 1;
  }

  #answer(id: string, outcome: Outcome): void {
    this.#asked.get(id)?.(outcome);
    this.#asked.delete(id);
  }

  #event({ seq, at, event, replay }: EventFrame): void {
    this.log.append(seq, at, event, replay !== undefined);
    const isNew = fold(this.conversation, seq, event);
    this.#note(event);
    if (isNew) this.listed.value += 1;
  }

  /** What is shown beside the conversation. */
  #note(event: Event): void {
    switch (event.type) {
      case 'run-start':
        this.running.value = true;
        break;
      case 'run-end':
        this.running.value = false;
        this.activity.value = null;
        break;
      case 'message-end':
      case 'message-added':
        if (event.type === 'message-added' && event.role === 'user') this.firstWords.value ??= wordsOf(event.content);
        if (event.usage !== undefined || event.cost !== undefined) this.#spend(event.usage, event.cost);
        break;
      case 'usage-changed': {
        const { contextTokens = this.totals.value.contextTokens, contextWindow = this.totals.value.contextWindow } =
          event;
        this.totals.value = { ...this.totals.value, contextTokens, contextWindow };
        break;
      }
      case 'session-changed':
        this.info.value = { ...this.info.value, ...event.changes };
        break;
      case 'queue-changed':
        this.queue.value = event;
        break;
      case 'activity':
        this.activity.value = event.text;
        break;
      case 'approval-request':
      case 'approval-end':
      case 'dialog-request':
      case 'dialog-end':
      case 'history-reset':
        this.waiting.value = this.conversation.approvals.size + this.conversation.dialogs.size;
        break;
      default:
    }
  }

  #spend(more: Usage | undefined, cost: Cost | undefined): void {
    const { usage, ...rest } = this.totals.value;
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = more ?? {};
    this.totals.value = {
      ...rest,
      cost: rest.cost + (cost?.total ?? 0),
      usage: {
        input: usage.input + input,
        output: usage.output + output,
        cacheRead: usage.cacheRead + cacheRead,
        cacheWrite: usage.cacheWrite + cacheWrite,
      },
    };
  }
}

function wordsOf(content: readonly Content[]): string | null {
  const text = content
    .find((each) => each.type === 'text')
    ?.text.trim()
    .split('\n')[0];
  return text === undefined || text === '' ? null : text.slice(0, 60);
}
