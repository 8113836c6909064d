// Requests of the agent to its client: approval of a tool, an answer to a question, and requests that only a client of
// this protocol can answer, which are passed on (docs/protocols/claude.md 3.5, 3.6). Each request is answered once.

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { CallChanges } from '../../../core/log/call-changes.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { type AgentRequestFrame, AskedQuestions, CanUseTool, faultIn } from '../wire/agent.ts';
import { errorAnswer } from '../wire/client.ts';
import { kindOf } from './call-kinds.ts';
import { claudeExtra } from './decode/values.ts';
import { changeOf } from './file-changes.ts';

/** The dependencies of the questions. */
export interface QuestionPorts {
  /** The file changes of calls. */
  readonly changes: CallChanges;
  /** Called before a question that belongs to a run. */
  asking(): void;
  asked(call: string | undefined, approval: string): void;
  answered(
    call: string | undefined,
    approval: string,
    verdict: 'allowed' | 'denied' | 'withdrawn',
    input?: Dictionary,
  ): void;
}

/** The open questions of one agent. */
export interface AgentQuestions {
  request(frame: AgentRequestFrame): void;
  /** Must be called when the agent withdraws its request. Ends the question that the request opened. */
  withdraw(id: string, frame: Dictionary): void;
  approve(answer: CommandOf<'answer-approval'>): Outcome;
  reply(id: string, answer: CommandOf<'answer-dialog'>['answer']): Outcome;
  /** A `control_response` of a client of this protocol. */
  pass(frame: Dictionary): Outcome;
  /**
   * Must be called when a client of this protocol initializes the agent. From then on the agent may use everything that
   * the client declares.
   */
  declare(initialize: Dictionary): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
  /** Must be called when the run has ended. Forgets the open approvals. */
  forget(): void;
}

type Asked =
  | { readonly kind: 'approval'; readonly request: CanUseTool }
  | { readonly kind: 'dialog'; readonly request: CanUseTool; readonly asked: AskedQuestions };

/**
 * The declaration that a client must have made before it may be asked, by kind of request. Every client of this
 * protocol can refuse other requests itself.
 */
const declarations: ReadonlyMap<string, string> = new Map([
  ['hook_callback', 'hooks'],
  ['mcp_message', 'sdkMcpServers'],
  ['request_user_dialog', 'supportedDialogKinds'],
]);

/** Requests that wait for a client of this protocol at once. */
const mostPassed = 256;

/**
 * Creates the questions of one agent. `passedMs`: how long a client may take to answer a request that was passed on.
 */
