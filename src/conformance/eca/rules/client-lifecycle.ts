// Rules on how an editor begins and ends a connection. docs/protocols/eca.md 8.1, and 2 for what real editors do.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { shown } from '../../check/shape.ts';
import type { EcaRows } from '../view/view.ts';

/** Every behaviour shows how an editor begins. */
const any = ['text'];

/** Rules on the lifecycle of a connection. */
export const clientLifecycleRows: EcaRows = {
  'initialize-first': {
    section: 'Initialize',
    sentence: '`initialize` is the first that a client says.',
    covers: ['request:initialize'],
    scenarios: any,
    *judge({ client, initialize, isComplete }) {
      const [first] = client.frames;
      // A recording without an `initialize` may begin in the middle.
      if (first?.json === undefined || (initialize === null && !isComplete)) return;
      const { method } = dictionaryOf(first.json);
      yield { frame: first.frame, wrong: method === 'initialize' ? null : `the first is ${shown(method)}` };
    },
  },
  'initialize-once': {
    section: 'Initialize',
    level: 'SHOULD',
    sentence: 'A client initializes once.',
    covers: ['request:initialize'],
    scenarios: any,
    *judge({ client }) {
      const all = client.requests.filter(({ method }) => method === 'initialize');
      for (const [place, { frame }] of all.entries()) yield { frame, wrong: place === 0 ? null : 'initialize again' };
    },
  },
  'initialized-after-answer': {
    section: 'Initialized',
    sentence: '`initialized` comes once, after the answer to `initialize`.',
    covers: ['notification:initialized'],
    scenarios: any,
    reads: 'both',
    *judge({ client, initialize, count, isComplete }) {
      const all = client.notifications.filter(({ method }) => method === 'initialized');
      const answer = initialize?.answers[0]?.frame;
      for (const [place, { frame }] of all.entries()) {
        const isEarly = initialize !== null && (answer === undefined || frame < answer);
        yield { frame, wrong: place > 0 ? 'initialized again' : isEarly ? 'initialized before the answer' : null };
      }
      const hasGoneOn = client.frames.some(({ frame }) => answer !== undefined && frame > answer);
      if (all.length === 0 && initialize !== null && isComplete && hasGoneOn)
        yield { frame: Math.max(0, count - 1), wrong: 'initialized does not come' };
    },
  },
  'no-prompt-before-initialized': {
    section: 'Initialized',
    sentence: 'A client prompts when it has said `initialized`; queries may come before (VS Code sends some).',
    covers: ['notification:initialized', 'request:chat/prompt'],
    scenarios: any,
    *judge({ client, initialize, initialized, count }) {
      if (initialize === null) return;
      const from = initialized?.frame ?? count;
      for (const { frame, method } of client.requests)
        if (method === 'chat/prompt') yield { frame, wrong: from < frame ? null : 'a prompt before initialized' };
    },
  },
  'exit-after-shutdown': {
    section: 'Exit',
    level: 'SHOULD',
    sentence: '`exit` is sent after a `shutdown`.',
    covers: ['notification:exit', 'request:shutdown'],
    scenarios: any,
    *judge({ client, exit }) {
      if (exit === null) return;
      const before = client.requests.some(({ method, frame }) => method === 'shutdown' && frame < exit.frame);
      yield { frame: exit.frame, wrong: before ? null : 'exit without shutdown' };
    },
  },
  'quiet-after-shutdown': {
    section: 'Shutdown',
    level: 'SHOULD',
    sentence: 'After `shutdown` a client asks for nothing more.',
    covers: ['request:shutdown'],
    scenarios: any,
    *judge({ client }) {
      const shutdown = client.requests.find(({ method }) => method === 'shutdown');
      if (shutdown === undefined) return;
      const late = client.requests.find(({ frame }) => frame > shutdown.frame);
      yield {
        frame: late?.frame ?? shutdown.frame,
        wrong: late === undefined ? null : `${late.method} after shutdown`,
      };
    },
  },
};
