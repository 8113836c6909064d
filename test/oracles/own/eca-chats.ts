// One chat as our ECA frontend tells it, event by event: which run is open, and what the event does to a call or a thought.
import type { ChatEvent, Content } from '../../../src/conformance/eca/view/chat-events.ts';
import { type ReasonStep, reasonSteps } from '../../../src/conformance/eca/view/reasons.ts';
import { type CallStep, callSteps } from '../../../src/conformance/eca/view/tool-calls.ts';
import { isFinished, isRunning } from '../../../src/conformance/eca/view/turns.ts';
import type { Chat } from '../../../src/conformance/eca/view/view.ts';

/** An event, and how the chat stood before. */
export interface Told {
  readonly event: ChatEvent;
  /** Frame at which the open run began. */
  readonly run: number | null;
  /** The same of the last run, open or not. */
  readonly lastRun: number | null;
  /** The event begins a run. */
  readonly opens: boolean;
  readonly isDeleted: boolean;
  readonly status: unknown;
  readonly call: CallStep | undefined;
  readonly reason: ReasonStep | undefined;
}

/** A chat, and how it is at the end. */
export interface ToldChat {
  readonly told: readonly Told[];
  readonly run: number | null;
  readonly isDeleted: boolean;
}

/** All events; what is told again behind `chat/cleared` counts as well, and a deletion counts when it is answered. */
function eventsOf({ events }: Chat): readonly ChatEvent[] {
  const deletions = events.flatMap((event): ChatEvent[] => {
    const [answer] = event.is === 'delete' ? event.ask.answers : [];
    return answer === undefined || !('result' in answer.json) ? [] : [{ is: 'deleted', frame: answer.frame }];
  });
  return [...events, ...deletions]
    .map((event) => (event.is === 'content' ? { ...event, isHistory: false } : event))
    .sort((one, other) => one.frame - other.frame);
}

/** The parts between the events at which a chat begins anew. */
function partsOf(events: readonly ChatEvent[]): ChatEvent[][] {
  const parts: ChatEvent[][] = [[]];
  for (const event of events) {
    if (event.is === 'cleared' || event.is === 'deleted') parts.push([]);
    parts.at(-1)?.push(event);
  }
  return parts;
}

const isOfUser = (event: ChatEvent): event is Content => event.is === 'content' && event.role === 'user';

/** Reads a chat. */
export function toldChat(chat: Chat): ToldChat {
  const events = eventsOf(chat);
  const parts = partsOf(events);
  const calls = new Map(parts.flatMap((part) => [...callSteps(part)]).map((step) => [step.frame, step]));
  const reasons = new Map(
    parts.flatMap((part) => [...reasonSteps(part, isFinished)]).map((step) => [step.frame, step]),
  );
  let run: number | null = null;
  let lastRun: number | null = null;
  let isDeleted = false;
  let status: unknown = 'idle';
  const told = events.map((event): Told => {
    const begins = isOfUser(event) || isRunning(event) || (event.is === 'status' && event.status === 'running');
    const opens = begins && run === null && !isDeleted;
    const { frame } = event;
    const one = { event, run, lastRun, opens, isDeleted, status, call: calls.get(frame), reason: reasons.get(frame) };
    if (opens) run = frame;
    lastRun = run ?? lastRun;
    if (isFinished(event) || event.is === 'deleted') run = null;
    if (event.is === 'status') status = event.status;
    if (event.is === 'prompt' && isDeleted) status = 'idle';
    isDeleted = event.is === 'deleted' || (isDeleted && event.is !== 'prompt');
    return one;
  });
  return { told, run, isDeleted };
}
