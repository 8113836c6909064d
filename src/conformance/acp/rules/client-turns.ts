// Rules on prompts, and on answers to what agents ask, for clients. docs/protocols/acp.md 4, 6.

import type { Request } from '../../check/json-rpc.ts';
import { fields, misfit, shown } from '../../check/shape.ts';
import { type AcpView, asksOf, at, can, itemsOf, spansIn } from '../view/view.ts';
import { isAbsolute, updateKinds } from '../words.ts';
import { type Rows, refused } from './judging.ts';

const covers = ['request:session/prompt'];
const permissionCovers = ['request:session/request_permission'];
const cancelCovers = ['notification:session/cancel'];
const permissions = ({ agent }: AcpView): Request[] =>
  agent.requests.filter(({ method }) => method === 'session/request_permission');

/** Contents that agents must declare (docs/protocols/acp.md 4.30). */
const ability: ReadonlyMap<unknown, string> = new Map([
  ['image', 'image'],
  ['audio', 'audio'],
  ['resource', 'embeddedContext'],
]);

/** Questions that were open when the client cancelled their turn, with the cancelling. */
function* openAtCancel(view: AcpView) {
  for (const turn of spansIn(view, 'turn')) {
    const { cancelled, ask, frame, to } = turn;
    const notice = view.client.notifications.find((one) => one.frame === cancelled);
    if (cancelled === null || notice?.method !== 'session/cancel') continue;
    for (const question of permissions(view)) {
      const answer = question.answers[0];
      const isOfTurn =
        question.params.sessionId === ask.params.sessionId && frame < question.frame && question.frame < cancelled;
      if (isOfTurn && (answer?.frame ?? Number.POSITIVE_INFINITY) > cancelled)
        yield { question, answer, cancelled, to };
    }
  }
}

