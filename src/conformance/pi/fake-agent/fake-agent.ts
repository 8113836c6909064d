// A fake pi 0.54.2 for clients under test (docs/protocols/pi.md 4 to 6). Runs one prompt at a time, and answers the
// commands that real clients send well enough for them to continue.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Connection } from '../../check/check.ts';
import type { ServeTools } from '../../check/sets.ts';
import { createAgentSession, objectOf } from './agent-session.ts';
import { behaviours, type PiBehaviourContext } from './behaviours.ts';
import { createCommandHandler } from './command-handler.ts';

const summary = { summary: 'It was about a few files.', firstKeptEntryId: '0034207b', tokensBefore: 199_053 };
const details = { readFiles: [], modifiedFiles: [] };
const busyWords =
  "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
/** Clients since 0.99 read the disposition (docs/protocols/pi.md 4.12); older ones read no data. */
const queued = { data: { disposition: 'queued' } };

/** Serves one client. */
export function serve(connection: Connection, tools: ServeTools): Promise<{ readonly isComplete: boolean }> {
  const session = createAgentSession(connection, tools, false);
  const { writer, send } = session;
  const replies = new Map<unknown, Dictionary>();
  let waiting: Dictionary[] = [];
  let openDialogs = 0;

  const commandHandler = createCommandHandler({
    mint: tools.mint,
    messages: () => writer.messages,
    forget: () => writer.clear(),
    isBusy: () => session.isBusy,
    waiting: () => waiting.length,
  });

  const context: PiBehaviourContext = {
    ...session.context,
    async ask(request) {
      const id = tools.mint('dialog');
      openDialogs += 1;
      send({ type: 'extension_ui_request', id, ...request });
      const patience = typeof request.timeout === 'number' ? request.timeout : tools.patienceMs;
      const reply = await session.wait(() => replies.get(id), Math.min(patience, tools.patienceMs));
      openDialogs -= 1;
      return reply;
    },
    notify: (request) => send({ type: 'extension_ui_request', id: tools.mint('shown'), ...request }),
  };

  function answer({ id, type }: Dictionary, outcome: { readonly data?: unknown } | { readonly error: string }): void {
    const name = { ...(id === undefined ? {} : { id }), type: 'response', command: type };
    send({ ...name, success: !('error' in outcome), ...outcome });
  }

  const contentOf = ({ message, images }: Dictionary) => [
    { type: 'text', text: String(message) },
    ...(Array.isArray(images) ? images.filter(isDictionary) : []),
  ];

  /** Messages that came during the run join it; all others wait for the next run. */
  function join(): void {
    const joining = waiting;
    waiting = [];
    for (const line of joining) {
      writer.endTurn();
      writer.beginTurn();
      writer.user(contentOf(line));
      writer.answer([{ kind: 'text', pieces: ['As you ', 'wish.'] }]);
    }
  }

  function play(line: Dictionary): void {
    session.enqueue(async () => {
      const name = tools.behaviourFor(String(line.message));
      const early = waiting;
      waiting = [];
      writer.beginRun();
      writer.beginTurn();
      for (const one of [line, ...early]) writer.user(contentOf(one));
      await behaviours.find((behaviour) => behaviour.name === name)?.run(context);
      join();
      writer.endTurn();
      writer.endRun();
      if (name === 'compaction') {
        send({ type: 'auto_compaction_start', reason: 'threshold' });
        send({ type: 'auto_compaction_end', result: { ...summary, details }, aborted: false, willRetry: false });
      }
      // Newer clients wait for this line, and older ones ignore it (docs/protocols/pi.md 1.6, 11.6).
      send({ type: 'agent_settled' });
    });
  }

  function prompt(line: Dictionary): void {
    const { message, streamingBehavior: how } = line;
    if (typeof message !== 'string') return answer(line, { error: 'message must be a string' });
    if (!session.isBusy) {
      answer(line, { data: { disposition: 'started' } });
      return play(line);
    }
    if (how !== 'steer' && how !== 'followUp') return answer(line, { error: busyWords });
    waiting.push(line);
    answer(line, queued);
  }

  /** Answers once the agent is idle, as the real one does. */
  function abort(line: Dictionary): void {
    session.stop();
    void session.idle().then(() => {
      if (connection.ended === null) answer(line, {});
    });
  }

  const handlers: ReadonlyMap<unknown, (line: Dictionary) => void> = new Map([
    ['prompt', prompt],
    ['abort', abort],
    [
      'steer',
      (line) => {
        waiting.push(line);
        answer(line, queued);
      },
    ],
    [
      'follow_up',
      (line) => {
        waiting.push(line);
        answer(line, queued);
      },
    ],
    ['compact', (line) => answer(line, { data: { ...summary, details } })],
  ]);

  return session
    .readLines((json, text) => {
      const line = objectOf(json);
      if (line === null) {
        const error = `Failed to parse command: ${text.slice(0, 40)}`;
        return send({ type: 'response', command: 'parse', success: false, error });
      }
      if (line.type === 'extension_ui_response') return void replies.set(line.id, dictionaryOf(line));
      const handle = handlers.get(line.type);
      if (handle !== undefined) return handle(line);
      answer(line, commandHandler.answer(line) ?? { error: `Unknown command: ${String(line.type)}` });
    })
    .then(({ isComplete }) => ({ isComplete: isComplete && openDialogs === 0 }));
}
