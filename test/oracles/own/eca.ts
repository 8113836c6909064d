// What our ECA frontend promises beyond the rules for everybody (docs/protocols/eca.md 2 to 5): it serves the clients of both
// eras, each run has an end, and nothing is said outside of runs.
import { isDeepStrictEqual } from 'node:util';
import { each, type Finding, type Trace } from '../../../src/conformance/check/rule.ts';
import { fields, misfit, type Shape } from '../../../src/conformance/check/shape.ts';
import { declared } from '../../../src/conformance/eca/methods.ts';
import type { Content } from '../../../src/conformance/eca/view/chat-events.ts';
import { asks, type CallStep } from '../../../src/conformance/eca/view/tool-calls.ts';
import { isFinished } from '../../../src/conformance/eca/view/turns.ts';
import { chatOf, promptResult, viewOf } from '../../../src/conformance/eca/view/view.ts';
import { dictionaryIn, dictionaryOf, isDictionary } from '../../../src/core/model/dictionary.ts';
import { type Told, toldChat } from './eca-chats.ts';
import { contents, notifications, results } from './eca-shapes.ts';
import { type OwnRule, ownRules } from './own-rule.ts';

/** How clients read `argumentsText`: those of the first era replace the text, newer ones append to it. */
export type ArgumentsReader = 'replaces' | 'appends';

/** Bytes that a client of the first era reads at once (docs/protocols/eca.md 2.12). */
const mostBytes = 4096;
const headerBytes = 'Content-Length: 4095\r\n\r\n'.length;

function readView(trace: Trace) {
  const view = viewOf(trace);
  return {
    ...view,
    toldChats: new Map([...view.chats].map(([id, chat]) => [id, toldChat(chat)])),
    bytesOf: (frame: number) => Buffer.byteLength(trace.frames[frame]?.text ?? ''),
  };
}
type View = ReturnType<typeof readView>;

