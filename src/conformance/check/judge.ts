// Applies rules to conversations and gives one result for each rule.
import { messageOf } from '../../core/model/errors.ts';
import type { Breach, Conversation, Result, Verdict } from './check.ts';
import type { Rule, Trace, TraceFrame } from './rule.ts';

/** A conversation, with what the judge must know about its origin. */
export interface ConversationToJudge {
  readonly conversation: Conversation;
  /** Our side of the conversation. */
  readonly us: 'agent' | 'client';
  /** The conversation was not cut off. */
  readonly isComplete: boolean;
  /** The conversation comes from a recording, which may hold one side only. */
  readonly isRecorded?: true;
}

/** A scenario that did not run to its end, and why. */
export interface StoppedScenario {
  readonly scenario: string;
  readonly verdict: Exclude<Verdict, 'passed'>;
  readonly reason: string;
  /** Id of the rule that requires the message for which the scenario waited in vain. */
  readonly check?: string | undefined;
}

/**
 * One result for each rule. Every rule reads all conversations. A rule without findings takes its verdict from its own
 * stopped scenarios.
 */
export function judgeRules(
  rules: readonly Rule<Trace>[],
  judged: readonly ConversationToJudge[],
  stopped: readonly StoppedScenario[],
): Result[] {
  const traces = judged.map(traceOf);
  return rules.map((rule) => judgeRule(rule, judged, traces, stopped));
}

function judgeRule(
  rule: Rule<Trace>,
  judged: readonly ConversationToJudge[],
  traces: readonly Trace[],
  stopped: readonly StoppedScenario[],
): Result {
  const began = performance.now();
  const conversations: Conversation[] = [];
  const breaches: Breach[] = [];
  let seen = 0;
  /** A rule must not throw. An exception says nothing about the peer, so the rule becomes `unclear`. */
  let thrown: string | undefined;
  traces.forEach((trace, index) => {
    const one = judged[index];
    if (one === undefined || lacksSide(rule, one)) return;
    const wrong: Omit<Breach, 'conversation'>[] = [];
    try {
      for (const finding of rule.judge(trace)) {
        seen += 1;
        if (finding.wrong !== null) wrong.push({ message: finding.frame, says: finding.wrong });
      }
    } catch (error) {
      thrown = `the rule itself failed: ${messageOf(error)}`;
    }
    const { conversation } = one;
    if (wrong.length === 0) return;
    breaches.push(...wrong.map((breach) => ({ ...breach, conversation: conversations.length })));
    conversations.push(conversation);
  });
  const ended = (verdict: Verdict, reason?: string): Result => ({
    id: rule.id,
    verdict,
    ms: performance.now() - began,
    conversations,
    ...(reason === undefined ? {} : { reason }),
    ...(breaches.length === 0 ? {} : { breaches }),
  });

  const [first, ...more] = breaches;
  if (first !== undefined)
    return ended('failed', `${first.says}${more.length === 0 ? '' : ` (and ${more.length} more)`}`);
  const own = stopped.filter(({ scenario }) => rule.scenarios.includes(scenario));
  const blamed = stopped.find(({ check, verdict }) => check === rule.id && verdict === 'failed');
  if (blamed !== undefined) {
    return { ...ended('failed', blamed.reason), conversations: inScenario(judged, blamed) };
  }
  if (thrown !== undefined) return ended('unclear', thrown);
  if (seen > 0) return ended('passed');
  const broken = own.find(({ verdict }) => verdict !== 'not-applicable');
  if (broken !== undefined)
    return {
      ...ended('unclear', `${broken.scenario} broke off: ${broken.reason}`),
      conversations: inScenario(judged, broken),
      ...(broken.check === undefined || broken.verdict !== 'failed' ? {} : { because: broken.check }),
    };
  return ended('not-applicable', own[0]?.reason ?? 'it did not come up');
}

function inScenario(judged: readonly ConversationToJudge[], { scenario }: StoppedScenario): Conversation[] {
  return judged.flatMap(({ conversation }) => (conversation.scenario === scenario ? [conversation] : []));
}

/** Whether a recording lacks the side that the rule judges, or the side that the rule compares with. */
function lacksSide({ reads }: Rule<Trace>, { conversation, isRecorded }: ConversationToJudge): boolean {
  if (isRecorded !== true) return false;
  const has = (side: 'us' | 'peer') => conversation.log.some(({ by }) => by === side);
  return !has('peer') || (reads === 'both' && !has('us'));
}

function traceOf({ conversation, us, isComplete }: ConversationToJudge): Trace {
  const them = us === 'agent' ? 'client' : 'agent';
  const frames = conversation.log.map(({ at, by, text, json, isFault }): TraceFrame => {
    const read = json === undefined && isFault !== true ? parsed(text) : json;
    return {
      at,
      by: by === 'us' ? us : them,
      text,
      ...(read === undefined ? {} : { json: read }),
      ...(isFault === true ? { isFault } : {}),
    };
  });
  return { frames, isComplete };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
