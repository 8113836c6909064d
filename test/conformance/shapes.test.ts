// The shapes of answers: what they accept and reject, and that answers of real servers fit.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fields, misfit, orNull, type Shape } from '../../src/conformance/check/shape.ts';
import { serverAnswers, sessionAnswers } from '../../src/conformance/pi-server/shapes/answers.ts';

const person = fields({ name: 'string', 'age?': 'number', friends: [fields({ name: 'string' })] });

const table: readonly (readonly [Shape, unknown, string | null])[] = [
  ['any', undefined, 'data must be a any'],
  ['any', null, null],
  ['object', [], 'data must be a object'],
  [['number'], [1, 2], null],
  [['number'], [1, '2'], 'data[1] must be a number'],
  [['number'], {}, 'data must be an array'],
  [orNull('number'), null, null],
  [orNull('number'), 'x', 'data must be a number or data must be a null'],
  [person, { name: 'a', friends: [] }, null],
  [person, { name: 'a', friends: [], more: 1 }, null],
  [person, { name: 'a', age: 'old', friends: [] }, 'data.age must be a number'],
  [person, { friends: [] }, 'data.name is missing'],
  [person, { name: 'a', friends: [{}] }, 'data.friends[0].name is missing'],
  [person, null, 'data must be an object'],
];

test.each(table)('%j: %j', (shape, value, wrong) => expect(misfit(value, shape)).toBe(wrong));

const shapes = new Map([...serverAnswers, ...sessionAnswers].map(({ type, data }) => [type, data]));
const Response = z.looseObject({ type: z.literal('response'), command: z.string(), success: z.literal(true) });

/** The answers whose data does not fit. */
function misfits(answers: readonly z.infer<typeof Response>[]): string[] {
  return answers.flatMap(({ command, data }) => {
    const shape = shapes.get(command);
    // The text is null before the first answer (docs/protocols/pi-server.md 17.8).
    const isEmpty = command === 'get_last_assistant_text' && misfit(data, fields({ text: 'null' })) === null;
    const problem = shape === undefined || isEmpty ? null : misfit(data, shape);
    return problem === null ? [] : [`${command}: ${problem}: ${JSON.stringify(data)}`];
  });
}

test('the messages of fixtures/ fit the shapes of the answers', () => {
  const wire = join(import.meta.dirname, '../../fixtures/wire/pi-server/valid');
  const answers = readdirSync(wire).flatMap((name) => {
    const read = Response.safeParse(JSON.parse(readFileSync(join(wire, name), 'utf8')));
    return read.success ? [read.data] : [];
  });
  expect(misfits(answers)).toEqual([]);
  expect(answers.filter(({ command }) => shapes.get(command) !== undefined).length).toBeGreaterThan(15);
});

const folder = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'pi-server');
const Row = z.object({ dir: z.enum(['in', 'out', 'note']), line: z.string() });

// Recordings of servers are no part of the project.
describe.skipIf(!existsSync(folder))('recorded servers', () => {
  const answers = (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const row = line === '' ? null : Row.parse(JSON.parse(line));
        if (row?.dir !== 'out' || !row.line.startsWith('{')) return [];
        const read = Response.safeParse(JSON.parse(row.line));
        return read.success ? [read.data] : [];
      }),
  );

  test('answer in these shapes', () => {
    expect(misfits(answers)).toEqual([]);
    expect(new Set(answers.map(({ command }) => command)).size).toBeGreaterThan(20);
  });
});
