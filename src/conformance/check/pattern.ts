// Words that choose checks by their ids. Pure; knows no protocol.

/** Whether an id is meant. */
export type Chooses = (id: string) => boolean;

/** `*` stands for anything, also for nothing; without one the word must be the whole id. */
export function chooserOf(pattern: string): Chooses {
  if (!pattern.includes('*')) return (id) => id === pattern;
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/gu, '\\$&'));
  const whole = new RegExp(`^${parts.join('.*')}$`, 'u');
  return (id) => whole.test(id);
}

/** For people who choose by hand: without a `*` the word may stand anywhere in the id. No patterns choose everything. */
export function chooserOfAny(patterns: readonly string[]): Chooses {
  const choosers = patterns.map((pattern) => (pattern.includes('*') ? chooserOf(pattern) : chooserOf(`*${pattern}*`)));
  return (id) => choosers.length === 0 || choosers.some((chooses) => chooses(id));
}
