// What the scripted agents that speak pi's lines have in common. Knows no dialect.

/** The figures of a message of that many tokens. */
export const usage = (output) => ({
  input: 10,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 10 + output,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.001 * output },
});

/** Who speaks. */
export const base = { role: 'assistant', api: 'scripted', provider: 'scripted', model: 'scripted-1' };

/** Prints one line. */
export const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
