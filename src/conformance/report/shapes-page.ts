// Renders the page docs/conformance/shapes.md: the rows of shapes of each set.
import { type CheckSet, descriptionsOf } from '../check/sets.ts';
import { isList, type Shape } from '../check/shape.ts';

const introduction = `# The shapes of messages

Made from the tables of shapes in \`src/conformance\`; a test fails when this page is out of date, and
\`UPDATE=1 npx vitest run test/conformance/checks-page.test.ts\` writes it anew. Do not edit it.

Each row is a check: it reads places of one kind or of several, and compares the value at each with a shape. A field whose name ends in
\`?\` may be left out. Fields that are not named are free. \`list of\`, *or*, and quoted words are what they say; *by* names the field
whose word decides which fields there are, and an unknown word passes where there is no *else*. A version says since when, or until when, there are
such messages. [All checks](checks.md) has the sentence of each row. The tables know nothing of the gateway's own schemas.
`;

/** The shape in words and braces, without square brackets. */
export function shapeText(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if (isList(shape)) return `list of ${inner(shape[0])}`;
  if ('some' in shape) return `list with one ${inner(shape.some)} or more`;
  if ('oneOf' in shape) return shape.oneOf.map(inner).join(' or ');
  if ('words' in shape) return shape.words.map((word) => JSON.stringify(word)).join(' or ');
  if ('text' in shape) return `${shape.is}, like ${JSON.stringify(shape.like)}`;
  if ('from' in shape) return `integer from ${shape.from}${shape.to === undefined ? '' : ` to ${shape.to}`}`;
  if ('each' in shape) return `object, each value ${inner(shape.each)}`;
  if ('by' in shape) {
    const variants = Object.entries(shape.variants).map(([word, one]) => `${JSON.stringify(word)} ${shapeText(one)}`);
    const others = shape.others === undefined ? [] : [`else ${shapeText(shape.others)}`];
    return `by ${shape.by}: ${[...variants, ...others].join('; ')}`;
  }
  const own = Object.entries(shape.fields).map(([name, one]) => `${name} ${inner(one)}`);
  return `{ ${own.join(', ')} }`;
}

/** The same inside of another shape. */
function inner(shape: Shape): string {
  const isCompound = typeof shape !== 'string' && ('oneOf' in shape || 'by' in shape || isWords(shape));
  return isCompound ? `(${shapeText(shape)})` : shapeText(shape);
}

const isWords = (shape: Exclude<Shape, string>): boolean => 'words' in shape && shape.words.length > 1;

/** The page. */
export function renderShapesPage(sets: readonly CheckSet[]): string {
  const parts = sets.flatMap((set) => {
    const lines = rowsOf(set);
    if (lines.length === 0) return [];
    const heading = `## ${set.protocol} ${set.side}s: ${lines.length} of ${descriptionsOf(set).length} checks`;
    return [heading, ['| id | level | section | versions | shape |', '|---|---|---|---|---|', ...lines].join('\n')];
  });
  return `${[introduction.trimEnd(), ...parts].join('\n\n')}\n`;
}

function rowsOf({ rules }: CheckSet): string[] {
  return rules.flatMap(({ id, level, section, form }) => {
    if (form === undefined) return [];
    const { since, until, parts } = form;
    const versions = [since && `since ${since}`, until && `until ${until}`]
      .filter((one) => one !== undefined)
      .join(', ');
    const kinds = new Map<string, string[]>();
    for (const { kind, shape } of parts) kinds.set(shapeText(shape), [...(kinds.get(shapeText(shape)) ?? []), kind]);
    const shapes = [...kinds].map(([text, of]) => `${of.map(code).join(', ')}: ${code(text)}`);
    return [`| ${code(id)} | ${level} | ${cell(section)} | ${versions} | ${shapes.join('<br>')} |`];
  });
}

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
const cell = (text: string): string => text.replace(/[|<>_*]/gu, (mark) => `\\${mark}`);
