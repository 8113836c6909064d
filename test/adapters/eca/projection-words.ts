// Short words for events that go in and frames that come out, so that the tests of the projection read as tables.
import { z } from 'zod';
import { type Dialect, union } from '../../../src/adapters/eca/frontend/dialect.ts';
import { createProjection } from '../../../src/adapters/eca/projection/projection.ts';
import type { FrontendSide } from '../../../src/core/contract/adapter/frontend.ts';
import type { SessionView } from '../../../src/core/contract/adapter/projection.ts';
import type { Content } from '../../../src/core/model/content.ts';
import type { Event, EventOf, Logged } from '../../../src/core/model/event.ts';
import type { ArgumentsReader } from '../../oracles/own/eca.ts';
import { ecaFaults, heard } from '../../support/judged-eca.ts';
import { createLog, tell, tellLate } from '../../support/telling.ts';

/** A client that is known as new. */
export const modern: Dialect = { streamsArguments: true, asks: true, saysInChat: false };

export const run: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }];
export const done: Event[] = [{ type: 'turn-end' }, { type: 'run-end', outcome: 'completed' }];
export const stopped: Event = {
  type: 'run-end',
  outcome: 'aborted',
  failure: { kind: 'aborted', message: 'the run was aborted' },
};
export const crashed: Event = {
  type: 'run-end',
  outcome: 'failed',
  failure: { kind: 'agent', message: 'the agent went away' },
};

export function user(text: string, more: Partial<EventOf<'message-added'>> = {}): Event {
  return { type: 'message-added', role: 'user', origin: 'prompt', content: [{ type: 'text', text }], ...more };
}

export function message(id = 'm', more: Partial<EventOf<'message-start'>> = {}): Event {
  return { type: 'message-start', id, ...more };
}

export function ended(more: Partial<EventOf<'message-end'>> = {}): Event {
  return { type: 'message-end', stop: { reason: 'end' }, ...more };
}

export function opened(index: number, block: EventOf<'block-start'>['block'], parent?: string): Event {
  return { type: 'block-start', index, block, parent };
}

export function piece(index: number, delta: string, parent?: string): Event {
  return { type: 'block-delta', index, delta, parent };
}

export function closed(index: number, more: Partial<EventOf<'block-end'>> = {}): Event {
  return { type: 'block-end', index, ...more };
}

export function text(index: number, ...pieces: string[]): Event[] {
  return [opened(index, { kind: 'text' }), ...pieces.map((delta) => piece(index, delta)), closed(index)];
}

/** A whole message of the model that says this. */
export function says(words: string): Event[] {
  return [message(), ...text(0, words), ended()];
}

/** A whole block that calls `read` with `{"path":"notes"}`, in two pieces. */
export function calling(index: number, id: string, parent?: string): Event[] {
  return [
    opened(index, { kind: 'tool-call', id, name: 'read' }, parent),
    piece(index, '{"path":', parent),
    piece(index, '"notes"}', parent),
    closed(index, { parent, input: { path: 'notes' } }),
  ];
}

/** A message that calls these. */
export function calls(...ids: string[]): Event[] {
  return [message(), ...ids.flatMap((id, index) => calling(index, id)), ended({ stop: { reason: 'tool-use' } })];
}

export function started(call: string, more: Partial<EventOf<'tool-start'>> = {}): Event {
  return { type: 'tool-start', call, name: 'read', input: { path: 'notes' }, ...more };
}

export function answered(call: string, more: Partial<EventOf<'tool-end'>> = {}): Event {
  const content: Content[] = [{ type: 'text', text: 'done' }];
  return { type: 'tool-end', call, name: 'read', content, isError: false, ...more };
}

export function asks(id: string, more: Partial<EventOf<'approval-request'>> = {}): Event {
  return { type: 'approval-request', id, name: 'read', input: { path: 'notes' }, ...more };
}

export function decided(id: string, outcome: EventOf<'approval-end'>['outcome'], more: object = {}): Event {
  return { type: 'approval-end', id, outcome, ...more };
}