/** Fields whose content belongs to the tool or to the model. */
const opaque: ReadonlySet<string> = new Set(['arguments', 'parameters']);
/** The path of the first null, if any. */
function nullIn(value: unknown, place = ''): string | null {
  if (value === null) return place;
  if (typeof value !== 'object') return null;
  for (const [key, member] of Object.entries(value)) {
    const found = opaque.has(key) ? null : nullIn(member, `${place}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

const allTold = ({ toldChats }: View): readonly Told[] => [...toldChats.values()].flatMap(({ told }) => told);
const ofModel = ({ event }: Told): boolean => event.is === 'content' && event.role === 'assistant';
const headOf = ({ name, origin, server }: Readonly<Record<string, unknown>>) => [name, origin, server];

function strangeIn({ type, role, params, content }: Content): string | null {
  const known = contents.get(String(type));
  if (known === undefined || !known.roles.includes(String(role))) return `${String(type)} of role ${String(role)}`;
  const isSilent = type === 'progress' && content.state === 'running' && content.text === '';
  const empty = isSilent ? 'text' : ['id', 'name', 'reason', 'url'].find((key) => content[key] === '');
  return empty === undefined ? misfit(params, known.shape, 'params') : `content.${empty} is empty`;
}

function* messages({ agent }: View): Generator<Finding> {
  for (const { frame, method, params } of agent.notifications) {
    const shape = notifications.get(method);
    yield { frame, wrong: shape === undefined ? `${method} is not of the protocol` : misfit(params, shape, 'params') };
  }
  for (const { frame, method } of agent.requests)
    yield { frame, wrong: declared.has(method) ? null : `${method} is not of the protocol` };
}

function* answers({ agent }: View): Generator<Finding> {
  const any: Shape = 'object';
  for (const { frame, json, request, result, error } of agent.answers) {
    const { method = '' } = request ?? {};
    if ('error' in json) yield { frame, wrong: misfit(error, fields({ code: 'integer', message: 'string' }), 'error') };
    else if (request !== undefined) yield { frame, wrong: misfit(result, results.get(method) ?? any, 'result') };
  }
}

/** Steps that agents behind us repeat or leave out. */
function isExcused(step: CallStep): boolean {
  const { type, was, content, wasAsked } = step;
  // Who asks only when the tool is about to run says a second time that the call is run.
  if (asks(step)) return !wasAsked && (was === 'run' || was === 'running');
  // The call of a sub-agent is said to be running at each of its steps.
  if (type === 'toolCallRunning') return was === 'running' && dictionaryOf(content.details).type === 'subagent';
  // A call that failed while it was written never ran (docs/faults.md 1.5).
  return type === 'toolCalled' && was === 'prepared' && content.error === true;
}

/** Calls that a run has left may end until the next run begins (docs/protocols/eca.md 4.6: a stop while an approval waits). */
function* callEnds({ toldChats, isComplete }: View): Generator<Finding> {
  for (const { told, isDeleted } of toldChats.values()) {
    const open = new Map<string, number>();
    function* settle(): Generator<Finding> {
      for (const [id, frame] of open) yield { frame, wrong: `${id} does not end before the next run` };
      open.clear();
    }
    for (const { event, call, opens } of told) {
      if (event.is === 'cleared' || event.is === 'deleted') open.clear();
      if (opens) yield* settle();
      if (call === undefined) continue;
      if (call.type === 'toolCalled' || call.type === 'toolCallRejected') open.delete(call.call);
      else if (call.was !== 'ended' && !open.has(call.call)) open.set(call.call, call.frame);
      yield { frame: call.frame, wrong: null };
    }
    if (isComplete && !isDeleted) yield* settle();
  }
}

const texts: Readonly<Record<ArgumentsReader, (pieces: readonly string[]) => string>> = {
  replaces: (pieces) => pieces.at(-1) ?? '',
  appends: (pieces) => pieces.join(''),
};
function* callArguments(view: View, readers: readonly ArgumentsReader[]): Generator<Finding> {
  for (const { told } of view.toldChats.values()) {
    const pieces = new Map<string, string[]>();
    for (const { call } of told) {
      if (call?.type === 'toolCallPrepare')
        pieces.set(call.call, [
          ...(call.was === 'new' ? [] : (pieces.get(call.call) ?? [])),
          String(call.content.argumentsText),
        ]);
      if (call?.type !== 'toolCallRun' || call.was !== 'prepared') continue;
      for (const reader of readers) {
        const text = texts[reader](pieces.get(call.call) ?? []);
        const isSame = isDeepStrictEqual(text.trim() === '' ? {} : dictionaryIn(text), call.content.arguments);
        yield { frame: call.frame, wrong: isSame ? null : `who ${reader} has ${text}` };
      }
    }
  }
}

function* thoughts({ toldChats }: View): Generator<Finding> {
  for (const { told } of toldChats.values()) {
    const open = new Map<unknown, number>();
    for (const { event, reason } of told) {
      if (event.is === 'cleared' || event.is === 'deleted') open.clear();
      if (isFinished(event)) for (const frame of open.values()) yield { frame, wrong: 'it is open when its run ends' };
      if (isFinished(event)) open.clear();
      if (reason === undefined) continue;
      const { frame, type, was, content } = reason;
      yield { frame, wrong: was === (type === 'reasonStarted' ? 'new' : 'open') ? null : `${type} while it is ${was}` };
      if (type === 'reasonStarted') open.set(content.id, frame);
      if (type === 'reasonFinished') open.delete(content.id);
    }
  }
}

/** Only what rejects a call that waits may come behind the end of its run. */
function* runs(view: View): Generator<Finding> {
  for (const one of allTold(view)) {
    const { event, run, opens, call, isDeleted } = one;
    if (event.is !== 'content' || isDeleted) continue;
    const { frame, type } = event;
    const isLate = call?.type === 'toolCallRejected' && call.was !== 'new' && call.was !== 'ended';
    const isOutside = run === null && !opens && (ofModel(one) || type === 'usage') && !isLate;
    const isAgain = run === null && isFinished(event);
    yield {
      frame,
      wrong: isAgain ? 'it is finished before it began, or again' : isOutside ? 'it is outside of runs' : null,
    };
  }
  for (const { run, isDeleted } of view.toldChats.values())
    if (run !== null && !isDeleted && view.isComplete) yield { frame: run, wrong: 'it is not finished' };
}

function* statuses(view: View): Generator<Finding> {
  for (const { event, status, isDeleted, run } of allTold(view)) {
    const { frame } = event;
    if (isDeleted) continue;
    if (event.is === 'status') {
      const isNews = event.status !== status && !(event.status === 'stopping' && status === 'idle');
      yield { frame, wrong: isNews ? null : `${String(event.status)} while it is ${String(status)}` };
    }
    if (isFinished(event) && run !== null)
      yield { frame, wrong: status === 'running' ? 'its status is running' : null };
  }
}

/** A prompt that waits is dropped when the run that it waits for is stopped. */
function* echoes({ toldChats, prompts, isComplete }: View): Generator<Finding> {
  if (!isComplete) return;
  for (const [id, { told }] of toldChats) {
    const words = told.flatMap(({ event }) =>
      event.is === 'content' && event.role === 'user' ? [String(event.content.text)] : [],
    );
    const wasDeleted = told.some(({ event }) => event.is === 'deleted');
    for (const ask of prompts) {
      const status = String(promptResult(ask)?.status);
      if (chatOf(ask) !== id || !['success', 'prompting'].includes(status)) continue;
      const place = words.indexOf(`${String(ask.params.message)}\n`);
      if (place >= 0) words.splice(place, 1);
      const awaited = told.find(({ event }) => event.is === 'prompt' && event.ask === ask)?.run ?? null;
      const isStopped = told.some(
        ({ event, lastRun }) =>
          event.is === 'stop' && event.frame > ask.frame && awaited !== null && lastRun === awaited,
      );
      const isExcused = wasDeleted || isStopped;
      yield { frame: ask.frame, wrong: place >= 0 || isExcused ? null : 'it is not told again, with a line end' };
    }
  }
}

/** The promises to clients that read arguments so. */
export const ecaOwn = (readers: readonly ArgumentsReader[]): readonly OwnRule[] =>
  ownRules('eca', readView, {
    messages: ['Notifications and requests are those of the protocol, with the words that it has.', messages],
    answers: ['A result has what clients of both eras read, and an error a number and a message.', answers],
    'no-null': [
      'No member is null, and no result but that of shutdown.',
      function* ({ agent }) {
        const nulls = new Set(
          agent.answers.flatMap(({ frame, request, result }) =>
            request?.method === 'shutdown' && result === null ? [frame] : [],
          ),
        );
        for (const { frame, json } of agent.frames) {
          const { id: _, ...rest } = dictionaryOf(json);
          const place = nulls.has(frame) ? null : nullIn(rest);
          yield { frame, wrong: place === null ? null : `${place} is null` };
        }
      },
    ],
    contents: [
      'A content is one that we have, of the role that says such; its names are not empty, and a chat that is running says why.',
      (view) => each(view.contents, strangeIn),
    ],
    outputs: [
      'Each output of a tool says its text under both names.',
      (view) =>
        each(
          view.contents.filter(({ type }) => type === 'toolCalled'),
          ({ content: { outputs } }) => {
            const all: unknown[] = Array.isArray(outputs) ? outputs : [];
            const isBoth = (one: unknown) =>
              isDictionary(one) && one.type === 'text' && typeof one.text === 'string' && one.text === one.content;
            return all.every(isBoth) ? null : `the outputs are ${JSON.stringify(outputs)}`;
          },
        ),
    ],
    size: [
      'Words of the model go out in frames of less than 4 kB.',
      (view) =>
        each(
          view.contents.filter(({ type, role }) => role === 'assistant' && (type === 'text' || type === 'reasonText')),
          ({ frame }) => {
            const bytes = view.bytesOf(frame) + headerBytes;
            return bytes < mostBytes ? null : `${bytes} bytes`;
          },
        ),
    ],
    calls: [
      'A call is prepared, run, running and done, each once; it keeps its name, its origin and its server.',
      (view) =>
        each(
          allTold(view).flatMap(({ call }) => call ?? []),
          (step) => {
            const isSame = isDeepStrictEqual(headOf(step.content), headOf(step.first.content));
            if (!step.isInOrder && !isExcused(step)) return `the call is ${step.was}`;
            return isSame ? null : 'its name is another';
          },
        ),
    ],
    'call-ends': ['Each call is done or rejected before the next run and before the end.', callEnds],
    arguments: [
      'Whoever appends the pieces of the arguments, and whoever replaces them, has what the call is run with.',
      (view) => callArguments(view, readers),
    ],
    thoughts: ['A thought has an id of its own, and is open until it ends, before its run does.', thoughts],
    runs: ['Each run is finished, once; outside of runs the model says nothing, and no figures are told.', runs],
    statuses: ['A chat is running or at rest, in turn, and at rest when its run is finished.', statuses],
    deleted: [
      'Nothing is said of a chat that is deleted.',
      (view) =>
        each(
          allTold(view)
            .filter(({ event }) => event.is === 'content' || event.is === 'status')
            .map(({ event, isDeleted }) => ({ frame: event.frame, isDeleted })),
          ({ isDeleted }) => (isDeleted ? 'its chat is deleted' : null),
        ),
    ],
    echoes: ['Each prompt that is taken is told again: its words and a line end.', echoes],
  });
