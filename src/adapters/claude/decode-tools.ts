// The tool calls of a run, from their announcement in a message to their result in a `user` frame. The format does not
// say when a tool starts: it does when its message is over, unless it needs leave first (reference claude-sdk 4.1, 4.2).
import type { CallChanges } from '../../core/call-changes.ts';
import type { Dictionary } from '../../core/content.ts';
import { dictionaryOf, isDictionary, without } from '../../core/dictionary.ts';
import type { EventOf } from '../../core/event.ts';
import type { Outbox } from '../../core/outbox.ts';
import { changeMade } from './changes.ts';
import { contentOf, partsOf, saidOf } from './decode-values.ts';
import type { ToolResultBlock } from './wire-agent.ts';

interface Call {
  readonly name: string;
  readonly lane: string | undefined;
  input: Dictionary;
  running: boolean;
  /** Its sub-agent was sent to the background: it may have its result when nobody waits for it any more. */
  detached: boolean;
  /** Why it will not run. */
  refused: 'denied' | 'aborted' | null;
}

/** The calls that have no result yet. */
export interface Tools {
  announced(call: string, name: string, lane: string | undefined): void;
  called(call: string, input: Dictionary): void;
  /** The message of that lane is over: its tools start, but for those whose turn to ask may still come. */
  messageEnded(lane: string | undefined): void;
  /** It was cut: what it calls does not run. */
  messageCut(lane: string | undefined): void;
  /** The user is asked whether this may run. */
  asked(call: string | undefined, approval: string): void;
  /** Answered, or withdrawn. */
  answered(
    call: string | undefined,
    approval: string,
    verdict: 'allowed' | 'denied' | 'withdrawn',
    input?: Dictionary,
  ): void;
  /** `frame`: what its frame says beside it. */
  result(block: ToolResultBlock, lane: string | undefined, frame: Dictionary, isAlone: boolean): void;
  /** Whether that call has no result yet. */
  has(call: string): boolean;
  /** Whether a call of the main thread has no result. */
  readonly owed: boolean;
  /** No result will come any more. `ofMain`: those of the main thread; else all. */
  closeAll(ofMain: boolean): void;
}

/** `changes`: what the calls change in files. */
export function createTools(out: Outbox, changes: CallChanges): Tools {
  const calls = new Map<string, Call>();
  const asks = new Set<string>();

  function begin(id: string, call: Call): void {
    if (call.running) return;
    call.running = true;
    const { lane: parent, name, input } = call;
    const change = changes.of(id, name, input);
    out.deliver({ type: 'tool-start', parent, call: id, name, input, ...(change && { change }) });
  }

  return {
    announced: (call, name, lane) =>
      void calls.set(call, { name, lane, input: {}, running: false, detached: false, refused: null }),
    called(id, input) {
      const call = calls.get(id);
      if (call !== undefined) call.input = input;
    },
    messageEnded(lane) {
      if (asks.size > 0) return;
      for (const [id, call] of calls) if (call.lane === lane && call.refused === null) begin(id, call);
    },
    messageCut(lane) {
      for (const call of calls.values()) if (call.lane === lane && !call.running) call.refused = 'aborted';
    },
    asked: (_, approval) => void asks.add(approval),
    answered(id, approval, verdict, input) {
      asks.delete(approval);
      const call = id === undefined ? undefined : calls.get(id);
      if (id === undefined || call === undefined) return;
      if (verdict !== 'allowed') {
        call.refused = verdict === 'denied' ? 'denied' : 'aborted';
        return;
      }
      if (input !== undefined) changes.replaced(id, call.name, input);
      if (input !== undefined && !call.running) call.input = input;
      begin(id, call);
    },
    result(block, lane, frame, isAlone) {
      const id = block.tool_use_id;
      const call = calls.get(id);
      const isError = block.is_error === true;
      const skipped = isError ? skippedBy(id, frame, call) : undefined;
      if (call !== undefined && skipped === undefined) begin(id, call);
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
    },
    has: (call) => calls.has(call),
    get owed() {
      return [...calls.values()].some(({ lane }) => lane === undefined);
    },
    closeAll(ofMain) {
      // Sub-agents end before the calls that they live in: what was called last ends first.
      for (const [id, call] of [...calls].reverse()) {
        if (ofMain && call.lane !== undefined) continue;
        calls.delete(id);
        changes.ended(id);
        out.deliver(unanswered(id, call));
      }
      if (!ofMain) asks.clear();
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
