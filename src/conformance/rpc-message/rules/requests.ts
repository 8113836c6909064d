// Rules on the envelope of requests and answers (docs/protocols/rpc-message.md 8). All are measured: the document
// behind that page does not describe the envelope.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { isQuery, type Reply, type Request, type View } from '../view.ts';
import { type Row, rpcRules } from './rpc-rule.ts';

const row = { section: '概述', isMeasured: true, reads: 'both' } as const;
const covers = (method: string) => [`request:${method}`];

const isError = ({ json }: Reply): boolean => json.error !== null && json.error !== undefined;

/** Frame at which a request is over: its answer, or the end of its stream. */
const endOf = ({ replies, completes }: Request): number | undefined => replies[0]?.frame ?? completes[0];
/** Queries that were not refused. */
const queries = ({ requests }: View): Request[] =>
  requests.filter((request) => isQuery(request) && request.replies.length === 0);
const over = (view: View): Request[] => queries(view).filter(({ completes }) => completes.length > 0);

const rows: Record<string, Row> = {
  'request-answered': {
    ...row,
    scenarios: ['settings', 'text'],
    sentence: 'Each request comes to its end: an answer, or for a query complete.',
    covers: ['envelope:reply', 'envelope:complete'],
    *judge({ requests, trace }) {
      for (const request of requests) {
        const isOver = endOf(request) !== undefined;
        if (isOver || trace.isComplete)
          yield { frame: request.frame, wrong: isOver ? null : `${request.method} has no end` };
      }
    },
  },
  'request-answered-once': {
    ...row,
    scenarios: ['settings', 'text'],
    sentence: 'A request has one end.',
    covers: ['envelope:reply', 'envelope:complete'],
    *judge({ requests }) {
      for (const { replies, completes } of requests) {
        const ends = [...replies.map(({ frame }) => frame), ...completes].sort((one, other) => one - other);
        for (const [at, frame] of ends.entries()) yield { frame, wrong: at === 0 ? null : 'it was over already' };
      }
    },
  },
  'envelope-known': {
    ...row,
    scenarios: ['settings', 'text'],
    sentence: 'Whatever has the id of a request answers one that was made.',
    covers: ['envelope:reply', 'envelope:stream', 'envelope:complete'],
    *judge({ envelopes, replies, strays, isFromStart }) {
      const wild = new Set(strays.map(({ frame }) => frame));
      for (const { frame } of [...envelopes, ...replies])
        if (isFromStart || !wild.has(frame)) yield { frame, wrong: wild.has(frame) ? 'nobody asked for it' : null };
    },
  },
  'query-result': {
    ...row,
    section: '6.5',
    scenarios: ['text', 'tools'],
    sentence: 'What a query streams holds one result, and the result is the last of it.',
    covers: [...covers('query'), 'message:result'],
    judge: (view) =>
      each(over(view), ({ streamed }) => {
        const found = streamed.filter(({ type }) => type === 'result').length;
        if (found !== 1) return `${found} results`;
        return streamed.at(-1)?.type === 'result' ? null : `it ends with ${String(streamed.at(-1)?.type)}`;
      }),
  },
  'query-complete': {
    ...row,
    scenarios: ['text'],
    sentence: 'Nothing of a query comes behind its complete.',
    covers: [...covers('query'), 'envelope:complete'],
    judge: (view) =>
      each(over(view), ({ streamed, completes: [end = 0] }) =>
        streamed.some(({ frame }) => frame > end) ? 'it went on behind complete' : null,
      ),
  },
  'query-content': {
    ...row,
    scenarios: ['image'],
    sentence: 'queryWithContent takes a list of blocks, an image among them.',
    covers: covers('queryWithContent'),
    *judge({ requests, trace }) {
      for (const request of requests) {
        if (request.method !== 'queryWithContent') continue;
        const isOver = endOf(request) !== undefined;
        const wrong = request.replies.some(isError) ? 'it was refused' : isOver ? null : 'nothing came of it';
        if (isOver || trace.isComplete) yield { frame: request.frame, wrong };
      }
    },
  },
  'error-goes-on': {
    ...row,
    section: '5.1',
    scenarios: ['fail'],
    sentence: 'An error message is not the end: a turn that said one still comes to its result.',
    covers: ['message:error', 'message:result'],
    judge: (view) =>
      each(
        over(view).filter(({ streamed }) => streamed.some(({ type }) => type === 'error')),
        ({ streamed }) => (streamed.some(({ type }) => type === 'result') ? null : 'there is no result'),
      ),
  },
  'next-query': {
    ...row,
    scenarios: ['fail', 'interrupt'],
    sentence: 'A query that failed or was interrupted does not harm the next.',
    covers: covers('query'),
    judge: nextQuery,
  },
  'unknown-type': {
    ...row,
    scenarios: ['odd'],
    sentence: 'What is no request changes nothing for the requests behind it.',
    covers: ['envelope:reply'],
    *judge({ requests, trace }) {
      for (const [frame, { by, json }] of trace.frames.entries()) {
        if (by !== 'client' || 'method' in dictionaryOf(json)) continue;
        const next = requests.find((request) => request.frame > frame);
        const isOver = next !== undefined && endOf(next) !== undefined;
        if (next !== undefined && (isOver || trace.isComplete))
          yield { frame, wrong: isOver ? null : 'nothing is answered any more' };
      }
    },
  },
  'unknown-method': {
    ...row,
    scenarios: ['settings'],
    sentence: 'A method that nobody knows is refused.',
    covers: ['envelope:reply'],
    judge: (view) =>
      each(
        view.requests
          .filter(({ method }) => method.startsWith('no_such'))
          .flatMap(({ replies }) => replies.slice(0, 1)),
        (reply) => (isError(reply) ? null : 'it was answered as if there were one'),
      ),
  },
  'bad-params': {
    ...row,
    scenarios: ['settings'],
    sentence: 'A query without a message is refused, and nothing streams.',
    covers: covers('query'),
    *judge({ requests, trace }) {
      for (const { method, params, replies, streamed, frame } of requests) {
        if (method !== 'query' || typeof dictionaryOf(params).message === 'string') continue;
        if (replies.length === 0 && streamed.length === 0 && !trace.isComplete) continue;
        yield { frame, wrong: replies.some(isError) && streamed.length === 0 ? null : 'it was not refused' };
      }
    },
  },
  'interrupt-ends': {
    ...row,
    scenarios: ['interrupt'],
    sentence: 'A query that is interrupted comes to its complete.',
    covers: [...covers('interrupt'), 'envelope:complete'],
    *judge(view) {
      for (const { frame, method } of view.requests) {
        if (method !== 'interrupt') continue;
        const open = queries(view).findLast(
          (query) => query.frame < frame && (query.completes[0] ?? frame + 1) > frame,
        );
        if (open === undefined) continue;
        const isOver = open.completes.length > 0;
        if (isOver || view.trace.isComplete) yield { frame: open.frame, wrong: isOver ? null : 'it went on and on' };
      }
    },
  },
};

export const requestRules = rpcRules(rows);

function* nextQuery(view: View): Generator<Finding> {
  const all = view.requests.filter(isQuery);
  for (const [at, query] of all.entries()) {
    const end = query.streamed.find(({ type }) => type === 'result');
    const next = all[at + 1];
    if (end?.json.is_error !== true || next === undefined) continue;
    const isOver = endOf(next) !== undefined;
    if (isOver || view.trace.isComplete) yield { frame: next.frame, wrong: isOver ? null : 'nothing came of it' };
  }
}