const Frame = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.string().optional(),
  method: z.string(),
  params: z.looseObject({
    chatId: z.string().optional(),
    parentChatId: z.string().optional(),
    role: z.string().optional(),
    content: z.looseObject({ type: z.string() }).optional(),
  }),
});
/** A frame that we sent. */
export type Sent = z.infer<typeof Frame>;

const letters: ReadonlyMap<unknown, string> = new Map([
  ['user', 'U'],
  ['system', 'S'],
  ['assistant', 'A'],
]);

function contentWords(content: Readonly<Record<string, unknown>>): unknown[] {
  const { type, id } = content;
  switch (type) {
    case 'text':
      return [JSON.stringify(content.text)];
    case 'progress':
      return content.state === 'finished' ? ['finished'] : [`(${String(content.text)})`];
    case 'reasonText':
      return [type, JSON.stringify(content.text)];
    case 'reasonStarted':
    case 'reasonFinished':
    case 'usage':
      return [type];
    case 'toolCallPrepare':
      return ['prepare', id, JSON.stringify(content.argumentsText)];
    case 'toolCallRun':
      return ['run', id, ...(content.manualApproval === true ? ['?'] : [])];
    case 'toolCallRunning':
      return ['running', id];
    case 'toolCalled':
      return [content.error === true ? 'failed' : 'called', id];
    case 'toolCallRejected':
      return ['rejected', id];
    default:
      return [type];
  }
}

function shorten({ method, params }: Sent): string {
  const { content, role, status, parentChatId } = params;
  if (content !== undefined) {
    const words = [letters.get(role), ...contentWords(content)].join(' ');
    return parentChatId === undefined ? words : `> ${words}`;
  }
  return method === 'chat/statusChanged' ? String(status) : method;
}

/** The frames in a few words each: `U "hello\n"`, `running`, `S (Waiting model)`, `A run c ?`, `> A "of a sub-agent"`. */
export function outline(frames: readonly Sent[]): string[] {
  return frames.map(shorten);
}

/** The contents of that type, in order. */
export function contentsOf(frames: readonly Sent[], type: string): Record<string, unknown>[] {
  return frames.flatMap(({ params }) => (params.content?.type === type ? [params.content] : []));
}

/** The params of that method, in order. */
export function paramsOf(frames: readonly Sent[], method: string): Sent['params'][] {
  return frames.flatMap((frame) => (frame.method === method ? [frame.params] : []));
}

export function sideIn(dialect: Dialect): FrontendSide {
  return {
    key: 'eca',
    connection: () => {
      throw new Error('nobody connects');
    },
    projection: (session: SessionView) => createProjection(session, dialect),
  };
}

/** What a client from the first moment on is told of these events, which are logged as they are. */
export function told(events: readonly Event[], dialect = union) {
  const log = createLog();
  for (const event of events) log.admit(event);
  return { ...heardOf(log.logged, dialect), log };
}

/** The same of a log. */
export function heardOf(logged: readonly Logged[], dialect = union) {
  const { texts, losses } = tell(sideIn(dialect), logged);
  return { texts, losses, frames: texts.map((one) => Frame.parse(JSON.parse(one))) };
}

/** What each late client has heard when the log is at its end. */
export function heardLate(logged: readonly Logged[], dialect = union): Sent[][] {
  return tellLate(sideIn(dialect), logged).map(({ texts }) => texts.map((one) => Frame.parse(JSON.parse(one))));
}

/** The outline without the beginning of a run that was prompted with `go`. */
export function afterPrompt(events: readonly Event[], dialect = union): string[] {
  const words = outline(told([...run, user('go'), ...events], dialect).frames);
  const beginning = ['chat/opened', 'U "go\\n"', 'running', 'S (Waiting model)', 'S metadata'];
  const same = beginning.every((word, at) => words[at] === word);
  return same ? words.slice(beginning.length) : ['another beginning', ...words];
}

/** What the judge has against the frames; `isComplete`: no run may be open. */
export function againstOrder(frames: readonly Sent[], dialect = union, isComplete = true): string[] {
  const readers: ArgumentsReader[] = dialect.streamsArguments ? ['appends'] : ['appends', 'replaces'];
  return ecaFaults(heard(frames), { complete: isComplete, readers });
}
