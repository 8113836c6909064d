// Approvals of a pi with the gateway's extension (src/extensions/pi-approvals.ts). pi has no event for approvals, so
// the extension asks in a `select` of a fixed shape (docs/protocols/pi.md 12.5, 12.8).
import { z } from 'zod';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { CallChanges } from '../../../core/log/call-changes.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';

import type { ExtensionUiResponse } from '../wire/commands.ts';
import type { DialogRequest } from '../wire/extension.ts';

type Answer = CommandOf<'answer-approval'>;

/** The second line of the question. `approval` is the version of the format. */
const Facts = z.object({
  approval: z.literal(1),
  call: z.string(),
  name: z.string(),
  // `z.custom` because a record schema drops keys like `__proto__`: the user must see every argument of the tool.
  input: z.custom<Dictionary>(isDictionary),
});
type Facts = z.infer<typeof Facts>;

/** The choices of the extension, in this order. */
const choices = { allow: 'Allow', deny: 'Deny', explain: 'Deny and say why' } as const;

/** The open approvals of one pi process. */
export interface Approvals {
  isOpen(): boolean;
  /** Handles a question that is an approval. Returns false for any other question. */
  take(request: DialogRequest): boolean;
  answer(command: Answer): Outcome;
  /** Why the tool of that call did not run, if an approval was the reason. */
  skippedOf(call: string): 'denied' | 'aborted' | undefined;
  /** Ends the open approval of an ended tool. */
  toolEnded(call: string): void;
  /**
   * Cancels every open approval, and each approval that pi requests before it stops: pi does not stop past an open one.
   */
  stop(): void;
  /** Forgets the approvals of the previous run. */
  runStarted(): void;
  /** Closes the approvals towards pi only: the session has already ended everything that was open in the run. */
  runEnded(): void;
}

/**
 * Creates the approvals of a session. Calls `changed` when an approval opens or ends. `changes` holds the file changes
 * of the calls.
 */
export function createApprovals(out: Outbox, changes: CallChanges, changed: () => void): Approvals {
  /** Dialog id -> the call of the approval. */
  const open = new Map<string, Pick<Facts, 'call' | 'name'>>();
  const skipped = new Map<string, 'denied' | 'aborted'>();
  let isStopping = false;

  function respond(id: string, answer: { value: string } | { cancelled: true }): void {
    out.send({ type: 'extension_ui_response', id, ...answer } satisfies ExtensionUiResponse);
  }

  function cancel(id: string, call: string): void {
    respond(id, { cancelled: true });
    skipped.set(call, 'aborted');
    open.delete(id);
    out.deliver({ type: 'approval-end', id, outcome: 'cancelled' });
    changed();
  }

  function ask(event: EventOf<'approval-request'>, call: string): void {
    const { name } = event;
    if (open.has(event.id)) {
      out.note('violation', 'extension_ui_request: ignored an approval whose id is taken');
      return;
    }
    open.set(event.id, { call, name });
    out.deliver(event);
    changed();
    if (isStopping) cancel(event.id, call);
  }

  return {
    isOpen: () => open.size > 0,
    take(request) {
      const facts = factsIn(request);
      if (facts === null) return false;
      const { call, name, input } = facts;
      const change = changes.of(call, name, input);
      ask({ type: 'approval-request', id: request.id, call, name, input, ...(change && { change }) }, call);
      return true;
    },
    answer(command) {
      const { id, decision } = command;
      const asked = open.get(id);
      if (asked === undefined) return refused('stale', `no approval ${id} is open`);
      if (decision === 'allow' && command.remember !== undefined)
        out.note('loss', 'answer-approval: pi has no standing permissions');
      respond(id, { value: answerText(command) });
      if (decision === 'deny') skipped.set(asked.call, 'denied');
      else if (command.input !== undefined) changes.replaced(asked.call, asked.name, command.input);
      open.delete(id);
      changed();
      return { ok: true };
    },
    skippedOf: (call) => skipped.get(call),
    toolEnded(call) {
      for (const [id, asked] of open) if (asked.call === call) cancel(id, call);
    },
    stop() {
      isStopping = true;
      for (const [id, { call }] of [...open]) cancel(id, call);
    },
    runStarted() {
      isStopping = false;
      skipped.clear();
    },
    runEnded() {
      if (open.size === 0) return;
      for (const id of open.keys()) respond(id, { cancelled: true });
      open.clear();
      changed();
    },
  };
}

/** The facts in a question of the gateway's extension, or null for any other dialog. */
function factsIn(request: DialogRequest): Facts | null {
  if (request.method !== 'select' || request.timeout !== undefined) return null;
  if (JSON.stringify(request.options) !== JSON.stringify(Object.values(choices))) return null;
  const [head, line, ...rest] = request.title.split('\n');
  if (line === undefined || rest.length > 0) return null;
  const facts = Facts.safeParse(valueIn(line)).data;
  // The line for the user must agree with the line for the program.
  return facts !== undefined && head === `Allow ${facts.name}?` ? facts : null;
}

function valueIn(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** One of the choices if the choice is sufficient, else JSON, which the extension also reads. */
function answerText({ decision, input, reason }: Answer): string {
  if (decision === 'allow') return input === undefined ? choices.allow : JSON.stringify({ decision, input });
  return reason === undefined ? choices.deny : JSON.stringify({ decision, reason });
}
