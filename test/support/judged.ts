// Judges what a session of ours has told: by the rules for everybody, and by our own promises.
import type { Rule, Trace, TraceFrame } from '../../src/conformance/check/rule.ts';
import { agentSetOf } from '../../src/conformance/index.ts';
import { piServerAgent } from '../../src/conformance/pi-server/agent.ts';
import { piEventRows } from '../../src/conformance/pi-server/rules/pi-events.ts';
import { dictionaryOf } from '../../src/core/model/dictionary.ts';
import { claudeOwn } from '../oracles/own/claude.ts';
import type { OwnRule } from '../oracles/own/own-rule.ts';
import { piOwn } from '../oracles/own/pi.ts';
import { piLegacyOwn } from '../oracles/own/pi-legacy.ts';
import { piServerOwn } from '../oracles/own/pi-server.ts';
import { rpcMessageOwn } from '../oracles/own/rpc-message.ts';

/** A rule that is broken, at a frame of what was told. */
export interface Breach {
  readonly rule: string;
  readonly at: number;
  readonly says: string;
}

interface Judge {
  readonly own: readonly OwnRule[];
  /** A line of the client that precedes everything: with it the judge knows that nothing was open before. */
  readonly first: object;
}

const prompt = { type: 'prompt', message: 'go' };
const judges: ReadonlyMap<string, Judge> = new Map([
  [
    'claude',
    { own: claudeOwn, first: { type: 'control_request', request_id: 'first', request: { subtype: 'initialize' } } },
  ],
  ['rpc-message', { own: rpcMessageOwn, first: { id: 'first', method: 'connect', params: {} } }],
  ['pi', { own: piOwn, first: prompt }],
  ['pi-legacy', { own: piLegacyOwn, first: prompt }],
]);

/**
 * Findings on what a session passes on as the agent behind says it, or as the clock of a test does. Other tests judge
 * these rules with an agent of ours (test/conformance).
 */
const passedOn: ReadonlyMap<string, RegExp> = new Map([
  ['pi/stop-for-tools', /./u],
  ['pi/content-blocks', /./u],
  // A text that an agent tells whole is not in the result, and pi 0.13.2 mixes the words of two runs.
  ['claude/result-text', /./u],
  // Blocks that an agent tells whole have no updates.
  ['pi/block-index', /./u],
  ['pi/blocks-streamed', /./u],
  // An agent may end each attempt of its own.
  ['pi/retry-counts', /./u],
  ['pi-server/retry-told', /^\d+ behind /u],
  ['pi-legacy/timestamps', /./u],
  ['pi-legacy/cost-adds-up', /./u],
  // An agent may speak again, or make up messages, while a tool of its answer runs.
  ['pi-legacy/one-answer-a-turn', /./u],
  // An agent may begin a run unprompted.
  ['pi-legacy/prompt-first', /^it is one of role assistant$/u],
  // A client may approve a call with other arguments.
  ['pi-legacy/tool-called', /^it was called otherwise$/u],
]);

export const frameOf = (by: TraceFrame['by'], json: unknown): TraceFrame => ({
  at: 0,
  by,
  json,
  text: JSON.stringify(json),
});

/** What is wrong with a trace, by its frames. */
export function breachesIn(rules: readonly (Rule<Trace> | OwnRule)[], trace: Trace): Breach[] {
  return rules.flatMap(({ id, judge }) =>
    [...judge(trace)].flatMap(({ frame, wrong }) =>
      wrong === null || passedOn.get(id)?.test(wrong) === true ? [] : [{ rule: id, at: frame, says: wrong }],
    ),
  );
}

/**
 * What is wrong with the frames of one session, in the order of the rules. `isOver`: its runs have ended. `asked`: all that
 * the client said, before any of it was answered; without it, rules that compare both sides are left out.
 */
export function judged(protocol: string, told: readonly unknown[], isOver = true, asked?: readonly object[]): Breach[] {
  const judge = judges.get(protocol);
  const set = agentSetOf(protocol);
  if (judge === undefined || set === undefined) throw new Error(`nobody judges ${protocol}`);
  const before = asked ?? [judge.first];
  const frames = [...before.map((json) => frameOf('client', json)), ...told.map((json) => frameOf('agent', json))];
  const heeded = set.rules.filter(({ reads }) => reads !== 'both' || asked !== undefined);
  const found = breachesIn([...heeded, ...judge.own], { frames, isComplete: isOver });
  return found.map((breach) => ({ ...breach, at: breach.at - before.length }));
}

