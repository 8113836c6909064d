// The first line of a client, read before the agent is started: what it says, and that nothing of the input is lost.
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseClaudeArgv } from '../../../src/cli/stand-ins/claude/argv.ts';
import { greets, readGreeting } from '../../../src/cli/stand-ins/claude/read-greeting.ts';

const greeting = (parts: object) =>
  JSON.stringify({ type: 'control_request', request_id: 'r', request: { subtype: 'initialize', ...parts } });
const prompt = JSON.stringify({ type: 'user', message: { role: 'user', content: 'Hello.' } });
const told = { systemPrompt: ['Be brief.'], appendSystemPrompt: 'Rhyme.' };
const instructions = { text: 'Be brief.', addition: 'Rhyme.' };

async function textOf(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of input) text += chunk.toString();
  return text;
}

test.each<[string, string[], object | null]>([
  ['a greeting', [`${greeting(told)}\n`], instructions],
  ['a greeting in pieces', [greeting(told).slice(0, 20), greeting(told).slice(20), '\n', prompt], instructions],
  ['a greeting with what follows', [`${greeting(told)}\n${prompt}\n`], instructions],
  ['a greeting without its end', [greeting(told)], instructions],
  ['a greeting that says nothing', [`${greeting({})}\n`], null],
  ['another request', [`${greeting(told).replace('initialize', 'interrupt')}\n`], null],
  ['a prompt, and the greeting later', [`${prompt}\n${greeting(told)}\n`], null],
  ['no JSON', ['{\n'], null],
  ['a JSON value', ['null\n'], null],
  ['nothing', [], null],
])('%s', async (_, pieces, expected) => {
  const input = new PassThrough();
  const greeted = readGreeting(input, true);
  for (const piece of pieces) input.write(piece);
  input.end();
  const read = await greeted;
  expect(read.instructions).toEqual(expected);
  expect(await textOf(read.input)).toBe(pieces.join(''));
});

test('is there as soon as its line is, while the input stays open', async () => {
  const input = new PassThrough();
  const greeted = readGreeting(input, true);
  input.write(`${greeting(told)}\n`);
  const read = await greeted;
  expect(read.instructions).toEqual(instructions);
  input.end(prompt);
  expect(await textOf(read.input)).toBe(`${greeting(told)}\n${prompt}`);
});

test.each<[string, string[], Record<string, string>, boolean]>([
  ['nobody says so', ['--verbose'], {}, false],
  ['the option says so', ['--await-initialize'], {}, true],
  ['the SDK has started us', [], { CLAUDE_AGENT_SDK_VERSION: '0.3.330' }, true],
  ['a variable without a value', [], { CLAUDE_AGENT_SDK_VERSION: '' }, false],
])('is promised or not: %s', (_, words, env, isPromised) => {
  expect(greets(parseClaudeArgv(words), env)).toBe(isPromised);
});

test('that nobody has promised is not waited for without end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const input = new PassThrough();
  const greeted = readGreeting(input, false);
  await vi.advanceTimersByTimeAsync(3000);
  const read = await greeted;
  expect(read.instructions).toBeNull();
  vi.useRealTimers();
  input.end(`${greeting(told)}\n`);
  expect(await textOf(read.input)).toBe(`${greeting(told)}\n`);
});
