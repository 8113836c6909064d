// Assigns the events of a trace to runs, turns, messages and tools. Notes each judged place under the name of its rule.
// Accepts any input and never throws.
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import type { Answer, Line, Lines } from './lines.ts';
import { type Note, type OpenMessage, openMessage } from './streamed-message.ts';

/** A message that has ended, of any role. */
export interface EndedMessage {
  readonly frame: number;
  readonly role: unknown;
  readonly message: Dictionary;
}

/** From agent_start to agent_end. */
export interface Run {
  readonly start: number;
  /** Frame of its agent_end; null without one. */
  end: number | null;
  /** Frame of its agent_end, or of the command that cut it off. */
  over: number | null;
  /** The messages of the run, in order. */
  readonly messages: EndedMessage[];
}

/** The facts that the beginning of the trace shows. A recording may begin late. */
export interface Start {
  /** Frame of the first event of a run; infinite without one. */
  readonly firstEvent: number;
  /**
   * Frame of the first accepted prompt, if the prompt precedes the first event: such a prompt shows that no run was
   * open. Infinite without one.
   */
  readonly prompted: number;
}

/** The result of the walk. */
export interface WalkResult {
  readonly runs: readonly Run[];
  /** Messages that ended, inside and outside of runs. */
  readonly endedMessages: readonly EndedMessage[];
  readonly start: Start;
  /** Findings by rule name. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
}

interface Turn {
  message: Dictionary | null;
  /** The calls in all its messages. */
  readonly calls: Dictionary[];
  readonly results: Dictionary[];
  /** Tools that ended without a result so far, by id. */
  readonly unanswered: Map<unknown, Line>;
  isAborted: boolean;
}

/** Commands that cut a run off without an agent_end. A failed one may or may not have cut the run. */
const cutting: ReadonlySet<unknown> = new Set(['new_session', 'switch_session', 'fork', 'compact']);
/** Roles that an agent_end repeats; some versions repeat others too. */
const repeated: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

/** Events that belong to a run. */
const inRuns = /^(?:agent_(?:start|end)|turn_|message_|tool_execution_)/u;

function startOf({ lines, commands }: Lines): Start {
  const firstEvent = lines.find(({ type }) => inRuns.test(type))?.frame ?? Number.POSITIVE_INFINITY;
  const prompt = commands.find(({ type, json, answers: [answer] }) => {
    return type === 'prompt' && (json?.streamingBehavior ?? null) === null && answer?.isSuccess !== false;
  });
  const isBefore = prompt !== undefined && prompt.frame < firstEvent;
  return { firstEvent, prompted: isBefore ? prompt.frame : Number.POSITIVE_INFINITY };
}

