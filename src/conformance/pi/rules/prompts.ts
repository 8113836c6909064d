// Rules on prompts: the runs that they begin, their images, and prompts during a run (docs/protocols/pi.md 4.4, 8.2,
// 10).
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Answer, Command } from '../view/lines.ts';
import { isPlain, type UserMessage, userMessages, userMessageWithText } from '../view/queued-messages.ts';
import { answerOf, dataOf, type PiRows, type PiView, runAt, textOf } from '../view/view.ts';
import type { Run } from '../view/walk.ts';

const isEqual = (said: string, words: string): boolean => said === words;
const startsWith = (said: string, words: string): boolean => said.startsWith(words);

/**
 * Since 0.99 the answer to a prompt may say that an extension took the prompt, or that it waits (docs/protocols/pi.md
 * 4.12).
 */
const isElsewhere = (answer: Answer, ...how: readonly string[]): boolean =>
  how.includes(String(dataOf(answer).disposition));

/** Prompts sent while no run was open, and the run that began after each. */
function* begun(view: PiView): Generator<UserMessage & { readonly run: Run | undefined }> {
  const all = [...userMessages(view, 'prompt')].filter(({ command, answer }) => {
    return runAt(view, command.frame) === undefined && !isElsewhere(answer, 'handled', 'queued');
  });
  for (const [index, one] of all.entries()) {
    const next = all[index + 1]?.command.frame ?? Number.POSITIVE_INFINITY;
    yield { ...one, run: view.runs.find(({ start }) => start > one.command.frame && start < next) };
  }
}

/** Rules on prompts. */
export const promptRows: PiRows = {
  'prompt-starts-run': {
    reads: 'both',
    section: 'prompt',
    sentence: 'A prompt that is accepted while the agent is idle begins a run.',
    covers: ['command:prompt', 'event:agent_start'],
    scenarios: ['text', 'tool'],
    *judge(view) {
      for (const { command, run } of begun(view)) {
        if (run !== undefined) yield { frame: run.start, wrong: null };
        // An extension may take the prompt, so only our own scenarios are judged.
        else if (view.isComplete) yield { frame: command.frame, wrong: 'no agent_start behind it' };
      }
    },
  },
  'prompt-answered-first': {
    isMeasured: true,
    reads: 'both',
    section: 'prompt',
    sentence: 'The response to a prompt says that it is accepted, and comes before agent_start.',
    covers: ['command:prompt'],
    scenarios: ['text', 'tool'],
    *judge(view) {
      for (const { answer, run } of begun(view)) {
        if (run === undefined) continue;
        yield { frame: answer.frame, wrong: answer.frame < run.start ? null : 'the run began before the response' };
      }
    },
  },
  'prompt-said': {
    isMeasured: true,
    reads: 'both',
    section: 'prompt',
    sentence: 'In the run of a prompt there is a message of the user with its words.',
    covers: ['command:prompt', 'event:message_start'],
    scenarios: ['text', 'tool', 'image', 'unicode'],
    *judge(view) {
      for (const { text, run, command } of begun(view)) {
        if (run?.end == null) continue;
        // Where an image is left out, pi says so behind the words of the prompt (measured with 1.5.2).
        const isWhole = Array.isArray(command.json?.images) ? startsWith : isEqual;
        const isEchoed = run.messages.some(
          ({ frame, role, message }) => role === 'user' && frame > command.frame && isWhole(textOf(message), text),
        );
        // Extensions of a user may change the text of a prompt, so a missing text is a failure only in a complete
        // trace, as our own scenarios make.
        if (isEchoed || view.isComplete)
          yield { frame: run.start, wrong: isEchoed ? null : 'no message of the user with the words of the prompt' };
      }
    },
  },
  'images-attached': {
    reads: 'both',
    section: 'Image Support',
    sentence: 'The images of a prompt, steer or follow_up are in its message, as they were sent.',
    covers: ['command:prompt', 'command:steer', 'command:follow_up'],
    scenarios: ['image'],
    *judge(view) {
      for (const { json, text, command } of userMessages(view, 'prompt', 'steer', 'follow_up')) {
        const sent = Array.isArray(json.images) ? json.images.map(imageOf) : [];
        const message = userMessageWithText(view.endedMessages, text, command.frame);
        if (sent.length === 0 || message === undefined) continue;
        const { content } = message.message;
        const images = Array.isArray(content) ? content.filter((one) => dictionaryOf(one).type === 'image') : [];
        // Large images may have been made smaller; those of our own scenarios are small.
        const isSame = view.isComplete ? isDeepStrictEqual(images.map(imageOf), sent) : images.length === sent.length;
        yield {
          frame: message.frame,
          wrong: isSame ? null : `${images.length} images in it, and not those ${sent.length}`,
        };
      }
    },
  },
  'prompt-while-streaming': {
    reads: 'both',
    section: 'Streaming Behavior',
    sentence: 'A prompt during a run that does not say how it is meant is refused.',
    covers: ['command:prompt'],
    scenarios: ['busy'],
    *judge(view) {
      for (const { answer } of hasty(view))
        yield { frame: answer.frame, wrong: answer.isSuccess ? 'it was accepted during a run' : null };
    },
  },
  'refused-unsaid': {
    isMeasured: true,
    reads: 'both',
    section: 'Streaming Behavior',
    sentence: 'A prompt that is refused is not said to the model.',
    covers: ['command:prompt'],
    scenarios: ['busy'],
    *judge(view) {
      for (const { asked, answer, text } of hasty(view)) {
        if (answer.isSuccess) continue;
        const again = view.commands.some(({ frame, json }) => frame > asked.frame && json?.message === text);
        if (again || text === '') continue;
        const message = userMessageWithText(view.endedMessages, text, answer.frame);
        yield {
          frame: message?.frame ?? answer.frame,
          wrong: message === undefined ? null : 'it was refused, and is said',
        };
      }
    },
  },
  'streaming-behavior': {
    reads: 'both',
    section: 'Streaming Behavior',
    sentence: 'A prompt during a run that says how it is meant is accepted.',
    covers: ['command:prompt'],
    scenarios: ['busy'],
    *judge(view) {
      for (const asked of view.commands) {
        const answer = answerOf(asked);
        const { streamingBehavior: behaviour, message } = asked.json ?? {};
        if (asked.type !== 'prompt' || answer === undefined || !isPlain(message)) continue;
        if (behaviour !== 'steer' && behaviour !== 'followUp') continue;
        // Without a run in progress the field is ignored.
        yield { frame: answer.frame, wrong: answer.isSuccess ? null : `it was refused: ${String(answer.json.error)}` };
      }
    },
  },
};

/** Prompts during a run that do not say how to queue them, and were answered during the same run. */
function* hasty(view: PiView): Generator<{ asked: Command; answer: Answer; text: string }> {
  for (const asked of view.commands) {
    const answer = answerOf(asked);
    const { streamingBehavior, message } = asked.json ?? {};
    if (asked.type !== 'prompt' || answer === undefined || streamingBehavior != null || !isPlain(message)) continue;
    const run = runAt(view, asked.frame);
    if (run === undefined || (run.over !== null && run.over < answer.frame)) continue;
    if (!isElsewhere(answer, 'handled')) yield { asked, answer, text: message };
  }
}

function imageOf(image: unknown): Dictionary {
  const { data, mimeType } = dictionaryOf(image);
  return { data, mimeType };
}
