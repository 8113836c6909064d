// Rules on sessions and settings, for clients. docs/protocols/acp.md 3.
import { each } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { type AcpView, asksOf, at, can, itemsOf, resultsOf } from '../view/view.ts';
import { isAbsolute } from '../words.ts';
import type { Row, Rows } from './judging.ts';
import { optionBefore, valuesOf } from './settings.ts';

const placed = ['session/new', 'session/load', 'session/resume'];

/** Methods are asked only of agents that declare them. */
const declared = (method: string, section: string, ...path: readonly string[]): Row => ({
  section,
  sentence: `\`${method}\` is asked of agents alone that declare it.`,
  covers: [`request:${method}`],
  scenarios: ['text'],
  reads: 'both',
  *judge(view) {
    if (view.initialize?.answers[0] === undefined) return;
    for (const { frame } of asksOf(view, method))
      yield { frame, wrong: can(view.agentCan, ...path) ? null : `${path.join('.')} is not declared` };
  },
});

/** Whether a session was named to the client before: by an answer, or in a list. */
function isKnown(view: AcpView, session: unknown, frame: number): boolean {
  const named = resultsOf(view, 'session/new', 'session/fork').some(
    (one) => one.frame < frame && at(one.result, 'sessionId') === session,
  );
  return (
    named ||
    resultsOf(view, 'session/load', 'session/resume').some(
      (one) => one.frame < frame && one.ask.params.sessionId === session,
    )
  );
}

/** All rules on sessions and settings. */
export const clientSessionRows: Rows = {
  'tool-servers-declared': {
    section: '3.15',
    sentence: 'Tool servers over HTTP and SSE are sent to agents alone that declare them.',
    covers: ['request:session/new'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      if (view.initialize?.answers[0] === undefined) return;
      for (const { frame, params } of asksOf(view, ...placed))
        for (const { type } of itemsOf(params.mcpServers)) {
          if (typeof type !== 'string') continue;
          const is = can(view.agentCan, 'mcpCapabilities', type);
          yield { frame, wrong: is ? null : `${type} is not declared` };
        }
    },
  },
  'folders-declared': {
    section: '3.14',
    sentence: '`additionalDirectories` are sent to agents alone that declare them.',
    covers: ['request:session/new'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      if (view.initialize?.answers[0] === undefined) return;
      for (const { frame, params } of asksOf(view, ...placed)) {
        if (!Array.isArray(params.additionalDirectories)) continue;
        const is = can(view.agentCan, 'sessionCapabilities', 'additionalDirectories');
        const wrong = params.additionalDirectories.find((path) => !isAbsolute(path));
        const path = wrong === undefined ? null : `${shown(wrong)} is no absolute path`;
        yield { frame, wrong: is || params.additionalDirectories.length === 0 ? path : 'they are not declared' };
      }
    },
  },
  'load-declared': declared('session/load', '3.16', 'loadSession'),
  'resume-declared': declared('session/resume', '3.17', 'sessionCapabilities', 'resume'),
  'list-declared': declared('session/list', '3.18', 'sessionCapabilities', 'list'),
  'close-declared': declared('session/close', '3.18', 'sessionCapabilities', 'close'),
  'delete-declared': declared('session/delete', '3.18', 'sessionCapabilities', 'delete'),
  'list-cursor': {
    section: '3.18',
    level: 'SHOULD',
    sentence: 'A cursor is one that the agent gave.',
    covers: ['request:session/list'],
    scenarios: ['text'],
    reads: 'both',
    judge: (view) =>
      each(
        asksOf(view, 'session/list').filter(({ params }) => typeof params.cursor === 'string'),
        ({ params, frame }) =>
          resultsOf(view, 'session/list').some(
            (one) => one.frame < frame && at(one.result, 'nextCursor') === params.cursor,
          )
            ? null
            : `nobody gave ${shown(params.cursor)}`,
      ),
  },
  'session-known': {
    section: '3.20',
    sentence: 'Prompts, cancels and settings name a session that the agent gave.',
    covers: ['request:session/prompt'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      const named = ['session/prompt', 'session/set_mode', 'session/set_config_option', 'session/cancel'];
      for (const { frame, method, params } of [...view.client.requests, ...view.client.notifications])
        if (named.includes(method))
          yield {
            frame,
            wrong: isKnown(view, params.sessionId, frame) ? null : `nobody gave ${shown(params.sessionId)}`,
          };
    },
  },
  'mode-offered': {
    section: '3.21',
    level: 'SHOULD',
    sentence: '`session/set_mode` names a mode that the agent offers.',
    covers: ['request:session/set_mode'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      const offered = resultsOf(view, ...placed).flatMap(({ result }) =>
        itemsOf(at(result, 'modes', 'availableModes')).map(({ id }) => id),
      );
      for (const { frame, params } of asksOf(view, 'session/set_mode'))
        if (offered.length > 0)
          yield { frame, wrong: offered.includes(params.modeId) ? null : `${shown(params.modeId)} is not offered` };
    },
  },
  'option-offered': {
    section: '3.23',
    level: 'SHOULD',
    sentence: '`session/set_config_option` names an option that the agent has, and a value that the option offers.',
    covers: ['request:session/set_config_option'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      for (const { frame, params } of asksOf(view, 'session/set_config_option')) {
        const option = optionBefore(view, params.configId, frame);
        if (option === undefined) yield { frame, wrong: `there is no option ${shown(params.configId)}` };
        else {
          const is =
            option.type === 'boolean' ? typeof params.value === 'boolean' : valuesOf(option).includes(params.value);
          yield { frame, wrong: is ? null : `${shown(params.value)} is not offered` };
        }
      }
    },
  },
};
