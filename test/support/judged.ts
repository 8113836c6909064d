// Judges what a session of ours has told: by the rules for everybody, and by our own promises.
import type { Rule, Trace, TraceFrame } from '../../src/conformance/check/rule.ts';
import { agentSetOf } from '../../src/conformance/index.ts';
import { claudeOwn } from '../oracles/own/claude.ts';
import type { OwnRule } from '../oracles/own/own-rule.ts';
import { piOwn } from '../oracles/own/pi.ts';
import { piLegacyOwn } from '../oracles/own/pi-legacy.ts';
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
  ['pi-legacy/timestamps', /./u],
  ['pi-legacy/cost-adds-up', /./u],
  // An agent may speak again, or make up messages, while a tool of its answer runs.
  ['pi-legacy/one-answer-a-turn', /./u],
  // An agent may begin a run unprompted.
  ['pi-legacy/prompt-first', /^it is one of role assistant$/u],
  // A client may approve a call with other arguments.
  ['pi-legacy/tool-called', /^it was called otherwise$/u],
]);

const frameOf = (by: TraceFrame['by'], json: unknown): TraceFrame => ({ at: 0, by, json, text: JSON.stringify(json) });

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
  const trace: Trace = { frames, isComplete: isOver };
  const heeded = set.rules.filter(({ reads }: Rule<Trace>) => reads !== 'both' || asked !== undefined);
  return [...heeded, ...judge.own].flatMap(({ id, judge }) =>
    [...judge(trace)].flatMap(({ frame, wrong }) =>
      wrong === null || passedOn.get(id)?.test(wrong) === true
        ? []
        : [{ rule: id, at: frame - before.length, says: wrong }],
    ),
  );
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