export function createQuestions(out: Outbox, ports: QuestionPorts, passedMs: number): AgentQuestions {
  const open = new Map<string, Asked>();
  const passed = new Set<string>();
  let declared: Dictionary | null = null;

  const succeed = (id: string, response: object) =>
    out.send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });

  const fail = (id: string, error: string, code?: string) => out.send(errorAnswer(id, error, code));

  function canBePassed(subtype: string): boolean {
    const field = declarations.get(subtype);
    if (declared === null || field === undefined) return declared !== null;
    const value = declared[field];
    return Array.isArray(value) ? value.length > 0 : isDictionary(value) && Object.keys(value).length > 0;
  }

  function ask(id: string, request: CanUseTool): void {
    if (open.has(id)) return out.note('violation', 'can_use_tool: ignored a request whose id is taken');
    const questions = request.tool_name === 'AskUserQuestion' ? AskedQuestions.safeParse(request.input) : null;
    if (questions?.success === true) {
      open.set(id, { kind: 'dialog', request, asked: questions.data });
      out.deliver(dialogOf(id, request, questions.data));
      return;
    }
    ports.asking();
    open.set(id, { kind: 'approval', request });
    ports.asked(request.tool_use_id ?? undefined, id);
    out.deliver(withChange(approvalOf(id, request)));
  }

  function withChange(event: EventOf<'approval-request'>): EventOf<'approval-request'> {
    const { call, name, input } = event;
    // An approval without a call ends with its answer, so its change need not be kept.
    const change = call === undefined ? changeOf(name, input) : ports.changes.of(call, name, input);
    return { ...event, ...kindOf(name, input), ...(change && { change }) };
  }

  return {
    request(frame) {
      const { request_id: id, request } = frame;
      if (request.subtype === 'can_use_tool') {
        const read = CanUseTool.safeParse(request);
        if (read.success) return ask(id, read.data);
        out.note('violation', `can_use_tool: ${faultIn(read.error)}`);
        return fail(id, 'a malformed permission request');
      }
      if (!canBePassed(request.subtype)) {
        return fail(id, `Unsupported control request subtype: ${request.subtype}`, 'unsupported_request');
      }
      if (passed.size >= mostPassed) return fail(id, `${mostPassed} requests wait for a client already`);
      passed.add(id);
      out.timer(timerOf(id), passedMs);
      out.deliver({ type: 'unknown', protocol: 'claude', payload: frame });
    },

    withdraw(id, frame) {
      const asked = open.get(id);
      if (asked !== undefined) {
        open.delete(id);
        if (asked.kind === 'dialog') return out.deliver({ type: 'dialog-end', id, outcome: 'cancelled' });
        out.deliver({ type: 'approval-end', id, outcome: 'cancelled' });
        return ports.answered(asked.request.tool_use_id ?? undefined, id, 'withdrawn');
      }
      if (!passed.delete(id)) return;
      out.timer(timerOf(id), null);
      out.deliver({ type: 'unknown', protocol: 'claude', payload: frame });
    },

    approve({ id, decision, input, reason, remember, forSession, interrupt }) {
      const asked = open.get(id);
      if (asked?.kind !== 'approval') return refused('stale', 'the agent waits for no such answer');
      open.delete(id);
      const { request } = asked;
      const toolUseID = request.tool_use_id ?? undefined;
      const kept = (wishes: readonly unknown[]) => (forSession === true ? wishes.map(forThisSession) : wishes);
      const isAllowed = decision === 'allow';
      succeed(
        id,
        isAllowed
          ? {
              behavior: 'allow',
              updatedInput: input ?? request.input ?? {},
              ...(remember === undefined || remember.length === 0 ? {} : { updatedPermissions: kept(remember) }),
              toolUseID,
            }
          : {
              behavior: 'deny',
              message: reason ?? 'The user does not allow it.',
              ...(interrupt === true ? { interrupt } : {}),
              toolUseID,
            },
      );
      ports.answered(toolUseID, id, isAllowed ? 'allowed' : 'denied', input);
      return { ok: true };
    },

    reply(id, answer) {
      const asked = open.get(id);
      if (asked?.kind !== 'dialog') return refused('stale', 'the agent waits for no such answer');
      const { request } = asked;
      const toolUseID = request.tool_use_id ?? undefined;
      const answers = answersOf(asked.asked, answer);
      if (answers === null && answer.kind !== 'cancelled') {
        return refused('invalid', `such a question cannot be answered with "${answer.kind}"`);
      }
      open.delete(id);
      succeed(
        id,
        answers === null
          ? { behavior: 'deny', message: 'The user did not answer.', toolUseID }
          : { behavior: 'allow', updatedInput: { ...request.input, answers }, toolUseID },
      );
      return { ok: true };
    },

    pass(frame) {
      const id = dictionaryOf(frame.response).request_id;
      if (typeof id !== 'string' || !passed.delete(id)) return refused('stale', 'the agent waits for no such answer');
      out.timer(timerOf(id), null);
      out.send(frame);
      return { ok: true };
    },

    declare(initialize) {
      declared = { ...declared, ...initialize };
    },

    onTimer(timer) {
      if (!timer.startsWith('passed:')) return false;
      const id = timer.slice('passed:'.length);
      if (passed.delete(id)) fail(id, 'no client answered in time');
      return true;
    },

    forget() {
      for (const [id, asked] of open) if (asked.kind === 'approval') open.delete(id);
    },
  };
}

function timerOf(id: string): string {
  return `passed:${id}`;
}

const approvalFields = ['subtype', 'tool_name', 'input', 'tool_use_id', 'permission_suggestions', 'title'] as const;

function approvalOf(id: string, request: CanUseTool): EventOf<'approval-request'> {
  const { tool_name: name, input, tool_use_id: call, permission_suggestions: suggestions } = request;
  const title = request.title ?? request.description ?? undefined;
  return {
    type: 'approval-request',
    id,
    name,
    input: input ?? {},
    ...(typeof call === 'string' ? { call } : {}),
    ...(title === undefined ? {} : { title }),
    ...(suggestions === null || suggestions === undefined ? {} : { suggestions }),
    ...claudeExtra(without(request, ...approvalFields, ...(request.title ? [] : ['description']))),
  };
}

/** One question with one answer is a `select`. Several questions are an `interview`, with Claude's own questions. */
function dialogOf(id: string, request: CanUseTool, { questions }: AskedQuestions): EventOf<'dialog-request'> {
  const [only, ...others] = questions;
  const extra = claudeExtra({ request });
  const labels = only?.options?.map(({ label }) => label) ?? [];
  if (only !== undefined && others.length === 0 && only.multiSelect !== true && labels.length > 0) {
    return { type: 'dialog-request', id, kind: 'select', title: only.question, options: labels, ...extra };
  }
  const title = questions.map(({ header, question }) => header ?? question).join(', ');
  return { type: 'dialog-request', id, kind: 'interview', title, questions, ...extra };
}

/**
 * The answers by the text of each question, as in Claude Code (docs/protocols/claude.md 3.11); null if there is no
 * answer.
 */
function answersOf({ questions }: AskedQuestions, answer: CommandOf<'answer-dialog'>['answer']): Dictionary | null {
  const [first] = questions;
  switch (answer.kind) {
    case 'value':
      return first === undefined ? null : { [first.question]: answer.value };
    case 'responses':
      return answer.responses;
    case 'confirmed':
    case 'cancelled':
      return null;
    default:
      return answer satisfies never;
  }
}

/** Limits a suggested permission to this session. Agents may suggest to store the permission for longer. */
function forThisSession(wish: unknown): unknown {
  return isDictionary(wish) && 'destination' in wish ? { ...wish, destination: 'session' } : wish;
}
