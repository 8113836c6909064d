// Turns the log of one session into spans: each run is a trace, with spans of its turns, tools and waits for approval
// (decision 0024). The log is in legal order, and each run in it ends once; so do the spans.
import { guarded } from '../../core/contract/guarded.ts';
import type { Event, EventOf } from '../../core/model/event.ts';
import type { OpenSpan, SpanFacts, Tracer } from './tracer.ts';

/** Tools and approvals of one run that may be open at once and have spans; the others are left out (docs/limits.md 9.1). */
const mostOpen = 1000;
/** Longest name or id in a span, characters. */
const longestText = 256;

/** The session whose runs are traced. */
export interface TracedSession {
  readonly session: string;
  /** The name of the agent. */
  readonly agent: string;
  /** The protocol of the agent. */
  readonly protocol: string;
}

/** Makes the spans of one session. */
export interface RunSpans {
  /** Takes each event but deltas once the log has it. */
  logged(event: Event): void;
  /** The session is over, and so is everything in it. */
  end(): void;
}

/** The spans that are open in a run. */
interface OpenRun {
  readonly span: OpenSpan;
  turn: OpenSpan | null;
  /** By call. */
  readonly tools: Map<string, OpenSpan>;
  /** By id. */
  readonly approvals: Map<string, OpenSpan>;
}

/** `failed` gets what the tracer throws; the run then has no further spans, and goes on. */
export function createRunSpans(
  tracer: Tracer,
  { session, agent, protocol }: TracedSession,
  failed: (thrown: unknown) => void,
): RunSpans {
  let run: OpenRun | null = null;

  function beginRun(): void {
    const span = tracer.begin(nameOf('invoke_agent', agent), {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': cut(agent),
      'gen_ai.conversation.id': cut(session),
      'patchbay.agent.protocol': protocol,
    });
    run = { span, turn: null, tools: new Map(), approvals: new Map() };
  }

  function endRun(open: OpenRun, outcome: string, error: string | null): void {
    run = null;
    for (const span of [...open.approvals.values(), ...open.tools.values()]) span.end({}, unfinished);
    open.turn?.end({}, error);
    open.span.end({ 'patchbay.run.outcome': outcome }, error);
  }

  function take(event: Event): void {
    if (event.type === 'run-start') return beginRun();
    if (run === null) return;
    switch (event.type) {
      case 'run-end':
        return endRun(run, event.outcome, event.outcome === 'failed' ? (event.failure?.kind ?? '_OTHER') : null);
      case 'turn-start':
        run.turn = run.span.child('turn', {});
        return;
      case 'turn-end':
        run.turn?.end({}, null);
        run.turn = null;
        return;
      case 'tool-start':
        if (hasRoom(run)) run.tools.set(event.call, beginTool(run, event));
        return;
      case 'tool-end':
        return endTool(run, event);
      case 'approval-request':
        if (hasRoom(run)) run.approvals.set(event.id, beginWait(run, event));
        return;
      case 'approval-end':
        run.approvals.get(event.id)?.end({ 'patchbay.approval.decision': event.outcome }, null);
        run.approvals.delete(event.id);
        return;
      default:
    }
  }

  const drop = (thrown: unknown) => {
    run = null;
    failed(thrown);
  };
  return {
    logged: (event) => guarded(() => take(event), drop),
    end: () => guarded(() => run !== null && endRun(run, unfinished, unfinished), drop),
  };
}

/** The kind of failure of what never ended by itself. */
const unfinished = 'unfinished';

function hasRoom({ tools, approvals }: OpenRun): boolean {
  return tools.size + approvals.size < mostOpen;
}

/** The span around what happens in a lane: the tool call of the sub-agent, or the turn of the main thread. */
function spanOfLane({ span, turn, tools }: OpenRun, parent: string | undefined): OpenSpan {
  return (parent === undefined ? undefined : tools.get(parent)) ?? turn ?? span;
}

function beginTool(run: OpenRun, event: EventOf<'tool-start' | 'tool-end'>): OpenSpan {
  return spanOfLane(run, event.parent).child(nameOf('execute_tool', event.name), {
    'gen_ai.operation.name': 'execute_tool',
    ...factsOfCall(event),
  });
}

/** A call that never started has a span without length, which says why. */
function endTool(run: OpenRun, event: EventOf<'tool-end'>): void {
  const span = run.tools.get(event.call) ?? beginTool(run, event);
  run.tools.delete(event.call);
  const { skipped } = event;
  span.end(
    skipped === undefined ? {} : { 'patchbay.tool.skipped': skipped },
    event.isError ? (skipped ?? 'tool') : null,
  );
}

/** A wait belongs to its tool if that has begun; many agents ask before. */
function beginWait(run: OpenRun, event: EventOf<'approval-request'>): OpenSpan {
  const { call, name, standing, parent } = event;
  const tool = call === undefined ? undefined : run.tools.get(call);
  return (tool ?? spanOfLane(run, parent)).child(nameOf('await_approval', name), {
    ...factsOfCall({ call, name }),
    ...(standing === undefined ? {} : { 'patchbay.approval.standing': standing }),
  });
}

function factsOfCall({ call, name }: { readonly call: string | undefined; readonly name: string }): SpanFacts {
  return { 'gen_ai.tool.name': cut(name), ...(call === undefined ? {} : { 'gen_ai.tool.call.id': cut(call) }) };
}

const nameOf = (operation: string, subject: string): string => `${operation} ${cut(subject)}`;

/** Agents choose names and ids. */
const cut = (text: string): string => text.slice(0, longestText);
