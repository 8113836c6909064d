// A client that prompts as soon as it has heard a result, and whose agent has died: it is told one result.
import { PassThrough, Writable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { serveStdio } from '../../../src/cli/stdio/serve-stdio.ts';
import { parseConfig } from '../../../src/config/config.ts';

const { console: ours } = globalThis;
const { exitCode } = process;
afterEach(() => {
  globalThis.console = ours;
  process.exitCode = exitCode;
});

test('a prompt behind the last result is not taken', async () => {
  const input = new PassThrough();
  const prompt = (content: string) =>
    input.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
  const results: unknown[] = [];
  const output = new Writable({
    write(bytes, _encoding, done) {
      for (const line of String(bytes).trim().split('\n')) {
        const frame = JSON.parse(line);
        if (frame.type !== 'result') continue;
        results.push(frame.errors);
        prompt('hello');
      }
      done();
    },
  });
  prompt('die');
  const served = serveStdio({
    config: parseConfig({ defaultAgent: 'demo' }),
    frontend: 'claude',
    client: {},
    session: '00000000-0000-4000-8000-000000000001',
    endsWithAgent: 'always',
    lastWords: () => null,
    input,
    output,
  });
  await expect(served).rejects.toMatchObject({ code: 'agent-down' });
  expect(results).toEqual([['the demo agent died, as it was told to']]);
});
