// The tool calls of a run, from announcement in a message to result in a `user` frame. The format does not report when
// a tool starts. A tool starts when its message is over, unless it needs approval first (docs/protocols/claude.md 4.6,
// 5). The agent asks for approval before the end of the message or some milliseconds after it, so a start is delayed a
// little.

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { CallChanges } from '../../../../core/log/call-changes.ts';
import type { Dictionary } from '../../../../core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../../core/model/dictionary.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import type { ToolResultBlock } from '../../wire/agent.ts';
import { kindOf } from '../call-kinds.ts';
import { changeMade } from '../file-changes.ts';
import type { Plans } from '../plans.ts';
import { claudeExtra, claudeExtraParts, contentOf } from './values.ts';

interface Call {
  readonly name: string;
  readonly lane: string | undefined;
  input: Dictionary;
  running: boolean;
  /** Whether the message of the call has ended. From then on, only an open question keeps the call from starting. */
  due: boolean;
  /** The agent goes on without waiting for the sub-agent of this call. The result may come after the run. */
  detached: boolean;
  /** Why the call will not run. */
  refused: 'denied' | 'aborted' | null;
}

/** The outcome of a question. */
type Verdict = 'allowed' | 'denied' | 'withdrawn';

/** The calls that have no result yet. */
export interface Tools {
  announced(call: string, name: string, lane: string | undefined): void;
  called(call: string, input: Dictionary): void;
  /** Must be called when a message begins on this lane: the tools of the message before have started. */
  messageBegins(lane: string | undefined): void;
  /**
   * Must be called at the end of a message. The tools of the message start after {@link askedWithinMs}, unless the
   * agent asks the user about one of them before.
   */
  messageEnded(lane: string | undefined): void;
  /** Must be called when the message was cut off: its calls do not run. */
  messageCut(lane: string | undefined): void;
  /** Must be called when the user is asked whether the call may run. */
  asked(call: string | undefined, approval: string): void;
  /** Must be called when the question was answered or withdrawn. */
  answered(call: string | undefined, approval: string, verdict: Verdict, input?: Dictionary): void;
  /** Ends a call with its result. `frame`: the other fields of the block's frame. */
  result(block: ToolResultBlock, lane: string | undefined, frame: Dictionary, isAlone: boolean): void;
  /**
   * Must be called at each sign that a call runs: its sub-agent writes, or its task is reported. Without a call: a sign
   * for all calls that may run.
   */
  atWork(call?: string): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
  /** Whether that call has no result yet. */
  has(call: string): boolean;
  /** Whether a call of the main thread has no result. */
  readonly owed: boolean;
  /** Ends all calls, because no result will follow. `ofMain`: only calls of the main thread. */
  closeAll(ofMain: boolean): void;
}

/** How long a start waits for a question, ms. Claude Code asks within 12 ms of the end of the message. */
const askedWithinMs = 50;
const startTimer = 'tools start';

