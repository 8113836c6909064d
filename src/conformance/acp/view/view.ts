// A connection of ACP as rules read it.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { type Messages, messagesIn, type Request, type Response } from '../../check/json-rpc.ts';
import type { Rule, Trace } from '../../check/rule.ts';
import { acpDialect } from './messages.ts';
import { type Call, type Session, type Span, sessionsIn, type Update } from './sessions.ts';

/** A rule on ACP. */
export type AcpRule = Rule<AcpView>;

/** A whole trace. */
export interface AcpView extends Messages {
  readonly isComplete: boolean;
  /** The first `initialize`; null where the beginning of the connection is missing. */
  readonly initialize: Request | null;
  /** What the client declared; empty before. */
  readonly clientCan: Dictionary;
  /** What the agent declared; empty before. */
  readonly agentCan: Dictionary;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly updates: readonly Update[];
}

/** Reads a trace. */
export function viewOf(trace: Trace): AcpView {
  const messages = messagesIn(trace, acpDialect);
  const initialize = messages.client.requests.find(({ method }) => method === 'initialize') ?? null;
  return {
    ...messages,
    ...sessionsIn(messages),
    isComplete: trace.isComplete,
    initialize,
    clientCan: dictionaryOf(initialize?.params.clientCapabilities),
    agentCan: dictionaryOf(dictionaryOf(initialize?.answers[0]?.result).agentCapabilities),
  };
}

/** The value at a path of keys. */
export const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isDictionary(inner) ? inner[key] : undefined), value);

/** Whether a capability is there: absent and null say no, `{}` says yes (docs/protocols/acp.md 2.11). */
export function can(capabilities: Dictionary, ...path: readonly string[]): boolean {
  const value = at(capabilities, ...path);
  return value !== undefined && value !== null && value !== false;
}

/** Every item of a list, as an object; none where the value is no list. */
export const itemsOf = (value: unknown): Dictionary[] => (Array.isArray(value) ? value.map(dictionaryOf) : []);

/** Requests of the client by these methods. */
export const asksOf = ({ client }: AcpView, ...methods: readonly string[]): Request[] =>
  client.requests.filter(({ method }) => methods.includes(method));

/** The successful first answers to these methods. */
export function resultsOf(view: AcpView, ...methods: readonly string[]) {
  return asksOf(view, ...methods).flatMap((ask) => {
    const [answer] = ask.answers;
    return answer !== undefined && 'result' in answer.json
      ? [{ ask, answer, frame: answer.frame, result: answer.result }]
      : [];
  });
}

/** The code of an error. */
export const codeOf = (answer: Response | undefined): unknown => at(answer?.error, 'code');

/** All brackets of a kind. */
export const spansIn = ({ sessions }: AcpView, kind: Span['kind']): Span[] =>
  [...sessions.values()].flatMap(({ spans }) => spans.filter((span) => span.kind === kind));

/** All calls. */
export const callsIn = ({ sessions }: AcpView): Call[] => [...sessions.values()].flatMap(({ calls }) => calls);

/** The texts of chunks of this kind, joined. */
export const textOf = (updates: readonly Update[], kind: string): string =>
  updates
    .filter((one) => one.kind === kind)
    .map(({ update }) => at(update.content, 'text'))
    .filter((text) => typeof text === 'string')
    .join('');
