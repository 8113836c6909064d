// Patterns that select checks by id.

/** Whether an id matches. */
export type Chooses = (id: string) => boolean;

/** `*` matches any text, including none. A pattern without `*` must equal the id. */
export function chooserOf(pattern: string): Chooses {
  if (!pattern.includes('*')) return (id) => id === pattern;
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/gu, '\\$&'));
  const whole = new RegExp(`^${parts.join('.*')}$`, 'u');
  return (id) => whole.test(id);
}

/**
 * For patterns typed by hand: a pattern without `*` may match anywhere in the id. An empty list selects every check.
 */
export function chooserOfAny(patterns: readonly string[]): Chooses {
  const choosers = patterns.map((pattern) => (pattern.includes('*') ? chooserOf(pattern) : chooserOf(`*${pattern}*`)));
  return (id) => choosers.length === 0 || choosers.some((chooses) => chooses(id));
}
