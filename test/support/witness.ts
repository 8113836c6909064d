// A client of one session that remembers what it was told, and looks whether later gateways still have all of it: prompts by
// their Idempotency-Key, answers to approvals, ended runs, outcomes of tickets, and the bytes behind each cursor.
import { z } from 'zod';
import { within } from '../../src/conformance/bounded-wait.ts';
import type { GatewayServer } from './gateway.ts';
import { token } from './gateway-pair.ts';
import { connectEvents, connectResumable, type Heard } from './resuming-readers.ts';
import type { Draw } from './seeded.ts';

/** What is counted over all sessions of a test. */
export interface Figures {
  /** Prompts, answers and ended runs are counted each time they are looked for. */
  prompts: number;
  approvals: number;
  runs: number;
  outcomes: number;
  repeated: number;
  cursors: number;
  resets: number;
}

export const noFigures = (): Figures => ({
  prompts: 0,
  approvals: 0,
  runs: 0,
  outcomes: 0,
  repeated: 0,
  cursors: 0,
  resets: 0,
});

/** A place to talk to. */
export type Gateway = Pick<GatewayServer, 'url' | 'headers'>;

/** A frame of the conversation, with the event that it carries. */
interface Told extends Heard {
  readonly event: z.infer<typeof EventFrame>['event'] | null;
}

/** A connection of a witness. */
interface Reader {
  /** The conversation since the beginning, or since everything before was void. */
  readonly told: readonly Told[];
  /** Everything else that was heard, and behind how much of the conversation. */
  readonly others: readonly { readonly frame: string; readonly behind: number }[];
  readonly wasReset: boolean;
  /** Whether that is so before the connection ends. */
  until(isSo: (reader: Reader) => boolean): Promise<boolean>;
  end(): void;
}

/** A post. `kept`: it was acknowledged. */
interface Said {
  readonly key: string;
  readonly frame: object;
  state: 'unknown' | 'kept';
}

interface Answer extends Said {
  readonly decision: 'allow' | 'deny';
}

const EventFrame = z.looseObject({
  event: z.looseObject({
    type: z.string(),
    id: z.string().optional(),
    role: z.string().optional(),
    outcome: z.string().optional(),
    text: z.string().optional(),
    content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
  }),
});
const ResponseFrame = z.looseObject({ type: z.literal('response'), id: z.string(), success: z.boolean() });
type Response = z.infer<typeof ResponseFrame>;

/** Answers, and what other dialects lost, are in no record. */
const isConversation = (frame: string) => /^\{"session":"[^"]*",(?:"seq":\d+,"at"|"snapshot")/u.test(frame);
const answerTo = (id: string, { others }: Reader) =>
  others.find(({ frame }) => frame.startsWith(`{"id":"${id}","outcome"`));

/** Resolves when that was heard. Rejects when the connection ends before. */
async function heardBy(reader: Reader, isSo: (reader: Reader) => boolean): Promise<void> {
  if (!(await reader.until(isSo))) throw new Error('the connection has ended');
}

/** What the demo agent is asked to do. */
const scripts = [
  'slow 1 long 12',
  'think tool',
  'slow 2 ask',
  'ask',
  'tools 2',
  'slow 3 think long 8 ask',
  'fail',
  'long 60',
];
/** Prompts that wait for their run at the same time. */
const mostWaiting = 3;

/** Options of a witness. */
export interface WitnessOptions {
  readonly session: string;
  readonly draw: Draw;
  readonly figures: Figures;
  /** Called with each frame and each answer. */
  happened(): void;
}

/** A class: its methods share what was heard and said. */
export class Witness {
  readonly session: string;
  readonly #options: WitnessOptions;
  /** The conversation in front of the connection of now. */
  #past: readonly Told[] = [];
  #reader: Reader | null = null;
  /** So much of the conversation must be there for ever. */
  #kept = 0;
  /** How often everything of before was void. */
  #beginnings = 0;
  readonly #prompts = new Map<string, Said>();
  /** By the id of the approval. */
  readonly #answers = new Map<string, Answer>();
  #outcomes: { readonly frame: { readonly id: string }; readonly response: Response }[] = [];
  #ids = 0;

  constructor(options: WitnessOptions) {
    this.session = options.session;
    this.#options = options;
  }

