// Recorded and hand-made traces of Claude Code, and the gist of each: what was said on its main thread, whoever tells it
// again. Knows the protocol of Claude Code and no other.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isRecord, type Json, parsed } from './claude-replay.ts';
import { handMade } from './claude-traces.ts';

const corpus = join(process.env.PATCHBAY_CORPUS ?? '../shared/corpus', 'claude-sdk');
/** Where the recorded ones come from; empty where there is no corpus. */
export const claudeFolders = existsSync(corpus) ? readdirSync(corpus).filter((name) => name.startsWith('cli-')) : [];

/** What the agent said in a recording: whole lines of JSON. */
const saidIn = (rows: readonly unknown[]): Json[] =>
  rows.flatMap((row) => {
    const line = isRecord(row) && row.dir === 'out' && typeof row.line === 'string' ? parsed(row.line) : null;
    return line === null ? [] : [line];
  });

/** The recorded ones: name and frames of the agent. */
export const recordedClaude = claudeFolders.flatMap((folder) =>
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
/** All of them. */
export const claudeTraces = [
  ...recordedClaude,
  ...[...handMade].map(([name, rows]): [string, Json[]] => [name, saidIn(rows)]),
];

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
export interface Gist {
  words: string;
  thoughts: string;
  readonly calls: string[];
  readonly results: Map<string, string>;
}

/** Nothing yet. */
export const newGist = (): Gist => ({ words: '', thoughts: '', calls: [], results: new Map() });

/** What stands in Claude Code's own frames on the main thread; what streams counts, and else what comes whole. */
export function gistOfClaude(frames: readonly Json[]): Gist {
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
