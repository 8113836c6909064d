// The tool calls of one chat: what was told of each, and what the client has said about it. Pure.
import type { ChatEvent, Content } from './chat-events.ts';

/** One call of the model. */
export interface EcaCall {
  readonly id: string;
  /** All contents that name it, in order. */
  readonly contents: readonly Content[];
  readonly prepares: readonly Content[];
  readonly runs: readonly Content[];
  readonly runnings: readonly Content[];
  readonly called: readonly Content[];
  readonly rejected: readonly Content[];
  /** Frames in which the client has answered for it. */
  readonly approvals: readonly number[];
  readonly rejections: readonly number[];
  /** The frame in which it began to wait for the client; null where it never did. */
  readonly waits: number | null;
  /** The frame that says how it ended; null where none does. */
  readonly ends: number | null;
}

const kinds: ReadonlySet<unknown> = new Set([
  'toolCallPrepare',
  'toolCallRun',
  'toolCallRunning',
  'toolCalled',
  'toolCallRejected',
]);

/** Whether that is about a call. */
const isOfCall = ({ type }: Content): boolean => kinds.has(type);

/** Without those of the past. */
export function callsOf(events: readonly ChatEvent[]): EcaCall[] {
  const contents = new Map<string, Content[]>();
  const said = { approve: new Map<unknown, number[]>(), reject: new Map<unknown, number[]>() };
  for (const event of events) {
    if (event.is === 'approve' || event.is === 'reject') {
      const frames = said[event.is].get(event.call) ?? [];
      said[event.is].set(event.call, frames);
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
      approvals: said.approve.get(id) ?? [],
      rejections: said.reject.get(id) ?? [],
      waits: runs.find(({ content }) => content.manualApproval === true)?.frame ?? null,
      ends: ends.length === 0 ? null : Math.min(...ends),
    };
  });
}
