// `user` frames of the agent: tool results, and messages in the user's name (docs/protocols/claude.md 4.9, 5.5, 5.6).

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Content } from '../../../../core/model/content.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import { isPrompt } from '../../frames.ts';
import { type AgentBlock, type AgentUserFrame, ToolResultBlock } from '../../wire/agent.ts';
import type { Compactions } from './compaction.ts';
import type { MessageDecoder } from './message.ts';
import type { RunDecoder } from './run.ts';
import type { Tools } from './tools.ts';
import { claudeExtra, contentOf, otherFields } from './values.ts';

/** The parts that these frames change. */
export interface UserPorts {
  readonly run: RunDecoder;
  readonly tools: Tools;
  readonly compactions: Compactions;
  readonly messages: Pick<MessageDecoder, 'settle'>;
}

/** Reads `user` frames. */
export interface UserDecoder {
  take(frame: AgentUserFrame): void;
  /** Whether the prompt of the run asks for a compaction. */
  isCompactPrompt(): boolean;
}

/** The beginning of an interrupt marker. The rest says where the interrupt came (docs/protocols/claude.md 5.5). */
const interruptMark = '[Request interrupted by user';

/** Whether the text is the agent's command to compact. */
export function asksToCompact(words: string): boolean {
  return /^\/compact(?:\s|$)/u.test(words);
}

export function createUserDecoder(out: Outbox, { run, tools, compactions, messages }: UserPorts): UserDecoder {
  function results(frame: AgentUserFrame, lane: string | undefined, blocks: readonly ToolResultBlock[]): void {
    messages.settle(lane);
    const fields = otherFields(frame, 'message');
    for (const block of blocks) {
      // A sub-agent is done when its call has a result.
      messages.settle(block.tool_use_id);
      tools.result(block, lane, fields, blocks.length === 1);
    }
    run.settleTurn();
  }

  /**
   * Whether the frame repeats the prompt. The agent echoes a prompt that had a name, and every prompt with the option
   * for replays.
   */
  function isEcho(frame: AgentUserFrame, content: readonly Content[]): boolean {
    const prompt = run.current ?? run.waiting;
    const isRepeated = frame.isReplay === true || isPrompt(frame);
    return isRepeated && prompt !== null && wordsOf(prompt.content) === wordsOf(content);
  }

  function say(frame: AgentUserFrame, lane: string | undefined, blocks: string | readonly AgentBlock[]): void {
    const content = contentOf(blocks);
    const words = wordsOf(content);
    if (lane === undefined && frame.isSynthetic === true) compactions.summary(words);
    if (lane === undefined && words.startsWith(interruptMark)) run.interrupted();
    // Drop the echo: the prompt was delivered at the start of the run, and clients that want an echo get it from there.
    if (lane === undefined && isEcho(frame, content)) return;
    messages.settle(lane);
    if (lane === undefined) run.join();
    out.deliver({
      type: 'message-added',
      role: 'user',
      origin: originOf(frame, words),
      parent: lane,
      content,
      // Keep the agent's own marks, but not the marks of prompts.
      ...claudeExtra({
        frame: otherFields(frame, 'message', ...(isPrompt(frame) ? ['origin', 'priority'] : [])),
        plain: typeof blocks === 'string' || undefined,
      }),
    });
  }

  return {
    take(frame) {
      const lane = frame.parent_tool_use_id ?? undefined;
      const content = frame.message.content ?? [];
      if (typeof content === 'string') return say(frame, lane, content);
      const blocks = content.map((block) => ({ block, result: ToolResultBlock.safeParse(block) }));
      const done = blocks.flatMap(({ result }) => (result.success ? [result.data] : []));
      const others = blocks.flatMap(({ block, result }) => (result.success ? [] : [block]));
      if (done.length > 0) results(frame, lane, done);
      if (others.length > 0 || done.length === 0) say(frame, lane, others);
    },
    isCompactPrompt: () => run.current !== null && asksToCompact(wordsOf(run.current.content)),
  };
}

/** The beginnings of texts that the agent writes itself, also when it repeats them with the history. */
const ownMarks = [interruptMark, '<local-command-', '<command-'];

/** `replay` is for repeated history that the agent did not write itself; a marked prompt comes from another user. */
function originOf(frame: AgentUserFrame, words: string): EventOf<'message-added'>['origin'] {
  const { isReplay, priority } = frame;
  if (isPrompt(frame)) return priority === 'now' ? 'steer' : priority === 'later' ? 'follow-up' : 'prompt';
  return isReplay === true && !ownMarks.some((mark) => words.startsWith(mark)) ? 'replay' : 'agent';
}

function wordsOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
