// Reads the header of a Content-Length frame, byte by byte and bounded (docs/threats.md T15).

const LF = 0x0a;
const CR = 0x0d;

/** Longest header, bytes, including line ends and the blank line. */
const mostBytes = 4096;
/** Most lines of a header, without the blank line. */
const mostLines = 16;

const linePattern = /^([\w!#$%&'*+.^`|~-]+):(.*)$/s;
const lengthPattern = /^[ \t]*(\d{1,9})[ \t]*$/;

/** The outcome of a header: the length of the body in bytes, or a phrase about the broken rule. */
export type HeaderOutcome = { readonly length: number } | { readonly breach: string };

/** Reads one header after the other. After a header that breaks a rule, the caller must read no more of the stream. */
export interface ContentHeader {
  /** Part of an incomplete header was read. */
  readonly isOpen: boolean;
  /** Nothing was read since the last whole header. */
  readonly isFresh: boolean;
  /** Reads one byte. Returns the outcome, or null while the header is incomplete. */
  read(byte: number): HeaderOutcome | null;
  /** Resets the state for another stream. */
  clear(): void;
}

/** Lines end in LF or CRLF. Blank lines before a header and unknown fields are ignored. */
export function createContentHeader(): ContentHeader {
  /** The bytes of the open line. */
  const line = Buffer.allocUnsafeSlow(mostBytes);
  let filled = 0;
  let isAfterReturn = false;
  /** Number of bytes and lines of the open header. */
  let bytes = 0;
  let lines = 0;
  let length: number | null = null;

  function clear(): void {
    filled = 0;
    isAfterReturn = false;
    bytes = 0;
    lines = 0;
    length = null;
  }

  function endLine(): HeaderOutcome | null {
    const text = line.toString('latin1', 0, filled);
    filled = 0;
    isAfterReturn = false;
    if (text === '') return endHeader();
    lines += 1;
    if (lines > mostLines) return { breach: `a header of more than ${mostLines} lines` };
    const breach = readField(text);
    return breach === null ? null : { breach };
  }

  function endHeader(): HeaderOutcome | null {
    const isBlank = lines === 0;
    const found = length;
    clear();
    if (isBlank) return null;
    return found === null ? { breach: 'a header without Content-Length' } : { length: found };
  }

  function readField(text: string): string | null {
    const [, name = '', value = ''] = linePattern.exec(text) ?? [];
    switch (name.toLowerCase()) {
      case '':
        return 'a header line that is no field';
      case 'content-length':
        return readLength(value);
      case 'content-type':
        return isUtf8(value) ? null : 'a Content-Type whose charset is not utf-8';
      default:
        return null;
    }
  }

  function readLength(value: string): string | null {
    const [, digits] = lengthPattern.exec(value) ?? [];
    if (digits === undefined) return 'a Content-Length that is no number of bytes';
    const told = Number(digits);
    if (length !== null && length !== told) return 'two Content-Lengths that differ';
    length = told;
    return null;
  }

  return {
    get isOpen() {
      return lines > 0 || filled > 0;
    },
    get isFresh() {
      return bytes === 0;
    },
    read(byte) {
      bytes += 1;
      if (bytes > mostBytes) return { breach: `a header of more than ${mostBytes} bytes` };
      if (byte === LF) return endLine();
      if (isAfterReturn) return { breach: 'a header with a carriage return that ends no line' };
      if (byte === CR) isAfterReturn = true;
      else line[filled++] = byte;
      return null;
    },
    clear,
  };
}

/** Whether the charset is UTF-8, also the older name `utf8`, or missing. */
function isUtf8(contentType: string): boolean {
  const [, ...parameters] = contentType.toLowerCase().split(';');
  return parameters.every((parameter) => {
    const [name = '', charset = ''] = parameter.split('=').map((part) => part.trim());
    return name !== 'charset' || ['utf-8', 'utf8', '"utf-8"', '"utf8"'].includes(charset);
  });
}
