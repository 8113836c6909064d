// Recorded traces of Claude Code told to an ECA client: the judge has no complaint, every run is finished once, and the
// client hears the words, the thoughts, the calls and the results that Claude Code has said, all of them and no others.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { adapters } from '../../src/adapters/index.ts';
import { isRecord, type Json, parsed } from '../support/claude-replay.ts';
import { handMade } from '../support/claude-traces.ts';
import { decodeLines, stillEnv } from '../support/decoding.ts';
import { checkEcaOrder, describeEcaViolations, heard } from '../support/judges/eca-order.ts';
import { tell } from '../support/telling.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'claude-sdk');
const folders = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.startsWith('cli-')) : [];

/** What the agent said in a recording: whole lines of JSON. */
const saidIn = (rows: readonly unknown[]): Json[] =>
  rows.flatMap((row) => {
    const line = isRecord(row) && row.dir === 'out' && typeof row.line === 'string' ? parsed(row.line) : null;
    return line === null ? [] : [line];
  });

const recorded = folders.flatMap((folder) =>
  readdirSync(join(corpus, folder))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name): [string, Json[]] => [
      `${folder}/${name.replace('.jsonl', '')}`,
      saidIn(
        readFileSync(join(corpus, folder, name), 'utf8')
          .split('\n')
          .map(parsed),
      ),
    ]),
);
const traces = [...recorded, ...[...handMade].map(([name, rows]): [string, Json[]] => [name, saidIn(rows)])];

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
});
const Frame = z.looseObject({
  type: z.string(),
  parent_tool_use_id: z.string().nullish(),
  message: z
    .looseObject({ id: z.string().optional(), content: z.union([z.string(), z.array(Block)]).optional() })
    .optional(),
  event: z
    .looseObject({
      type: z.string(),
      message: z.looseObject({ id: z.string() }).optional(),
      delta: z
        .looseObject({ type: z.string().optional(), text: z.string().optional(), thinking: z.string().optional() })
        .optional(),
      content_block: Block.optional(),
    })
    .optional(),
});

/** What is told of a conversation, whoever tells it. */
interface Gist {
  words: string;
  thoughts: string;
  readonly calls: string[];
  readonly results: Map<string, string>;
}

const newGist = (): Gist => ({ words: '', thoughts: '', calls: [], results: new Map() });

/** What stands in Claude Code's own frames on the main thread; what streams counts, and else what comes whole. */
function gistOfClaude(frames: readonly Json[]): Gist {
  const gist = newGist();
  const streamed = new Set<string>();
  function block(one: z.infer<typeof Block>): void {
    if (one.type === 'tool_use' && one.id !== undefined && one.name !== 'AskUserQuestion') gist.calls.push(one.id);
    if (one.type === 'text') gist.words += one.text ?? '';
    if (one.type === 'thinking') gist.thoughts += one.thinking ?? '';
  }
  for (const raw of frames.filter((frame) => /^(?:stream_event|assistant|user)$/u.test(String(frame.type)))) {
    const { type, parent_tool_use_id: parent, event, message } = Frame.parse(raw);
    if (parent !== null && parent !== undefined) continue;
    if (type === 'stream_event' && event !== undefined) {
      if (event.message !== undefined) streamed.add(event.message.id);
      if (event.content_block !== undefined) block(event.content_block);
      gist.words += event.delta?.text ?? '';
      gist.thoughts += event.delta?.thinking ?? '';
    }
    const content = typeof message?.content === 'string' ? [] : (message?.content ?? []);
    if (type === 'assistant' && !streamed.has(message?.id ?? '')) for (const one of content) block(one);
    if (type !== 'user') continue;
    for (const { type: kind, tool_use_id: id, content: result } of content) {
      if (kind === 'tool_result' && id !== undefined && typeof result === 'string') gist.results.set(id, result);
    }
  }
  return gist;
}

const Told = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    parentChatId: z.string().optional(),
    role: z.string().optional(),
    content: z.looseObject({ type: z.string(), id: z.string().optional(), text: z.string().optional() }).optional(),
  }),
});
const Outputs = z.array(z.looseObject({ text: z.string() }));

/** What an ECA client hears in the chat. */
function gistOfEca(frames: readonly unknown[]): Gist & { finished: number; rejected: Set<string> } {
  const gist = { ...newGist(), finished: 0, rejected: new Set<string>() };
  for (const frame of frames) {
    const { content, role, parentChatId } = Told.parse(frame).params;
    if (content === undefined || parentChatId !== undefined) continue;
    const { type, id = '', text = '' } = content;
    if (type === 'text' && role === 'assistant') gist.words += text;
    if (type === 'reasonText') gist.thoughts += text;
    if (type === 'toolCallPrepare' && !gist.calls.includes(id)) gist.calls.push(id);
    if (type === 'toolCallRejected') gist.rejected.add(id);
    if (type === 'toolCalled')
      gist.results.set(
        id,
        Outputs.parse(content.outputs)
          .map((output) => output.text)
          .join(''),
      );
    if (type === 'progress' && content.state === 'finished') gist.finished += 1;
  }
  return gist;
}

test.skipIf(folders.length === 0)('there are recordings (skipped where there is no corpus)', () => {
  expect(recorded.length).toBeGreaterThan(5);
});

test.each(traces)('%s', (_, frames) => {
  const claude = adapters.get('claude');
  const side = adapters.get('eca')?.frontend?.(stillEnv(), {});
  if (claude === undefined || side === undefined) throw new Error('an adapter is gone');
  const log = decodeLines(
    claude,
    frames.map((frame) => JSON.stringify(frame)),
  );
  log.close();
  const { texts } = tell(side, log.logged);
  const told = texts.map((text): unknown => JSON.parse(text));
  expect(describeEcaViolations(checkEcaOrder(heard(told)), heard(told))).toEqual([]);

  const [theirs, ours] = [gistOfClaude(frames), gistOfEca(told)];
  expect(ours.words).toBe(theirs.words);
  expect(ours.thoughts).toBe(theirs.thoughts);
  expect(ours.calls.filter((id) => theirs.calls.includes(id))).toEqual(theirs.calls);
  for (const [id, result] of theirs.results) {
    if (!ours.rejected.has(id) && theirs.calls.includes(id))
      expect({ id, result: ours.results.get(id) }).toEqual({ id, result });
  }
  expect(ours.finished).toBe(log.logged.filter(({ event }) => event.type === 'run-end').length);
});
