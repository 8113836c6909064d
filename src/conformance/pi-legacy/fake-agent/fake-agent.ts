// A fake pi 0.13.2 for clients under test (docs/protocols/pi-legacy.md 1 to 3). Unlike the real program it runs one
// prompt at a time.
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Connection } from '../../check/check.ts';
import type { ServeTools } from '../../check/sets.ts';
import { createAgentSession, objectOf } from '../../pi/fake-agent/agent-session.ts';
import { behaviours } from './behaviours.ts';

const summary = 'The conversation was about a few files.';

/** Serves one client. */
export function serve(connection: Connection, tools: ServeTools): Promise<{ readonly isComplete: boolean }> {
  const session = createAgentSession(connection, tools, true);
  const { writer, context, send } = session;

  function compacted(more: Dictionary = {}): void {
    const timestamp = new Date().toISOString();
    send({ type: 'compaction', timestamp, summary, firstKeptEntryIndex: 0, tokensBefore: 199_053, ...more });
  }

  function prompt({ message, attachments }: Dictionary): void {
    // The real program ignores a prompt that it cannot run.
    if (typeof message !== 'string' || message === '') return;
    session.enqueue(async () => {
      const name = tools.behaviourFor(message);
      writer.beginRun();
      writer.beginTurn();
      const files = Array.isArray(attachments) ? attachments.filter(isDictionary) : [];
      writer.user(
        [{ type: 'text', text: message }, ...files.flatMap(shownAs)],
        files.length === 0 ? {} : { attachments: files },
      );
      await behaviours.find((behaviour) => behaviour.name === name)?.run(context);
      writer.endTurn();
      writer.endRun();
      if (name === 'compaction') compacted({ auto: true });
    });
  }

  return session.readLines((json, text) => {
    const line = objectOf(json);
    if (line === null) {
      if (json === undefined || json === null)
        send({ type: 'error', error: `Unexpected token in ${text.slice(0, 40)}` });
      return;
    }
    if (line.type === 'prompt') prompt(line);
    if (line.type === 'abort') session.stop();
    if (line.type === 'compact') session.enqueue(async () => compacted());
  });
}

/** The blocks that an attachment adds to the user message. */
function shownAs({ type, fileName, mimeType, content, extractedText }: Dictionary): Dictionary[] {
  if (type === 'image') return [{ type: 'image', data: content, mimeType }];
  if (typeof extractedText !== 'string') return [];
  return [{ type: 'text', text: `\n\n[Document: ${String(fileName)}]\n${extractedText}`, isDocument: true }];
}
