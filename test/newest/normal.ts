// What may differ between two conversations that are the same: ids, times, folders and ports, each replaced by a word. Ids keep
// who they are: the same id has the same number throughout one value.

const numbersOfTime: ReadonlySet<string> = new Set(['timestamp', 'durationMs', 'wall_time_seconds']);
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;
const isoTime = /\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z/gu;
const shortId = /^[0-9a-f]{8}$/u;
const logFile = /pi-bash-[0-9a-f]+\.log/gu;
const port = /127\.0\.0\.1:\d+/gu;

/** A function that replaces what is volatile in a value; `dir`: the home of this conversation. */
export function normaliser(dir: string): (value: unknown) => unknown {
  const ids = new Map<string, string>();
  const named = (id: string): string => {
    const known = ids.get(id) ?? `<id ${ids.size + 1}>`;
    ids.set(id, known);
    return known;
  };
  // pi makes the name of a folder of the path of the project.
  const dashed = dir.replaceAll('/', '-');
  const text = (words: string): string => {
    if (shortId.test(words)) return named(words);
    const here = words.replaceAll(dir, '<home>').replaceAll(dashed, '<home>');
    return here
      .replaceAll(dashed.slice(1), '<home>')
      .replace(uuid, named)
      .replace(isoTime, '<time>')
      .replace(port, '<server>')
      .replace(logFile, '<log>');
  };
  const normal = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(normal);
    if (typeof value !== 'object' || value === null) return value;
    // The order of keys says nothing.
    const entries = Object.entries(value)
      .filter(([key]) => key !== 'durationMs' || !isUnspoken(value))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      entries.map(([key, field]) => [
        text(key),
        numbersOfTime.has(key) && typeof field === 'number' ? `<${key}>` : normal(field),
      ]),
    );
  };
  return normal;
}

/** A message that was stopped before it said anything: pi times one only if it was not made in an earlier millisecond than its stream. */
const isUnspoken = (value: object): boolean => {
  const { role, stopReason, content } = value as { role?: unknown; stopReason?: unknown; content?: unknown };
  return role === 'assistant' && stopReason === 'aborted' && Array.isArray(content) && content.length === 0;
};

const endIn = (item: unknown): string | null => {
  const { type, toolCallId } = Object(item);
  return type === 'tool_execution_end' && typeof toolCallId === 'string' ? toolCallId : null;
};

/** Tools that run side by side end as they finish; here they end in the order of their calls. */
export function inCallOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(inCallOrder);
    for (let at = 0; at < items.length; at += 1) {
      let behind = at;
      while (endIn(items[behind]) !== null) behind += 1;
      if (behind - at < 2) continue;
      const ends = items.slice(at, behind).sort((one, other) => (endIn(one) ?? '').localeCompare(endIn(other) ?? ''));
      items.splice(at, ends.length, ...ends);
      at = behind;
    }
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, inCallOrder(field)]));
}
