// Broken front ends of rpc-message, each made from a correct one.
import type { Dictionary } from '../../../src/core/model/content.ts';
import type { Interceptor } from '../support/intercept.ts';
import { changesOutput, type Mutant } from '../support/mutant.ts';

/** Changes requests of this method. */
const asks = (method: string, change: (frame: Dictionary) => Dictionary) =>
  changesOutput((frame) => (frame.method === method ? change(frame) : frame));
/** Sends more requests before those of this method. */
const before =
  (method: string, ...more: readonly Dictionary[]) =>
  (): Interceptor => ({
    out: (frame) => (frame.method === method ? [...more, frame] : [frame]),
  });
const history = (id: unknown): Dictionary => ({ id, method: 'getHistory' });

/** All mutants. */
export const clientMutants: readonly Mutant[] = [
  {
    fault: 'it sends a list',
    caughtBy: ['request-object'],
    make: () => ({
      out(frame, link) {
        if (frame.method === 'setModel') link.say('[]');
        return [frame];
      },
    }),
  },
  {
    fault: 'two requests have one id',
    caughtBy: ['request-unique'],
    make: before('setModel', history('x'), history('x')),
  },
  {
    fault: 'it asks for what there is not',
    caughtBy: ['request-known'],
    make: before('setModel', { id: 'x', method: 'getWeather' }),
  },
  { fault: 'it asks before it connects', caughtBy: ['connect-first'], make: before('connect', history('x')) },
  {
    fault: 'it queries before it is connected',
    caughtBy: ['connect-answered'],
    make: () => ({
      out: (frame) =>
        frame.method === 'connect' ? [frame, { id: 'x', method: 'query', params: { message: 'quick' } }] : [frame],
    }),
  },
  {
    fault: 'a picture of a kind that nobody knows',
    caughtBy: ['block-known'],
    make: asks('queryWithContent', (frame) => ({
      ...frame,
      params: { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'aGVsbG8=' } }] },
    })),
  },
  {
    fault: 'it interrupts when nothing goes on',
    caughtBy: ['interrupt-running'],
    make: before('setModel', { id: 'x', method: 'interrupt' }),
  },
  {
    fault: 'it asks on when it has left',
    caughtBy: ['disconnect-last'],
    make: () => ({ out: (frame) => (frame.method === 'disconnect' ? [frame, history('x')] : [frame]) }),
  },
];
