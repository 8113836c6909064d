// Checks of session versions: docs/protocols/pi-server.md 10 (rows: 23.7).
import { type Client, type CommandFields, expect } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { versionOf } from '../context.ts';
import { dataOf, stepsIn, stepsOf } from '../view/frames.ts';

/** Commands of docs/protocols/pi-server.md 17.2 that only read (10.3). */
const reads = [
  'get_state',
  'get_messages',
  'get_available_models',
  'get_commands',
  'get_skills',
  'get_tools',
  'list_session_files',
  'get_session_stats',
  'get_fork_messages',
  'get_last_assistant_text',
  'get_context_usage',
];

/**
 * Commands of docs/protocols/pi-server.md 17.2 that change the session, or may. An agent need not support all of them.
 */
const changes = (context: CheckContext): readonly CommandFields[] => [
  { type: 'set_session_name', name: 'changed' },
  { type: 'set_thinking_level', level: 'low' },
  { type: 'cycle_thinking_level' },
  { type: 'cycle_model' },
  { type: 'set_auto_compaction', enabled: true },
  { type: 'set_auto_retry', enabled: true },
  { type: 'abort' },
  { type: 'abort_retry' },
  { type: 'abort_compaction' },
  { type: 'abort_bash' },
  ...['text'].flatMap((word) => commandsWith(context, word)),
  ...['shell'].flatMap((word) => commandsWith(context, word)),
];

/** A prompt or shell command, where the target has one for the script word. */
function commandsWith({ tools }: CheckContext, word: string): CommandFields[] {
  try {
    const text = tools.script(word);
    return word === 'shell' ? [{ type: 'bash', command: text }] : [{ type: 'prompt', message: text }];
  } catch {
    return [];
  }
}

const nowOf = async (client: Client, sessionId: string) =>
  versionOf(await client.succeeds({ type: 'get_state', sessionId }));

