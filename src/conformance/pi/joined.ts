// What a client says to the model, and what becomes of it: commands with words that were accepted, and those that joined a run.
// Pure; judges nothing.
import type { Dictionary } from '../../core/model/content.ts';
import type { Answer, Asked } from './lines.ts';
import { type PiView, runAt, succeeded, textOf } from './view.ts';
import type { Run, Said } from './walk.ts';

/** A command with words for the model, that was accepted. */
export interface Spoken {
  readonly asked: Asked;
  readonly answer: Answer;
  readonly json: Dictionary;
  readonly text: string;
}
/** One that joins a run, and the message that came of it, if it did. */
export interface Joined extends Spoken {
  readonly kind: 'steer' | 'followUp';
  readonly run: Run;
  readonly said: Said | undefined;
}

/** Words that begin with a slash are for extensions, and may come to nothing or to other words. */
export const isPlain = (text: unknown): text is string => typeof text === 'string' && !text.startsWith('/');

/** Commands of those types with words for the model, that were accepted. */
export function* spoken(view: PiView, ...types: readonly string[]): Generator<Spoken> {
  for (const { asked, answer } of succeeded(view, ...types)) {
    const text = asked.json?.message;
    if (asked.json !== null && isPlain(text)) yield { asked, answer, json: asked.json, text };
  }
}

/** The message of the user with those words, from a frame on. */
export const saidAs = (said: readonly Said[], text: string, from: number) =>
  said.find(({ frame, role, message }) => role === 'user' && frame > from && textOf(message) === text);

/** What was accepted to join a run that went to its end by itself, in order. */
export function joinedIn(view: PiView): Joined[] {
  const aborts = view.asked.filter(({ type }) => type === 'abort');
  const clearings = [...succeeded(view, 'clear_queue')];
  return [...spoken(view, 'steer', 'follow_up', 'prompt')].flatMap((one): Joined[] => {
    const { asked, answer, json, text } = one;
    const behaviour = asked.type === 'prompt' ? json.streamingBehavior : asked.type === 'steer' ? 'steer' : 'followUp';
    if (behaviour !== 'steer' && behaviour !== 'followUp') return [];
    const run = runAt(view, asked.frame);
    // What is answered behind the end may wait for the next run.
    if (run === undefined || (run.over !== null && run.over < answer.frame)) return [];
    const over = run.over ?? Number.POSITIVE_INFINITY;
    if (aborts.some(({ frame }) => frame > run.start && frame < over)) return [];
    // Newer pi forget what waits when they are told to (docs/protocols/pi.md 10.5).
    if (clearings.some((clearing) => clearing.answer.frame > asked.frame && clearing.asked.frame < over)) return [];
    return [{ ...one, kind: behaviour, run, said: saidAs(view.said, text, asked.frame) }];
  });
}
