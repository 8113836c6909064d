// Rules on the answers to each method of the front end (docs/protocols/rpc-message.md 8.2 to 8.4). All
// are measured: the document behind that page does not describe the answers.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { fields, misfit, type Shape } from '../../check/shape.ts';
import type { Reply, View } from '../view.ts';
import { type Row, rpcRules } from './rpc-rule.ts';

const row = { section: '概述', isMeasured: true, reads: 'both' } as const;
const covers = (method: string) => [`request:${method}`];

const isError = ({ json }: Reply): boolean => json.error !== null && json.error !== undefined;
/** The answers to requests of this method. */
const answers = ({ requests }: View, method: string): Reply[] =>
  requests.filter((request) => request.method === method).flatMap(({ replies }) => replies.slice(0, 1));
const succeeded = (method: string, shape: Shape) => (view: View) =>
  each(
    answers(view, method).filter((reply) => !isError(reply)),
    ({ json }) => misfit(json.result, shape, 'result'),
  );

const rows: Record<string, Row> = {
  'connect-result': {
    ...row,
    scenarios: ['settings'],
    sentence: 'connect is answered with sessionId, provider and the status connected.',
    covers: covers('connect'),
    judge: (view) =>
      each(answers(view, 'connect'), (reply) => {
        if (isError(reply)) return 'connect was refused';
        const wrong = misfit(reply.json.result, fields({ sessionId: 'string', provider: 'string' }), 'result');
        const { status } = dictionaryOf(reply.json.result);
        return wrong ?? (status === 'connected' ? null : `status ${String(status)}`);
      }),
  },
  'connect-capabilities': {
    ...row,
    level: 'SHOULD',
    scenarios: ['settings'],
    sentence: 'connect tells the capabilities for which a front end shows buttons.',
    covers: covers('connect'),
    judge: succeeded(
      'connect',
      fields({
        capabilities: fields({
          canInterrupt: 'boolean',
          canSwitchModel: 'boolean',
          canSwitchPermissionMode: 'boolean',
        }),
      }),
    ),
  },
  'session-same': {
    ...row,
    scenarios: ['text'],
    sentence: 'What streams has the session_id that connect has told.',
    covers: [...covers('connect'), 'message:stream_event'],
    level: 'SHOULD',
    *judge(view) {
      const connected = answers(view, 'connect').at(-1);
      const { sessionId } = dictionaryOf(connected?.json.result);
      if (typeof sessionId !== 'string') return;
      yield* each(
        view.messages.filter(({ type, frame }) => type === 'stream_event' && frame > (connected?.frame ?? 0)),
        ({ json }) => (json.session_id === sessionId ? null : `session_id ${String(json.session_id)}`),
      );
    },
  },
  'set-mode-answer': {
    ...row,
    scenarios: ['settings'],
    sentence: 'setPermissionMode is answered with the mode that was asked for.',
    covers: covers('setPermissionMode'),
    *judge({ requests }) {
      for (const {
        method,
        params,
        replies: [reply],
      } of requests) {
        if (method !== 'setPermissionMode' || reply === undefined || isError(reply)) continue;
        const { mode } = dictionaryOf(reply.json.result);
        yield { frame: reply.frame, wrong: mode === dictionaryOf(params).mode ? null : `mode ${String(mode)}` };
      }
    },
  },
  'set-model-answer': {
    ...row,
    scenarios: ['settings'],
    sentence: 'setModel takes the bare name of a model, and is answered with a status.',
    covers: covers('setModel'),
    judge: succeeded('setModel', fields({ status: 'string' })),
  },
  'history-list': {
    ...row,
    scenarios: ['text'],
    sentence: 'getHistory is answered with the messages of the session, in the dialect.',
    covers: covers('getHistory'),
    judge: succeeded(
      'getHistory',
      fields({ messages: [fields({ type: 'string', message: fields({ content: ['object'] }) })] }),
    ),
  },
  'interrupt-answer': {
    ...row,
    scenarios: ['interrupt'],
    sentence: 'interrupt is answered with a status.',
    covers: covers('interrupt'),
    judge: (view) =>
      each(answers(view, 'interrupt'), (reply) =>
        isError(reply) ? 'it was refused' : misfit(reply.json.result, fields({ status: 'string' }), 'result'),
      ),
  },
  'disconnect-answer': {
    ...row,
    level: 'SHOULD',
    scenarios: ['disconnect'],
    sentence: 'disconnect is answered with a status before the connection ends.',
    covers: covers('disconnect'),
    judge: (view) =>
      each(answers(view, 'disconnect'), (reply) =>
        isError(reply) ? 'it was refused' : misfit(reply.json.result, fields({ status: 'string' }), 'result'),
      ),
  },
};

export const methodRules = rpcRules(rows);