/** Rows 68 to 78. */
export const versionRows: PiServerRows = {
  '10-68': {
    section: '10',
    sentence: 'A new session has version 0.',
    input: 'create_session, get_state',
    expected: 'sessionVersion 0 in the response and in the lifecycle',
    async run({ client: open, mint, tools }) {
      const client = await open();
      const sessionId = mint('session');
      const id = mint('create');
      const frame = await client.succeeds({ id, type: 'create_session', sessionId });
      tools.atEnd(async () => void (await client.ask({ type: 'delete_session', sessionId })));
      const finished = stepsOf(client.received(), id).at(-1)?.data;
      expect((frame.sessionVersion ?? finished?.sessionVersion) === 0, 'the version must be 0:', frame, finished);
      expect((await nowOf(client, sessionId)) === 0, 'the version of get_state must be 0');
    },
  },
  '10-69': {
    section: '10',
    sentence: 'Commands that only read leave the version as it is.',
    input: 'each read command of 17.2',
    expected: 'version unchanged',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      for (const type of reads) {
        const frame = await client.ask({ type, sessionId: session });
        const isUnchanged = frame.success !== true || frame.sessionVersion === 0;
        expect(isUnchanged, `${type} must tell version 0:`, frame.sessionVersion);
        expect((await nowOf(client, session)) === 0, `${type} must leave the version at 0`);
      }
    },
  },
  '10-70': {
    section: '10',
    sentence: 'Each command that changes something and succeeds makes the version one more.',
    input: 'each command of 17.2 that is no read',
    expected: 'version + 1 for each success, unchanged for each failure',
    async run(context) {
      const { client, session } = await context.clientWithSession();
      let version = 0;
      for (const command of changes(context)) {
        const frame = await client.ask({ ...command, sessionId: session });
        if (frame.success === true) version += 1;
        const reported = frame.success === true ? frame.sessionVersion : undefined;
        expect(reported === undefined || reported === version, `${command.type} must tell version ${version}:`, frame);
        const found = await nowOf(client, session);
        expect(found === version, `behind ${command.type} the version must be ${version}, and is`, found);
      }
      expect(version > 0, 'at least set_session_name must succeed');
    },
  },
  '10-71': {
    section: '10',
    sentence: 'A change that fails leaves the version as it is.',
    input: 'set_model with an unknown model',
    expected: 'failure, version unchanged',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      await client.fails({ type: 'set_model', sessionId: session, provider: 'nobody', modelId: 'none' });
      expect((await nowOf(client, session)) === 0, 'the version must still be 0');
    },
  },
  '10-72': {
    section: '10',
    sentence: 'delete_session forgets the version.',
    input: 'change, delete_session, create_session of the same name',
    expected: 'version 0 again',
    async run({ clientWithSession, prepare }) {
      const { client, session } = await clientWithSession();
      await prepare(() => client.succeeds({ type: 'set_session_name', sessionId: session, name: 'n1' }));
      await prepare(() => client.succeeds({ type: 'delete_session', sessionId: session }));
      await prepare(() => client.succeeds({ type: 'create_session', sessionId: session }));
      expect((await nowOf(client, session)) === 0, 'the version must be 0 again');
    },
  },
  '10-73': {
    section: '10',
    isMeasured: true,
    level: 'MAY',
    sentence: 'switch_session tells the version.',
    input: 'switch_session to a session of version 1',
    expected: 'sessionVersion 1',
    async run({ clientWithSession, prepare }) {
      const { client, session } = await clientWithSession();
      await prepare(() => client.succeeds({ type: 'set_session_name', sessionId: session, name: 'n1' }));
      const id = client.start({ type: 'switch_session', sessionId: session });
      const frame = await client.response(id);
      const finished = stepsOf(client.received(), id).at(-1)?.data;
      expect((frame.sessionVersion ?? finished?.sessionVersion) === 1, 'it must be 1:', frame, finished);
    },
  },
  '10.1-74': {
    section: '10.1',
    level: 'MAY',
    sentence: 'ifSessionVersion that is right lets the command through.',
    input: 'set_session_name with ifSessionVersion 0 on a new session',
    expected: 'runs',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      const frame = await client.succeeds({
        type: 'set_session_name',
        sessionId: session,
        name: 'n1',
        ifSessionVersion: 0,
      });
      expect(frame.sessionVersion === 1, 'it must be carried out:', frame);
    },
  },
  '10.1-75': {
    section: '10.1',
    sentence: 'ifSessionVersion that is wrong fails the command.',
    input: 'set_session_name with ifSessionVersion 3 on a new session',
    expected: 'failure "Session version mismatch: expected 3, got 0", no effect',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      const command = { type: 'set_session_name', sessionId: session, name: 'n1', ifSessionVersion: 3 };
      await client.fails(command, /^Session version mismatch: expected 3, got 0$/u);
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      const isUntouched = dataOf(state).sessionName !== 'n1' && state.sessionVersion === 0;
      expect(isUntouched, 'there must be no effect:', state);
    },
  },
  '10.1-76': {
    section: '10.1',
    sentence: 'ifSessionVersion for a session that is not there fails the command.',
    input: 'get_state of no session with ifSessionVersion 0',
    expected: 'failure "Session … not found …"',
    async run({ client: open, mint }) {
      const client = await open();
      await client.fails({ type: 'get_state', sessionId: mint('ghost'), ifSessionVersion: 0 }, /not found/u);
    },
  },
  '10.1-77': {
    section: '10.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'ifSessionVersion is for commands of a session.',
    input: 'list_sessions, create_session, switch_session with ifSessionVersion',
    expected: 'validation failure each, no lifecycle',
    async run({ clientWithSession, mint }) {
      const { client, session } = await clientWithSession();
      const from = client.now;
      const all: readonly CommandFields[] = [
        { type: 'list_sessions' },
        { type: 'create_session', sessionId: mint('session') },
        { type: 'switch_session', sessionId: session },
      ];
      const ids = all.map(() => mint('version'));
      for (const [index, command] of all.entries()) {
        const id = ids[index];
        await client.fails({ id, ...command, ifSessionVersion: 0 }, /ifSessionVersion/u);
      }
      await client.settled();
      const steps = stepsIn(client.received(from)).filter(({ data }) => ids.includes(String(data.commandId)));
      expect(steps.length === 0, 'there must be no lifecycle:', steps);
    },
  },
  '10.1-78': {
    section: '10.1',
    isMeasured: true,
    level: 'MAY',
    sentence: 'delete_session takes ifSessionVersion.',
    input: 'delete_session with a wrong version, then with the right one',
    expected: 'failure, then deleted',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      const command = { type: 'delete_session', sessionId: session };
      await client.fails({ ...command, ifSessionVersion: 3 }, /mismatch/u);
      await client.succeeds({ type: 'get_state', sessionId: session });
      await client.succeeds({ ...command, ifSessionVersion: 0 });
    },
  },
};
