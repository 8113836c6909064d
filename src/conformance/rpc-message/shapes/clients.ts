// The shapes of what front ends of rpc-message ask (docs/protocols/rpc-message.md 8).
import { fields, type PatternShape } from '../../check/shape.ts';
import { shapeRules } from '../../check/shape-rows.ts';
import { clientPlaces } from './places.ts';

const word: PatternShape = { text: /./su, is: 'a word', like: 'request-1' };
const measured = { section: '概述', isMeasured: true } as const;

/** Methods that front ends have. */
export const methods = [
  ...['connect', 'query', 'queryWithContent', 'interrupt', 'disconnect'],
  ...['setModel', 'setPermissionMode', 'getHistory'],
];
/** All requests, as coverage.ts names them. */
export const everyRequest = methods.map((method) => `request:${method}`);

/** Rules on the shapes of requests. */
export const shapeRulesOfClients = shapeRules('rpc-message/client', clientPlaces, {
  'request-id': {
    ...measured,
    sentence: 'Every request has an id, which is a text.',
    covers: everyRequest,
    scenarios: ['text', 'tool'],
    shapes: { request: fields({ id: word }) },
  },
  'query-params': {
    ...measured,
    sentence: 'A query has its message as a text.',
    scenarios: ['tool', 'fail'],
    shapes: { 'request:query': fields({ params: fields({ message: 'string' }) }) },
  },
  'content-params': {
    ...measured,
    sentence: 'A query with content has a list of blocks, each with its type.',
    scenarios: ['text'],
    shapes: { 'request:queryWithContent': fields({ params: fields({ content: [fields({ type: 'string' })] }) }) },
  },
  'content-blocks': {
    ...measured,
    sentence: 'A block of a query has what its type needs.',
    covers: ['block:text', 'block:image'],
    scenarios: ['text'],
    shapes: {
      'block of a query': {
        by: 'type',
        variants: {
          text: fields({ text: 'string' }),
          image: { oneOf: [fields({ source: 'object' }), fields({ data: 'string' }), fields({ url: 'string' })] },
          tool_result: fields({ tool_use_id: 'string' }),
        },
      },
    },
  },
  'setting-params': {
    ...measured,
    sentence: 'setModel has the model as its params, and setPermissionMode a mode.',
    scenarios: ['text', 'tool'],
    shapes: {
      'request:setModel': fields({ params: 'string' }),
      'request:setPermissionMode': fields({ params: fields({ mode: 'string' }) }),
    },
  },
});
