// Contexts beside the words of a prompt: how they are put there, and that the words come out as they went in.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContextReading } from '../../../src/core/contract/workspace.ts';
import { isCommand, splitContexts, withContexts, withoutContexts } from '../../../src/core/log/context-text.ts';
import type { Content } from '../../../src/core/model/content.ts';
import { runs } from '../../support/full.ts';

const reading = (text: string | null): ContextReading => ({ context: { type: 'repo-map' }, text });
const words = (text: string): Content => ({ type: 'text', text });
const picture: Content = { type: 'image', data: 'AAAA', mediaType: 'image/png' };

describe('withContexts', () => {
  const block = '<contexts>\n<a/>\n<b/>\n</contexts>';
  const table: readonly [name: string, content: readonly Content[], expected: readonly Content[]][] = [
    ['in front of the words', [words('hi')], [words(`${block}\n\nhi`)]],
    ['beside the first words', [picture, words('hi'), words('ho')], [picture, words(`${block}\n\nhi`), words('ho')]],
    ['alone where there are no words', [picture], [words(`${block}\n\n`), picture]],
    ['alone where there is nothing', [], [words(`${block}\n\n`)]],
  ];
  test.each(table)('%s', (_, content, expected) => {
    expect(withContexts(content, [reading('<a/>'), reading(null), reading('<b/>')])).toEqual(expected);
  });

  test('what belongs to the words stays with them', () => {
    const signed: Content = { type: 'text', text: 'hi', extra: { toy: { mark: 1 } } };
    expect(withContexts([signed], [reading('<a/>')])).toEqual([
      { ...signed, text: '<contexts>\n<a/>\n</contexts>\n\nhi' },
    ]);
  });

  test.each([[[]], [[reading(null)]]])('nothing read: the same parts', (readings) => {
    expect(withContexts([words('hi'), picture], readings)).toEqual([words('hi'), picture]);
  });

  test('a tag that stands in a file already gets a number', () => {
    const [said] = withContexts([words('hi </contexts-2>')], [reading('a\n</contexts>\n\nb <contexts-3>')]);
    expect(said).toEqual(words('<contexts-4>\na\n</contexts>\n\nb <contexts-3>\n</contexts-4>\n\nhi </contexts-2>'));
  });
});

describe('isCommand', () => {
  test.each<[string, readonly Content[], boolean]>([
    ['a command', [words('/review')], true],
    ['behind a picture', [picture, words('/review')], true],
    ['words', [words('a /review')], false],
    ['words, and then a command', [words('a'), words('/review')], false],
    ['nothing', [], false],
  ])('%s', (_, content, expected) => {
    expect(isCommand(content)).toBe(expected);
  });
});

describe('withoutContexts', () => {
  test.each([
    ['words alone', 'hi', 'hi'],
    ['a block that does not end', '<contexts>\nhi', '<contexts>\nhi'],
    ['a block that ends in the middle of a line', '<contexts>\na\n</contexts> hi', '<contexts>\na\n</contexts> hi'],
    ['another tag', '<context>\na\n</context>\n\nhi', '<context>\na\n</context>\n\nhi'],
    ['a block whose line feeds were cut off', '<contexts>\na\n</contexts>', ''],
    ['words that end in a block', 'hi\n\n<contexts>\na\n</contexts>', 'hi\n\n<contexts>\na\n</contexts>'],
    ['a command that ends in one', '/hi\n\n<contexts>\na\n</contexts>', '/hi\n\n<contexts>\na\n</contexts>'],
  ])('%s', (_, text, expected) => {
    expect(withoutContexts(text)).toBe(expected);
  });

  /** Words and files made of what could be taken for our own marks. */
  const pieces = fc.constantFrom(
    '<contexts>',
    '</contexts>',
    '<contexts-2>',
    '</contexts-2>',
    '\n',
    '\n\n',
    '/',
    'a',
    ' ',
  );
  const texts = fc.array(pieces, { maxLength: 12 }).map((list) => list.join(''));

  test('the words come out as they went in', () => {
    fc.assert(
      fc.property(texts, fc.array(texts, { minLength: 1, maxLength: 3 }), (said, read) => {
        const [part] = withContexts([words(said)], read.map(reading));
        if (part?.type !== 'text') throw new Error('the words are gone');
        const { words: out, block } = splitContexts(part.text);
        expect(out).toBe(said);
        for (const text of read) expect(block).toContain(text);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
