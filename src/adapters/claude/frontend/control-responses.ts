// Answers of a client: permissions, answers to questions, and answers to requests of an agent of the same protocol that
// the gateway does not know (docs/protocols/claude.md 3.1, 3.5).
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { Answers, type ControlResponseFrame, PermissionAnswer, SessionRules } from '../wire/client.ts';
import { type Actions, type ConnectionPorts, problems } from './connection.ts';
import { confirmChoices, dialogPrefix } from './system-frames.ts';

type Answer = CommandOf<'answer-approval' | 'answer-dialog'>;

/** Takes the answers of one connection. */
export function createControlResponses(ports: ConnectionPorts): (frame: ControlResponseFrame) => Actions {
  const { session, filter } = ports;

  function deliver(requestId: string, command: Answer): Actions {
    // Before the outcome is known: the cancel frame for the other clients may be sent before the outcome arrives here.
    filter.answered(requestId);
    return ports.ask(command, (outcome) => {
      if (outcome.ok) return [];
      filter.unanswered(requestId);
      // With several clients, a late answer to a closed question is normal (docs/protocols/claude.md 3.7).
      return outcome.error.code === 'stale' ? [] : ports.send({ type: 'error', message: outcome.error.message });
    });
  }

  /**
   * Passes the answer on to the agent: it may answer a hook, a tool of the client or the like. The agent knows its
   * requests, so an answer without a request is only noted.
   */
  function passOn(frame: ControlResponseFrame): Actions {
    const text = `an answer to ${frame.response.request_id}, which nobody waits for`;
    return ports.ask({ type: 'unknown', protocol: 'claude', payload: frame }, (outcome) =>
      outcome.ok ? [] : [{ do: 'note', level: 'loss', text }],
    );
  }

  function isOurs(requestId: string): boolean {
    if (session === undefined || requestId.startsWith(dialogPrefix)) return true;
    return session.transcript.approvals.has(requestId);
  }

  return (frame) => {
    const { response } = frame;
    const id = response.request_id;
    if (response.subtype === 'error') {
      // The client has no callback, or the callback threw (docs/protocols/claude.md 3.8). Another client may still be
      // able to answer.
      return isOurs(id) ? deliver(id, unable(id, response.error)) : passOn(frame);
    }
    const answer = PermissionAnswer.safeParse(response.response);
    if (answer.success) return deliver(id, answerOf(session, id, answer.data));
    // A malformed answer leaves the question open: the answer is checked whole before it counts (docs/faults.md F17).
    return isOurs(id)
      ? ports.complain(`the answer to ${id} is not a permission result: ${problems(answer.error)}`)
      : passOn(frame);
  };
}

function answerOf(session: SessionView | undefined, requestId: string, given: PermissionAnswer): Answer {
  if (requestId.startsWith(dialogPrefix)) return dialogAnswer(session, requestId.slice(dialogPrefix.length), given);
  if (given.behavior === 'allow') {
    const { updatedInput, updatedPermissions } = given;
    return {
      type: 'answer-approval',
      id: requestId,
      decision: 'allow',
      input: updatedInput ?? undefined,
      remember: updatedPermissions ?? undefined,
      ...(isForSession(session?.transcript.approvals.get(requestId), updatedPermissions ?? [])
        ? { forSession: true }
        : {}),
    };
  }
  const { message, interrupt } = given;
  return {
    type: 'answer-approval',
    id: requestId,
    decision: 'deny',
    reason: message ?? undefined,
    interrupt: interrupt ?? undefined,
  };
}

/**
 * Whether a permission allows this tool for this session, from an agent without suggestions. The session keeps such a
 * permission. Suggested permissions are kept by the agent.
 */
function isForSession(asked: EventOf<'approval-request'> | undefined, wishes: readonly unknown[]): boolean {
  if (asked === undefined || (asked.suggestions ?? []).length > 0) return false;
  return wishes.some((wish) => {
    const read = SessionRules.safeParse(wish).data;
    return read?.rules.every(({ toolName }) => toolName === asked.name) === true;
  });
}

function unable(requestId: string, reason: string): Answer {
  if (!requestId.startsWith(dialogPrefix)) {
    return { type: 'answer-approval', id: requestId, decision: 'deny', reason, unable: true };
  }
  const id = requestId.slice(dialogPrefix.length);
  return { type: 'answer-dialog', id, answer: { kind: 'cancelled' }, unable: true };
}

/** Answers to a question are in `updatedInput.answers`, keyed by the question's text. */
function dialogAnswer(session: SessionView | undefined, id: string, given: PermissionAnswer): Answer {
  const answers = given.behavior === 'allow' ? Answers.safeParse(given.updatedInput?.answers).data : undefined;
  const [value] = Object.values(answers ?? {});
  return { type: 'answer-dialog', id, answer: answerTo(session?.transcript.dialogs.get(id)?.kind, answers, value) };
}

function answerTo(
  kind: EventOf<'dialog-request'>['kind'] | undefined,
  responses: Answers | undefined,
  value: unknown,
): CommandOf<'answer-dialog'>['answer'] {
  if (kind === 'interview' && responses !== undefined) return { kind: 'responses', responses };
  if (typeof value !== 'string') return { kind: 'cancelled' };
  return kind === 'confirm' ? { kind: 'confirmed', confirmed: value === confirmChoices[0] } : { kind: 'value', value };
}