/** All rules on turns. */
export const clientTurnRows: Rows = {
  'prompt-declared': {
    section: '4.30',
    sentence: 'Pictures, sounds and embedded resources are sent to agents alone that declare them.',
    covers: [...covers, 'content:image', 'content:audio', 'content:resource'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      if (view.initialize?.answers[0] === undefined) return;
      for (const { frame, params } of asksOf(view, 'session/prompt'))
        for (const { type } of itemsOf(params.prompt)) {
          const name = ability.get(type);
          if (name === undefined) yield { frame, wrong: null };
          else
            yield { frame, wrong: can(view.agentCan, 'promptCapabilities', name) ? null : `${name} is not declared` };
        }
    },
  },
  'one-prompt': {
    section: '4.31',
    level: 'SHOULD',
    sentence: 'A client prompts a session again when its prompt is answered.',
    covers,
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      const turns = spansIn(view, 'turn');
      for (const { frame, ask } of turns) {
        const running = turns.some(
          (one) => one.ask.params.sessionId === ask.params.sessionId && one.frame < frame && frame < one.to,
        );
        yield { frame, wrong: running ? 'a prompt runs' : null };
      }
    },
  },
  'permission-answered': {
    section: '4.44',
    sentence: 'Each request for permission is answered.',
    covers: permissionCovers,
    scenarios: ['permission', 'two-permissions'],
    reads: 'both',
    *judge(view) {
      for (const { frame, id, answers } of permissions(view)) {
        const isTaken = view.agent.notifications.some(
          ({ method, params }) => method === '$/cancel_request' && params.requestId === id,
        );
        if (answers.length > 0) yield { frame, wrong: null };
        else if (view.isComplete && !isTaken) yield { frame, wrong: 'it is not answered' };
      }
    },
  },
  'permission-offered': {
    section: '4.44',
    sentence: 'The option that is selected is one of those that were offered.',
    covers: permissionCovers,
    scenarios: ['permission', 'two-permissions'],
    reads: 'both',
    *judge(view) {
      for (const { answers, params } of permissions(view))
        for (const { frame, result } of answers) {
          if (at(result, 'outcome', 'outcome') !== 'selected') continue;
          const id = at(result, 'outcome', 'optionId');
          const is = itemsOf(params.options).some(({ optionId }) => optionId === id);
          yield { frame, wrong: is ? null : `nobody offered ${shown(id)}` };
        }
    },
  },
  'cancelled-in-cancel': {
    section: '4.47',
    level: 'SHOULD',
    sentence: 'The outcome `cancelled` is for turns that the client has cancelled.',
    covers: permissionCovers,
    scenarios: ['permission'],
    reads: 'both',
    *judge(view) {
      const cancels = view.client.notifications.filter(({ method }) => method === 'session/cancel');
      const closes = asksOf(view, 'session/close');
      for (const { answers, params, frame: asked, id } of permissions(view))
        for (const { frame, result } of answers) {
          if (at(result, 'outcome', 'outcome') === 'selected') yield { frame, wrong: null };
          if (at(result, 'outcome', 'outcome') !== 'cancelled') continue;
          const isTaken = view.agent.notifications.some(
            (one) => one.method === '$/cancel_request' && one.params.requestId === id,
          );
          const is = [...cancels, ...closes].some(
            (one) => one.params.sessionId === params.sessionId && one.frame > asked,
          );
          yield { frame, wrong: is || isTaken ? null : 'the turn was not cancelled' };
        }
    },
  },
  'cancel-answers': {
    section: '4.48',
    sentence: 'A client that cancels answers the open requests for permission of that session with `cancelled`.',
    covers: [...permissionCovers, ...cancelCovers],
    scenarios: ['cancel-permission'],
    reads: 'both',
    *judge(view) {
      for (const { answer, cancelled, to } of openAtCancel(view)) {
        if (answer === undefined) {
          if (view.isComplete && Number.isFinite(to)) yield { frame: cancelled, wrong: 'one is not answered' };
          continue;
        }
        const outcome = at(answer.result, 'outcome', 'outcome');
        yield {
          frame: answer.frame,
          wrong: outcome === 'cancelled' ? null : `one is answered ${shown(answer.json.result)}`,
        };
      }
    },
  },
  'cancel-shape': {
    section: '4.48',
    sentence: '`session/cancel` is a notification with a `sessionId`.',
    covers: cancelCovers,
    scenarios: ['cancel'],
    *judge({ client }) {
      for (const { frame, method, params } of client.notifications)
        if (method === 'session/cancel')
          yield { frame, wrong: misfit(params, fields({ sessionId: 'string' }), 'params') };
      for (const { frame, method } of client.requests)
        if (method === 'session/cancel') yield { frame, wrong: 'it is a request' };
    },
  },
  'cancel-waits': {
    section: '4.48',
    level: 'SHOULD',
    sentence: 'A client that has cancelled waits for the answer to its prompt before it prompts again.',
    covers: cancelCovers,
    scenarios: ['cancel', 'cancel-permission'],
    reads: 'both',
    *judge(view) {
      for (const { spans } of view.sessions.values()) {
        const turns = spans.filter(({ kind }) => kind === 'turn');
        for (const [place, turn] of turns.entries()) {
          if (turn.cancelled === null) continue;
          const next = turns[place + 1];
          if (next !== undefined) yield { frame: next.frame, wrong: next.frame < turn.to ? 'it does not wait' : null };
          else if (turn.answer !== null) yield { frame: turn.cancelled, wrong: null };
        }
      }
    },
  },
  'survives-updates': {
    section: '5.52',
    isMeasured: true,
    sentence: 'An update that the client does not know does not end the conversation.',
    covers: ['notification:session/update'],
    scenarios: ['odd'],
    reads: 'both',
    *judge({ updates, client, isComplete }) {
      const odd = updates.find(({ kind }) => !updateKinds.has(String(kind)));
      if (odd === undefined) return;
      const heard = client.frames.some(({ frame }) => frame > odd.frame);
      if (heard || isComplete) yield { frame: odd.frame, wrong: heard ? null : 'nothing comes any more' };
    },
  },
  'undeclared-refused': {
    section: '6.53',
    level: 'SHOULD',
    sentence: 'Files and terminals that the client did not declare are refused.',
    covers: ['request:fs/read_text_file', 'request:terminal/create'],
    scenarios: ['odd'],
    reads: 'both',
    judge: (view) =>
      refused(
        view.initialize === null
          ? []
          : view.agent.requests.filter(
              ({ method }) =>
                (method === 'fs/read_text_file' && !can(view.clientCan, 'fs', 'readTextFile')) ||
                (method === 'terminal/create' && !can(view.clientCan, 'terminal')),
            ),
      ),
  },
  'link-absolute': {
    section: '1.9',
    sentence: 'A link to a file in a prompt names an absolute path.',
    covers: [...covers, 'content:resource_link'],
    scenarios: ['text'],
    *judge(view) {
      for (const { frame, params } of asksOf(view, 'session/prompt'))
        for (const { type, uri } of itemsOf(params.prompt)) {
          if (type !== 'resource_link' || !/^file:/iu.test(String(uri))) continue;
          const path = String(uri).replace(/^file:\/\/[^/]*/iu, '');
          yield { frame, wrong: isAbsolute(path) ? null : `it is ${shown(uri)}` };
        }
    },
  },
  'commands-known': {
    section: '3.26',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A prompt that begins with a slash names a command that the agent has told.',
    covers: ['update:available_commands_update'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      const names = view.updates
        .filter(({ kind }) => kind === 'available_commands_update')
        .flatMap(({ update }) => itemsOf(update.availableCommands).map(({ name }) => String(name)));
      for (const { frame, params } of asksOf(view, 'session/prompt')) {
        const text = String(itemsOf(params.prompt)[0]?.text ?? '');
        if (!text.startsWith('/') || names.length === 0) continue;
        const is = names.some((name) => text.slice(1).startsWith(name));
        yield { frame, wrong: is ? null : `it begins ${shown(text.slice(0, 40))}` };
      }
    },
  },
};
