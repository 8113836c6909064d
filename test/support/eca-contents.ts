// Contents that the model of an ECA server writes, sound and mutated, as messages that somebody frames.
import fc from 'fast-check';
import { deltas, mutationsOfAnyLine, oneOf } from './hot-path.ts';

/** Where a server writes the text: last, or with fields of the message behind it, as servers of the first era may. */
export type Order = 'text last' | 'text first';

/** One content. */
export interface Content {
  readonly order: Order;
  readonly kind: 'text' | 'thought';
  /** Number of the thought. */
  readonly thought: number;
  readonly text: string;
  readonly mutation: Mutation;
}

/** What may happen to a message, as text. Each must be judged as the parser judges it. */
export const mutations = {
  ...mutationsOfAnyLine,
  spaces: (line: string) => line.replace('"text":', '"text" : '),
  'escaped slash': (line: string) => line.replace('"text":"', '"text":"\\/'),
  'unusual escape': (line: string) => line.replace('"text":"', '"text":"\\u0041'),
  'extra key in the content': (line: string) => line.replace('"content":{', '"content":{"more":{"text":"no"},'),
  'text twice': (line: string) => line.replace('"text":"', '"text":"first","text":"'),
  'text without a string': (line: string) => line.replace(/"text":"(?:[^"\\]|\\.)*"/u, '"text":7'),
  'text null': (line: string) => line.replace(/"text":"(?:[^"\\]|\\.)*"/u, '"text":null'),
  'control character': (line: string) => line.replace('"text":"', '"text":"\u0001'),
  'bad escape': (line: string) => line.replace('"text":"', '"text":"\\x'),
  'cut in the text': (line: string) => line.slice(0, line.indexOf('"text":"') + 10),
  'other chat': (line: string) => line.replace('"chatId":"c1"', '"chatId":"c2"'),
  'parent chat': (line: string) => line.replace('"chatId":"c1"', '"chatId":"c1","parentChatId":"c0"'),
  'other request': (line: string) => line.replace('"chatId":"c1"', '"chatId":"c1","requestId":"r2"'),
  'of the system': (line: string) => line.replace('"role":"assistant"', '"role":"system"'),
  'of the user': (line: string) => line.replace('"role":"assistant"', '"role":"user"'),
  'other method': (line: string) => line.replace('contentReceived', 'statusChanged'),
  'other type': (line: string) => line.replace('"type":"text"', '"type":"url","url":"u"'),
  'other thought': (line: string) => line.replace('"id":"t', '"id":"u'),
  'a request': (line: string) => line.replace('{"jsonrpc":"2.0",', '{"jsonrpc":"2.0","id":9,'),
} as const;
export type Mutation = keyof typeof mutations;

const message = (params: object) => ({ jsonrpc: '2.0', method: 'chat/contentReceived', params });
/** A content of our chat. */
export const said = (role: string, content: object) => message({ chatId: 'c1', role, content });

function contentOf({ kind, thought, text, order }: Content): object {
  const head = kind === 'text' ? { type: 'text' } : { type: 'reasonText', id: `t${thought}` };
  return order === 'text last' ? { ...head, text } : { text, ...head };
}

function lineOf(content: Content): string {
  const { order, mutation } = content;
  const shown = contentOf(content);
  const line = JSON.stringify(
    order === 'text last'
      ? said('assistant', shown)
      : message({ chatId: 'c1', requestId: 'r1', content: shown, role: 'assistant' }),
  );
  return mutations[mutation](line);
}

/** The messages of a run in which the model writes these contents. */
export function messages(contents: readonly Content[]): string[] {
  const opening = [
    said('user', { type: 'text', text: 'hello\n' }),
    said('system', { type: 'progress', state: 'running', text: 'Generating' }),
  ];
  const closing = [
    said('system', { type: 'usage', sessionTokens: 17 }),
    said('system', { type: 'progress', state: 'finished', text: '' }),
  ];
  const asText = (list: readonly object[]) => list.map((one) => JSON.stringify(one));
  return [...asText(opening), ...contents.map(lineOf), ...asText(closing)];
}

/** The messages as lines. */
export const asLines = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));

/** Headers that a server may write. */
export const headers = {
  plain: (bytes: number) => `Content-Length: ${bytes}\r\n\r\n`,
  'lower case': (bytes: number) => `content-length: ${bytes}\r\n\r\n`,
  'no space': (bytes: number) => `Content-Length:${bytes}\r\n\r\n`,
  'more spaces': (bytes: number) => `Content-Length:  ${bytes} \r\n\r\n`,
  zeros: (bytes: number) => `Content-Length: 000${bytes}\r\n\r\n`,
  'line feeds': (bytes: number) => `Content-Length: ${bytes}\n\n`,
  'type behind': (bytes: number) => `Content-Length: ${bytes}\r\nContent-Type: application/json; charset=utf-8\r\n\r\n`,
  'type in front': (bytes: number) => `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
  'blank line': (bytes: number) => `\r\nContent-Length: ${bytes}\r\n\r\n`,
  twice: (bytes: number) => `Content-Length: ${bytes}\r\nContent-Length: ${bytes}\r\n\r\n`,
  'too long': (bytes: number) => `Content-Length: ${bytes + 1}\r\n\r\n`,
  'too short': (bytes: number) => `Content-Length: ${bytes - 1}\r\n\r\n`,
  'two that differ': (bytes: number) => `Content-Length: ${bytes}\r\nContent-Length: ${bytes + 1}\r\n\r\n`,
  'stray return': (bytes: number) => `\rContent-Length: ${bytes}\r\n\r\n`,
  'no number': () => 'Content-Length: x\r\n\r\n',
  'ten digits': (bytes: number) => `Content-Length: ${String(bytes).padStart(10, '0')}\r\n\r\n`,
} as const;
export type Header = keyof typeof headers;

/** The messages behind headers. `header`: of the message at that place. */
export function asFrames(lines: readonly string[], header: (place: number) => Header = () => 'plain'): Buffer {
  return Buffer.from(lines.map((line, place) => headers[header(place)](Buffer.byteLength(line)) + line).join(''));
}

const mutation = oneOf(mutations, 'none');
const piece = deltas(['"}}}\n', '"}}}Content-Length: 5\r\n\r\n', '"text":"']);
/** Contents of one message. */
export const contents = fc
  .tuple(
    fc.constantFrom<Order>('text last', 'text first'),
    fc.array(fc.record({ text: piece, mutation, move: fc.integer({ min: 0, max: 11 }) }), {
      minLength: 2,
      maxLength: 16,
    }),
  )
  .map(([order, parts]) => {
    let moves = 0;
    return parts.map(({ text, mutation: how, move }): Content => {
      if (move === 0) moves += 1;
      return { order, kind: moves % 2 === 0 ? 'text' : 'thought', thought: moves, text, mutation: how };
    });
  });
