// The figures of the `result` frame, counted from events (docs/protocols/claude.md 7).
import { addUsage, type Dictionary, type Failure, noUsage, type Usage } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { WireFrame } from '../wire/client.ts';
import { claudeExtraIn } from './claude-extra.ts';
import { wireUsage } from './encode-values.ts';

/** The usage and cost of one model, over the session. */
interface ModelTotal {
  usage: Usage;
  cost: number;
}

/** Counts the figures of each run. Times are those of the session clock, ms. */
export interface ResultCounter {
  begin(at: number): void;
  /** Counts a message that has ended. */
  message(start: EndedMessage, end: EventOf<'message-end'>, at: number): void;
  /** A message of ours announces a tool of the main thread, at once or behind the message that is open. */
  announced(isBehind: boolean): void;
  /** Counts a user frame that the projection wrote on the main thread. */
  userFrame(): void;
  denial(denied: { tool_name: string; tool_use_id?: string; tool_input: object }): void;
  /** `text`: the last text of the model. */
  result(end: EventOf<'run-end'>, at: number, text: string): WireFrame;
  /** The result of a compaction between two runs: a turn without a model. */
  compaction(end: EventOf<'compaction-end'>, at: number): WireFrame;
}

/** The facts of a message that the counter needs besides its `message-end`. */
export interface EndedMessage {
  /** When the message began. */
  readonly at: number;
  readonly model: string;
  readonly parent: string | undefined;
  /** `stop_reason` on the wire. */
  readonly stop: string | null;
  readonly isEmpty: boolean;
}

/** Creates the counter of an empty session. Costs add up over the session, tokens over the run. */
export function createResultCounter(): ResultCounter {
  const models = new Map<string, ModelTotal>();
  let cost = 0;
  let index = 0;
  let run = emptyRun(0);

  return {
    begin(at) {
      run = emptyRun(at);
    },
    message(start, end, at) {
      run.apiMs += at - start.at;
      const usage = end.usage ?? noUsage;
      const price = end.cost?.total ?? 0;
      run.usage = addUsage(run.usage, usage);
      cost += price;
      const total = models.get(start.model) ?? { usage: noUsage, cost: 0 };
      models.set(start.model, { usage: addUsage(total.usage, usage), cost: total.cost + price });
      if (start.parent !== undefined) return;
      run.stop = run.isAnnouncing ? 'tool_use' : start.stop;
      run.isAnnouncing = false;
      run.cut = end.stop.reason === 'aborted' || end.stop.reason === 'error';
      // An agent that is stopped in the middle of a tool may add an empty message (docs/protocols/pi-legacy.md 3.7).
      run.abortedWhileStreaming = end.stop.reason === 'aborted' && !start.isEmpty;
    },
    announced(isBehind) {
      run.isAnnouncing = isBehind;
      run.stop = 'tool_use';
    },
    userFrame() {
      run.turns += 1;
    },
    denial(denied) {
      run.denials.push(denied);
    },
    compaction({ outcome, failure }, at) {
      run.turns = 0;
      const shownFailure = failure ?? { kind: 'agent' as const, message: `the compaction was ${outcome}` };
      return result(
        { type: 'run-end', outcome, ...(outcome === 'completed' ? {} : { failure: shownFailure }) },
        at,
        '',
      );
    },
    result,
  };

  function result(end: EventOf<'run-end'>, at: number, text: string): WireFrame {
    // A message that was cut is no answer, whatever the agent says about its run.
    const failed = end.outcome !== 'completed' || run.cut;
    const word = end.outcome === 'completed' ? 'the last message was cut' : `the run was ${end.outcome}`;
    const ending = failed ? { errors: [end.failure?.message ?? word] } : { result: text };
    const status = end.failure?.status === undefined ? {} : { api_error_status: end.failure.status };
    const own = {
      type: 'result',
      subtype: failed ? 'error_during_execution' : 'success',
      is_error: failed,
      duration_ms: Math.round(at - run.startedAt),
      duration_api_ms: Math.round(run.apiMs),
      num_turns: run.turns,
      ...ending,
      stop_reason: run.stop,
      total_cost_usd: cost,
      usage: wireUsage(run.usage),
      modelUsage: Object.fromEntries([...models].map(([model, total]) => [model, modelUsage(total)])),
      permission_denials: run.denials,
      terminal_reason: failed ? terminalReason(end, run.abortedWhileStreaming) : 'completed',
      ...status,
      result_index: index++,
      queued_turn_count: 0,
    };
    return withAgentResult(own, claudeExtraIn(end));
  }
}

/** The fields by which a result says how the run ended. An agent's own result replaces all of them. */
const endings: ReadonlySet<string> = new Set(['result', 'errors', 'api_error_status', 'terminal_reason']);

/** Replaces our figures by the agent's own result. Only its place among the session's results is ours. */
function withAgentResult(own: OwnResult, agentFields: Dictionary): WireFrame {
  const isWhole = agentFields.subtype !== undefined;
  const kept = Object.entries(own).filter(([name]) => !(isWhole && endings.has(name) && !(name in agentFields)));
  return { ...Object.fromEntries(kept), ...agentFields, type: own.type, result_index: own.result_index };
}

type OwnResult = WireFrame & { readonly result_index: number };

/** `num_turns` is one more than the user frames written in the run (docs/protocols/claude.md 7.5). */
function emptyRun(at: number) {
  return {
    startedAt: at,
    apiMs: 0,
    turns: 1,
    usage: noUsage,
    denials: [] as object[],
    stop: null as string | null,
    /** A message of ours that announces a tool waits for the end of the open one. */
    isAnnouncing: false,
    cut: false,
    abortedWhileStreaming: false,
  };
}

function modelUsage({ usage, cost }: ModelTotal): object {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheCreationInputTokens: usage.cacheWrite,
    webSearchRequests: 0,
    costUSD: cost,
  };
}

function terminalReason(end: EventOf<'run-end'>, whileStreaming: boolean): string {
  switch (end.outcome) {
    case 'completed':
      return whileStreaming ? 'aborted_streaming' : 'error';
    case 'aborted':
      return whileStreaming ? 'aborted_streaming' : 'aborted_tools';
    case 'failed':
      return end.failure?.kind === 'provider' ? 'api_error' : 'error';
    default:
      return end.outcome satisfies never;
  }
}

/**
 * The result of a prompt that started no run. Without a result the client would wait forever (docs/protocols/claude.md
 * 2.2).
 */
export function refusalResult(failure: Pick<Failure, 'message'>, totalCost: number): WireFrame {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    errors: [failure.message],
    stop_reason: null,
    total_cost_usd: totalCost,
    usage: wireUsage(noUsage),
    modelUsage: {},
    permission_denials: [],
    terminal_reason: 'error',
    queued_turn_count: 0,
  };
}