  /** Says one thing that is drawn. Rejects when the gateway goes away meanwhile. */
  async step(gateway: Gateway): Promise<void> {
    const question = this.#openQuestion();
    if (question !== null && this.#options.draw(4) > 0) return this.#answer(gateway, question);
    const shown = this.#shown();
    const waiting = [...this.#prompts.keys()].filter((text) => !shown.has(text)).length;
    const choice = this.#options.draw(8);
    if (choice < 4 && waiting < mostWaiting) return this.#prompt(gateway);
    if (choice === 4) return this.#nameSession(gateway);
    await this.mark(gateway);
  }

  /** Asks for something of no effect, and returns its id. What was heard before is kept once it is answered. */
  async mark(gateway: Gateway): Promise<string> {
    const heard = this.#heard.length;
    const beginnings = this.#beginnings;
    const key = this.#id('mark');
    await this.#post(gateway, {
      key,
      frame: { id: key, command: { type: 'query', subject: 'state' } },
      state: 'unknown',
    });
    if (beginnings === this.#beginnings) this.#kept = Math.max(this.#kept, heard);
    return key;
  }

  /** Resolves when the connection to a gateway that is gone has brought everything. */
  async left(): Promise<void> {
    await this.#reader?.until(() => false);
  }

  /**
   * Comes back to a gateway, from a cursor that is drawn and from the last one, and returns what is not there any more or is not
   * what it was. `goesOn`: the gateway was not away, so prompts may still wait behind the open run.
   */
  async comeBack(gateway: Gateway, goesOn = false): Promise<string[]> {
    const before = this.#heard;
    const { figures, draw } = this.#options;
    const kept = before.slice(0, this.#kept);
    const places = kept.flatMap(({ cursor }, at) => (cursor === null ? [] : [at]));
    const from = places[draw(places.length)] ?? -1;
    this.#past = before.slice(0, from + 1);
    const resumed = this.#read(gateway, before[from]?.cursor ?? null);
    this.#reader = resumed;
    if (from === -1) this.#beginAnew();
    const last = this.#read(gateway, before.at(-1)?.cursor ?? null);
    // Who begins anew hears no answer of before, and anything else tells that somebody listens.
    await this.mark(gateway);
    for (const reader of [resumed, last]) await heardBy(reader, ({ told, others }) => told.length + others.length > 0);
    const mark = await this.mark(gateway);
    for (const reader of [resumed, last]) await heardBy(reader, () => answerTo(mark, reader) !== undefined);
    last.end();
    const faults = this.#missing(goesOn);
    if (resumed.wasReset) figures.resets += 1;
    else if (from !== -1) {
      figures.cursors += 1;
      figures.runs += kept.slice(from + 1).filter(({ event }) => event?.type === 'run-end').length;
      faults.push(...differences(before.slice(from + 1), resumed.told, kept.length - from - 1));
      const toldLast = last.told.slice(0, answerTo(mark, last)?.behind ?? 0);
      if (!last.wasReset) faults.push(...differences(resumed.told, toldLast, 0, true));
    }
    this.#count();
    faults.push(...(await this.#lostOutcomes(gateway)));
    await this.mark(gateway);
    return this.#named(faults);
  }

  /** Posts again what nobody has answered, and it counts once; and something that was answered, and something else under its key. */
  async repeat(gateway: Gateway): Promise<string[]> {
    const { figures, draw } = this.#options;
    const faults: string[] = [];
    for (const said of this.#prompts.values()) if (said.state === 'unknown') await this.#post(gateway, said);
    const one = this.#said[draw(this.#said.length)];
    if (one !== undefined && one.state !== 'unknown') {
      figures.repeated += 1;
      const again = await this.#send(gateway, one.key, one.frame);
      if (again.status !== 202) faults.push(`${one.key} again: ${again.status} ${again.text}`);
      const other = await this.#send(gateway, one.key, { ...one.frame, id: 'other' });
      if (other.status !== 409) faults.push(`something else under ${one.key}: ${other.status} ${other.text}`);
    }
    return this.#named(faults);
  }

  end(): void {
    this.#past = this.#heard;
    this.#reader?.end();
    this.#reader = null;
  }

  get #heard(): readonly Told[] {
    return [...this.#past, ...(this.#reader?.told ?? [])];
  }

  get #said(): readonly Said[] {
    return [...this.#prompts.values(), ...this.#answers.values()];
  }

  #named(faults: readonly string[]): string[] {
    return faults.map((fault) => `${this.session}: ${fault}`);
  }

  #id(what: string): string {
    this.#ids += 1;
    return `${this.session}-${what}-${this.#ids}`;
  }

  /** Everything of before is void, and a snapshot takes its place: it shows all messages, and no approval that is answered. */
  #beginAnew(): void {
    this.#past = [];
    this.#kept = 0;
    this.#beginnings += 1;
    for (const [id, { state }] of this.#answers) if (state !== 'unknown') this.#answers.delete(id);
  }

  /** How often each prompt is shown. */
  #shown(): ReadonlyMap<string, number> {
    const shown = new Map<string, number>();
    for (const { event } of this.#heard) {
      const text = event?.content?.[0]?.text;
      if (event?.type === 'message-added' && event.role === 'user' && text !== undefined)
        shown.set(text, (shown.get(text) ?? 0) + 1);
    }
    return shown;
  }

  #openQuestion(): string | null {
    const open = new Set<string>();
    for (const { event } of this.#heard) {
      if (event?.type === 'approval-request' && event.id !== undefined) open.add(event.id);
      if (event?.type === 'approval-end' && event.id !== undefined) open.delete(event.id);
    }
    return [...open].find((id) => !this.#answers.has(id)) ?? null;
  }

  async #prompt(gateway: Gateway): Promise<void> {
    const key = this.#id('prompt');
    const text = `${scripts[this.#options.draw(scripts.length)]} ${key}-end`;
    const command = { type: 'prompt', content: [{ type: 'text', text }] };
    const said: Said = { key, frame: { id: key, command }, state: 'unknown' };
    this.#prompts.set(text, said);
    await this.#post(gateway, said);
  }

  async #answer(gateway: Gateway, id: string): Promise<void> {
    const key = this.#id('answer');
    const decision = this.#options.draw(2) === 0 ? 'allow' : 'deny';
    const command = { type: 'answer-approval', id, decision };
    const answer: Answer = { key, frame: { id: key, command }, state: 'unknown', decision };
    this.#answers.set(id, answer);
    await this.#post(gateway, answer);
  }

