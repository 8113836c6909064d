// Recorded traces of Claude Code told to a client of pi-server: the judge has no complaint, and the client hears the words, the
// thoughts, the calls and the results that Claude Code has said on its main thread, all of them and no others.
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
import { clientRoles } from '../support/client-roles.ts';
import { decodeLines, stillEnv } from '../support/decoding.ts';
import { tell } from '../support/telling.ts';

const Event = z.looseObject({
  type: z.string(),
  assistantMessageEvent: z
    .looseObject({
      type: z.string(),
      delta: z.string().optional(),
    })
    .optional(),
  toolCallId: z.string().optional(),
  result: z.looseObject({ content: z.array(z.looseObject({ text: z.string().optional() })).optional() }).optional(),
});
const Told = z.looseObject({ type: z.literal('event'), sessionId: z.string(), event: Event });

/** What a client of pi-server hears of it. */
function gistOfPiServer(texts: readonly string[]): Gist & { begun: number; ended: number } {
  const gist = { ...newGist(), begun: 0, ended: 0 };
  for (const text of texts) {
    const { type, assistantMessageEvent: update, toolCallId, result } = Told.parse(JSON.parse(text)).event;
    if (type === 'agent_start') gist.begun += 1;
    if (type === 'agent_end') gist.ended += 1;
    if (update?.type === 'text_delta') gist.words += update.delta ?? '';
    if (update?.type === 'thinking_delta') gist.thoughts += update.delta ?? '';
    // A call that was given up has a beginning alone, and the message so far tells its id.
    if (type === 'message_update')
      for (const [, id = ''] of text.matchAll(/"type":"toolCall","id":"([^"]+)"/gu))
        if (!gist.calls.includes(id)) gist.calls.push(id);
    if (type === 'tool_execution_end' && toolCallId !== undefined)
      gist.results.set(toolCallId, result?.content?.map((part) => part.text ?? '').join('') ?? '');
  }
  return gist;
}

test.skipIf(claudeFolders.length === 0)('there are recordings (skipped where there is no corpus)', () => {
  expect(recordedClaude.length).toBeGreaterThan(5);
});

test.each(claudeTraces)('%s', (_, frames) => {
  const claude = adapters.get('claude');
  const side = adapters.get('pi-server')?.client?.frontend(stillEnv(), {});
  if (claude === undefined || side === undefined) throw new Error('an adapter is gone');
  const log = decodeLines(
    claude,
    frames.map((frame) => JSON.stringify(frame)),
  );
  log.close();
  const { texts } = tell(side, log.logged);
  expect(clientRoles.get('pi-server')?.judge(texts)).toEqual([]);

  const [theirs, ours] = [gistOfClaude(frames), gistOfPiServer(texts)];
  expect(ours.words).toBe(theirs.words);
  expect(ours.thoughts).toBe(theirs.thoughts);
  expect(ours.calls.filter((id) => theirs.calls.includes(id))).toEqual(theirs.calls);
  for (const [id, result] of theirs.results) {
    if (theirs.calls.includes(id)) expect({ id, result: ours.results.get(id) }).toEqual({ id, result });
  }
  expect(ours.ended).toBe(ours.begun);
  expect(ours.ended).toBeGreaterThanOrEqual(log.logged.filter(({ event }) => event.type === 'run-end').length);
});
