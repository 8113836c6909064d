// Rules on how a server begins and ends a connection. docs/protocols/eca.md 8.1, 1, 3 and 4.
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Request, Response } from '../../check/json-rpc.ts';
import { answered, succeeds } from '../../check/json-rpc-findings.ts';
import { shown } from '../../check/shape.ts';
import { declared } from '../methods.ts';
import type { EcaRows, EcaView } from '../view/view.ts';

/** Successful answers to `initialize`. */
function greetings({ client }: EcaView): Response[] {
  const asks = client.requests.filter(({ method }) => method === 'initialize');
  return asks.flatMap(({ answers }) => answers.slice(0, 1)).filter(({ result }) => isDictionary(result));
}

/** Rules on the beginning and the end. */
export const lifecycleRows: EcaRows = {
  'initialize-answered': {
    section: 'Initialize',
    sentence: '`initialize` is answered with a result.',
    covers: ['request:initialize'],
    scenarios: ['start', 'early'],
    reads: 'both',
    *judge(view) {
      const asks = view.client.requests.filter(({ method }) => method === 'initialize');
      yield* answered(view, asks);
      yield* succeeds(asks);
    },
  },
  'default-behavior-offered': {
    section: 'Initialize',
    level: 'SHOULD',
    sentence: 'The default behavior is one of those that are offered.',
    covers: ['request:initialize'],
    scenarios: ['start'],
    reads: 'both',
    *judge(view) {
      for (const { frame, result } of greetings(view)) {
        const { chatBehaviors, chatDefaultBehavior: own } = dictionaryOf(result);
        if (!Array.isArray(chatBehaviors) || own === undefined) continue;
        yield {
          frame,
          wrong: chatBehaviors.includes(own) ? null : `${shown(own)} is not among ${shown(chatBehaviors)}`,
        };
      }
    },
  },
  'models-told': {
    section: 'Initialize',
    isMeasured: true,
    sentence: 'A client is told which models there are: in the answer to `initialize`, or later in `config/updated`.',
    covers: ['request:initialize', 'notification:config/updated'],
    scenarios: ['start'],
    reads: 'both',
    *judge(view) {
      const { initialized, agent, isComplete } = view;
      if (initialized === null || view.initialize === null) return;
      const messages = [
        ...greetings(view).map(({ result }) => dictionaryOf(result).models),
        ...agent.notifications.flatMap(({ method, params }) =>
          method === 'config/updated' ? [dictionaryOf(params.chat).models] : [],
        ),
      ];
      if (messages.some(Array.isArray)) yield { frame: initialized.frame, wrong: null };
      // A client that leaves at once has not waited for the list.
      const hasWaited =
        agent.notifications.some(({ method }) => method === 'tool/serverUpdated') &&
        shutdowns(view).some(({ answers }) => answers.length > 0);
      if (isComplete && hasWaited && !messages.some(Array.isArray))
        yield { frame: initialized.frame, wrong: 'no models were told' };
    },
  },
  'quiet-before-initialized': {
    section: 'Initialized',
    level: 'SHOULD',
    sentence: 'The server sends no notification and no request before `initialized`.',
    covers: ['notification:initialized'],
    scenarios: ['start', 'early'],
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      const { initialized, client, agent, count } = view;
      const prompt = client.requests.find(({ method }) => method === 'chat/prompt');
      const from = Math.min(initialized?.frame ?? count, prompt?.frame ?? count);
      const early = [...agent.notifications, ...agent.requests].filter(({ frame }) => frame < from);
      for (const { frame, method } of early) yield { frame, wrong: `${method} before initialized` };
      if (early.length === 0 && from < count) yield { frame: from, wrong: null };
    },
  },
  'early-requests': {
    section: 'Initialized',
    isMeasured: true,
    sentence: 'Requests that come before `initialized` are answered, whatever the answer is.',
    scenarios: ['early'],
    reads: 'both',
    *judge(view) {
      const { initialize, initialized, client } = view;
      const until = initialized?.frame ?? view.count;
      if (initialize === null) return;
      const early = client.requests.filter(({ frame, method }) => frame < until && method !== 'initialize');
      yield* answered(view, early);
    },
  },
  'tasks-finished': {
    section: 'Initialized',
    isMeasured: true,
    sentence:
      'A task of `$/progress` that finishes was started, and each that is started finishes: editors wait for it.',
    covers: ['notification:$/progress'],
    scenarios: ['start'],
    reads: 'both',
    *judge({ agent, client, initialize, isComplete }) {
      if (initialize === null) return;
      const open = new Map<unknown, number>();
      for (const { frame, method, params } of agent.notifications) {
        if (method !== '$/progress') continue;
        const { type, taskId } = params;
        if (type === 'start') open.set(taskId, frame);
        else if (type === 'finish') {
          yield { frame, wrong: open.has(taskId) ? null : `${shown(taskId)} was not started` };
          open.delete(taskId);
        }
      }
      // A server that is told to exit abandons its runs.
      const isSentAway = [...client.requests, ...client.notifications].some(
        ({ method }) => method === 'shutdown' || method === 'exit',
      );
      if (isComplete && !isSentAway)
        for (const [task, frame] of open) yield { frame, wrong: `${shown(task)} does not finish` };
    },
  },
  'asks-what-was-declared': {
    section: 'Initialize',
    isMeasured: true,
    sentence: 'A server asks a client only what it has declared that it can answer.',
    covers: ['request:initialize'],
    scenarios: ['start', 'approve'],
    reads: 'both',
    *judge({ agent, initialize }) {
      if (initialize === null) return;
      for (const { frame, method } of agent.requests) {
        const path = declared.get(method);
        if (path === undefined) continue;
        const able = path.reduce<unknown>((value, name) => dictionaryOf(value)[name], initialize.params.capabilities);
        yield { frame, wrong: able === true ? null : `${method} was not declared` };
      }
    },
  },
  'shutdown-answered': {
    section: 'Shutdown',
    sentence: '`shutdown` is answered.',
    covers: ['request:shutdown'],
    scenarios: ['start', 'early'],
    reads: 'both',
    *judge(view) {
      yield* answered(view, shutdowns(view));
    },
  },
};

function shutdowns({ client }: EcaView): Request[] {
  return client.requests.filter(({ method }) => method === 'shutdown');
}
