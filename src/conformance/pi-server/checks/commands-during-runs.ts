// Checks of commands to a running agent: docs/protocols/pi-server.md 17.2 (rows: 23.10).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { answeredAt, expect } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { dataOf, type ReceivedFrame, textOf } from '../view/frames.ts';

/** Matches the event of a user message with that text. */
const isFromUser = (text: string) => (event: Dictionary) => {
  const message = dictionaryOf(event.message);
  return event.type === 'message_start' && message.role === 'user' && textOf(message).includes(text);
};

async function joins(context: CheckContext, type: 'steer' | 'follow_up'): Promise<void> {
  const place = await context.clientWithSession({ watched: true });
  const { client, session } = place;
  const prompt = await context.busy(place);
  const from = client.now;
  const message = context.tools.script('text');
  const frame = await client.succeeds({ type, sessionId: session, message });
  expect(answeredAt(client, prompt) < 0, `${type} must be answered while the prompt goes on:`, frame);
  await client.response(prompt);
  const joined = client.events(session, from).find(({ event }) => isFromUser(message)(event));
  const isInside = joined !== undefined && joined.at < answeredAt(client, prompt);
  expect(isInside, 'the message must come into the conversation before the prompt is answered');
}

/** Rows 93 to 95. */
export const runningRows: PiServerRows = {
  '17.2-93': {
    section: '17.2',
    sentence: 'abort ends what the agent is doing.',
    input: 'abort during a prompt that would not end',
    expected: 'the prompt ends as aborted',
    needs: { script: ['endless'] },
    async run(context) {
      const place = await context.clientWithSession({ watched: true });
      const { client, session } = place;
      const prompt = await context.endless(place);
      await client.succeeds({ type: 'abort', sessionId: session });
      await client.response(prompt);
      const ends = client.events(session).filter(({ event }) => event.type === 'message_end');
      const { stopReason } = dictionaryOf(ends.at(-1)?.event.message);
      expect(stopReason === 'aborted', 'the answer must have stopReason aborted:', ends.at(-1)?.event);
      const state = dataOf(await client.succeeds({ type: 'get_state', sessionId: session }));
      expect(state.isStreaming === false, 'the agent must be idle:', state);
    },
  },
  '17.2-94': {
    section: '17.2',
    sentence: 'steer reaches the agent while it works.',
    input: 'steer during a prompt',
    expected: 'answered at once; the message enters the running conversation',
    needs: { script: ['busy', 'text'] },
    run: (context) => joins(context, 'steer'),
  },
  '17.2-94b': {
    section: '17.2',
    sentence: 'follow_up is queued while the agent works, and said in the same run.',
    input: 'follow_up during a prompt',
    expected: 'answered at once; the message enters the running conversation',
    needs: { script: ['busy', 'text'] },
    run: (context) => joins(context, 'follow_up'),
  },
  '17.2-95': {
    section: '17.2',
    sentence: 'abort_bash ends the command that runs.',
    input: 'abort_bash during a bash that would not end',
    expected: 'cancelled: true',
    needs: { script: ['endless shell'] },
    async run(context) {
      const { client, session } = await context.clientWithSession();
      const id = context.mint('bash');
      client.start({ id, type: 'bash', sessionId: session, command: context.tools.script('endless shell') });
      const began = (received: readonly ReceivedFrame[]) =>
        received.find(({ frame }) => frame.type === 'command_started' && dataOf(frame).commandId === id);
      await context.prepare(() => client.until('bash that was started', began));
      await client.succeeds({ type: 'abort_bash', sessionId: session });
      const frame = await client.response(id);
      expect(dataOf(frame).cancelled === true, 'it must be cancelled:', frame);
    },
  },
};
