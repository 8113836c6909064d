// Shows a JSON object (RFC 8259) as valid JSON at any time while its text is still coming. Reads each character once
// and keeps only bytes.
import { createGrowingBytes } from './growing-bytes.ts';

/** The known part of an object. */
export interface GrowingJson {
  /** Appends the next piece of the text, which may be cut anywhere. Drops invalid JSON and everything after it. */
  append(text: string): void;
  /**
   * Bytes and an ending that together form one JSON object. Strings may be cut. A key without its value and an
   * incomplete literal, number or escape are left out. Null if the object has not begun.
   */
  known(): { readonly bytes: Uint8Array; readonly ending: string } | null;
}

/**
 * The deepest nesting of `{` and `[`. Deeper levels are left out: readers refuse such a line (the gateway's own at
 * 128).
 */
const deepest = 100;

type State =
  | 'object'
  /** After `{` or `,`: the next key. */
  | 'first-key'
  | 'key'
  | 'colon'
  | 'value'
  | 'first-element'
  | 'behind-value'
  | 'string'
  | 'escape'
  | 'word'
  | 'broken';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const whitespace = /[ \t\n\r]*/y;
const wordCharacters = /[-+.0-9a-zA-Z]*/y;
const finishedWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/;
const unfinishedEscape = /^\\(?:u[0-9a-fA-F]{0,3})?$/;
const finishedEscape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})$/;
const halfPair = /\p{Surrogate}/gu;

export function createGrowingJson(): GrowingJson {
  const bytes = createGrowingBytes();
  let state: State = 'object';
  /** The characters that close everything open, innermost first. */
  let closers = '';
  let inKey = false;
  /** The incomplete escape, number or literal. */
  let word = '';
  /** The last position at which an ending can complete the object. 0: none yet. */
  let knownLength = 0;
  let knownEnding = '';

  function know(ending: string): void {
    knownLength = bytes.length;
    knownEnding = ending;
  }

  /** The halves of a surrogate pair may come in two pieces. Two escaped halves still form the pair. */
  function write(text: string): void {
    bytes.write(text.replace(halfPair, (half) => `\\u${half.charCodeAt(0).toString(16)}`));
  }

  function open(opener: string, closer: string): State {
    if (closers.length >= deepest) return 'broken';
    bytes.write(opener);
    closers = closer + closers;
    know(closers);
    return closer === '}' ? 'first-key' : 'first-element';
  }

  function close(closer: string): State {
    if (!closers.startsWith(closer)) return 'broken';
    bytes.write(closer);
    closers = closers.slice(1);
    know(closers);
    return 'behind-value';
  }

  function openString(isKey: boolean): State {
    bytes.write('"');
    inKey = isKey;
    if (!isKey) know(`"${closers}`);
    return 'string';
  }

  function closeString(): State {
    bytes.write('"');
    if (inKey) return 'colon';
    know(closers);
    return 'behind-value';
  }

  /** Takes the first character of a token. */
  function beginToken(character: string): State {
    switch (state) {
      case 'object':
        return character === '{' ? open('{', '}') : 'broken';
      case 'first-key':
      case 'key':
        if (character === '"') return openString(true);
        return character === '}' && state === 'first-key' ? close('}') : 'broken';
      case 'colon':
        if (character !== ':') return 'broken';
        bytes.write(':');
        return 'value';
      case 'first-element':
        return character === ']' ? close(']') : beginValue(character);
      case 'value':
        return beginValue(character);
      case 'behind-value':
        if (character !== ',' || closers === '') return close(character);
        bytes.write(',');
        return closers.startsWith('}') ? 'key' : 'value';
      default:
        return 'broken';
    }
  }

  function beginValue(character: string): State {
    if (character === '"') return openString(false);
    if (character === '{') return open('{', '}');
    if (character === '[') return open('[', ']');
    word = character;
    return 'word';
  }

  /** Continues inside a string. Returns where it stopped. */
  function readString(text: string, from: number): number {
    const end = endOfPlain(text, from);
    if (end > from) write(text.slice(from, end));
    if (!inKey) know(`"${closers}`);
    if (end === text.length) return end;
    if (text[end] === '"') state = closeString();
    else if (text[end] === '\\') {
      word = '\\';
      state = 'escape';
    } else state = 'broken';
    return end + 1;
  }

  function readEscape(character: string): void {
    word += character;
    if (finishedEscape.test(word)) {
      bytes.write(word);
      if (!inKey) know(`"${closers}`);
      state = 'string';
    } else if (!unfinishedEscape.test(word)) state = 'broken';
  }

  /** A number ends only at the next character. Literals are read the same way. */
  function readWord(text: string, from: number): number {
    const end = endOf(wordCharacters, text, from);
    word += text.slice(from, end);
    if (end === text.length) return end;
    if (finishedWord.test(word)) {
      bytes.write(word);
      know(closers);
      state = 'behind-value';
    } else state = 'broken';
    return end;
  }

  return {
    append(text) {
      let at = 0;
      while (at < text.length && state !== 'broken') {
        if (state === 'string') at = readString(text, at);
        else if (state === 'word') at = readWord(text, at);
        else if (state === 'escape') {
          readEscape(text.charAt(at));
          at += 1;
        } else {
          at = endOf(whitespace, text, at);
          // Whitespace between tokens is dropped, because a line feed would end the frame.
          if (at < text.length) state = beginToken(text.charAt(at));
          at += 1;
        }
      }
    },
    known: () => (knownLength === 0 ? null : { bytes: bytes.view(knownLength), ending: knownEnding }),
  };
}

/** The end of the unescaped part of a string: a quote, a backslash or a control character. */
function endOfPlain(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === BACKSLASH || code < SPACE) return at;
  }
  return text.length;
}

/** The end of the match of a sticky expression that may match nothing. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return pattern.lastIndex;
}
