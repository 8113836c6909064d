// A client of pi-server that opens a session, speaks in it, closes it, and opens it again from its file.
import { z } from 'zod';
import { connect, type SoakClient } from './client.ts';
import type { Turn } from './cycles.ts';

const Answer = z.looseObject({
  type: z.literal('response'),
  id: z.string(),
  success: z.boolean(),
  error: z.string().optional(),
  data: z.looseObject({}).optional(),
});
const Stored = z.looseObject({
  sessions: z.array(
    z.looseObject({ sessionId: z.string(), path: z.string().optional(), sessionPath: z.string().optional() }),
  ),
});

let commands = 0;

/** Says a command and gives the data of its answer. */
async function ask(client: SoakClient, type: string, more: object = {}): Promise<unknown> {
  commands += 1;
  const id = `soak-${commands}`;
  const answerIn = (frames: readonly string[]) =>
    frames
      .filter((frame) => frame.includes(id))
      .map((frame) => Answer.safeParse(JSON.parse(frame)).data)
      .find((answer) => answer?.id === id);
  await client.say(JSON.stringify({ id, type, ...more }));
  const answer = answerIn(await client.hear(`the answer to ${type}`, (frames) => answerIn(frames) !== undefined));
  if (answer?.success !== true) throw new Error(`${type} failed: ${answer?.error}`);
  return answer.data;
}

/** One such conversation. */
export async function storedSessions({ gateway, number, worker }: Turn): Promise<void> {
  const client = await connect(gateway, 'websocket', { frontend: 'pi-server' });
  const sessionId = `stored-${worker}-${number}`;
  try {
    await ask(client, 'create_session', { sessionId });
    await ask(client, 'switch_session', { sessionId });
    await ask(client, 'prompt', { sessionId, message: 'think tool' });
    await ask(client, 'set_session_name', { sessionId, name: `a name ${number}` });
    await ask(client, 'get_messages', { sessionId });
    await ask(client, 'get_metrics');
    await ask(client, 'delete_session', { sessionId });
    const { sessions } = Stored.parse(await ask(client, 'list_stored_sessions'));
    const stored = sessions.find((session) => session.sessionId === sessionId);
    if (stored === undefined) throw new Error(`${sessionId} was not stored`);
    const again = `again-${worker}-${number}`;
    await ask(client, 'load_session', { sessionPath: stored.sessionPath ?? stored.path, sessionId: again });
    // Every second session stays open until the end of the phase.
    if (number % 2 === 0) await ask(client, 'delete_session', { sessionId: again });
  } finally {
    client.cut();
  }
}