/** One frame on a connection to a pi-server. */
export interface PiServerSaid {
  readonly by: TraceFrame['by'];
  /** Undefined for what is no JSON. */
  readonly json: unknown;
}

/** What the judge knows of a connection to a pi-server. */
export interface PiServerConnection {
  /** False when commands or runs may be in progress at the end. Default true. */
  readonly complete?: boolean;
  /** Commands of other clients may have begun before the connection. */
  readonly late?: boolean;
  /** The session that the connection is subscribed to from the beginning. */
  readonly bound?: string;
}

/** A connection that was made late takes another client's command for its own, where both use one id (docs/protocols/pi-server.md 8.4). */
const needsAll = ['accepted-first', 'started-first', 'accepted-finished', 'lane-order', 'lane-one-by-one'].map(
  (name) => `pi-server/${name}`,
);

/** As a connection that is bound to its session would have subscribed to it. */
function subscription(sessionId: string): PiServerSaid[] {
  const [commandId, commandType] = ['bound', 'switch_session'];
  const data = { commandId, commandType, sessionId, dependsOn: [] };
  const sessionInfo = { sessionId, thinkingLevel: 'off', isStreaming: false, messageCount: 0 };
  const told = [
    { type: 'command_accepted', data },
    { type: 'command_started', data },
    { type: 'command_finished', data: { ...data, success: true } },
    { type: 'response', command: commandType, id: commandId, success: true, data: { sessionInfo } },
  ];
  const sent = { type: commandType, id: commandId, sessionId };
  return [{ by: 'client', json: sent }, ...told.map((json) => ({ by: 'agent', json }) as const)];
}

/** What is wrong with all that a connection to a pi-server of ours has heard; places are those of `said`. */
export function judgedPiServer(
  said: readonly PiServerSaid[],
  { complete = true, late = false, bound }: PiServerConnection = {},
): Breach[] {
  const inserted = bound === undefined ? [] : subscription(bound);
  const frames = [...said.slice(0, 1), ...inserted, ...said.slice(1)].map(({ by, json }) => frameOf(by, json));
  const hasClient = said.some(({ by }) => by === 'client');
  const unheeded = new Set([...Object.keys(piEventRows).map((name) => `pi-server/${name}`), ...(late ? needsAll : [])]);
  const heeded = piServerAgent.rules.filter(({ id, reads }) => (reads !== 'both' || hasClient) && !unheeded.has(id));
  const own = piServerOwn(late).filter(({ id }) => hasClient || id !== 'pi-server/own/answers');
  const found = breachesIn([...heeded, ...own], { frames, isComplete: complete });
  const place = (at: number) => (at === 0 ? 0 : at - inserted.length);
  return [...found.map((breach) => ({ ...breach, at: place(breach.at) })), ...saidBySessions(said, complete)];
}

/** The events of each session are judged as those of the pi behind it; dialogs have a form of their own (docs/protocols/pi-server.md 18.1). */
function saidBySessions(said: readonly PiServerSaid[], isOver: boolean): Breach[] {
  /** Sessions that are made again under their ids are others. */
  const lives = new Map<unknown, number>();
  const events = said.flatMap(({ by, json }, at) => {
    const { type, sessionId: id, event, data } = dictionaryOf(json);
    const { sessionId: made } = dictionaryOf(data);
    if (by === 'agent' && type === 'session_created') lives.set(made, (lives.get(made) ?? 0) + 1);
    const sessionId = `${String(id)} ${lives.get(id) ?? 0}`;
    const isEvent = by === 'agent' && type === 'event' && dictionaryOf(event).type !== 'extension_ui_request';
    return isEvent ? [{ at, sessionId, event }] : [];
  });
  return [...new Set(events.map(({ sessionId }) => sessionId))].flatMap((session) => {
    const own = events.filter(({ sessionId }) => sessionId === session);
    const lines = own.map(({ event }) => event);
    return judged('pi', lines, isOver).map((breach) => ({ ...breach, at: own[breach.at]?.at ?? 0 }));
  });
}

/** The same, as sentences with the beginning of the frame. */
export const faultsIn = (
  protocol: string,
  told: readonly unknown[],
  isOver = true,
  asked?: readonly object[],
): string[] =>
  judged(protocol, told, isOver, asked).map(
    ({ rule, at, says }) => `${rule} at ${at}: ${says} | ${JSON.stringify(told[at])?.slice(0, 200)}`,
  );
