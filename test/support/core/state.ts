// What two transcripts must have in common to be the same conversation, as plain data for toEqual.
import type { Item, ToolRun, Transcript } from '../../../src/core/model/transcript.ts';

/**
 * Everything that a client can know. Left out: `lastSeq` and `lastAt`, which say how it was told, and `bytes`,
 * an estimate that counts a name without a value. Items come without
 * their replay mark; tools by call, and without the arguments of those that are done, for an announcement may be told
 * earlier than it came (replay.ts tells a message in one piece).
 */
export function stateOf(transcript: Transcript): object {
  const { items, tools, open, approvals, dialogs, servers, displays, queue, ...rest } = transcript;
  const { lastSeq, lastAt, bytes, ...plain } = rest;
  return {
    ...plain,
    items: items.map(itemOf),
    tools: [...tools.values()].sort((a, b) => (a.call < b.call ? -1 : 1)).map(toolOf),
    open: [...open],
    approvals: [...approvals],
    dialogs: [...dialogs],
    servers: [...servers],
    displays: [...displays],
    queue: { steering: queue.steering, followUp: queue.followUp },
  };
}

/** {@link stateOf} without figures: what is counted over conversations that were replaced cannot be told again. */
export function stateSinceReset(transcript: Transcript): object {
  const runNumber = transcript.run === null ? null : { startedAt: transcript.run.startedAt };
  return {
    ...stateOf({ ...transcript, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, cost: 0, runs: 0 }),
    run: runNumber,
  };
}

function toolOf(tool: ToolRun): object {
  return tool.state === 'done' ? { ...tool, input: null } : tool;
}

function itemOf(item: Item): object {
  if (item.kind === 'message') return item;
  const { seq, at, event } = item.logged;
  return { seq, at, event };
}
