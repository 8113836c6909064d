// Rules on prompts and what is said in their turns, for agents. docs/protocols/acp.md 4.27 to 4.33, 4.48 to 4.51, 7.

import { answered, succeeds } from '../../check/json-rpc-findings.ts';
import type { Finding } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { isGiven, type Span } from '../view/sessions.ts';
import { type AcpView, asksOf, at, can, itemsOf, spansIn } from '../view/view.ts';
import { nowhere } from '../words.ts';
import { type Row, type Rows, refused } from './judging.ts';

const covers = ['request:session/prompt'];
const chunks = ['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk'];
const chunkKinds = chunks.map((kind) => `update:${kind}`);

/** Prompts of sessions that are open on this connection. */
const prompts = (view: AcpView): Span[] =>
  spansIn(view, 'turn').filter(({ ask }) => isGiven(view, ask.params.sessionId));

/** Prompts with content of a kind are taken by an agent that declares the kind; `ability` null: all must take it. */
const takes = (type: string, ability: string | null, scenarios: readonly string[]): Row => ({
  section: '4.30',
  sentence:
    ability === null
      ? `A prompt may hold content of type \`${type}\`.`
      : `An agent that declares \`${ability}\` takes prompts with content of type \`${type}\`.`,
  covers: [...covers, `content:${type}`],
  scenarios,
  reads: 'both',
  judge: (view) =>
    ability === null || can(view.agentCan, 'promptCapabilities', ability)
      ? succeeds(
          prompts(view)
            .filter(
              ({ ask, cancelled }) => cancelled === null && itemsOf(ask.params.prompt).some((one) => one.type === type),
            )
            // What the model makes of a prompt is not the agent's doing.
            .filter(({ answer }) => answer === null || at(answer.error, 'code') === -32_602 || 'result' in answer.json)
            .map(({ ask }) => ask),
        )
      : [],
});

/** Cancelled turns, with what the answer was. */
function* cancelled(view: AcpView, by: string): Generator<Finding & { readonly span: Span }> {
  for (const span of prompts(view)) {
    const notice = view.client.notifications.find(({ frame }) => frame === span.cancelled);
    if (notice?.method !== by) continue;
    if (span.answer === null && !view.isComplete) continue;
    const { frame = span.cancelled ?? 0, json } = span.answer ?? {};
    yield { span, frame, wrong: json === undefined ? 'the prompt is not answered' : null };
  }
}

