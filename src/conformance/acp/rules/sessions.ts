// Rules on sessions, for agents. docs/protocols/acp.md 3.14 to 3.20.

import type { Request } from '../../check/json-rpc.ts';
import { succeeds } from '../../check/json-rpc-findings.ts';
import { each } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { isGiven } from '../view/sessions.ts';
import { type AcpView, asksOf, at, can, codeOf, itemsOf, resultsOf, spansIn, textOf } from '../view/view.ts';
import { isAbsolute, nowhere, nowhereCommand } from '../words.ts';
import { ownValues, type Row, type Rows, refused } from './judging.ts';

/** Methods that agents have only if they declare them (docs/protocols/acp.md 3.16 to 3.18). */
const declared: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['session/load', ['loadSession']],
  ...['resume', 'list', 'close', 'delete'].map((word) => [`session/${word}`, ['sessionCapabilities', word]] as const),
]);

/**
 * Whether the agent has the session that is asked for. Only what was said in it is stored: a session can be closed before,
 * and not be loaded.
 */
function isAtHand(view: AcpView, { method, params, frame }: Request): boolean {
  const { sessionId } = params;
  if (method === 'session/list') return Object.keys(params).length === 0;
  const isStored = spansIn(view, 'turn').some(({ ask, to }) => ask.params.sessionId === sessionId && to < frame);
  return isGiven(view, sessionId) && (isStored || method === 'session/close' || method === 'session/delete');
}

/** An agent that declares a method has it. */
const works = (method: string, section: string): Row => ({
  section,
  sentence: `An agent that declares \`${method}\` has it.`,
  covers: [`request:${method}`],
  scenarios: [method.replace('session/', '')],
  reads: 'both',
  *judge(view) {
    if (!can(view.agentCan, ...(declared.get(method) ?? []))) return;
    for (const ask of asksOf(view, method)) {
      const [answer] = ask.answers;
      if (answer === undefined) continue;
      const isResult = 'result' in answer.json;
      if (!isResult && codeOf(answer) !== -32_601 && !isAtHand(view, ask)) continue;
      yield { frame: answer.frame, wrong: isResult ? null : `${method}: ${shown(answer.error)}` };
    }
  },
});

/** The prompts of a session before that frame, as plain text, and what the agent said to each that ended by itself. */
function pastOf(view: AcpView, session: unknown, before: number) {
  return spansIn(view, 'turn').flatMap(({ ask, to, answer }) => {
    if (ask.params.sessionId !== session || to > before || at(answer?.result, 'stopReason') !== 'end_turn') return [];
    const words = itemsOf(ask.params.prompt).map(({ text }) => (typeof text === 'string' ? text : ''));
    const updates = view.updates.filter((one) => one.session === session && ask.frame < one.frame && one.frame < to);
    return [{ words: words.join(''), said: textOf(updates, 'agent_message_chunk') }];
  });
}

/** Whether what was said before a session was loaded is told again. */
const tellsAgain = (sentence: string, kind: string, of: 'words' | 'said'): Row => ({
  section: '3.16',
  sentence,
  covers: ['request:session/load', `update:${kind}`],
  scenarios: ['load'],
  reads: 'both',
  *judge(view) {
    for (const span of spansIn(view, 'load')) {
      if (span.answer === null || !('result' in span.answer.json)) continue;
      const past = pastOf(view, span.ask.params.sessionId, span.frame);
      const told = textOf(
        view.updates.filter(({ spans }) => spans.includes(span)),
        kind,
      );
      const missing = past.find((one) => !told.includes(one[of]));
      if (past.length > 0)
        yield {
          frame: span.answer.frame,
          wrong: missing === undefined ? null : `nothing is told of ${shown(missing[of])}`,
        };
    }
  },
});

