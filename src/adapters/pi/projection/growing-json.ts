// A JSON object whose text is still coming, shown as whole JSON at any time. Reads each character once and keeps only
// bytes; knows JSON (RFC 8259) and no message.
import { createGrowingBytes } from './growing-bytes.ts';

/** What of an object is known so far. */
export interface GrowingJson {
  /** The next piece of the text, cut anywhere. What is no JSON is left out, and all that follows it. */
  append(text: string): void;
  /**
   * Bytes and an ending that make one JSON object of them: strings may be cut; a key without its value, and a literal,
   * a number or an escape that is not over, are left out. Null while not even the object has begun.
   */
  known(): { readonly bytes: Uint8Array; readonly ending: string } | null;
}

/** Levels of `{` and `[`. What nests deeper is left out: readers refuse such a line, ours at 128. */
const deepest = 100;

type State =
  | 'object'
  /** Behind `{` and behind `,`: the next key. */
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
  /** What closes all that is open, innermost first. */
  let closers = '';
  let inKey = false;
  /** The escape, number or literal that is not over. */
  let word = '';
  /** The last place where an ending makes it whole; 0: none yet. */
  let knownLength = 0;
  let knownEnding = '';

  function know(ending: string): void {
    knownLength = bytes.length;
    knownEnding = ending;
  }

  /** Halves of a surrogate pair come in two pieces; escaped, they still make the pair. */
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

  /** Takes one character where a token begins. */
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

  /** Goes on inside a string; returns where it stopped. */
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

  /** A number ends only with what follows it; so literals are taken the same way. */
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
          // Whitespace between tokens is dropped, or a line end in it would end the frame.
          if (at < text.length) state = beginToken(text.charAt(at));
          at += 1;
        }
      }
    },
    known: () => (knownLength === 0 ? null : { bytes: bytes.view(knownLength), ending: knownEnding }),
  };
}

/** Where what stands in a string as it is stops: at a quote, a backslash or a control character. */
function endOfPlain(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === BACKSLASH || code < SPACE) return at;
  }
  return text.length;
}

/** Where a sticky expression that also matches nothing stops. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return pattern.lastIndex;
}
