// Small translations of model values into ECA's fields: results, details, summaries, figures.
import { absolutePath } from '../../../core/model/absolute-path.ts';
import type { Content, Cost, Dictionary, FileChange } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';

const nothing: Dictionary = Object.freeze({});

/**
 * The extra fields of an ECA server. They ride in `extra.eca` and return to ECA clients (README, "What rides in
 * `extra`").
 */
export function ecaExtraIn({ extra }: { readonly extra?: Dictionary | undefined }): Dictionary {
  const fields = extra?.eca;
  return isDictionary(fields) ? fields : nothing;
}

/** Adds the extra fields behind our own. If both have a field, ours counts. */
export function withExtra(ours: Dictionary, rest: Dictionary): Dictionary {
  if (rest === nothing) return ours;
  const words = Object.entries(ours).filter(([, value]) => value !== undefined);
  return { ...ours, ...rest, ...Object.fromEntries(words) };
}

/**
 * An output has its text twice: the document names the field `content`, all known servers name it `text`
 * (docs/protocols/eca.md 1.2, 3.4).
 */
function output(text: string): Dictionary {
  return { type: 'text', text, content: text };
}

/** The `outputs` of a tool call. Images are sent as contents of their own. */
export function outputsOf(content: readonly Content[]): Dictionary[] {
  return content.flatMap((part) => {
    switch (part.type) {
      case 'text':
      case 'thinking':
        return [output(part.text)];
      case 'link':
        return [output(part.title === undefined ? part.url : `${part.title}: ${part.url}`)];
      case 'document':
        return [output(part.text ?? part.url ?? part.name ?? 'a document')];
      case 'image':
        return part.data === undefined ? [output(part.url ?? part.name ?? 'an image')] : [];
      case 'tool-call':
        return [output(`${part.name} ${JSON.stringify(part.input)}`)];
      case 'opaque':
        return [output(JSON.stringify(part.payload) ?? part.name)];
      default:
        return part satisfies never;
    }
  });
}

/**
 * The content of an image with known bytes (newer than the document, docs/protocols/eca.md 1.5); null for any other
 * content.
 */
export function imageOf(content: Content): Dictionary | null {
  if (content.type !== 'image' || content.data === undefined) return null;
  return { type: 'image', mediaType: content.mediaType ?? 'image/png', base64: content.data };
}

/** The details of a file change. `cwd`: the working folder of the agent, if known. */
export function changeDetails({ path, diff, linesAdded, linesRemoved }: FileChange, cwd?: string): Dictionary {
  return { type: 'fileChange', path: absolutePath(path, cwd), diff, linesAdded, linesRemoved };
}

/** The maximum characters of a generated summary. */
const longestSummary = 80;

/** One line about a call: its title, or else its name and its first non-empty text argument. */
export function summaryOf(name: string, title: string | undefined, input: Dictionary): string {
  if (title !== undefined && title !== '') return title;
  const hint = Object.values(input).find((value) => typeof value === 'string' && value.trim() !== '');
  const line = `${name} ${typeof hint === 'string' ? hint : ''}`.replace(/\s+/gu, ' ').trim();
  if (line.length <= longestSummary) return line;
  // Do not cut a surrogate pair.
  return `${line.slice(0, longestSummary - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** US dollars as the wire has them: a string with at least two decimals, e.g. `0.01`, `0.0019`. */
export function costWord({ total }: Pick<Cost, 'total'>): string {
  return total.toFixed(6).replace(/0{1,4}$/u, '');
}
