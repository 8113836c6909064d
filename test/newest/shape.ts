// Where a value lacks what another one has: fields, their types, kinds of items. What it has beside that is its own business.

const kindOf = (item: unknown): string => {
  const { type, role, assistantMessageEvent } = Object(item);
  const inner: unknown = Object(assistantMessageEvent).type;
  return [type, role, inner].filter((word) => typeof word === 'string').join('/') || typeof item;
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
    return shapeDifferences(value, own[key], `${path}.${key}`);
  });
}
