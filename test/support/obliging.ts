// The demo agent for people who do not know its verbs: it reads in plain words what it is to do, and the conversation has
// those words. Knows no client.
import { demo } from '../../src/adapters/demo/index.ts';
import type { Action } from '../../src/core/contract/adapter/action.ts';
import type { Adapter } from '../../src/core/contract/adapter/adapter.ts';
import type { Backend } from '../../src/core/contract/adapter/backend.ts';
import type { Content } from '../../src/core/model/content.ts';
import type { Event } from '../../src/core/model/event.ts';

/** Words of a prompt, and what the demo agent makes of them; the first that fits counts. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/tool\w*.*\btwo\b/isu, 'ask ask'],
  [/tool/iu, 'ask'],
  [/think/iu, 'think'],
  // As long as it takes to stop it, and not for ever: the next prompt may wait for its end.
  [/slow/iu, 'slow 20 long 75'],
  [/fail/iu, 'fail'],
];

const wordsIn = (content: readonly Content[]): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');
const verbsFor = (words: string): string => meanings.find(([pattern]) => pattern.test(words))?.[1] ?? 'hello';

function oblige(inner: Backend): Backend {
  /** What was said to the agent in the place of what. */
  const spoken: { readonly verbs: string; readonly words: string }[] = [];

  function asItWasSaid(action: Action<Event>): Action<Event> {
    if (action.do !== 'deliver' || action.message.type !== 'message-added' || action.message.role !== 'user')
      return action;
    const { content } = action.message;
    const at = spoken.findIndex(({ verbs }) => verbs === wordsIn(content));
    const [said] = at < 0 ? [] : spoken.splice(at, 1);
    if (said === undefined) return action;
    return { ...action, message: { ...action.message, content: [{ type: 'text', text: said.words }] } };
  }

  return {
    start: () => (inner.start?.() ?? []).map(asItWasSaid),
    decode: (frame) => inner.decode(frame).map(asItWasSaid),
    encode(command, id) {
      if (command.type !== 'prompt') return inner.encode(command, id).map(asItWasSaid);
      const words = wordsIn(command.content);
      const verbs = verbsFor(words);
      spoken.push({ verbs, words });
      return inner.encode({ ...command, content: [{ type: 'text', text: verbs }] }, id).map(asItWasSaid);
    },
    onTimer: (timer) => (inner.onTimer?.(timer) ?? []).map(asItWasSaid),
    end: () => (inner.end?.() ?? []).map(asItWasSaid),
  };
}

/** To be put into the registry by the tests that need it. */
export const obliging: Adapter = {
  ...demo,
  id: 'obliging',
  agent: {
    ...demo.agent,
    backend(env, options) {
      const inner = demo.agent?.backend(env, options);
      if (inner === undefined) throw new Error('the demo agent is gone');
      return oblige(inner);
    },
  },
};
