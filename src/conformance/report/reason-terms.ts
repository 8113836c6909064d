// Finds what a failure reason names (quoted texts, tokens that may be ids, fields) and where a message holds it.

/** The terms that a reason names. */
export interface ReasonTerms {
  /** Quoted texts. */
  readonly quoted: readonly string[];
  /** All tokens. A token is an id only if a message holds it as an id. */
  readonly tokens: readonly string[];
  /** Numbers that the reason calls an id. */
  readonly numbers: readonly string[];
  /** Field paths from the outermost to the innermost field, longest path first. */
  readonly fields: readonly (readonly string[])[];
}

/** How much of a reason is read, UTF-16 units; a reason may quote the peer. */
const mostOfWords = 2000;
const quotedText = /"([^"\n]{2,200})"|'([^'\n]{2,200})'|`([^`\n]{2,200})`/gu;
/** `data.model`, `sessionName`, `tool_use_id`. */
const fieldName = /^[A-Za-z_$][\w$]*(?:\[\d*\]|\.[A-Za-z_$][\w$]*|\.\d+)*$/u;
const isCompound = (token: string): boolean => /[.[_]|\p{Ll}\p{Lu}/u.test(token);

/** Parses a reason. */
export function reasonTermsIn(words: string): ReasonTerms {
  const text = words.slice(0, mostOfWords);
  const quoted = [...text.matchAll(quotedText)].map(([, mutant, single, back]) => mutant ?? single ?? back ?? '');
  const tokens = text.split(/[\s,;()"'`{}<>=]+/u).flatMap((word) => {
    const token = word.replace(/^[:.]+|[:.!?]+$/gu, '');
    return token.length < 2 ? [] : [token];
  });
  const numbers = [...text.matchAll(/\b(?:id|request)s? (\d+)\b/giu)].map(([, number = '']) => number);
  const paths = [...new Set(tokens.filter((token) => fieldName.test(token)))].map((token) => ({
    path: token.split(/[.[\]]+/u).filter((part) => part !== '' && !/^\d+$/u.test(part)),
    isCompound: isCompound(token),
  }));
  const rank = (one: (typeof paths)[number]) => (one.isCompound ? one.path.length + 1 : 0);
  const fields = [...paths].sort((a, b) => rank(b) - rank(a)).map(({ path }) => path);
  return { quoted, tokens: [...new Set(tokens)], numbers, fields };
}

/** Index in the message text of what the reason names; undefined where the message holds nothing of it. */
export function placeIn(text: string, { quoted, fields, tokens }: ReasonTerms): number | undefined {
  // A compound field name locates better than a value, which may be no more than a type.
  const compound = fields.filter((path) => path.length > 1 || isCompound(path[0] ?? ''));
  for (const path of compound) {
    const place = placeOfField(text, path);
    if (place !== undefined) return place;
  }
  for (const value of [...quoted, ...tokens.filter((token) => /\d/u.test(token))]) {
    const place = text.indexOf(JSON.stringify(value));
    if (place !== -1) return place;
  }
  for (const path of fields) {
    const place = placeOfField(text, path);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** The place of the innermost field of the path that the text holds. For a missing field this is its parent. */
function placeOfField(text: string, path: readonly string[]): number | undefined {
  let place: number | undefined;
  for (const name of path) {
    const next = text.indexOf(`"${name}"`, place ?? 0);
    if (next === -1) continue;
    place = next;
  }
  return place;
}
