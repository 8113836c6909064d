// Drives a demo agent in virtual time: carries out its actions, rings its timers, answers its questions.
import { demo } from '../../../src/adapters/demo/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Content } from '../../../src/core/model/content.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event, EventOf, EventType } from '../../../src/core/model/event.ts';

type Question = EventOf<'approval-request' | 'dialog-request'>;
/** Answers a question; null leaves it open. */
export type Answering = (question: Question) => Command | null;

/** Allows everything, chooses the first option, confirms. */
export const agreeable: Answering = (question) => {
  if (question.type === 'approval-request') return { type: 'answer-approval', id: question.id, decision: 'allow' };
  const { id, kind, options } = question;
  const confirmed = { kind: 'confirmed', confirmed: true } as const;
  const value = { kind: 'value', value: options?.[0] ?? 'my words' } as const;
  return { type: 'answer-dialog', id, answer: kind === 'confirm' ? confirmed : value };
};

/** A demo agent under way. */
export function startDemo(options: { paceMs?: number; answering?: Answering } = {}) {
  const { paceMs = 15, answering = agreeable } = options;
  const events: Event[] = [];
  const outcomes = new Map<string, Outcome>();
  const notes: Action<Event>[] = [];
  const perWake: number[] = [];
  const ids = new Map<string, number>();
  let now = 1_000;
  let timer: { id: string; at: number } | null = null;
  let question: Question | null = null;
  let closed: string | null = null;
  let commands = 0;

  const backend = demo.agent?.backend(
    {
      now: () => now,
      id(kind) {
        const number = (ids.get(kind) ?? 0) + 1;
        ids.set(kind, number);
        return `${kind}-${number}`;
      },
    },
    { paceMs },
  );
  if (backend === undefined) throw new Error('the demo adapter has no backend');

  function perform(actions: readonly Action<Event>[]): void {
    perWake.push(actions.length);
    for (const action of actions) {
      switch (action.do) {
        case 'deliver':
          events.push(action.message);
          if (action.message.type === 'approval-request' || action.message.type === 'dialog-request') {
            question = action.message;
          }
          if (action.message.type === 'approval-end' || action.message.type === 'dialog-end') question = null;
          break;
        case 'settle':
          if (outcomes.has(action.id)) throw new Error(`${action.id} was settled twice`);
          outcomes.set(action.id, action.outcome);
          break;
        case 'timer':
          timer = action.ms === null ? null : { id: action.id, at: now + action.ms };
          break;
        case 'close':
          closed = action.code;
          break;
        default:
          notes.push(action);
      }
    }
  }
  perform(backend.start?.() ?? []);

  const driver = {
    backend,
    events,
    outcomes,
    notes,
    /** Actions of each call into the machine. */
    perWake,
    get now() {
      return now;
    },
    get closed() {
      return closed;
    },
    /** Sends a command. Returns its outcome, undefined while it is not settled. */
    send(command: Command): Outcome | undefined {
      commands += 1;
      const id = `command-${commands}`;
      perform(backend.encode(command, id));
      return outcomes.get(id);
    },
    /** The next thing that happens by itself; false when nothing will. */
    step(): boolean {
      if (timer !== null) {
        const { id, at } = timer;
        timer = null;
        now = at;
        perform(backend.onTimer?.(id) ?? []);
        return true;
      }
      const answer = question === null ? null : answering(question);
      question = null;
      if (answer === null) return false;
      driver.send(answer);
      return true;
    },
    /** Steps on until nothing happens any more, or so many steps. */
    settleDown(steps = Number.POSITIVE_INFINITY): number {
      let done = 0;
      while (done < steps && driver.step()) done += 1;
      return done;
    },
  };
  return driver;
}

/** A prompt of text. */
export function promptOf(text: string, ...more: Content[]): Extract<Command, { type: 'prompt' }> {
  return { type: 'prompt', content: [{ type: 'text', text }, ...more] };
}

/** The events of a prompt that is played to its end. `session-changed` of the start is left out. */
export function play(text: string, options: Parameters<typeof startDemo>[0] = {}): Event[] {
  const driver = startDemo(options);
  driver.send(promptOf(text));
  driver.settleDown();
  return driver.events.slice(1);
}

/** The events of one type. */
export function only<Type extends EventType>(events: readonly Event[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

/** All text deltas of the main thread, joined. */
export function textOf(events: readonly Event[]): string {
  const text: string[] = [];
  let inText = false;
  for (const event of events) {
    if (event.type === 'block-start' && event.parent === undefined) inText = event.block.kind === 'text';
    if (event.type === 'block-delta' && event.parent === undefined && inText) text.push(event.delta);
  }
  return text.join('');
}

/**
 * The types of events in order, as a line: each run of deltas as one `*`, the frame of messages and blocks by short
 * names, sub-agents in parentheses.
 */
export function outline(events: readonly Event[]): string {
  const words: string[] = [];
  for (const event of events) {
    const word = shorten(event);
    if (word !== '*' || words.at(-1) !== '*') words.push(word);
  }
  return words.join(' ');
}

function shorten(event: Event): string {
  const parent = 'parent' in event ? event.parent : undefined;
  const word = wordFor(event);
  return parent === undefined || word === '*' ? word : `(${word})`;
}

function wordFor(event: Event): string {
  switch (event.type) {
    case 'block-start':
      return event.block.kind;
    case 'block-delta':
      return '*';
    case 'block-end':
      return event.incomplete === true ? 'cut' : '/';
    case 'message-start':
      return '<';
    case 'message-end':
      return `>${event.stop.reason}`;
    case 'message-added':
      return event.role === 'tool' ? 'result' : `${event.role}:${event.origin}`;
    case 'run-end':
      return event.outcome;
    case 'tool-end':
      return `tool-end${event.isError ? '!' : ''}${event.skipped === undefined ? '' : `:${event.skipped}`}`;
    case 'approval-end':
    case 'dialog-end':
    case 'compaction-end':
      return `${event.type}:${event.outcome}`;
    case 'retry-end':
      return `retry-end:${event.success}`;
    default:
      return event.type;
  }
}
