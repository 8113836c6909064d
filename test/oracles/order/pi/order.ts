// The order checker for a stream of pi: whether a program written for pi can rely on these lines (docs/protocols/pi.md
// 6, 7).
import { isDeepStrictEqual } from 'node:util';
import { type Line, lineOf, type OpenMessage, openMessage } from './update.ts';

/** Every rule, with its sentence. */
export const piRules = {
  agent: 'agent_start and agent_end alternate',
  turn: 'turn_start and turn_end alternate, inside an agent',
  message: 'messages do not overlap, and a message_end ends the message that started',
  place: 'the model speaks inside a turn',
  block: 'blocks of a message start, grow and end, each once',
  snapshot: 'snapshots say what the deltas said so far',
  content: 'the whole message says what its blocks said',
  tool: 'tools start and end, each once, inside an agent, never while a message streams',
  result: 'each tool that ended has one result, as a message of its own in the same turn',
  'turn-end': 'turn_end repeats the last message of the model and the results of the turn',
  'agent-end': 'agent_end repeats the messages since agent_start',
  settled: 'agent_settled stands behind agent_end',
  response: 'a response says to which command and how it went, in this order of keys',
  open: 'nothing is open at the end',
} as const;
export type PiRule = keyof typeof piRules;

/** One violation, at an index of the sequence. */
export interface PiViolation {
  readonly rule: PiRule;
  readonly at: number;
  readonly says: string;
}

const responseKeys = ['id', 'type', 'command', 'success', 'data', 'error'];

/** All violations in a stream; `isOver`: its runs have ended. */
export function checkPiOrder(lines: readonly Line[], isOver = true): PiViolation[] {
  const violations: PiViolation[] = [];
  let at = 0;
  const complain = (rule: PiRule, says: string) => void violations.push({ rule, at, says });
  let agent: Line[] | null = null;
  let ended = false;
  let turn: { message: Line | null; results: Line[] } | null = null;
  let open: { line: Line; streaming: OpenMessage | null } | null = null;
  const running = new Set<unknown>();
  const unanswered = new Set<unknown>();

  function messageStart(message: Line): void {
    if (open !== null) complain('message', 'starts inside another one');
    const isAssistant = message.role === 'assistant';
    if (isAssistant && turn === null) complain('place', 'outside a turn');
    open = { line: message, streaming: isAssistant ? openMessage(complain) : null };
  }

  function messageEnd(message: Line): void {
    if (open === null || open.line.role !== message.role) return complain('message', 'ends, but did not start');
    if (open.streaming === null && !isDeepStrictEqual(open.line, message)) complain('message', 'changed on its way');
    open.streaming?.end(message);
    open = null;
    agent?.push(message);
    if (message.role === 'assistant' && turn !== null) turn.message = message;
    if (message.role === 'toolResult') {
      turn?.results.push(message);
      if (!unanswered.delete(message.toolCallId))
        complain('result', `of a tool that did not end: ${message.toolCallId}`);
    }
  }

  function toolStart({ toolCallId }: Line): void {
    if (agent === null || open !== null) complain('tool', 'starts at a wrong place');
    if (running.has(toolCallId)) complain('tool', `starts twice: ${toolCallId}`);
    running.add(toolCallId);
  }

  function toolGoesOn({ type, toolCallId }: Line): void {
    if (open !== null) complain('tool', `${type} while a message streams`);
    if (!running.has(toolCallId)) complain('tool', `${type} of a tool that does not run: ${toolCallId}`);
    if (type !== 'tool_execution_end') return;
    running.delete(toolCallId);
    unanswered.add(toolCallId);
  }

  function turnEnd(line: Line): void {
    if (turn === null) return complain('turn', 'ends, but did not start');
    if (open !== null) complain('message', 'is open at the end of its turn');
    if (running.size > 0) complain('tool', 'runs at the end of its turn');
    if (unanswered.size > 0) complain('result', 'is missing at the end of its turn');
    if (turn.message !== null && !isDeepStrictEqual(line.message, turn.message))
      complain('turn-end', 'another message');
    if (!isDeepStrictEqual(line.toolResults, turn.results)) complain('turn-end', 'other results');
    turn = null;
  }

  function agentEnd(line: Line): void {
    if (agent === null) return complain('agent', 'ends, but did not start');
    if (turn !== null) complain('turn', 'is open at the end of its agent');
    if (!isDeepStrictEqual(line.messages, agent)) complain('agent-end', 'other messages');
    agent = null;
    ended = true;
  }

  function response(line: Line): void {
    const keys = Object.keys(line);
    const sorted = responseKeys.filter((key) => keys.includes(key));
    if (!isDeepStrictEqual(keys, sorted) || typeof line.command !== 'string' || typeof line.success !== 'boolean') {
      complain('response', keys.join(', '));
    }
    if (line.success === 'error' in line) complain('response', 'has an error if and only if it failed');
  }

  const handlers: ReadonlyMap<unknown, (line: Line) => void> = new Map([
    [
      'agent_start',
      () => {
        if (agent !== null) complain('agent', 'starts twice');
        agent = [];
      },
    ],
    ['agent_end', agentEnd],
    [
      'agent_settled',
      () => {
        if (!ended || agent !== null) complain('settled', 'inside an agent');
      },
    ],
    [
      'turn_start',
      () => {
        if (agent === null || turn !== null) complain('turn', 'starts at a wrong place');
        turn = { message: null, results: [] };
      },
    ],
    ['turn_end', turnEnd],
    ['message_start', (line) => messageStart(lineOf(line.message))],
    [
      'message_update',
      (line) => {
        if (open?.streaming == null) complain('message', 'is updated, but not open');
        else open.streaming.update(line);
      },
    ],
    ['message_end', (line) => messageEnd(lineOf(line.message))],
    ['tool_execution_start', toolStart],
    ['tool_execution_update', toolGoesOn],
    ['tool_execution_end', toolGoesOn],
    ['response', response],
  ]);

  for (const line of lines) {
    handlers.get(line.type)?.(line);
    at += 1;
  }
  if (isOver && (agent !== null || turn !== null || open !== null || running.size > 0)) complain('open', 'at the end');
  return violations;
}
