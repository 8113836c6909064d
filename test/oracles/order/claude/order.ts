// The order checker for native Claude frames: turns and envelopes; lane.ts checks the messages of a turn. The checker
// judges our own output by the strict grammar, and shares no code with the product.
import { z } from 'zod';
import { createLane, type Lane } from './lane.ts';
import type { Report, Violation } from './rules.ts';
import {
  AssistantFrame,
  InitFrame,
  problemOf,
  ResultFrame,
  StreamFrame,
  strictEvents,
  UserFrame,
  WithParent,
} from './shapes.ts';
import { createToolCalls, type ToolCalls } from './tools.ts';

const Frame = z.looseObject({ type: z.string() });

/** Subtypes that must not interrupt a message; agents of this protocol may send other subtypes anywhere. */
const betweenMessages: ReadonlySet<unknown> = new Set(['status', 'compact_boundary', 'api_retry', 'notice']);
type Frame = z.infer<typeof Frame>;

/** Frame types of the connection, which may come between any two frames. */
const connectionTypes: ReadonlySet<string> = new Set([
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'error',
]);

interface Turn {
  readonly lanes: Map<string | null, Lane>;
  readonly calls: ToolCalls;
}

/** How to read a sequence. */
export interface OrderOptions {
  /** False when a turn may still be running at the end. Default true. */
  readonly complete?: boolean;
  /** True when the main lane carries complete assistant frames without stream events. Default false. */
  readonly whole?: boolean;
}

/** Checks frames from agent to client against the strict grammar; an empty list means no violation. */
export function checkClaudeOrder(frames: readonly unknown[], options: OrderOptions = {}): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, at, says) => void violations.push({ rule, at, says });
  const uuids = new Set<unknown>();
  const messageIds = new Set<string>();
  let session: unknown;
  let turn: Turn | null = null;
  let results = 0;

  function checkEnvelope(frame: Frame, at: number): void {
    if (typeof frame.uuid !== 'string') report('uuid', at, `${frame.type} without uuid`);
    else if (uuids.has(frame.uuid)) report('uuid', at, `uuid ${frame.uuid} for the second time`);
    uuids.add(frame.uuid);
    session ??= frame.session_id;
    if (typeof session !== 'string' || frame.session_id !== session) {
      report('session', at, `session_id ${String(frame.session_id)} instead of ${String(session)}`);
    }
  }

  function checkShape(schema: z.ZodType, value: unknown, at: number): void {
    const { error } = schema.safeParse(value);
    if (error !== undefined) report('shape', at, problemOf(error));
  }

  function laneOf(open: Turn, frame: { parent_tool_use_id?: string | null | undefined }, at: number): Lane {
    checkShape(WithParent, frame, at);
    const parent = frame.parent_tool_use_id ?? null;
    const known = open.lanes.get(parent);
    if (known !== undefined) return known;
    if (parent !== null && !open.calls.has(parent)) report('parent', at, `unknown tool call ${parent}`);
    const whole = options.whole === true || parent !== null;
    const lane = createLane(report, open.calls.book(parent), messageIds, whole);
    open.lanes.set(parent, lane);
    return lane;
  }

  function endTurn(open: Turn, at: number, failed: boolean): void {
    for (const lane of open.lanes.values()) lane.end(at, failed);
    turn = null;
  }

  /** The turn of a frame. A missing init opens the turn all the same, so that one fault counts once. */
  function turnOf(frame: Frame, at: number): Turn | null {
    const init = frame.type === 'system' && frame.subtype === 'init';
    if (turn !== null && init) {
      report('result-missing', at, 'init while a turn is open');
      endTurn(turn, at, true);
    }
    if (turn !== null) return turn;
    if (!init && frame.type !== 'stream_event') {
      const again = frame.type === 'result' && results > 0;
      report(again ? 'result-twice' : 'outside-turn', at, `${frame.type} outside a turn`);
      return null;
    }
    if (!init) report('init-first', at, `a turn that begins with ${frame.type}`);
    turn = { lanes: new Map(), calls: createToolCalls(report) };
    return turn;
  }

  function checkEvent(open: Turn, frame: StreamFrame, at: number): void {
    const strict = strictEvents.get(frame.event.type);
    if (strict !== undefined) checkShape(strict, frame.event, at);
    laneOf(open, frame, at).event(frame.event, at);
  }

  function checkUser(open: Turn, frame: UserFrame, at: number): void {
    if (laneOf(open, frame, at).busy) report('user-inside', at, 'a user frame inside an open message');
    if (typeof frame.message.content === 'string') return;
    for (const block of frame.message.content) {
      if (block.type === 'tool_result') open.calls.answer(frame.parent_tool_use_id ?? null, block.tool_use_id, at);
    }
  }

  function checkInTurn(open: Turn, frame: Frame, at: number): void {
    function shaped<T>(schema: z.ZodType<T>, use: (value: T) => void): void {
      const parsed = schema.safeParse(frame);
      if (parsed.success) use(parsed.data);
      else report('shape', at, `${frame.type}: ${problemOf(parsed.error)}`);
    }
    switch (frame.type) {
      case 'stream_event':
        shaped(StreamFrame, (it) => checkEvent(open, it, at));
        break;
      case 'assistant':
        shaped(AssistantFrame, (it) => laneOf(open, it, at).assistant(it, at));
        break;
      case 'user':
        shaped(UserFrame, (it) => checkUser(open, it, at));
        break;
      case 'result':
        shaped(ResultFrame, (it) => endTurn(open, at, it.is_error));
        results += 1;
        turn = null;
        break;
      case 'system':
        if (frame.subtype === 'init') checkShape(InitFrame, frame, at);
        // Other subtypes come from an agent of this protocol, which may send them anywhere (docs/protocols/claude.md
        // 5.2).
        else if (open.lanes.get(null)?.busy && betweenMessages.has(frame.subtype))
          report('system-inside', at, `system ${String(frame.subtype)} in a message`);
        break;
      default:
      // Types of a newer protocol are no violation.
    }
  }

  for (const [at, raw] of frames.entries()) {
    const { data: frame, error } = Frame.safeParse(raw);
    if (error !== undefined) report('frame', at, problemOf(error));
    if (frame === undefined || connectionTypes.has(frame.type)) continue;
    checkEnvelope(frame, at);
    const open = turnOf(frame, at);
    if (open !== null) checkInTurn(open, frame, at);
  }
  const unfinished = turn !== null && options.complete !== false;
  if (unfinished) report('result-missing', frames.length, 'the sequence ends inside a turn');
  return violations;
}

/** The violations as lines for a test's message. */
export function describeViolations(violations: readonly Violation[], frames: readonly unknown[]): string[] {
  return violations.map(
    ({ rule, at, says }) => `${rule} at ${at}: ${says} | ${JSON.stringify(frames[at])?.slice(0, 200)}`,
  );
}
