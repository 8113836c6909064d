// Checks of stored sessions: docs/protocols/pi-server.md 20 (rows: 23.13).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { NotApplicable } from '../../check/check.ts';
import { type Client, expect } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { dataOf } from '../view/frames.ts';

async function storedBy(client: Client): Promise<Dictionary[]> {
  const { sessions } = dataOf(await client.succeeds({ type: 'list_stored_sessions' }));
  return Array.isArray(sessions) ? sessions.map(dictionaryOf) : [];
}

interface Kept {
  readonly client: Client;
  readonly session: string;
  /** Path of the session's file. */
  readonly file: string;
  /** The messages of the session. */
  readonly messages: unknown;
}

/** Creates a session with some messages. */
async function kept({ clientWithSession, prepare, prompt }: CheckContext): Promise<Kept> {
  const { client, session } = await clientWithSession();
  return prepare(async () => {
    await client.succeeds(prompt(session, 'text'));
    const { sessionFile } = dataOf(await client.succeeds({ type: 'get_state', sessionId: session }));
    if (typeof sessionFile !== 'string') throw new NotApplicable('its sessions are not kept in files');
    const { messages } = dataOf(await client.succeeds({ type: 'get_messages', sessionId: session }));
    return { client, session, file: sessionFile, messages };
  });
}

/** Loads the file; returns the response and the id of the session, which is deleted at the end of the check. */
async function load({ tools }: CheckContext, client: Client, sessionPath: string) {
  const id = `load-${tools.nonce}`;
  const frame = await client.succeeds({ id, type: 'load_session', sessionPath });
  const { sessionId } = dataOf(frame);
  expect(typeof sessionId === 'string' && sessionId !== '', 'the session must have a name:', frame);
  tools.atEnd(async () => void (await client.ask({ type: 'delete_session', sessionId })));
  return { frame, sessionId: String(sessionId) };
}

/** Roles and texts of the messages, without fields that change from answer to answer. */
const gist = (messages: unknown): string =>
  JSON.stringify(
    Array.isArray(messages)
      ? messages.map((one: unknown) => [dictionaryOf(one).role, dictionaryOf(one).content])
      : null,
  );

async function refusesPaths({ client: open }: CheckContext, paths: readonly string[]): Promise<void> {
  const client = await open();
  const taken: string[] = [];
  for (const sessionPath of paths) {
    const frame = await client.ask({ type: 'load_session', sessionPath });
    if (frame.success !== false || typeof frame.error !== 'string') taken.push(JSON.stringify(frame));
  }
  expect(taken.length === 0, `these must be refused: ${taken.join('\n')}`);
}

/** Rows 106 to 110. */
export const storedRows: PiServerRows = {
  '20.1-106': {
    section: '20.1',
    sentence: 'A session that was kept is listed with its file under both names.',
    input: 'a prompt, list_stored_sessions',
    expected: 'the session, sessionPath = sessionFile, fileExists true',
    needs: { script: ['text'] },
    async run(context) {
      const { client, file } = await kept(context);
      const all = await storedBy(client);
      const wrong = all.find(({ sessionFile, sessionPath }) => sessionFile !== sessionPath);
      expect(wrong === undefined, 'sessionPath must be sessionFile:', wrong);
      const own = all.find(({ sessionFile }) => sessionFile === file);
      expect(
        own?.fileExists === true && typeof own.messageCount === 'number',
        `${file} must be listed, with fileExists and a messageCount:`,
        own,
      );
    },
  },
  '20.2-107': {
    section: '20.2',
    sentence: 'A session that was kept can be loaded.',
    input: 'a prompt, delete_session, load_session by sessionPath',
    expected: 'another name, the messages restored, version 0',
    needs: { script: ['text'] },
    async run(context) {
      const { client, session, file, messages } = await kept(context);
      await context.prepare(() => client.succeeds({ type: 'delete_session', sessionId: session }));
      const { sessionId } = await load(context, client, file);
      const frame = await client.succeeds({ type: 'get_messages', sessionId });
      const isSame = gist(dataOf(frame).messages) === gist(messages);
      expect(isSame, 'the messages must be restored:', dataOf(frame).messages, messages);
      expect(frame.sessionVersion === 0, 'the version must be 0:', frame.sessionVersion);
    },
  },
  '20.2-108': {
    section: '20.2',
    sentence: 'Only files in folders of sessions are loaded.',
    input: 'load_session with .., a relative path, ~, a path outside',
    expected: 'failure each',
    run: (context) =>
      refusesPaths(context, [
        '../x.jsonl',
        '/home/user/.pi/agent/sessions/../../x.jsonl',
        'rel.jsonl',
        '~/.pi/agent/sessions/x.jsonl',
        '/etc/passwd',
        '/tmp/x.jsonl',
      ]),
  },
  '20.2-109': {
    section: '20.2',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A file that is not there is not loaded.',
    input: 'load_session of a file that is not there, in a folder of sessions and in one of another project',
    expected: 'failure each',
    needs: { script: ['text'] },
    async run(context) {
      const { file } = await kept(context);
      const beside = file.replace(/[^/\\]*$/u, `none-${context.tools.nonce}.jsonl`);
      await refusesPaths(context, [beside, `/tmp/none-${context.tools.nonce}/.pi/sessions/none.jsonl`]);
    },
  },
  '17.1-110': {
    section: '17.1',
    sentence: 'delete_session forgets the session and keeps its file.',
    input: 'a prompt, delete_session, list_stored_sessions, load_session',
    expected: 'the session is gone, its file is still listed and can be loaded',
    needs: { script: ['text'] },
    async run(context) {
      const { client, session, file } = await kept(context);
      const deleted = dataOf(await client.succeeds({ type: 'delete_session', sessionId: session }));
      expect(deleted.deleted === true, 'data must be {deleted: true}:', deleted);
      await client.fails({ type: 'get_state', sessionId: session }, /not found/u);
      const own = (await storedBy(client)).find(({ sessionFile }) => sessionFile === file);
      expect(own?.fileExists === true, `${file} must still be listed:`, own);
      await load(context, client, file);
    },
  },
};
