// The order checker for everything that one connection to a pi-server receives (docs/protocols/pi-server.md).
import { judged } from '../../../support/judged.ts';
import { createLifecycles, type Lifecycles } from './lifecycle.ts';
import type { PiServerOrderOptions, PiServerRule, PiServerViolation } from './rules.ts';
import { type Finished, type Response, Sent, ServerFrame, Switched } from './shapes.ts';

export {
  type PiServerOrderOptions,
  type PiServerRule,
  type PiServerViolation,
  piServerRules,
} from './rules.ts';

type Line = Record<string, unknown>;

/** The events of a session since the subscription, with their frames. */
interface Heard {
  readonly lines: Line[];
  readonly places: number[];
  isAgentOpen: boolean;
}

/** All violations in the parsed frames of one connection, in wire order. */
export function checkPiServerOrder(
  frames: readonly unknown[],
  options: PiServerOrderOptions = {},
): PiServerViolation[] {
  const { complete = true, bound } = options;
  const violations: PiServerViolation[] = [];
  let at = 0;
  const complain = (rule: PiServerRule, says: string) => void violations.push({ rule, at, says });
  const sent = (options.sent ?? []).map(commandIn);
  const joining = new Set(options.joining ?? []);
  for (const command of sent)
    if (typeof command?.id === 'string' && command.streamingBehavior !== undefined) joining.add(command.id);
  const lifecycles: Lifecycles = createLifecycles(complain, options, joining);
  const answers = createAnswers(complain);
  /** Sessions subscribed at the moment, and all that ever were. */
  const hearing = new Map<string, Heard>();
  const heard: Heard[] = [];
  /** Sessions whose last deletion was a repetition, which deletes nothing but is announced again. */
  const deletedBefore = new Set<string>();
  let isShutting = false;

  function hear(session: string): void {
    if (hearing.has(session)) return;
    const one: Heard = { lines: [], places: [], isAgentOpen: false };
    hearing.set(session, one);
    heard.push(one);
  }

  function take(frame: ServerFrame): void {
    switch (frame.type) {
      case 'server_ready':
        if (at > 0) complain('ready', 'is said again');
        return;
      case 'server_shutdown':
        if (isShutting) complain('shutdown', 'is said again');
        isShutting = true;
        return;
      case 'command_accepted':
        if (isShutting) complain('shutdown', `${frame.data.commandId} is accepted behind it`);
        return lifecycles.accepted(frame.data, at);
      case 'command_started':
        return lifecycles.started(frame.data);
      case 'command_finished':
        return finished(frame.data);
      case 'response':
        return responded(frame);
      case 'session_deleted': {
        const { sessionId } = frame.data;
        if (deletedBefore.delete(sessionId)) return;
        lifecycles.forget(sessionId);
        hearing.delete(sessionId);
        return;
      }
      case 'event':
        return said(frame.sessionId, frame.event);
      case 'session_created':
      case 'startup_recovery_summary':
        return;
      default:
        frame satisfies never;
    }
  }

  function finished(ending: Finished): void {
    lifecycles.finished(ending);
    answers.finished(ending);
    const { commandType, commandId, sessionId, success, replayed } = ending;
    if (!success || sessionId === undefined) return;
    if (commandType === 'delete_session' && replayed === true) deletedBefore.add(sessionId);
    const runs = commandType === 'prompt' && replayed !== true && !joining.has(commandId);
    if (runs && hearing.get(sessionId)?.isAgentOpen === true) complain('run', `of ${commandId} is still open`);
  }

  function responded(response: Response): void {
    answers.responded(response);
    if (response.command !== 'switch_session' || !response.success) return;
    const switched = Switched.safeParse(response.data);
    if (switched.success) hear(switched.data.sessionInfo.sessionId);
    else complain('frame', 'a response to switch_session names no session');
  }

  function said(session: string, event: Line): void {
    const one = hearing.get(session);
    if (one === undefined) return complain('subscribed', `${session} says ${String(event.type)}`);
    one.lines.push(event);
    one.places.push(at);
    if (event.type === 'agent_start') one.isAgentOpen = true;
    if (event.type === 'agent_end') one.isAgentOpen = false;
  }

  if (bound !== undefined) hear(bound);
  for (const frame of frames) {
    const read = ServerFrame.safeParse(frame);
    if (at === 0 && read.data?.type !== 'server_ready') complain('ready', 'is not the first frame');
    if (read.success) take(read.data);
    else complain('frame', read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
    at += 1;
  }
  for (const { lines, places } of heard) {
    // Dialogs have a form of their own here (docs/protocols/pi-server.md 18.1).
    const found = judged('pi', lines, complete).filter(({ rule }) => !rule.startsWith('pi/ui-'));
    for (const { rule, at: index, says } of found)
      violations.push({ rule: 'events', at: places[index] ?? at, says: `${rule}: ${says}` });
  }
  if (!complete) return violations;
  for (const { identity } of lifecycles.open()) complain('unfinished', `${identity.commandType} ${identity.commandId}`);
  if (options.sent !== undefined) answers.compare(sent, complain);
  return violations;
}

function commandIn(sent: unknown): Line | null {
  if (typeof sent !== 'string') return Sent.safeParse(sent).data ?? null;
  try {
    return Sent.safeParse(JSON.parse(sent)).data ?? null;
  } catch {
    return null;
  }
}

/** Pairs responses with `finished` steps. */
function createAnswers(complain: (rule: PiServerRule, says: string) => void) {
  /** `finished` steps without a response on this connection; most belong to other clients. */
  const endings: Finished[] = [];
  /**
   * Failures without a `finished` step so far: responses to frames that were no command, unless the step still comes.
   */
  const unheard: Response[] = [];
  const responses: Response[] = [];

  return {
    finished(ending: Finished): void {
      const early = unheard.findIndex((response) => tells(response, ending));
      if (early >= 0) complain('response', `to ${ending.commandType} ${ending.commandId} came before its ending`);
      if (early >= 0) unheard.splice(early, 1);
      else endings.push(ending);
    },
    responded(response: Response): void {
      responses.push(response);
      const place = endings.findIndex((ending) => tells(response, ending));
      if (place >= 0) endings.splice(place, 1);
      else if (response.success || response.replayed === true || response.timedOut === true)
        complain('response', `to ${response.command} ${response.id ?? 'without an id'} tells no ending`);
      else unheard.push(response);
    },
    compare(sent: readonly (Line | null)[], report: (rule: PiServerRule, says: string) => void): void {
      if (sent.length !== responses.length) report('unanswered', `${sent.length} sent, ${responses.length} answered`);
      for (const command of sent) {
        const { id } = command ?? {};
        if (typeof id !== 'string' || id === '') continue;
        const asked = sent.filter((other) => other?.id === id).length;
        const told = responses.filter((response) => response.id === id).length;
        if (asked !== told) report('unanswered', `${id}: ${asked} sent, ${told} answered`);
      }
    },
  };
}

/**
 * Whether the response belongs to that `finished` step. A command without an id appears there under a name of the
 * server (docs/protocols/pi-server.md 7.5).
 */
function tells(response: Response, ending: Finished): boolean {
  const isNamed = response.id === undefined ? ending.commandId.startsWith('anon:') : response.id === ending.commandId;
  return (
    isNamed &&
    response.command === ending.commandType &&
    response.success === ending.success &&
    response.error === ending.error &&
    response.sessionVersion === ending.sessionVersion &&
    response.replayed === ending.replayed
  );
}
