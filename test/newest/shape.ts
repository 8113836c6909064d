// Where a value lacks what another one has: fields, their types, kinds of items. What it has beside that is its own business.

/** What was said, and what was done, is each agent's own: only its frame is compared. */
const ownWords: ReadonlySet<string> = new Set(['content', 'arguments', 'args', 'result', 'steering', 'followUp']);

const kindOf = (item: unknown): string => {
  const { type, role, assistantMessageEvent, message } = Object(item);
  const inner: unknown = Object(assistantMessageEvent).type;
  const speaker: unknown = Object(message).role;
  return [type, role, inner, speaker].filter((word) => typeof word === 'string').join('/') || typeof item;
};

function grouped(items: readonly unknown[]): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of items) groups.set(kindOf(item), [...(groups.get(kindOf(item)) ?? []), item]);
  return groups;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What all of these have in common: of plain objects the fields that none lacks. */
function common(items: readonly unknown[]): unknown {
  const [first] = items;
  if (!isPlain(first)) return first;
  const shared = Object.entries(first).filter(([key]) => items.every((item) => isPlain(item) && key in item));
  return Object.fromEntries(shared);
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** The differences as lines, each with its path. Of a null nothing is known. */
export function shapeDifferences(due: unknown, own: unknown, path = ''): string[] {
  if (due === null || due === undefined) return [];
  if (typeOf(due) !== typeOf(own)) return [`${path || 'the value'}: ${typeOf(own)} instead of ${typeOf(due)}`];
  if (Array.isArray(due) && Array.isArray(own)) {
    // Of several lists the first stands for all, and what it holds need not be in each.
    if (path !== '' && own.length === 0) return [];
    const groups = grouped(own);
    const lines = [...grouped(due)].flatMap(([kind, items]) => {
      const mine = groups.get(kind);
      if (mine === undefined) return [`${path}: no ${kind}`];
      return mine.flatMap((item) => shapeDifferences(common(items), item, `${path}[${kind}]`));
    });
    return [...new Set(lines)];
  }
  if (!isPlain(due) || !isPlain(own)) return [];
  return Object.entries(due).flatMap(([key, value]) => {
    if (!(key in own)) return value === undefined ? [] : [`${path}.${key} is missing`];
    if (ownWords.has(key)) return [];
    return shapeDifferences(value, own[key], `${path}.${key}`);
  });
}
