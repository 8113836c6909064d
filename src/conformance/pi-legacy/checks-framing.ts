// Checks of line splitting, which no trace shows: the pieces that are written differ from the lines
// (docs/protocols/pi-legacy.md 1.1). For programs on stdio.
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { type Check, NotApplicable, PeerWrong } from '../check/check.ts';
import type { CheckContext } from './context.ts';
import { holds } from './scenarios.ts';

interface FramingCheck extends Pick<Check<CheckContext>, 'sentence' | 'input'> {
  readonly name: string;
  /** The pieces to write one after the other, given the texts of two prompts. */
  pieces(first: string, second: string): readonly string[];
  /** How many prompts the pieces hold. */
  readonly prompts: number;
}

const prompt = (message: string) => JSON.stringify({ type: 'prompt', message });

function check({ name, pieces, prompts, ...rest }: FramingCheck): Check<CheckContext> {
  return {
    ...rest,
    id: `pi-legacy/${name}`,
    section: 'Input Protocol',
    level: 'MUST',
    basis: 'specification',
    covers: ['command:prompt'],
    expected: 'Every prompt gets its run, and its words come back as they were sent.',
    needs: { raw: true, exclusive: true, script: ['text'] },
    async run(context) {
      const connection = await context.connect();
      if (connection.sendRaw === undefined) throw new NotApplicable('nothing can be written here as it stands');
      const words = Array.from({ length: prompts }, (_, at) => `${context.tools.script('text')} caf\u00e9 ${at}`);
      const from = context.now;
      for (const piece of pieces(words[0] ?? '', words[1] ?? '')) {
        connection.sendRaw(piece);
        // The pause makes the reader see each piece separately.
        await context.tools.pause(20);
      }
      await context.ends(prompts, from);
      const echoes = connection.log
        .slice(from)
        .map(({ json }) => dictionaryOf(json))
        .filter(({ type }) => type === 'message_end')
        .map(({ message }) => message);
      const lost = words.find((text) => !echoes.some((message) => holds(message, text)));
      if (lost !== undefined) throw new PeerWrong(`no message says ${JSON.stringify(lost)}`);
    },
  };
}

export const framingChecks: readonly Check<CheckContext>[] = [
  check({
    name: 'crlf',
    sentence: 'A line may end in CR and LF.',
    input: 'A prompt whose line ends in CR LF.',
    prompts: 1,
    pieces: (first) => [`${prompt(first)}\r\n`],
  }),
  check({
    name: 'split-line',
    sentence: 'A line may come in several pieces.',
    input: 'A prompt that is written in three pieces.',
    prompts: 1,
    pieces(first) {
      const line = `${prompt(first)}\n`;
      return [line.slice(0, 9), line.slice(9, -2), line.slice(-2)];
    },
  }),
];
