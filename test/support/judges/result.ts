// The judge of a turn's verdict: its figures, computed from pi's own lines and from the frames that clients saw.
import { z } from 'zod';
import { ResultFrame } from '../claude-shapes.ts';
import { type PiMessage, piMessages } from './pi-messages.ts';

/** What a result frame must say of a turn. */
export interface ExpectedResult {
  readonly usage: Readonly<Record<string, number>>;
  /** US dollars since the session began. */
  readonly total_cost_usd: number;
  readonly is_error: boolean;
  readonly num_turns: number;
}

const UserFrame = z.looseObject({
  type: z.literal('user'),
  parent_tool_use_id: z.null(),
  /** A prompt, which no client counts as an answer to a tool. */
  origin: z.looseObject({ kind: z.literal('human') }).optional(),
});

function isOfAgent(frame: unknown): boolean {
  const { data } = UserFrame.safeParse(frame);
  return data !== undefined && data.origin === undefined;
}

const sum = (messages: readonly PiMessage[], of: (message: PiMessage) => number): number =>
  messages.reduce((total, message) => total + of(message), 0);

/**
 * The figures of the turn that `turn` (pi's lines since the prompt) reports; `before` are pi's lines of the session
 * until then, for costs are cumulative and usage is not. `frames` are those that the client saw in the turn: num_turns
 * counts the user frames that we wrote on the main thread but for prompts, plus one.
 */
export function expectedResult(
  before: readonly string[],
  turn: readonly string[],
  frames: readonly unknown[],
): ExpectedResult {
  const messages = piMessages(turn);
  const last = messages.at(-1);
  return {
    usage: {
      input_tokens: sum(messages, (message) => message.usage.input),
      output_tokens: sum(messages, (message) => message.usage.output),
      cache_read_input_tokens: sum(messages, (message) => message.usage.cacheRead),
      cache_creation_input_tokens: sum(messages, (message) => message.usage.cacheWrite),
    },
    total_cost_usd: sum([...piMessages(before), ...messages], (message) => message.usage.cost.total),
    is_error: last?.stopReason === 'error' || last?.stopReason === 'aborted',
    num_turns: 1 + frames.filter(isOfAgent).length,
  };
}

/** Where a result frame departs from what it must say, as lines; empty when it is right. */
export function resultDifferences(frame: unknown, expected: ExpectedResult): string[] {
  const { data: result, error } = ResultFrame.safeParse(frame);
  if (result === undefined) return [`not a result frame: ${error.message}`];
  const usage = z.record(z.string(), z.unknown()).parse(result.usage);
  const lines = Object.entries(expected.usage)
    .filter(([key, count]) => usage[key] !== count)
    .map(([key, count]) => `usage.${key}: ${String(usage[key])} instead of ${count}`);
  // Sums of floats depend on their order in the last digit; a ten-millionth of a cent does not matter.
  if (Math.abs(result.total_cost_usd - expected.total_cost_usd) > 1e-9) {
    lines.push(`total_cost_usd: ${result.total_cost_usd} instead of ${expected.total_cost_usd}`);
  }
  if (result.is_error !== expected.is_error) lines.push(`is_error: ${result.is_error} instead of ${expected.is_error}`);
  if (result.num_turns !== expected.num_turns)
    lines.push(`num_turns: ${result.num_turns} instead of ${expected.num_turns}`);
  return lines;
}
