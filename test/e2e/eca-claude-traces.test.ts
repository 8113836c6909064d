// Recorded traces of Claude Code told to an ECA client: the judge has no complaint, every run is finished once, and the
// client hears the words, the thoughts, the calls and the results that Claude Code has said, all of them and no others.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { adapters } from '../../src/adapters/index.ts';
import {
  claudeFolders,
  claudeTraces,
  type Gist,
  gistOfClaude,
  newGist,
  recordedClaude,
} from '../support/claude-gist.ts';
import { decodeLines, stillEnv } from '../support/decoding.ts';
import { ecaFaults, heard } from '../support/judged-eca.ts';
import { tell } from '../support/telling.ts';

const Told = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    parentChatId: z.string().optional(),
    role: z.string().optional(),
    content: z
      .looseObject({
        type: z.string(),
        id: z.string().optional(),
        text: z.string().optional(),
        manualApproval: z.boolean().optional(),
      })
      .optional(),
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

/** Calls that ran, or were said to, and were asked for then. */
function askedTooLate(frames: readonly unknown[]): string[] {
  const begun = new Set<string>();
  return frames.flatMap((frame) => {
    const { type, id = '', manualApproval } = Told.parse(frame).params.content ?? { type: '' };
    const isAsked = type === 'toolCallRun' && manualApproval === true;
    const isLate = isAsked && begun.has(id);
    if (type === 'toolCallRunning' || (type === 'toolCallRun' && !isAsked)) begun.add(id);
    return isLate ? [id] : [];
  });
}

test.skipIf(claudeFolders.length === 0)('there are recordings (skipped where there is no corpus)', () => {
  expect(recordedClaude.length).toBeGreaterThan(5);
});

test.each(claudeTraces)('%s', (_, frames) => {
  const claude = adapters.get('claude');
  const side = adapters.get('eca')?.client?.frontend(stillEnv(), {});
  if (claude === undefined || side === undefined) throw new Error('an adapter is gone');
  const log = decodeLines(
    claude,
    frames.map((frame) => JSON.stringify(frame)),
  );
  log.close();
  const { texts } = tell(side, log.logged);
  const told = texts.map((text): unknown => JSON.parse(text));
  expect(ecaFaults(heard(told))).toEqual([]);
  expect(askedTooLate(told)).toEqual([]);

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