/** Creates the decoder of tool calls. `changes`: the file changes of calls. `plans`: hears of calls that worked. */
export function createTools(out: Outbox, changes: CallChanges, plans: Plans): Tools {
  const calls = new Map<string, Call>();
  const openQuestions = new Set<string>();
  let isTiming = false;

  function begin(id: string, call: Call): void {
    if (call.running) return;
    call.running = true;
    const { lane: parent, name, input } = call;
    const change = changes.of(id, name, input);
    const shown = { ...kindOf(name, input), ...(change && { change }) };
    out.deliver({ type: 'tool-start', parent, call: id, name, input, ...shown });
  }

  const mayStart = (call: Call) => call.due && !call.running && call.refused === null;

  function startDue(isMeant: (call: Call, id: string) => boolean): void {
    if (openQuestions.size > 0) return;
    for (const [id, call] of calls) if (mayStart(call) && isMeant(call, id)) begin(id, call);
  }

  /** Tools start in the order of their calls. */
  function startBefore(id: string, lane: string | undefined): void {
    const ids = [...calls.keys()];
    startDue((call, other) => call.lane === lane && ids.indexOf(other) < ids.indexOf(id));
  }

  /** Restarts the timer for calls that may start next. No call may start while a question is open. */
  function wait(): void {
    const isWaiting = openQuestions.size === 0 && [...calls.values()].some(mayStart);
    if (isWaiting || isTiming) out.timer(startTimer, isWaiting ? askedWithinMs : null);
    isTiming = isWaiting;
  }

  function applyVerdict(id: string, call: Call, verdict: Verdict, input: Dictionary | undefined): void {
    if (verdict !== 'allowed') {
      call.refused = verdict === 'denied' ? 'denied' : 'aborted';
      return;
    }
    if (input !== undefined) changes.replaced(id, call.name, input);
    if (input !== undefined && !call.running) call.input = input;
    begin(id, call);
  }

  return {
    announced: (call, name, lane) =>
      void calls.set(call, { name, lane, input: {}, running: false, due: false, detached: false, refused: null }),
    called(id, input) {
      const call = calls.get(id);
      if (call !== undefined) call.input = input;
    },
    messageBegins(lane) {
      startDue((call) => call.lane === lane);
      wait();
    },
    messageEnded(lane) {
      for (const call of calls.values()) if (call.lane === lane) call.due = true;
      wait();
    },
    messageCut(lane) {
      for (const call of calls.values()) if (call.lane === lane && !call.running) call.refused = 'aborted';
    },
    asked(_, approval) {
      openQuestions.add(approval);
      wait();
    },
    answered(id, approval, verdict, input) {
      openQuestions.delete(approval);
      const call = id === undefined ? undefined : calls.get(id);
      if (id !== undefined && call !== undefined) applyVerdict(id, call, verdict, input);
      wait();
    },
    atWork(id) {
      startDue((_, own) => id === undefined || own === id);
      wait();
    },
    onTimer(timer) {
      if (timer !== startTimer) return false;
      isTiming = false;
      startDue(() => true);
      return true;
    },
    result(block, lane, frame, isAlone) {
      const id = block.tool_use_id;
      const call = calls.get(id);
      const isError = block.is_error === true;
      const skipped = isError ? skippedBy(id, frame, call) : undefined;
      startDue((inner) => inner.lane === id);
      if (call !== undefined && skipped === undefined) {
        startBefore(id, call.lane);
        begin(id, call);
      }
      calls.delete(id);
      const asked = changes.ended(id);
      for (const inner of calls.values()) if (inner.lane === id) inner.detached = true;
      const content = contentOf(block.content);
      const { tool_use_result: details, ...rest } = frame;
      // A failed tool has changed nothing.
      const change = isError ? undefined : changeMade(asked, isAlone ? details : undefined);
      out.deliver({
        type: 'tool-end',
        parent: call === undefined ? lane : call.lane,
        call: id,
        name: call?.name ?? 'unknown',
        content,
        isError,
        ...(skipped === undefined ? {} : { skipped }),
        ...(change && { change }),
        // With several results in one frame, the details cannot be assigned.
        ...(details === undefined || !isAlone ? {} : { details }),
        ...claudeExtraParts({
          frame: isAlone ? rest : frame,
          block: without(block, 'type', 'tool_use_id', 'content', 'is_error'),
          // Remembers that one text was in a list, so that it returns as a list.
          list: isListOfOne(block.content) || undefined,
        }),
      });
      if (call !== undefined && !isError)
        plans.ended({ ...call, call: id, content, details: isAlone ? details : undefined });
      // A tool that waits for other tools asks after their results.
      wait();
    },
    has: (call) => calls.has(call),
    get owed() {
      return [...calls.values()].some(({ lane }) => lane === undefined);
    },
    closeAll(ofMain) {
      startDue(() => true);
      // Sub-agents end before the calls that contain them: the last call ends first.
      for (const [id, call] of [...calls].reverse()) {
        if (ofMain && call.lane !== undefined) continue;
        calls.delete(id);
        changes.ended(id);
        out.deliver(unanswered(id, call));
      }
      if (!ofMain) openQuestions.clear();
      wait();
    },
  };
}

function unanswered(id: string, { lane, name, running, detached }: Call): EventOf<'tool-end'> {
  if (detached) {
    const content = [{ type: 'text' as const, text: 'it goes on in the background' }];
    const end = { type: 'tool-end', parent: lane, call: id, name, content, isError: false, synthetic: true } as const;
    return { ...end, ...claudeExtra({ detached }) };
  }
  const content = [{ type: 'text' as const, text: 'interrupted: the agent gave no result' }];
  const end = { type: 'tool-end', parent: lane, call: id, name, content, isError: true, synthetic: true } as const;
  return running ? end : { ...end, skipped: 'aborted' };
}

/**
 * The reason why a call never ran, from the frame of newer versions. For older versions, the gateway's own answer has
 * the reason.
 */
function skippedBy(id: string, frame: Dictionary, call: Call | undefined): EventOf<'tool-end'>['skipped'] {
  const metas = Array.isArray(frame.tool_result_meta) ? frame.tool_result_meta : [];
  const kind = dictionaryOf(metas.find((meta) => isDictionary(meta) && meta.id === id)).non_execution_kind;
  const refused = call?.running === true ? null : (call?.refused ?? null);
  if (kind === 'user-rejected') return refused ?? 'aborted';
  return kind === 'permission-rule' ? 'denied' : (refused ?? undefined);
}

function isListOfOne(content: unknown): boolean {
  return Array.isArray(content) && content.length === 1 && isDictionary(content[0]) && content[0].type === 'text';
}
