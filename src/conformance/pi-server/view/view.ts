// A trace of pi-server as rules read it: frames, commands with their responses, lifecycle steps and session events.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace, TraceFrame } from '../../check/rule.ts';
import type { RuleRow } from '../../check/rule-rows.ts';
import { laneOf } from './commands.ts';
import { type Courses, coursesIn } from './courses.ts';
import { dataOf, type LifecycleStep, type Line, phases } from './frames.ts';

/** A command of the client. */
export interface Sent extends Line {
  readonly text: string;
  /** The response that certainly belongs to the command: the only one to its id before the id is used again. */
  readonly response: Line | null;
}

/** An event of a session. */
export interface Event extends Line {
  readonly session: string;
  readonly event: Dictionary;
}

/** A trace as rules read it. */
export interface View {
  readonly frames: readonly TraceFrame[];
  readonly isComplete: boolean;
  /** The trace seems to begin in the middle: it holds no greeting. */
  readonly isLate: boolean;
  /** All JSON objects of the server. */
  readonly fromServer: readonly Line[];
  readonly responses: readonly Line[];
  readonly sent: readonly Sent[];
  readonly lifecycleSteps: readonly LifecycleStep[];
  /** The commands that the lifecycle steps tell of. The lanes of other clients' commands are not known. */
  readonly courses: Courses;
  /** The lifecycle steps of this command id. */
  lifecycleOf(id: unknown): readonly LifecycleStep[];
  responsesTo(id: unknown): readonly Line[];
  sentAs(id: unknown): readonly Sent[];
  readonly events: readonly Event[];
  /** The events of each session, from the subscription on. A session that is deleted may be made again under its id: see `lifeOf`. */
  readonly eventsBySession: ReadonlyMap<string, readonly Event[]>;
  /** How often the session was told to be made before that frame. */
  lifeOf(session: string, frame: number): number;
  /** Frame of the response that subscribed the connection to the session; undefined without one. */
  subscribedAt(session: string): number | undefined;
  /**
   * Whether everything that follows from that frame has come: the trace is complete, or the server has answered a later
   * command.
   */
  isSettled(frame: number): boolean;
}

/** A table of rules on pi-servers or their clients. */
export type ServerRows = Readonly<Record<string, RuleRow<View>>>;

/** Ids are compared as JSON: a number never equals a string. */
const keyOf = (id: unknown): string => JSON.stringify(id) ?? '';

function grouped<Item>(items: readonly Item[], key: (item: Item) => unknown): (key: unknown) => readonly Item[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = keyOf(key(item));
    const group = groups.get(name) ?? [];
    group.push(item);
    groups.set(name, group);
  }
  return (name) => groups.get(keyOf(name)) ?? [];
}