/** All rules on sessions. */
export const sessionRows: Rows = {
  'session-id-new': {
    section: '3.14',
    sentence: 'Each new session has an id of its own.',
    covers: ['request:session/new'],
    scenarios: ['two sessions'],
    reads: 'both',
    judge: (view) =>
      ownValues(
        resultsOf(view, 'session/new').map(({ frame, result }) => ({ frame, value: at(result, 'sessionId') })),
        'sessionId',
      ),
  },
  'cwd-relative': {
    section: '3.14',
    isMeasured: true,
    sentence: 'A folder that is no absolute path is refused with error -32602.',
    covers: ['request:session/new'],
    scenarios: ['bad values'],
    reads: 'both',
    judge: (view) =>
      refused(
        asksOf(view, 'session/new').filter(({ params }) => typeof params.cwd === 'string' && !isAbsolute(params.cwd)),
        [-32_602],
      ),
  },
  'bad-tool-server': {
    section: '3.15',
    isMeasured: true,
    sentence: 'A session whose tool server cannot be used is made nevertheless.',
    covers: ['request:session/new'],
    scenarios: ['tool server'],
    reads: 'both',
    judge: (view) =>
      succeeds(
        asksOf(view, 'session/new').filter(({ params }) =>
          itemsOf(params.mcpServers).some(({ command }) => command === nowhereCommand),
        ),
      ),
  },
  'load-declared': works('session/load', '3.16'),
  'load-user': tellsAgain(
    'Before `session/load` is answered the prompts of the past are told.',
    'user_message_chunk',
    'words',
  ),
  'load-agent': tellsAgain(
    'Before `session/load` is answered the answers of the past are told.',
    'agent_message_chunk',
    'said',
  ),
  'load-unknown': {
    section: '1.8',
    isMeasured: true,
    sentence: '`session/load` of a session that there is not is refused.',
    covers: ['request:session/load'],
    scenarios: ['bad values'],
    reads: 'both',
    judge: (view) => refused(asksOf(view, 'session/load').filter(({ params }) => params.sessionId === nowhere)),
  },
  'resume-declared': works('session/resume', '3.17'),
  'resume-quiet': {
    section: '3.17',
    sentence: 'Before `session/resume` is answered nothing of the past is told.',
    covers: ['request:session/resume'],
    scenarios: ['resume'],
    reads: 'both',
    *judge(view) {
      for (const span of spansIn(view, 'resume')) {
        const told = view.updates.find(({ spans, isStray }) => isStray && spans.includes(span));
        if (told !== undefined) yield { frame: told.frame, wrong: `${shown(told.kind)} is told` };
        else if (span.answer !== null && 'result' in span.answer.json) yield { frame: span.answer.frame, wrong: null };
      }
    },
  },
  'list-declared': works('session/list', '3.18'),
  'list-once': {
    section: '3.18',
    level: 'SHOULD',
    sentence: 'No session comes twice in one answer to `session/list`.',
    covers: ['request:session/list'],
    scenarios: ['list'],
    reads: 'both',
    judge: (view) =>
      each(resultsOf(view, 'session/list'), ({ result }) => {
        const ids = itemsOf(at(result, 'sessions')).map(({ sessionId }) => sessionId);
        return new Set(ids).size === ids.length ? null : 'a session comes twice';
      }),
  },
  'list-cwd': {
    section: '3.18',
    level: 'SHOULD',
    sentence: '`session/list` with a folder names sessions of that folder alone.',
    covers: ['request:session/list'],
    scenarios: ['list'],
    reads: 'both',
    judge: (view) =>
      each(
        resultsOf(view, 'session/list').filter(({ ask }) => typeof ask.params.cwd === 'string'),
        ({ ask, result }) => {
          const other = itemsOf(at(result, 'sessions')).find(({ cwd }) => cwd !== ask.params.cwd);
          return other === undefined ? null : `one is of ${shown(other.cwd)}`;
        },
      ),
  },
  'list-cursor': {
    section: '3.18',
    level: 'SHOULD',
    sentence: 'A cursor that the agent has not given is refused.',
    covers: ['request:session/list'],
    scenarios: ['list'],
    reads: 'both',
    judge: (view) => refused(asksOf(view, 'session/list').filter(({ params }) => params.cursor === nowhere)),
  },
  'close-declared': works('session/close', '3.18'),
  'close-cancels': {
    section: '3.18',
    sentence: 'A prompt of a session that is closed is answered, as if it was cancelled.',
    covers: ['request:session/close'],
    scenarios: ['close'],
    reads: 'both',
    *judge(view) {
      const closed = resultsOf(view, 'session/close');
      for (const span of spansIn(view, 'turn')) {
        const close = closed.find(
          ({ ask }) =>
            ask.params.sessionId === span.ask.params.sessionId && span.frame < ask.frame && ask.frame < span.to,
        );
        if (close === undefined) continue;
        if (span.answer === null && !view.isComplete) continue;
        yield { frame: close.frame, wrong: span.answer === null ? 'its prompt is not answered' : null };
      }
    },
  },
  'delete-declared': works('session/delete', '3.18'),
  'delete-unknown': {
    section: '3.18',
    level: 'SHOULD',
    sentence: '`session/delete` of a session that there is not succeeds.',
    covers: ['request:session/delete'],
    scenarios: ['delete'],
    reads: 'both',
    judge: (view) =>
      succeeds(
        can(view.agentCan, 'sessionCapabilities', 'delete')
          ? asksOf(view, 'session/delete').filter(({ params }) => params.sessionId === nowhere)
          : [],
      ),
  },
  'delete-unlists': {
    section: '3.18',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A session that was deleted is in no list any more.',
    covers: ['request:session/delete', 'request:session/list'],
    scenarios: ['delete'],
    reads: 'both',
    *judge(view) {
      for (const { ask, frame } of resultsOf(view, 'session/delete')) {
        for (const list of resultsOf(view, 'session/list')) {
          if (list.ask.frame < frame) continue;
          const is = itemsOf(at(list.result, 'sessions')).some(({ sessionId }) => sessionId === ask.params.sessionId);
          yield { frame: list.frame, wrong: is ? 'it is in the list' : null };
        }
      }
    },
  },
  'two-sessions': {
    section: '3.19',
    isMeasured: true,
    sentence: 'Prompts of two sessions run at the same time: the second one ends while the first one runs.',
    covers: ['request:session/prompt'],
    scenarios: ['two sessions'],
    reads: 'both',
    *judge(view) {
      const turns = spansIn(view, 'turn');
      for (const one of turns) {
        const within = turns.filter(
          ({ ask, frame }) => ask.params.sessionId !== one.ask.params.sessionId && one.frame < frame && frame < one.to,
        );
        for (const { answer, frame } of within)
          if (answer !== null || view.isComplete)
            yield { frame: answer?.frame ?? frame, wrong: answer === null ? 'it is not answered' : null };
      }
    },
  },
  'quiet-before-session': {
    section: '3.20',
    isMeasured: true,
    sentence: 'Nothing is said of a session before the answer that gives its id.',
    covers: ['request:session/new'],
    scenarios: ['start', 'text'],
    reads: 'both',
    *judge({ initialize, updates, sessions }) {
      if (initialize === null) return;
      for (const { frame, session, kind } of updates) {
        const isKnown = (sessions.get(session)?.from ?? Number.POSITIVE_INFINITY) < frame;
        yield { frame, wrong: isKnown ? null : `${shown(kind)} of session ${shown(session)}` };
      }
    },
  },
};
