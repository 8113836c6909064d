// The tool calls of one chat, as a state machine: their contents with the stage that each comes to, and the client's answers.
import type { ChatEvent, Content } from './chat-events.ts';

/** How far a call is. */
export type Stage = 'new' | 'prepared' | 'run' | 'running' | 'ended';

/** For each content type: the stage behind it, and the stages that it follows (docs/protocols/eca.md 8.3, 4). */
const table = {
  toolCallPrepare: { to: 'prepared', after: ['new', 'prepared'] },
  toolCallRun: { to: 'run', after: ['prepared'] },
  toolCallRunning: { to: 'running', after: ['run'] },
  toolCalled: { to: 'ended', after: ['run', 'running'] },
  toolCallRejected: { to: 'ended', after: ['prepared', 'run', 'running'] },
} as const satisfies Record<string, { readonly to: Stage; readonly after: readonly Stage[] }>;

type Kind = keyof typeof table;
const isKind = (type: unknown): type is Kind => typeof type === 'string' && Object.hasOwn(table, type);

/** A content about a call, and where it stands. */
export interface CallStep extends Content {
  readonly type: Kind;
  readonly call: string;
  /** The stage of the call before. */
  readonly was: Stage;
  /** It comes behind a stage that it follows. */
  readonly isInOrder: boolean;
  /** The user was asked for approval before. */
  readonly wasAsked: boolean;
  /** The first content about the call. */
  readonly first: Content;
}

/** One tool call of the model. */
export interface EcaCall {
  readonly id: string;
  /** All contents that name the call, in order. */
  readonly steps: readonly CallStep[];
  readonly prepares: readonly CallStep[];
  readonly runs: readonly CallStep[];
  readonly runnings: readonly CallStep[];
  readonly called: readonly CallStep[];
  readonly rejected: readonly CallStep[];
  /** Frames of the client's answers. */
  readonly approvals: readonly number[];
  readonly rejections: readonly number[];
  /** Frame of the request for approval; null without one. */
  readonly waits: number | null;
  /** Frame of the end; null while the call is open. */
  readonly ends: number | null;
}

/** Whether the content asks the user for approval. */
export const asks = ({ type, content }: Content): boolean => type === 'toolCallRun' && content.manualApproval === true;

/** Follows the calls through these events. */
export function* callSteps(events: Iterable<ChatEvent>): Generator<CallStep> {
  const calls = new Map<string, { readonly first: Content; readonly stage: Stage; readonly isAsked: boolean }>();
  for (const event of events) {
    if (event.is !== 'content' || !isKind(event.type)) continue;
    const { type } = event;
    const { id } = event.content;
    if (typeof id !== 'string') continue;
    const { first, stage: was, isAsked } = calls.get(id) ?? { first: event, stage: 'new' as const, isAsked: false };
    const { to, after } = table[type];
    const isInOrder = after.some((stage) => stage === was);
    yield { ...event, type, call: id, was, isInOrder, wasAsked: isAsked, first };
    const goesBack = was === 'ended' || (to === 'prepared' && !isInOrder);
    calls.set(id, { first, stage: goesBack ? was : to, isAsked: isAsked || asks(event) });
  }
}

/** Collects the calls, without those of the replayed history. */
export function callsOf(events: readonly ChatEvent[]): EcaCall[] {
  const decisions = { approve: new Map<unknown, number[]>(), reject: new Map<unknown, number[]>() };
  for (const event of events) {
    if (event.is !== 'approve' && event.is !== 'reject') continue;
    const frames = decisions[event.is].get(event.call) ?? [];
    decisions[event.is].set(event.call, frames);
    frames.push(event.frame);
  }
  const steps = new Map<string, CallStep[]>();
  function ofCall(id: string): CallStep[] {
    const own = steps.get(id) ?? [];
    steps.set(id, own);
    return own;
  }
  for (const step of callSteps(events.filter((event) => event.is !== 'content' || !event.isHistory)))
    ofCall(step.call).push(step);
  return [...steps].map(([id, own]) => {
    const of = (kind: Kind) => own.filter(({ type }) => type === kind);
    return {
      id,
      steps: own,
      prepares: of('toolCallPrepare'),
      runs: of('toolCallRun'),
      runnings: of('toolCallRunning'),
      called: of('toolCalled'),
      rejected: of('toolCallRejected'),
      approvals: decisions.approve.get(id) ?? [],
      rejections: decisions.reject.get(id) ?? [],
      waits: own.find(asks)?.frame ?? null,
      ends: own.find(({ type }) => table[type].to === 'ended')?.frame ?? null,
    };
  });
}