  /** A command with a ticket. */
  async #nameSession(gateway: Gateway): Promise<void> {
    const id = this.#id('name');
    const frame = { id, type: 'set_session_name', sessionId: this.session, name: id };
    const response = await this.#outcomeOf(gateway, frame);
    if (response?.success === true) this.#outcomes.push({ frame, response });
  }

  /** The outcome of a command with a ticket, told in the stream of its dialect. Null: the gateway went away before. */
  async #outcomeOf(gateway: Gateway, frame: { readonly id: string }): Promise<Response | null> {
    const reader = this.#read(gateway, null, 'pi-server');
    const outcome = () =>
      reader.others
        .map((other) => ResponseFrame.safeParse(JSON.parse(other.frame)).data)
        .find((response) => response?.id === frame.id);
    try {
      if (!(await reader.until(({ others }) => others.length > 0))) return null;
      const { status, text } = await this.#send(gateway, null, frame, 'pi-server');
      if (status !== 202) throw new Error(`${status} ${text}`);
      await reader.until(() => outcome() !== undefined);
      return outcome() ?? null;
    } finally {
      reader.end();
    }
  }

  async #post(gateway: Gateway, said: Said): Promise<void> {
    const { status, text } = await this.#send(gateway, said.key, said.frame);
    if (status !== 202) throw new Error(`${status} ${text}`);
    said.state = 'kept';
  }

  async #send({ url, headers }: Gateway, key: string | null, frame: object, frontend = 'canonical') {
    const more = { 'content-type': 'application/json', ...(key === null ? {} : { 'idempotency-key': key }) };
    const answer = await fetch(`${url}/v1/${frontend}/sessions/${this.session}/frames`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(frame),
    });
    const text = await answer.text();
    this.#options.happened();
    return { status: answer.status, text };
  }

  #read({ url }: Gateway, cursor: string | null, frontend = 'canonical'): Reader {
    const told: Told[] = [];
    const others: Reader['others'][number][] = [];
    const watchers = new Set<() => void>();
    const changed = () => {
      for (const watcher of [...watchers]) watcher();
    };
    let isOver = false;
    let wasReset = false;
    const take = ({ cursor: at, frame }: Heard) => {
      if (frame.startsWith('{"type":"reset"')) {
        wasReset = true;
        told.length = 0;
        if (this.#reader === reader) this.#beginAnew();
      } else if (isConversation(frame)) {
        told.push({ cursor: at, frame, event: EventFrame.safeParse(JSON.parse(frame)).data?.event ?? null });
      } else others.push({ frame, behind: told.length });
      this.#options.happened();
      changed();
    };
    const place = { port: Number(new URL(url).port), token, frontend, session: this.session, options: '' };
    const connect = this.#options.draw(2) === 0 ? connectEvents : connectResumable;
    const connection = connect(place, cursor, take);
    void connection.over.then(() => {
      isOver = true;
      changed();
    });
    const explain = () =>
      `\n${[...told, ...others]
        .slice(-20)
        .map(({ frame }) => frame)
        .join('\n')}`;
    const reader: Reader = {
      told,
      others,
      get wasReset() {
        return wasReset;
      },
      until: (isSo) =>
        within(
          `what ${this.session} says`,
          watchers,
          () => (isSo(reader) ? true : isOver ? false : undefined),
          explain,
        ),
      end: connection.end,
    };
    return reader;
  }

  /** What was acknowledged and is not there, or is there twice. */
  #missing(goesOn: boolean): string[] {
    const faults: string[] = [];
    const shown = this.#shown();
    for (const [text, { state }] of this.#prompts) {
      const times = shown.get(text) ?? 0;
      if (times > 1 || (times === 0 && state === 'kept' && !goesOn))
        faults.push(`a prompt (${state}) is shown ${times} times: ${text}`);
    }
    const ends = this.#heard.flatMap(({ event }) => (event?.type === 'approval-end' ? [event] : []));
    const outcomes = new Map(ends.map(({ id, outcome }) => [id, outcome]));
    for (const [id, { decision, state }] of this.#answers) {
      const outcome = outcomes.get(id);
      if (state === 'kept' && outcome !== (decision === 'allow' ? 'allowed' : 'denied'))
        faults.push(`the approval ${id} was answered with ${decision}, and is ${outcome ?? 'not there'}`);
    }
    return faults;
  }

  #count(): void {
    const { figures } = this.#options;
    const keptOf = (all: ReadonlyMap<string, Said>) => [...all.values()].filter(({ state }) => state === 'kept').length;
    figures.prompts += keptOf(this.#prompts);
    figures.approvals += keptOf(this.#answers);
  }

  async #lostOutcomes(gateway: Gateway): Promise<string[]> {
    const { figures } = this.#options;
    const faults: string[] = [];
    // The gateway after this one is asked for newer ones.
    for (const { frame, response } of this.#outcomes.splice(0)) {
      figures.outcomes += 1;
      const again = JSON.stringify(await this.#outcomeOf(gateway, frame));
      const expected = JSON.stringify({ ...response, replayed: true });
      if (again !== expected) faults.push(`the outcome ${expected} is ${again}`);
    }
    return faults;
  }
}

/**
 * Where what is told now is not what was told before. `kept`: so much of that must be there; the rest may be lost, but its places
 * are never used for anything else. `isWhole`: nothing new may be told either.
 */
function differences(before: readonly Told[], now: readonly Told[], kept: number, isWhole = false): string[] {
  const wrong = before
    .slice(0, kept)
    .findIndex(({ cursor, frame }, at) => now[at]?.cursor !== cursor || now[at]?.frame !== frame);
  const faults = wrong === -1 ? [] : [`told ${said(before[wrong])}, and now ${said(now[wrong])}`];
  const frames = new Map(before.map(({ cursor, frame }) => [cursor, frame]));
  for (const { cursor, frame } of now) {
    const known = cursor === null ? frame : frames.get(cursor);
    if (known !== frame && (known !== undefined || isWhole)) faults.push(`${cursor} was ${known}, and is ${frame}`);
  }
  return faults;
}

const said = (told: Told | undefined): string => (told === undefined ? 'nothing' : `${told.cursor} ${told.frame}`);