/** Reads a trace. */
export function viewOf({ frames, isComplete }: Trace): View {
  const lines = frames.flatMap(({ by, json }, frame) => (isDictionary(json) ? [{ by, frame, json }] : []));
  const agentLines: Line[] = lines.filter(({ by }) => by === 'agent');
  const responses = agentLines.filter(({ json }) => json.type === 'response');
  const commands: Line[] = lines.filter(({ by }) => by === 'client');
  const responsesTo = grouped(responses, ({ json }) => json.id);
  const commandsOf = grouped(commands, ({ json }) => json.id);
  const sent = commands.map(
    (line): Sent => ({
      ...line,
      text: frames[line.frame]?.text ?? '',
      response: line.json.id === undefined ? null : ownResponse(line, commandsOf, responsesTo),
    }),
  );
  const lifecycleSteps = agentLines.flatMap(({ frame, json }): LifecycleStep[] => {
    const phase = phases.get(json.type);
    const data = dataOf(json);
    return phase === undefined ? [] : [{ frame, json, phase, data, id: data.commandId }];
  });
  const events = agentLines.flatMap(({ frame, json }): Event[] => {
    const { type, sessionId, event } = json;
    return type === 'event' && typeof sessionId === 'string' && isDictionary(event)
      ? [{ frame, json, session: sessionId, event }]
      : [];
  });
  const subscriptions = new Map<string, number>();
  for (const { frame, json } of responses) {
    if (json.command !== 'switch_session' || json.success !== true) continue;
    const { sessionId } = dictionaryOf(dataOf(json).sessionInfo);
    if (typeof sessionId === 'string' && !subscriptions.has(sessionId)) subscriptions.set(sessionId, frame);
  }
  const talks = new Map<string, Event[]>();
  for (const event of events) {
    const client = talks.get(event.session) ?? [];
    client.push(event);
    talks.set(event.session, client);
  }
  const makingsOf = grouped(
    agentLines.filter(({ json }) => json.type === 'session_created'),
    ({ json }) => dataOf(json).sessionId,
  );
  const isLate = beginsLate({ isComplete, agentLines, responses, commands, events, subscriptions });
  const sentAs = grouped(sent, ({ json }) => json.id);
  const isSent = ({ id, frame }: LifecycleStep) => sentAs(id).some((command) => command.frame < frame);
  const lifecycleOf = grouped(lifecycleSteps, ({ id }) => id);
  /** Whether an id may be that of several commands, this client's or others' (docs/protocols/pi-server.md 8.4). */
  const isShared = (id: unknown) =>
    sentAs(id).length > 1 || lifecycleOf(id).filter(({ phase }) => phase === 'started').length > 1;
  return {
    frames,
    isComplete,
    isLate,
    fromServer: agentLines,
    responses,
    sent,
    lifecycleSteps,
    courses: coursesIn(lifecycleSteps, {
      lifecycleOf,
      isHeard: (step) => !isLate && (isComplete || isSent(step)),
      placeOf(step) {
        const [command] = sentAs(step.id);
        const lane = command === undefined || isShared(step.id) || !isSent(step) ? null : laneOf(command.json);
        return lane === null ? null : { lane, place: command?.frame ?? 0 };
      },
    }),
    lifecycleOf,
    responsesTo,
    sentAs,
    events,
    eventsBySession: talks,
    lifeOf: (session, frame) => makingsOf(session).filter((making) => making.frame < frame).length,
    subscribedAt: (session) => subscriptions.get(session),
    isSettled: (frame) =>
      isComplete ||
      sent.some((later) => later.frame > frame && later.response !== null && later.response.frame > frame),
  };
}

/**
 * Distinguishes a server that never greets from a recording that begins late: such a recording lacks more than the
 * greeting.
 */
function beginsLate(view: {
  readonly isComplete: boolean;
  readonly agentLines: readonly Line[];
  readonly responses: readonly Line[];
  readonly commands: readonly Line[];
  readonly events: readonly Event[];
  readonly subscriptions: ReadonlyMap<string, number>;
}): boolean {
  const { isComplete, agentLines, responses, commands, events, subscriptions } = view;
  if (agentLines.some(({ json }) => json.type === 'server_ready')) return false;
  const asked = new Set(commands.map(({ json }) => keyOf(json.id)));
  return (
    !isComplete ||
    responses.some(({ json }) => json.id !== undefined && !asked.has(keyOf(json.id))) ||
    events.some(({ session }) => !subscriptions.has(session))
  );
}

/** When an id is reused before its response, the response cannot be assigned. */
function ownResponse(
  command: Line,
  commandsOf: (id: unknown) => readonly Line[],
  responsesTo: (id: unknown) => readonly Line[],
): Line | null {
  const { id } = command.json;
  const all = commandsOf(id);
  const place = all.indexOf(command);
  const until = all[place + 1]?.frame ?? Number.POSITIVE_INFINITY;
  const isOver = all
    .slice(0, place)
    .every((before, at) => between(responsesTo(id), before.frame, all[at + 1]?.frame ?? 0).length === 1);
  const [own, ...more] = between(responsesTo(id), command.frame, until);
  return isOver && own !== undefined && more.length === 0 ? own : null;
}

/** Items between two frames. */
export function between<Item extends Line>(items: readonly Item[], from: number, to: number): readonly Item[] {
  return items.filter(({ frame }) => frame > from && frame < to);
}

/** A line as a finding quotes it. */
export const shown = ({ json }: Line): string => JSON.stringify(json).slice(0, 200);
