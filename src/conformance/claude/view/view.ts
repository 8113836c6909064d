// A trace of the native Claude format, sorted once for all rules. Malformed messages are kept as they are.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Trace } from '../../check/rule.ts';
import { begunAt, type LaneName, readStream, type Stream, stepOf } from './stream.ts';
import { type Calls, readCalls } from './tool-calls.ts';

/** A message of either side: an object with a type. */
export interface Message {
  readonly frame: number;
  readonly type: string;
  readonly json: Dictionary;
}

/** A prompt of the client. */
export interface Prompt extends Message {
  readonly content: unknown;
}

/** A control request of the client, and all answers to it. */
export interface ClientRequest {
  readonly frame: number;
  readonly id: unknown;
  readonly subtype: string;
  readonly request: Dictionary;
  readonly answers: { readonly frame: number; readonly response: Dictionary }[];
}

/** A request of the agent to the client. */
export interface AgentRequest {
  readonly frame: number;
  readonly id: unknown;
  readonly subtype: string;
  readonly request: Dictionary;
  answer: { readonly frame: number; readonly response: Dictionary } | null;
  /** Frame of the cancellation; null without one. */
  cancelled: number | null;
}

/** The messages from one result to the next. */
export interface Turn {
  readonly from: number;
  readonly messages: Message[];
  readonly prompts: Prompt[];
  /** Null for the rest after the last result. */
  result: Message | null;
}

/** A trace of this protocol. */
export interface View {
  readonly trace: Trace;
  /** True if the trace is complete (missing messages will not come) and the client sent no unparsable line. */
  readonly isComplete: boolean;
  /** The trace holds the greeting, so no request or call is older than the trace. */
  readonly isFromStart: boolean;
  readonly fromAgent: readonly Message[];
  /** Lines of the agent that are no messages. */
  readonly unreadable: readonly { readonly frame: number; readonly says: string }[];
  readonly fromClient: readonly Message[];
  readonly prompts: readonly Prompt[];
  readonly turns: readonly Turn[];
  readonly requests: readonly ClientRequest[];
  /** Responses of the agent to no request. */
  readonly strays: readonly Message[];
  readonly agentRequests: readonly AgentRequest[];
  /** Cancellations, with the cancelled request if it is known. */
  readonly cancels: readonly { readonly frame: number; readonly ask: AgentRequest | undefined }[];
  readonly stream: Stream;
  readonly calls: Calls;
}

/** The lane of a message: a sub-agent's, or the main thread. */
export function laneOf({ parent_tool_use_id: parent }: Dictionary): LaneName {
  return typeof parent === 'string' ? parent : null;
}

/** Reads a trace. */
export function readView(trace: Trace): View {
  const fromAgent: Message[] = [];
  const fromClient: Message[] = [];
  const noise: { frame: number; says: string }[] = [];
  trace.frames.forEach(({ by, json, isFault, text }, frame) => {
    const type = isDictionary(json) ? json.type : undefined;
    if (isFault !== true && isDictionary(json) && typeof type === 'string')
      (by === 'agent' ? fromAgent : fromClient).push({ frame, type, json });
    else if (by === 'agent') noise.push({ frame, says: `${text.slice(0, 80)} is no message` });
  });
  const prompts = fromClient
    .filter(({ type }) => type === 'user')
    .map((message): Prompt => ({ ...message, content: dictionaryOf(message.json.message).content }));
  const turns = readTurns(fromAgent, prompts);
  const { requests, strays } = readRequests(fromAgent, fromClient);
  const begun = begunAt(fromAgent, ({ json }) => json.subtype === 'init');
  // Real programs exit when they receive a line that is no JSON (docs/protocols/claude.md 8.2).
  const isGarbled = trace.frames.some(
    ({ by, json, text }) => by === 'client' && json === undefined && text.trim() !== '',
  );
  return {
    trace,
    isComplete: trace.isComplete && !isGarbled,
    isFromStart: requests.some(({ subtype }) => subtype === 'initialize') || fromAgent.some(isGreeting),
    fromAgent: fromAgent,
    unreadable: noise,
    fromClient: fromClient,
    prompts,
    turns,
    requests,
    strays,
    ...readAsks(fromAgent, fromClient),
    stream: readStream(fromAgent.flatMap(stepOf), begun),
    calls: readCalls(fromAgent, begun),
  };
}

/** The answer to an `initialize` that is not in the recording. */
function isGreeting({ type, json }: Message): boolean {
  return type === 'control_response' && 'commands' in dictionaryOf(dictionaryOf(json.response).response);
}

function readTurns(fromAgent: readonly Message[], prompts: readonly Prompt[]): Turn[] {
  const turns: Turn[] = [];
  let turn: Turn = { from: 0, messages: [], prompts: [], result: null };
  const waiting = [...prompts];
  function prompted(before: number): void {
    while (waiting[0] !== undefined && waiting[0].frame < before) turn.prompts.push(...waiting.splice(0, 1));
  }
  for (const message of fromAgent) {
    prompted(message.frame);
    turn.messages.push(message);
    if (message.type !== 'result') continue;
    turns.push({ ...turn, result: message });
    turn = { from: message.frame + 1, messages: [], prompts: [], result: null };
  }
  prompted(Number.POSITIVE_INFINITY);
  return [...turns, turn];
}

function readRequests(
  fromAgent: readonly Message[],
  fromClient: readonly Message[],
): Pick<View, 'requests' | 'strays'> {
  const requests = fromClient
    .filter(({ type }) => type === 'control_request')
    .map(({ frame, json }): ClientRequest => {
      const request = dictionaryOf(json.request);
      return { frame, id: json.request_id, subtype: String(request.subtype), request, answers: [] };
    });
  const strays: Message[] = [];
  for (const message of fromAgent) {
    if (message.type !== 'control_response') continue;
    const response = dictionaryOf(message.json.response);
    // A client may reuse an id.
    const request = requests.findLast(({ id, frame }) => id === response.request_id && frame < message.frame);
    if (request === undefined) strays.push(message);
    else request.answers.push({ frame: message.frame, response });
  }
  return { requests, strays };
}

function readAsks(
  fromAgent: readonly Message[],
  fromClient: readonly Message[],
): Pick<View, 'agentRequests' | 'cancels'> {
  const asks = fromAgent
    .filter(({ type }) => type === 'control_request')
    .map(({ frame, json }): AgentRequest => {
      const request = dictionaryOf(json.request);
      return { frame, id: json.request_id, subtype: String(request.subtype), request, answer: null, cancelled: null };
    });
  const askOf = (id: unknown, before: number) => asks.findLast((ask) => ask.id === id && ask.frame < before);
  for (const { type, json, frame } of fromClient) {
    if (type !== 'control_response') continue;
    const response = dictionaryOf(json.response);
    const ask = askOf(response.request_id, frame);
    if (ask !== undefined) ask.answer ??= { frame, response };
  }
  const cancels = fromAgent
    .filter(({ type }) => type === 'control_cancel_request')
    .map(({ json, frame }) => {
      const ask = askOf(json.request_id, frame);
      if (ask !== undefined) ask.cancelled ??= frame;
      return { frame, ask };
    });
  return { agentRequests: asks, cancels };
}
