// Rules on what an agent accepts from its client: prompts of every form, and unknown messages (docs/protocols/claude.md
// 3.3, 8.2). Unparsable input ends the real program, so no rule covers it.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import type { Prompt, View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

const expectsReply: ReadonlySet<string> = new Set(['user', 'control_request', 'control_response']);

/** Prompts of this form get a result, like all prompts; one finding for each prompt that had time for its result. */
function* taken(view: View, isIt: (prompt: Prompt) => boolean): Generator<Finding> {
  for (const prompt of view.prompts.filter(isIt)) {
    const turn = view.turns.find(({ prompts }) => prompts.includes(prompt));
    if (turn?.result == null) {
      if (view.isComplete) yield { frame: prompt.frame, wrong: 'nothing came of this prompt' };
    } else yield { frame: prompt.frame, wrong: null };
  }
}

/** Whether the agent answered anything that was requested after that place; null where nothing was requested. */
function* survived(view: View, places: readonly number[]): Generator<Finding> {
  for (const frame of places) {
    const next = view.fromClient.find((message) => message.frame > frame && expectsReply.has(message.type));
    if (next === undefined) continue;
    const isAnswered = view.fromAgent.some((message) => message.frame > next.frame && message.type !== 'error');
    if (isAnswered || view.isComplete) yield { frame, wrong: isAnswered ? null : 'nothing is answered any more' };
  }
}

const hasBlock = (prompt: Prompt, type: string): boolean =>
  Array.isArray(prompt.content) && prompt.content.some((block) => isDictionary(block) && block.type === type);

const input = ['message:user'];

export const inputRules = claudeRules({
  'prompt-string': {
    reads: 'both',
    section: '1.1',
    sentence: 'A prompt whose content is a string is taken.',
    scenarios: ['odd'],
    covers: input,
    isMeasured: true,
    judge: (view) => taken(view, ({ content }) => typeof content === 'string'),
  },
  'prompt-crlf': {
    reads: 'both',
    section: '1.1',
    sentence: 'A line may end in a carriage return.',
    scenarios: ['odd'],
    covers: input,
    isMeasured: true,
    judge: (view) => taken(view, ({ frame }) => view.trace.frames[frame]?.text.endsWith('\r') === true),
  },
  'prompt-image': {
    reads: 'both',
    section: '1.1',
    sentence: 'A prompt with an image is taken.',
    scenarios: ['image'],
    covers: [...input, 'block:image'],
    judge: (view) => taken(view, (prompt) => hasBlock(prompt, 'image')),
  },
  'next-turn': {
    reads: 'both',
    section: '1.1',
    sentence: 'A turn that failed or was interrupted does not harm the next: it has a result of its own.',
    scenarios: ['interrupt', 'fail'],
    covers: ['message:result'],
    isMeasured: true,
    *judge(view) {
      for (const [at, { result }] of view.turns.entries()) {
        const next = view.turns[at + 1];
        const [prompt] = next?.prompts ?? [];
        if (result?.json.is_error !== true || next === undefined || prompt === undefined) continue;
        if (next.result !== null || view.isComplete)
          yield { frame: prompt.frame, wrong: next.result === null ? 'nothing came of it' : null };
      }
    },
  },
  'unknown-type': {
    reads: 'both',
    section: '1.1',
    sentence: 'A message of a type that the agent does not know changes nothing for what comes behind it.',
    scenarios: ['odd'],
    covers: input,
    isMeasured: true,
    judge: (view) =>
      survived(
        view,
        view.fromClient.filter(({ type }) => !known.has(type)).map(({ frame }) => frame),
      ),
  },
  'keep-alive': {
    reads: 'both',
    section: '1.1',
    sentence: 'keep_alive changes nothing for what comes behind it.',
    scenarios: ['odd'],
    covers: ['message:keep_alive'],
    isMeasured: true,
    judge: (view) =>
      survived(
        view,
        view.fromClient.filter(({ type }) => type === 'keep_alive').map(({ frame }) => frame),
      ),
  },
  'blank-line': {
    reads: 'both',
    section: '1.1',
    sentence: 'An empty line changes nothing for what comes behind it.',
    scenarios: ['odd'],
    covers: input,
    isMeasured: true,
    judge: (view) =>
      survived(
        view,
        view.trace.frames.flatMap(({ by, text }, frame) => (by === 'client' && text.trim() === '' ? [frame] : [])),
      ),
  },
});

const known: ReadonlySet<string> = new Set([
  ...expectsReply,
  ...['keep_alive', 'control_cancel_request', 'auth', 'update_environment_variables'],
]);
