// The tool calls of one chat: their contents, and the client's answers.
import type { ChatEvent, Content } from './chat-events.ts';

/** One tool call of the model. */
export interface EcaCall {
  readonly id: string;
  /** All contents that name the call, in order. */
  readonly contents: readonly Content[];
  readonly prepares: readonly Content[];
  readonly runs: readonly Content[];
  readonly runnings: readonly Content[];
  readonly called: readonly Content[];
  readonly rejected: readonly Content[];
  /** Frames of the client's answers. */
  readonly approvals: readonly number[];
  readonly rejections: readonly number[];
  /** Frame of the request for approval; null without one. */
  readonly waits: number | null;
  /** Frame of the end; null while the call is open. */
  readonly ends: number | null;
}

const kinds: ReadonlySet<unknown> = new Set([
  'toolCallPrepare',
  'toolCallRun',
  'toolCallRunning',
  'toolCalled',
  'toolCallRejected',
]);

/** Whether a content is about a tool call. */
const isOfCall = ({ type }: Content): boolean => kinds.has(type);

/** Collects the calls, without those of the replayed history. */
export function callsOf(events: readonly ChatEvent[]): EcaCall[] {
  const contents = new Map<string, Content[]>();
  const decisions = { approve: new Map<unknown, number[]>(), reject: new Map<unknown, number[]>() };
  for (const event of events) {
    if (event.is === 'approve' || event.is === 'reject') {
      const frames = decisions[event.is].get(event.call) ?? [];
      decisions[event.is].set(event.call, frames);
      frames.push(event.frame);
    } else if (event.is === 'content' && isOfCall(event) && !event.isHistory) {
      const { id } = event.content;
      if (typeof id !== 'string') continue;
      const known = contents.get(id) ?? [];
      contents.set(id, known);
      known.push(event);
    }
  }
  return [...contents].map(([id, own]) => {
    const of = (kind: string) => own.filter(({ type }) => type === kind);
    const [called, rejected, runs] = [of('toolCalled'), of('toolCallRejected'), of('toolCallRun')];
    const ends = [...called, ...rejected].map(({ frame }) => frame);
    return {
      id,
      contents: own,
      prepares: of('toolCallPrepare'),
      runs,
      runnings: of('toolCallRunning'),
      called,
      rejected,
      approvals: decisions.approve.get(id) ?? [],
      rejections: decisions.reject.get(id) ?? [],
      waits: runs.find(({ content }) => content.manualApproval === true)?.frame ?? null,
      ends: ends.length === 0 ? null : Math.min(...ends),
    };
  });
}