/** All rules on turns. */
export const turnRows: Rows = {
  'prompt-answered': {
    section: '4.27',
    sentence: 'Each prompt is answered.',
    covers,
    scenarios: ['text'],
    reads: 'both',
    judge: (view) =>
      answered(
        view,
        asksOf(view, 'session/prompt').filter(({ isExcused }) => !isExcused),
      ),
  },
  'text-in-turn': {
    section: '4.27',
    level: 'SHOULD',
    sentence: 'The chunks of messages come before the answer to their prompt, or to `session/load`.',
    covers: chunkKinds,
    scenarios: ['text', 'cancel'],
    reads: 'both',
    *judge({ updates, sessions, initialize }) {
      if (initialize === null) return;
      for (const { frame, kind, isStray, session } of updates) {
        // An agent may greet before the first prompt (9.61).
        const turn = sessions.get(session)?.spans.find(({ kind: own }) => own === 'turn');
        if (!chunks.includes(String(kind)) || turn === undefined || frame < turn.frame) continue;
        yield { frame, wrong: isStray ? `${shown(kind)} while no prompt runs` : null };
      }
    },
  },
  'takes-text': takes('text', null, ['text']),
  'takes-link': takes('resource_link', null, ['text']),
  'takes-image': takes('image', 'image', ['image']),
  'takes-audio': takes('audio', 'audio', ['audio']),
  'takes-resource': takes('resource', 'embeddedContext', ['resource']),
  'prompt-unknown-session': {
    section: '1.8',
    isMeasured: true,
    sentence: 'A prompt of a session that there is not is refused with error -32002 or -32602.',
    covers,
    scenarios: ['bad values'],
    reads: 'both',
    judge: (view) =>
      refused(
        asksOf(view, 'session/prompt').filter(({ params }) => params.sessionId === nowhere),
        [-32_002, -32_602],
      ),
  },
  'prompt-bad': {
    section: '4.30',
    isMeasured: true,
    sentence: 'A prompt that is no list of contents is refused with error -32602.',
    covers,
    scenarios: ['bad values'],
    reads: 'both',
    judge: (view) =>
      refused(
        asksOf(view, 'session/prompt').filter(({ params }) => !Array.isArray(params.prompt)),
        [-32_602],
      ),
  },
  'prompt-queued': {
    section: '4.31',
    isMeasured: true,
    sentence: 'A prompt that comes while one runs is answered as well.',
    covers,
    scenarios: ['two prompts'],
    reads: 'both',
    *judge(view) {
      const all = prompts(view);
      const second = all.filter(({ ask, frame }) =>
        all.some((one) => one.ask.params.sessionId === ask.params.sessionId && one.frame < frame && frame < one.to),
      );
      yield* answered(
        view,
        second.map(({ ask }) => ask),
      );
    },
  },
  'says-something': {
    section: '4.27',
    isMeasured: true,
    sentence: 'A turn that ends by itself has said something: a message, a call or a notice.',
    covers,
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      // Whether the model said something at all only the scenario knows.
      for (const { answer, ask, to } of prompts(view)) {
        if (answer !== null && saysIn(view, ask, to)) yield { frame: answer.frame, wrong: null };
      }
    },
  },
  'failure-told': {
    section: '7.56',
    isMeasured: true,
    sentence: 'A turn whose model fails is answered with an error, or says what failed.',
    covers,
    scenarios: ['fail'],
    reads: 'both',
    *judge(view) {
      // Whether the model failed only the scenario knows.
      for (const { answer } of prompts(view)) {
        if (answer !== null && 'error' in answer.json) yield { frame: answer.frame, wrong: null };
      }
    },
  },
  'cancel-answered': {
    section: '4.48',
    sentence: 'A prompt that is cancelled is answered.',
    covers: [...covers, 'notification:session/cancel'],
    scenarios: ['cancel', 'cancel tool'],
    reads: 'both',
    judge: (view) => cancelled(view, 'session/cancel'),
  },
  'cancel-reason': {
    section: '4.48',
    sentence: 'A prompt that is cancelled is answered with the `stopReason` `cancelled`, and with no error.',
    covers: [...covers, 'notification:session/cancel'],
    scenarios: ['cancel', 'cancel tool'],
    reads: 'both',
    *judge(view) {
      for (const { span } of cancelled(view, 'session/cancel')) {
        if (span.answer === null) continue;
        const { json, frame } = span.answer;
        const isRight = at(json.result, 'stopReason') === 'cancelled';
        // The turn may have ended by itself before the agent read the word: the scenario knows whether it could.
        if (at(json.result, 'stopReason') === 'end_turn') continue;
        yield { frame, wrong: isRight ? null : `the answer is ${shown(json.result ?? json.error)}` };
      }
    },
  },
  'cancel-idle': {
    section: '4.48',
    isMeasured: true,
    sentence: 'Cancelling a session in which no prompt runs does nothing: the next prompt is answered.',
    covers: ['notification:session/cancel'],
    scenarios: ['cancel idle'],
    reads: 'both',
    *judge(view) {
      for (const span of prompts(view)) {
        const idle = view.client.notifications.find(
          ({ method, params, frame }) =>
            method === 'session/cancel' && params.sessionId === span.ask.params.sessionId && frame < span.frame,
        );
        const isBusy = prompts(view).some((one) => idle !== undefined && one.frame < idle.frame && idle.frame < one.to);
        if (idle === undefined || isBusy || span.cancelled !== null || span.answer === null) continue;
        const reason = at(span.answer.result, 'stopReason');
        yield { frame: span.answer.frame, wrong: reason === 'cancelled' ? 'the next prompt is cancelled' : null };
      }
    },
  },
  'prompt-after-cancel': {
    section: '4.49',
    isMeasured: true,
    sentence: 'The prompt behind a cancelled one runs as usual.',
    covers: ['notification:session/cancel'],
    scenarios: ['cancel'],
    reads: 'both',
    *judge(view) {
      for (const { spans } of view.sessions.values()) {
        const turns = spans.filter(({ kind }) => kind === 'turn');
        for (const [place, turn] of turns.entries()) {
          const before = turns[place - 1];
          if (before?.cancelled == null || before.to > turn.frame || turn.cancelled !== null || turn.answer === null)
            continue;
          const reason = at(turn.answer.result, 'stopReason');
          yield { frame: turn.answer.frame, wrong: reason === 'cancelled' ? 'it is cancelled' : null };
        }
      }
    },
  },
  'cancel-request': {
    section: '4.50',
    isMeasured: true,
    sentence: 'A prompt that `$/cancel_request` names is answered `cancelled`, or with error -32800.',
    covers: ['notification:$/cancel_request'],
    scenarios: ['cancel request'],
    reads: 'both',
    *judge(view) {
      for (const { span, frame, wrong } of cancelled(view, '$/cancel_request')) {
        const { json } = span.answer ?? {};
        const isRight =
          json === undefined || at(json.result, 'stopReason') === 'cancelled' || at(json.error, 'code') === -32_800;
        yield { frame, wrong: wrong ?? (isRight ? null : `the answer is ${shown(json)}`) };
      }
    },
  },
  'cancel-request-unknown': {
    section: '4.50',
    isMeasured: true,
    sentence: '`$/cancel_request` of a request that there is not is passed over.',
    covers: ['notification:$/cancel_request'],
    scenarios: ['cancel idle'],
    reads: 'both',
    *judge(view) {
      for (const { method, params, frame } of view.client.notifications) {
        if (method !== '$/cancel_request') continue;
        if (view.client.requests.some(({ id, frame: asked }) => id === params.requestId && asked < frame)) continue;
        const answer = view.agent.answers.find((one) => one.id === params.requestId);
        const next = view.client.requests.find((one) => one.frame > frame);
        if (answer !== undefined) yield { frame: answer.frame, wrong: `it is answered: ${shown(answer.json)}` };
        else if (next?.answers[0] !== undefined) yield { frame, wrong: null };
      }
    },
  },
};

/** Whether the agent says something in a turn. */
const saysIn = ({ updates }: AcpView, { frame: from, params }: Span['ask'], to: number): boolean =>
  updates.some(
    ({ frame, kind, session }) =>
      from < frame && frame < to && session === params.sessionId && kind === 'agent_message_chunk',
  );