/** Walks all lines. `ofWhole`: the trace is complete, so an open event stays open. */
export function walk(read: Lines, ofWhole: boolean): WalkResult {
  const found = new Map<string, Finding[]>();
  const note: Note = (rule, frame, wrong) => {
    const list = found.get(rule) ?? [];
    found.set(rule, list);
    list.push({ frame, wrong });
  };
  const runs: Run[] = [];
  const endedMessages: EndedMessage[] = [];
  const start = startOf(read);
  let isKnown = Number.isFinite(start.prompted);
  let run: Run | null = null;
  let hasRun = false;
  let turn: Turn | null = null;
  let streaming: { readonly line: Line; readonly message: OpenMessage } | null = null;
  const whole = new Map<unknown, Line>();
  /** Runs with a message that never ended, whose content is unknown. */
  const torn = new Set<Run>();
  const running = new Map<unknown, Line>();
  const aborts = read.commands.filter(({ type }) => type === 'abort').map(({ frame }) => frame);

  function cut(frame: number): void {
    hasRun = true;
    if (run !== null) run.over = frame;
    run = null;
    turn = null;
    streaming = null;
    whole.clear();
    running.clear();
  }

  /** Notes a message without a message_end. */
  function tear({ frame }: Line, before: string): void {
    note('message-brackets', frame, `a message that starts, and has no message_end before ${before}`);
    if (run !== null) torn.add(run);
  }

  /** Notes all open messages. */
  function tearOpen(before: string): void {
    if (streaming !== null) tear(streaming.line, before);
    for (const line of whole.values()) tear(line, before);
    streaming = null;
    whole.clear();
  }

  function agentStart({ frame }: Line): void {
    note('agent-brackets', frame, isKnown && run !== null ? 'agent_start inside a run' : null);
    isKnown = true;
    cut(frame);
    run = { start: frame, end: null, over: null, messages: [] };
    runs.push(run);
  }

  function agentEnd({ frame, json }: Line): void {
    if (run !== null || isKnown) note('agent-brackets', frame, run === null ? 'agent_end without agent_start' : null);
    if (run !== null) {
      const open = [turn !== null && 'its turn', streaming !== null && 'a message', running.size > 0 && 'a tool'];
      const left = open.filter((one) => one !== false);
      note('agent-end-closes', frame, left.length > 0 ? `agent_end, and open is ${left.join(' and ')}` : null);
      tearOpen('agent_end');
      if (!torn.has(run)) note('agent-end-messages', frame, otherMessages(json.messages, run.messages));
      run.end = frame;
    }
    tearOpen('agent_end');
    isKnown = true;
    cut(frame);
  }

  function turnStart({ frame }: Line): void {
    if (run === null && !isKnown) return;
    const wrong = run === null ? 'turn_start outside a run' : turn !== null ? 'turn_start inside a turn' : null;
    note('turn-brackets', frame, wrong);
    turn = { message: null, calls: [], results: [], unanswered: new Map(), isAborted: false };
  }

  function turnEnd({ frame, json }: Line): void {
    tearOpen('turn_end');
    if (turn === null) {
      if (isKnown) note('turn-brackets', frame, 'turn_end without turn_start');
      return;
    }
    note('turn-brackets', frame, null);
    for (const [id, ended] of turn.unanswered)
      note('tool-result', ended.frame, `tool ${JSON.stringify(id)} ended, and its turn ends without its toolResult`);
    const { message, results } = turn;
    if (message !== null) {
      const isSame = isDeepStrictEqual(json.message, message);
      note('turn-end-message', frame, isSame ? null : 'its message is not the last one of the model');
    }
    const isSame = isDeepStrictEqual(json.toolResults, results);
    note('turn-end-results', frame, isSame ? null : `its toolResults are not the ${results.length} of the turn`);
    const isAborted = turn.isAborted || aborts.some((at) => at > (run?.start ?? frame) && at < frame);
    if (message !== null && message.stopReason === 'toolUse' && !isAborted) {
      const answered = new Set(results.map(({ toolCallId }) => toolCallId));
      const missing = callsOf(message).find(({ id }) => !answered.has(id));
      const says =
        missing === undefined ? null : `the call ${JSON.stringify(missing.id)} has no toolResult in its turn`;
      note('call-answered', frame, says);
    }
    turn = null;
  }

  function messageStart(line: Line): void {
    const message = dictionaryOf(line.json.message);
    const { role } = message;
    if (role === 'assistant') {
      if (streaming !== null) tear(streaming.line, 'the next one starts');
      for (const one of whole.values()) tear(one, 'the model speaks');
      whole.clear();
      note('message-brackets', line.frame, null);
      if (run !== null || isKnown)
        note('assistant-in-turn', line.frame, turn === null ? 'the model speaks outside a turn' : null);
      streaming = { line, message: openMessage(note) };
      return;
    }
    const before = whole.get(role);
    if (before !== undefined) tear(before, 'the next one starts');
    note('message-brackets', line.frame, null);
    whole.set(role, line);
  }

  function messageEnd(line: Line): void {
    const { frame } = line;
    const message = dictionaryOf(line.json.message);
    const { role } = message;
    if (role === 'assistant') {
      if (streaming !== null || isKnown)
        note('message-brackets', frame, streaming === null ? 'message_end without message_start' : null);
      streaming?.message.end(line);
      streaming = null;
      if (turn !== null) turn.message = message;
      turn?.calls.push(...callsOf(message));
    } else {
      const start = whole.get(role);
      if (start !== undefined || isKnown)
        note('message-brackets', frame, start === undefined ? 'message_end without message_start' : null);
      if (start !== undefined) {
        const isSame = isDeepStrictEqual(start.json.message, line.json.message);
        note('message-same', frame, isSame ? null : 'message_end says another message than message_start');
      }
      whole.delete(role);
      if (role === 'toolResult') toolResult(frame, message);
    }
    const one = { frame, role, message };
    endedMessages.push(one);
    run?.messages.push(one);
  }

  function toolResult(frame: number, message: Dictionary): void {
    if (turn === null) return;
    turn.results.push(message);
    const { toolCallId: id } = message;
    const ended = turn.unanswered.get(id);
    turn.unanswered.delete(id);
    if (ended === undefined) {
      // Newer versions refuse a truncated call without running it (docs/protocols/pi.md 8.6).
      if (message.isError !== true) note('tool-result', frame, `toolResult of a tool that did not end: ${String(id)}`);
      return;
    }
    note('tool-result', frame, null);
    const { toolName, isError, result } = ended.json;
    const isSame =
      message.toolName === toolName &&
      message.isError === isError &&
      isDeepStrictEqual(message.content, dictionaryOf(result).content);
    note('tool-result-same', frame, isSame ? null : 'the toolResult says another thing than tool_execution_end');
  }

  function toolStart(line: Line): void {
    const { frame, json } = line;
    const { toolCallId: id } = json;
    const wrong = running.has(id)
      ? `tool ${JSON.stringify(id)} starts twice`
      : run === null && isKnown
        ? 'a tool starts outside a run'
        : null;
    note('tool-brackets', frame, wrong);
    note('tool-beside-message', frame, streaming === null ? null : 'a tool starts while a message streams');
    if (turn !== null && turn.message !== null) {
      // An approver may have changed the arguments.
      const isCall = turn.calls.some((call) => call.id === id && call.name === json.toolName);
      note('tool-call', frame, isCall ? null : `no message of the turn has this call: ${JSON.stringify(id)}`);
    }
    running.set(id, line);
  }

  function toolGoesOn(line: Line): void {
    const { frame, json, type } = line;
    const { toolCallId: id } = json;
    const isRunning = running.has(id);
    if (isRunning || isKnown)
      note(
        type === 'tool_execution_end' ? 'tool-brackets' : 'tool-update',
        frame,
        isRunning ? null : `${type} of a tool that does not run: ${JSON.stringify(id)}`,
      );
    if (type !== 'tool_execution_end') return;
    running.delete(id);
    turn?.unanswered.set(id, line);
  }

  const handlers: ReadonlyMap<string, (line: Line) => void> = new Map([
    ['agent_start', agentStart],
    ['agent_end', agentEnd],
    ['turn_start', turnStart],
    ['turn_end', turnEnd],
    ['message_start', messageStart],
    ['message_end', messageEnd],
    ['tool_execution_start', toolStart],
    ['tool_execution_update', toolGoesOn],
    ['tool_execution_end', toolGoesOn],
    [
      'message_update',
      (line) => {
        if (streaming !== null || isKnown)
          note('update-in-message', line.frame, streaming === null ? 'no message is open' : null);
        streaming?.message.update(line);
      },
    ],
    [
      'agent_settled',
      ({ frame }) => {
        if (!isKnown) return;
        const wrong =
          run !== null ? 'agent_settled inside a run' : hasRun ? null : 'agent_settled before the first run';
        note('settled', frame, wrong);
      },
    ],
  ]);

  const answers = new Map<number, Answer>(read.answers.map((answer) => [answer.frame, answer]));
  for (const line of read.lines) {
    const answer = answers.get(line.frame);
    if (answer !== undefined && cutting.has(answer.command?.type ?? answer.json.command)) {
      isKnown = answer.isSuccess || (isKnown && run === null);
      cut(line.frame);
    }
    handlers.get(line.type)?.(line);
  }
  const last = read.lines.at(-1)?.frame ?? 0;
  if (ofWhole) tearOpen('the end');
  if (ofWhole && run !== null) note('agent-brackets', last, 'the run that began last has no agent_end');
  return { runs, endedMessages: endedMessages, start, findings: found };
}

/** The tool calls in a message. */
export function callsOf(message: Dictionary): Dictionary[] {
  const { content } = message;
  return Array.isArray(content) ? content.filter(isDictionary).filter(({ type }) => type === 'toolCall') : [];
}

function otherMessages(messages: unknown, endedMessages: readonly EndedMessage[]): string | null {
  if (!Array.isArray(messages)) return 'messages must be an array';
  const listed = messages.filter((message) => repeated.has(dictionaryOf(message).role));
  const streamed = endedMessages.filter(({ role }) => repeated.has(role)).map(({ message }) => message);
  if (isDeepStrictEqual(listed, streamed)) return null;
  const at = streamed.findIndex((message, index) => !isDeepStrictEqual(message, listed[index]));
  return at < 0
    ? `${listed.length} messages, and the run had ${streamed.length}`
    : `message ${at} is not what was said`;
}
