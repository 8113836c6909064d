// What really happened, told by the two ends that are not ours: what the fake model said, read by the official client, and
// what Claude Code said of its turn, read from the tap's record.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { RecordedRequest } from '../../src/conformance/model/endpoint.ts';
import type { ClaudeHome } from '../support/claude-code-rig.ts';
import { messageDifferences } from '../support/judges/compare.ts';
import { type FinalMessage, finalMessage, finalMessages } from '../support/judges/message-stream.ts';
import { readRecord } from '../support/pi-rig.ts';

/** A message of the model. */
export interface Said {
  readonly message: FinalMessage;
  /** It broke off: whoever heard it may have heard less of it, or nothing. */
  readonly isCut: boolean;
}

const Event = z.looseObject({ type: z.string(), index: z.number().optional() });
const usageKeys = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

async function read(said: string): Promise<Said> {
  if (said.startsWith('{')) {
    const message = z
      .looseObject({ model: z.string(), content: z.array(z.unknown()), stop_reason: z.string() })
      .extend({ usage: z.record(z.string(), z.number()) })
      .parse(JSON.parse(said));
    const { model, content, stop_reason } = message;
    const usage = Object.fromEntries(usageKeys.map((key) => [key, message.usage[key] ?? 0]));
    return { message: { model, content, stop_reason, usage }, isCut: false };
  }
  // Split by hand: to a regular expression more characters end a line than to the wire.
  const lines = said.split('\n').filter((line) => line.startsWith('data: '));
  const data = lines.map((line) => Event.parse(JSON.parse(line.slice('data: '.length))));
  const events = data.filter(({ type }) => type !== 'ping' && type !== 'error');
  if (events.at(-1)?.type === 'message_stop') return { message: await finalMessage(events), isCut: false };
  const open = events.findLast(({ type }) => type === 'content_block_start')?.index;
  const closing = [
    ...(open === undefined ? [] : [{ type: 'content_block_stop', index: open }]),
    { type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  return { message: await finalMessage([...events, ...closing]), isCut: true };
}

const Whole = z.looseObject({
  parent_tool_use_id: z.null(),
  type: z.literal('assistant'),
  message: z.looseObject({
    id: z.string(),
    model: z.string(),
    content: z.array(z.unknown()),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({}),
  }),
});

/** What a client heard of the model, in order: messages that streamed, and those that came whole. */
export async function heardMessages(frames: readonly unknown[]): Promise<FinalMessage[]> {
  const heard: FinalMessage[] = [];
  const streamed = await finalMessages(frames);
  const ids = new Set<unknown>();
  for (const frame of frames) {
    const { event } =
      z.looseObject({ event: Event.extend({ message: z.looseObject({ id: z.string() }) }) }).safeParse(frame).data ??
      {};
    const { message } = Whole.safeParse(frame).data ?? {};
    if (event?.type === 'message_start') {
      ids.add(event.message.id);
      heard.push(...streamed.splice(0, 1));
    } else if (message !== undefined && !ids.has(message.id)) {
      const { model, content, stop_reason } = message;
      const usage = Object.fromEntries(usageKeys.map((key) => [key, z.number().catch(0).parse(message.usage[key])]));
      heard.push({ model, content, stop_reason, usage });
    }
  }
  return heard;
}

/** Asked by a sub-agent, or by Claude Code for itself (a summary, a title). */
const asides = ['cc-scout', 'summary'];

/** What the model said on the main thread in answer to these requests, in order. */
export function modelSaid(requests: readonly RecordedRequest[]): Promise<Said[]> {
  const main = requests.filter(({ answered: said, scenario }) => said !== '' && !asides.includes(scenario));
  return Promise.all(main.map(({ answered: said }) => read(said)));
}

/** Whether what was heard is the beginning of what was said; the last block may be cut anywhere. */
function isBeginning(heard: FinalMessage, said: FinalMessage): boolean {
  if (heard.stop_reason !== null || heard.content.length > said.content.length) return false;
  return heard.content.every((block, at) => {
    const [own, due] = [Object(block), Object(said.content[at])];
    if (own.type !== due.type) return false;
    const key = own.type === 'text' ? 'text' : own.type === 'thinking' ? 'thinking' : null;
    // Of half a JSON text each side makes what it can.
    return key === null || longer(due[key]).startsWith(own[key]);
  });
}

/** A slow last piece may have come any number of times. */
function longer(text: string): string {
  return `${text}${(/\S+\s*$/u.exec(text)?.[0] ?? '').repeat(1000)}`;
}

/** Where what was heard departs from what the model said, as lines; empty when it is the same. */
export function hearingDifferences(heard: readonly FinalMessage[], said: readonly Said[]): string[] {
  const lines: string[] = [];
  let at = 0;
  for (const { message, isCut } of said) {
    const own = heard[at];
    if (isCut && (own === undefined || !isBeginning(own, message))) continue;
    at += 1;
    if (isCut) continue;
    if (own === undefined) lines.push(`message ${at} is missing: ${JSON.stringify(message)}`);
    else lines.push(...messageDifferences(own, message).map((line) => `message ${at}: ${line}`));
  }
  for (const more of heard.slice(at)) lines.push(`nobody said ${JSON.stringify(more)}`);
  return lines;
}

const Result = z.looseObject({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  num_turns: z.number(),
  total_cost_usd: z.number(),
  usage: z.looseObject({}),
});
/** What Claude Code itself said at the end of a turn. */
export type OwnResult = z.infer<typeof Result>;

/** All that the Claude Code said that was told `prompt`, from then on. */
export function ownLines(home: ClaudeHome, prompt: string): string[] {
  for (const name of readdirSync(home.records)) {
    const rows = readRecord(join(home.records, name));
    const at = rows.findIndex(({ dir, line }) => dir === 'in' && line.includes(prompt));
    if (at >= 0) return rows.slice(at).flatMap(({ dir, line }) => (dir === 'out' ? [line] : []));
  }
  throw new Error(`no Claude Code was told ${prompt}`);
}

/** The result of the turn of that prompt. */
export function ownResult(home: ClaudeHome, prompt: string): OwnResult {
  const found = ownLines(home, prompt).flatMap((line) => Result.safeParse(JSON.parse(line)).data ?? []);
  const [first] = found;
  if (first === undefined) throw new Error(`Claude Code has not ended the turn of ${prompt}`);
  return first;
}

/** The counts of a result, as the judges compare them. */
export function countsOf({ usage }: OwnResult): Record<string, number> {
  return Object.fromEntries(usageKeys.map((key) => [key, z.number().catch(0).parse(usage[key])]));
}
