// Rules on the answers to each method of the front end (docs/protocols/rpc-message.md 8.2 to 8.4). All
// are measured: the document behind that page does not describe the answers.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { answers } from '../shapes/places.ts';
import type { Reply } from '../view.ts';
import { type Row, rpcRules } from './rpc-rule.ts';

const row = { section: '概述', isMeasured: true, reads: 'both' } as const;
const covers = (method: string) => [`request:${method}`];

const isError = ({ json }: Reply): boolean => json.error !== null && json.error !== undefined;
const rows: Record<string, Row> = {
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
};

export const methodRules = rpcRules(rows);
