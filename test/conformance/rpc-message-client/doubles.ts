// Broken front ends of rpc-message, each made from a correct one.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { type Double, says } from '../support/double.ts';
import type { Tamper } from '../support/tamper.ts';

/** Another request in the place of those of that method. */
const asks = (method: string, change: (frame: Dictionary) => Dictionary) =>
  says((frame) => (frame.method === method ? change(frame) : frame));
/** More requests before those of that method. */
const before =
  (method: string, ...more: readonly Dictionary[]) =>
  (): Tamper => ({
    out: (frame) => (frame.method === method ? [...more, frame] : [frame]),
  });
const history = (id: unknown): Dictionary => ({ id, method: 'getHistory' });

/** All of them. */
export const clientDoubles: readonly Double[] = [
  {
    fault: 'it sends a list',
    caught: ['request-object'],
    make: () => ({
      out(frame, link) {
        if (frame.method === 'setModel') link.say('[]');
        return [frame];
      },
    }),
  },
  { fault: 'an id is a number', caught: ['request-id'], make: before('setModel', history(7)) },
  {
    fault: 'two requests have one id',
    caught: ['request-unique'],
    make: before('setModel', history('x'), history('x')),
  },
  {
    fault: 'it asks for what there is not',
    caught: ['request-known'],
    make: before('setModel', { id: 'x', method: 'getWeather' }),
  },
  { fault: 'it asks before it connects', caught: ['connect-first'], make: before('connect', history('x')) },
  {
    fault: 'it queries before it is connected',
    caught: ['connect-answered'],
    make: () => ({
      out: (frame) =>
        frame.method === 'connect' ? [frame, { id: 'x', method: 'query', params: { message: 'quick' } }] : [frame],
    }),
  },
  {
    fault: 'a query is a text by itself',
    caught: ['query-params'],
    make: asks('query', (frame) => ({ ...frame, params: dictionaryOf(frame.params).message })),
  },
  {
    fault: 'a content is a text',
    caught: ['content-params'],
    make: asks('queryWithContent', (frame) => ({ ...frame, params: { content: 'words' } })),
  },
  {
    fault: 'a picture has no source',
    caught: ['content-blocks'],
    make: asks('queryWithContent', (frame) => ({ ...frame, params: { content: [{ type: 'image' }] } })),
  },
  {
    fault: 'a model is an object',
    caught: ['setting-params'],
    make: asks('setModel', (frame) => ({ ...frame, params: { model: frame.params } })),
  },
  {
    fault: 'it interrupts when nothing goes on',
    caught: ['interrupt-running'],
    make: before('setModel', { id: 'x', method: 'interrupt' }),
  },
  {
    fault: 'it asks on when it has left',
    caught: ['disconnect-last'],
    make: () => ({ out: (frame) => (frame.method === 'disconnect' ? [frame, history('x')] : [frame]) }),
  },
];
