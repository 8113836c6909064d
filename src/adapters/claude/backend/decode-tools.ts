// The tool calls of a run, from their announcement in a message to their result in a `user` frame. The format does not
// say when a tool starts: a tool starts when its message is over, unless it needs leave first (docs/protocols/claude.md 4.6,
// 5). The agent asks for leave before the end of the message or some milliseconds behind it, so a start waits a moment.
import type { CallChanges } from '../../../core/log/call-changes.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../core/model/dictionary.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { changeMade } from './changes.ts';
import { contentOf, partsOf, saidOf } from './decode-values.ts';
import type { ToolResultBlock } from '../wire/agent.ts';

interface Call {
  readonly name: string;
  readonly lane: string | undefined;
  input: Dictionary;
  running: boolean;
  /** Its message is over: nothing but a question may still keep it from starting. */
  due: boolean;
  /** Its sub-agent was sent to the background: it may have its result when nobody waits for it any more. */
  detached: boolean;
  /** Why it will not run. */
  refused: 'denied' | 'aborted' | null;
}

/** What became of a question. */
type Verdict = 'allowed' | 'denied' | 'withdrawn';

/** The calls that have no result yet. */
export interface Tools {
  announced(call: string, name: string, lane: string | undefined): void;
  called(call: string, input: Dictionary): void;
  /** A message begins on that lane: the tools of the one before it have started. */
  messageBegins(lane: string | undefined): void;
  /** The message of that lane is over: its tools start soon, but for those whose turn to ask may still come. */
  messageEnded(lane: string | undefined): void;
  /** It was cut: what it calls does not run. */
  messageCut(lane: string | undefined): void;
  /** The user is asked whether this may run. */
  asked(call: string | undefined, approval: string): void;
  /** Answered, or withdrawn. */
  answered(call: string | undefined, approval: string, verdict: Verdict, input?: Dictionary): void;
  /** `frame`: what its frame says beside it. */
  result(block: ToolResultBlock, lane: string | undefined, frame: Dictionary, isAlone: boolean): void;
  /**
   * Something that only a call does which runs: its sub-agent speaks, its task is told of. Without a name: any of those
   * that may run.
   */
  atWork(call?: string): void;
  /** Whether the timer was ours. */
  wake(timer: string): boolean;
  /** Whether that call has no result yet. */
  has(call: string): boolean;
  /** Whether a call of the main thread has no result. */
  readonly owed: boolean;
  /** No result will come any more. `ofMain`: those of the main thread; else all. */
  closeAll(ofMain: boolean): void;
}

/** How long a start waits for a question: Claude Code asks within 12 ms of the end of the message. */
const askedWithinMs = 50;
const startTimer = 'tools start';

/** `changes`: what the calls change in files. */
export function createTools(out: Outbox, changes: CallChanges): Tools {
  const calls = new Map<string, Call>();
  const asks = new Set<string>();
  let isTiming = false;

  function begin(id: string, call: Call): void {
    if (call.running) return;
    call.running = true;
    const { lane: parent, name, input } = call;
    const change = changes.of(id, name, input);
    out.deliver({ type: 'tool-start', parent, call: id, name, input, ...(change && { change }) });
  }

  const mayStart = (call: Call) => call.due && !call.running && call.refused === null;

  function startDue(isMeant: (call: Call, id: string) => boolean): void {
    if (asks.size > 0) return;
    for (const [id, call] of calls) if (mayStart(call) && isMeant(call, id)) begin(id, call);
  }

  /** Tools start in the order of their calls. */
  function startBefore(id: string, lane: string | undefined): void {
    const ids = [...calls.keys()];
    startDue((call, other) => call.lane === lane && ids.indexOf(other) < ids.indexOf(id));
  }

  /** Starts that may be next wait anew; while a question is open none of them may be. */
  function wait(): void {
    const isWaiting = asks.size === 0 && [...calls.values()].some(mayStart);
    if (isWaiting || isTiming) out.timer(startTimer, isWaiting ? askedWithinMs : null);
    isTiming = isWaiting;
  }

  function judge(id: string, call: Call, verdict: Verdict, input: Dictionary | undefined): void {
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
      asks.add(approval);
      wait();
    },
    answered(id, approval, verdict, input) {
      asks.delete(approval);
      const call = id === undefined ? undefined : calls.get(id);
      if (id !== undefined && call !== undefined) judge(id, call, verdict, input);
      wait();
    },
    atWork(id) {
      startDue((_, own) => id === undefined || own === id);
      wait();
    },
    wake(timer) {
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
      // A tool that failed has changed nothing.
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
        // Of several results in one frame nobody knows whose it is.
        ...(details === undefined || !isAlone ? {} : { details }),
        ...partsOf({
          frame: isAlone ? rest : frame,
          block: without(block, 'type', 'tool_use_id', 'content', 'is_error'),
          // So that one text in a list goes back as a list.
          list: isListOfOne(block.content) || undefined,
        }),
      });
      // A tool that waits for others to end asks behind their results.
      wait();
    },
    has: (call) => calls.has(call),
    get owed() {
      return [...calls.values()].some(({ lane }) => lane === undefined);
    },
    closeAll(ofMain) {
      startDue(() => true);
      // Sub-agents end before the calls that they live in: what was called last ends first.
      for (const [id, call] of [...calls].reverse()) {
        if (ofMain && call.lane !== undefined) continue;
        calls.delete(id);
        changes.ended(id);
        out.deliver(unanswered(id, call));
      }
      if (!ofMain) asks.clear();
      wait();
    },
  };
}

function unanswered(id: string, { lane, name, running, detached }: Call): EventOf<'tool-end'> {
  if (detached) {
    const content = [{ type: 'text' as const, text: 'it goes on in the background' }];
    const end = { type: 'tool-end', parent: lane, call: id, name, content, isError: false, synthetic: true } as const;
    return { ...end, ...saidOf({ detached }) };
  }
  const content = [{ type: 'text' as const, text: 'interrupted: the agent gave no result' }];
  const end = { type: 'tool-end', parent: lane, call: id, name, content, isError: true, synthetic: true } as const;
  return running ? end : { ...end, skipped: 'aborted' };
}

/** Why a call never ran, as newer versions say it; older ones leave us what we answered ourselves. */
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
