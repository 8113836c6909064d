// Turns validation issues of a configuration into sentences for the user, with the help of its JSON schema.
import type { z } from 'zod';
import { isDictionary } from '../core/model/dictionary.ts';
import { didYouMean } from '../core/model/similar-names.ts';
import type { Path } from './json-positions.ts';

/** The part of a JSON schema that is used here. */
export interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode | boolean>>;
  readonly additionalProperties?: SchemaNode | boolean;
}

/** One sentence about one place. */
export interface ConfigMistake {
  readonly path: Path;
  readonly words: string;
}

/** The mistakes, one for each correction to make. */
export function mistakesIn(value: unknown, issues: readonly z.core.$ZodIssue[], schema: SchemaNode): ConfigMistake[] {
  return issues.flatMap((issue) => mistakeOf(issue, value, schema));
}

function mistakeOf(issue: z.core.$ZodIssue, value: unknown, schema: SchemaNode): ConfigMistake | ConfigMistake[] {
  const { path } = issue;
  const name = nameOf(path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey([...path, key], schema));
    case 'invalid_type':
      return { path, words: `${name} ${wrongType(issue.expected, path, value, schema)}` };
    case 'too_small':
      return { path, words: `${name} ${issue.origin === 'string' ? 'is empty' : `is at least ${issue.minimum}`}` };
    case 'too_big':
      return { path, words: `${name} is at most ${issue.maximum}` };
    case 'invalid_key':
      return { path, words: `${name}: the name ${issue.issues[0]?.message ?? issue.message}` };
    case 'invalid_format':
      return { path, words: `${name} ${issue.message}` };
    default:
      return { path, words: path.length === 0 ? issue.message : `${name}: ${issue.message}` };
  }
}

function unknownKey(path: Path, schema: SchemaNode): ConfigMistake {
  const key = String(path.at(-1));
  const { properties = {} } = nodeAt(schema, path.slice(0, -1));
  const known = Object.keys(properties);
  // Other programs have `args` in their configurations.
  const isSplit = key === 'args' && known.includes('command');
  return {
    path,
    words: isSplit
      ? `${nameOf(path)} does not exist: append its words to command`
      : `${nameOf(path)} does not exist; ${didYouMean(key, known)}`,
  };
}

function wrongType(expected: string, path: Path, value: unknown, schema: SchemaNode): string {
  const given = partAt(value, path);
  if (given === undefined) {
    if (typeof path.at(-1) === 'number') return 'is missing';
    const { description } = nodeAt(schema, path);
    return description === undefined ? 'is missing' : `is missing: ${description}`;
  }
  if (expected === 'tuple' && typeof given === 'string') {
    const args = partAt(value, [...path.slice(0, -1), 'args']);
    const more = Array.isArray(args) ? args.map(String) : [];
    return `is a list of words: ${JSON.stringify([...wordsOf(given), ...more])}`;
  }
  if (expected === 'array' && typeof given === 'string') return `is a list: ${JSON.stringify([given])}`;
  const isNumber = expected === 'number' || expected === 'int';
  if (isNumber && typeof given === 'string' && /^\d+$/u.test(given)) return `is a number, without quotes: ${given}`;
  if (expected === 'string' && (typeof given === 'number' || typeof given === 'boolean'))
    return `is a text, in quotes: ${JSON.stringify(String(given))}`;
  return `is ${kinds.get(expected) ?? expected}, not ${kindOf(given)}`;
}

/** Names of the types for the user. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['string', 'a text in quotes'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list […]'],
  ['tuple', 'a list […]'],
  ['object', 'an object {…}'],
  ['record', 'an object {…}'],
]);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  return kinds.get(Array.isArray(value) ? 'array' : typeof value) ?? typeof value;
}

/** Splits a command line into words; quotes enclose one word. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(([, one, other, bare]) => one ?? other ?? bare ?? '');
}

function partAt(value: unknown, path: Path): unknown {
  let part: unknown = value;
  for (const key of path) {
    if (Array.isArray(part) && typeof key === 'number') part = part[key];
    else if (isDictionary(part) && Object.hasOwn(part, key)) part = part[String(key)];
    else return undefined;
  }
  return part;
}

function nodeAt(schema: SchemaNode, path: Path): SchemaNode {
  let node: SchemaNode = schema;
  for (const key of path) {
    const { properties = {}, additionalProperties } = node;
    const named = Object.hasOwn(properties, key) ? properties[String(key)] : additionalProperties;
    node = typeof named === 'object' ? named : {};
  }
  return node;
}

/** The name of a part, e.g. `agents.pi.command[1]`; the top is `the configuration`. */
function nameOf(path: Path): string {
  if (path.length === 0) return 'the configuration';
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`;
      const text = String(key);
      if (!/^[\w$-]+$/u.test(text)) return `[${JSON.stringify(text)}]`;
      return at === 0 ? text : `.${text}`;
    })
    .join('');
}
