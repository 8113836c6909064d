// Steps that only speak: echo, think, slow, long, text, unicode, image, contexts, help.
import type { Content } from '../../../core/model/content.ts';
import type { Play } from '../play.ts';
import type { PlayState } from '../play-state.ts';
import { contextsIn, wordsOf } from '../prompt.ts';
import { usageOf, verbs } from '../script-verbs.ts';
import { cut, sayBlock, sayPieces, sayText, words } from '../speech.ts';

/** Greets and repeats the prompt. */
export function* echo(stage: PlayState): Play {
  yield* sayText(stage, `Hello! You said: ${wordsOf(stage.prompt)}`);
}

/** A thinking block. Its signature is the length of its text, so that clients can check it. */
export function* think(stage: PlayState): Play {
  const thought = 'The user wants me to think, so I take my time and think.';
  yield* sayBlock(stage, { kind: 'thinking' }, words(thought), { signature: `demo-${thought.length}` });
}

/** Switches to single deltas, and streams a text that is long enough to watch. */
export function* slow(stage: PlayState, ms: number): Play {
  stage.pace.ms = ms;
  stage.pace.largestBatch = 1;
  yield* sayText(stage, `This text comes slowly, one word each ${ms} ms, so that you can watch it and stop it.`);
}

/** `count` deltas, each with its own number, so that a lost or duplicate one is visible. */
export function* long(stage: PlayState, count: number): Play {
  yield* sayPieces(
    stage,
    Array.from({ length: count }, (_, at) => `${at + 1} `),
  );
}

/** A text of `length` UTF-16 units: numbered words, cut at that length. */
export function* text(stage: PlayState, length: number): Play {
  // The shortest word, `w0 `, has three units, so this is always enough.
  const whole = Array.from({ length: Math.ceil(length / 3) }, (_, at) => `w${at} `).join('');
  yield* sayPieces(stage, cut(whole.slice(0, length), 32));
}

/**
 * Text that breaks careless readers: line separators inside a line, and characters that are split between two deltas.
 */
export const unicodePieces: readonly string[] = [
  'separators \u2028 and \u2029, ',
  'combining e',
  '\u0301 and \u0928\u093f, ',
  'a split emoji \ud83d',
  '\ude00, a family \u{1f468}\u200d',
  '\u{1f469}\u200d\u{1f467}, ',
  'right to left \u05e9\u05dc\u05d5\u05dd, ',
  'NUL \u0000 and "quotes" \\ and a tab\t.',
];

/** Streams {@link unicodePieces}. */
export function* unicode(stage: PlayState): Play {
  yield* sayPieces(stage, unicodePieces);
}

/** Reports number, type and size of the prompt's images. */
export function* image(stage: PlayState): Play {
  const images = stage.prompt.filter((part) => part.type === 'image');
  const count = images.length === 1 ? '1 image' : `${images.length} images`;
  yield* sayText(stage, [`Your prompt carried ${count}.`, ...images.map(describeImage)].join('\n'));
}

function describeImage({ mediaType = 'unknown type', data, url }: Extract<Content, { type: 'image' }>): string {
  if (data === undefined) return `- ${mediaType} at ${url ?? 'no address'}`;
  const units = data.replace(/=+$/u, '').length;
  return `- ${mediaType}, ${Math.floor((units * 3) / 4)} bytes`;
}

/** Reports the elements of the prompt's contexts. */
export function* contexts(stage: PlayState): Play {
  const found = contextsIn(stage.prompt);
  const count = found.length === 1 ? '1 context' : `${found.length} contexts`;
  yield* sayText(stage, [`Your prompt carried ${count}.`, ...found.map((head) => `- ${head}`)].join('\n'));
}

/** Lists the verbs. */
export function* help(stage: PlayState): Play {
  const lines = verbs.map((verb) => `\n- ${usageOf(verb)}: ${verb.help}`);
  yield* sayPieces(stage, ['I do what the words of a prompt say, in their order:', ...lines]);
}
