// Rules on the requests of a front end (docs/protocols/rpc-message.md 8), and on what docs/protocols/rpc-message.md 5
// shows on the wire.
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { rulesIn } from '../../check/rule-rows.ts';
import { unknownInBlock } from '../../claude/view/prompt-blocks.ts';
import { everyRequest, methods } from '../shapes/clients.ts';
import { blocksIn } from '../shapes/places.ts';
import { isQuery, type View } from '../view.ts';

const measured = { section: '概述', isMeasured: true, scenarios: ['text', 'tool'] } as const;

/** Rules on requests. */
export const requestRules = rulesIn<View>('rpc-message/client', {
  'request-object': {
    ...measured,
    sentence: 'Everything that a front end says is a JSON object with a method.',
    covers: everyRequest,
    *judge({ trace }) {
      for (const [frame, { by, json, text }] of trace.frames.entries()) {
        if (by !== 'client') continue;
        const isOne = isDictionary(json) && typeof json.method === 'string';
        yield { frame, wrong: isOne ? null : `no request: ${text.slice(0, 100)}` };
      }
    },
  },
  'request-unique': {
    ...measured,
    sentence: 'Every request has an id of its own.',
    covers: everyRequest,
    judge: ({ requests }) =>
      each(
        requests.filter(({ id }) => id !== undefined),
        ({ id, frame }) =>
          requests.some((one) => one.id === id && one.frame < frame) ? `${JSON.stringify(id)} was used before` : null,
      ),
  },
  'request-known': {
    ...measured,
    reads: 'both',
    sentence: 'A front end asks for what there is.',
    covers: everyRequest,
    judge: ({ requests }) =>
      each(requests, ({ method, replies }) => {
        // A newer agent may know more methods and refuse none of them as unknown.
        const isRefused = replies.some(({ json }) =>
          /unknown|not found|unsupported/iu.test(String(dictionaryOf(json.error).message)),
        );
        return !methods.includes(method) && isRefused ? `nobody knows ${method}` : null;
      }),
  },
  'connect-first': {
    ...measured,
    sentence: 'connect comes before all other requests.',
    covers: ['request:connect'],
    judge: ({ requests, trace, isFromStart }) =>
      // A recording may begin after `connect`.
      each(trace.isComplete || isFromStart ? requests.slice(0, 1) : [], ({ method }) =>
        method === 'connect' ? null : `${method} comes first`,
      ),
  },
  'connect-answered': {
    ...measured,
    reads: 'both',
    sentence: 'Nothing is asked of a session before connect is answered.',
    covers: ['request:connect'],
    *judge({ requests }) {
      const connect = requests.find(({ method }) => method === 'connect');
      const next = requests.find(({ frame }) => connect !== undefined && frame > connect.frame);
      const answer = connect?.replies[0];
      if (next === undefined || connect === undefined) return;
      const isEarly = isQuery(next) && (answer === undefined || answer.frame > next.frame);
      yield { frame: next.frame, wrong: isEarly ? `${next.method} comes before the answer` : null };
    },
  },
  'block-known': {
    ...measured,
    sentence: 'The blocks of a query, their sources and the kinds of pictures are those of the Messages API.',
    scenarios: ['text'],
    covers: ['block:text', 'block:image'],
    judge: (view) => each(blocksIn(view), ({ value }) => unknownInBlock(value)),
  },
  'interrupt-running': {
    ...measured,
    reads: 'both',
    section: '5.2',
    level: 'MAY',
    sentence: 'Only what is being answered is interrupted: message_stop and complete have told when it is over.',
    scenarios: ['endless'],
    covers: ['request:interrupt'],
    judge: ({ requests }) =>
      each(
        requests.filter(({ method }) => method === 'interrupt'),
        ({ frame }) => {
          const isOpen = requests.some(
            (one) => isQuery(one) && one.frame < frame && !one.completes.some((at) => at < frame),
          );
          return isOpen ? null : 'nothing is being answered';
        },
      ),
  },
  'disconnect-last': {
    ...measured,
    sentence: 'Nothing is said behind disconnect.',
    covers: ['request:disconnect'],
    *judge({ requests }) {
      const last = requests.findIndex(({ method }) => method === 'disconnect');
      const farewell = requests[last];
      const next = requests[last + 1];
      if (farewell === undefined) return;
      // A second `connect` begins anew.
      const isWrong = next !== undefined && next.method !== 'connect';
      yield { frame: next?.frame ?? farewell.frame, wrong: isWrong ? `${next.method} comes behind it` : null };
    },
  },
});
