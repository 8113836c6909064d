// Checks of the answer to each command: docs/protocols/pi-server.md 17 (rows: 23.10).
import { NotApplicable } from '../../check/check.ts';
import { misfit, type Shape } from '../../check/shape.ts';
import { type Client, type CommandFields, expect } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { type Answered, serverAnswers, sessionAnswers, sessionCommands, sessionInfo } from '../shapes/answers.ts';
import { dataOf } from '../view/frames.ts';

/** The command, with a prompt or shell command of the target's script filled in. */
function filled({ type, fields = {}, script }: Answered, { tools }: CheckContext): CommandFields {
  return { type, ...fields, ...(script === undefined ? {} : { [script.field]: tools.script(script.word) }) };
}

async function answersWell(client: Client, command: CommandFields, row: Answered): Promise<void> {
  const frame = await client.ask(command);
  if (frame.success !== true && row.mayRefuse === true) {
    expect(typeof frame.error === 'string' && frame.error !== '', 'a failure must have an error:', frame);
    throw new NotApplicable(`its agent cannot: ${String(frame.error)}`);
  }
  expect(frame.success === true, `${row.type} must succeed:`, frame);
  expectData(frame.data, row.data);
}

function expectData(data: unknown, shape: Shape | undefined): void {
  const wrong = shape === undefined ? (data == null ? null : 'it must have no data') : misfit(data, shape);
  expect(wrong === null, `${wrong}:`, data);
}

function serverRow(row: Answered): [string, PiServerRows[string]] {
  return [
    `17.1-91:${row.type}`,
    {
      section: '17.1',
      sentence: `${row.type} answers in its shape.`,
      covers: [`command:${row.type}`],
      input: row.type,
      expected: 'data as in docs/protocols/pi-server.md 17.4 to 17.9',
      async run(context) {
        const { client } = await context.clientWithSession();
        await answersWell(client, filled(row, context), row);
      },
    },
  ];
}

function sessionRow(row: Answered): [string, PiServerRows[string]] {
  const words = [row.script?.word ?? [], row.isAfterPrompt === true ? 'text' : []].flat();
  return [
    `17.2-92:${row.type}`,
    {
      section: '17.2',
      sentence: `${row.type} answers in its shape.`,
      covers: [`command:${row.type}`],
      input: row.isAfterPrompt === true ? `a prompt, then ${row.type}` : row.type,
      expected: row.data === undefined ? 'success without data' : 'data as in docs/protocols/pi-server.md 17.4 to 17.9',
      ...(words.length === 0 ? {} : { needs: { script: words } }),
      async run(context) {
        const { client, session } = await context.clientWithSession();
        if (row.isAfterPrompt === true) await context.prepare(() => client.succeeds(context.prompt(session, 'text')));
        await answersWell(client, { ...filled(row, context), sessionId: session }, row);
        // A run that a steering message has started continues after the response, so the check aborts it.
        if (row.type === 'steer' || row.type === 'follow_up') await client.ask({ type: 'abort', sessionId: session });
      },
    },
  ];
}

/** Rows 90 to 92, and 112. */
export const answerRows: PiServerRows = {
  '17.1-90': {
    section: '17.1',
    sentence: 'A session cannot be made twice, and is not harmed by the attempt.',
    input: 'create_session of a name that there is',
    expected: 'failure "already exists", the first session is intact',
    async run({ clientWithSession }) {
      const { client, session } = await clientWithSession();
      await client.succeeds({ type: 'set_session_name', sessionId: session, name: 'first' });
      await client.fails({ type: 'create_session', sessionId: session }, /already exists/u);
      const state = await client.succeeds({ type: 'get_state', sessionId: session });
      const isIntact = dataOf(state).sessionName === 'first' && state.sessionVersion === 1;
      expect(isIntact, 'the first session must be as it was:', state);
    },
  },
  ...Object.fromEntries(serverAnswers.map(serverRow)),
  '17.1-91:create_session': {
    section: '17.1',
    sentence: 'create_session, switch_session and delete_session answer in their shapes.',
    input: 'create_session, switch_session, list_sessions, delete_session, list_sessions',
    expected: '{sessionId, sessionInfo}, {sessionInfo}, listed, {deleted: true}, no longer listed',
    async run({ client: open, mint }) {
      const client = await open();
      const sessionId = mint('session');
      const isListed = async () =>
        JSON.stringify(await client.succeeds({ type: 'list_sessions' })).includes(`"${sessionId}"`);
      const created = dataOf(await client.succeeds({ type: 'create_session', sessionId }));
      expect(created.sessionId === sessionId, 'sessionId must be the one that was asked for:', created);
      expectData(created.sessionInfo, sessionInfo);
      expectData(dataOf(await client.succeeds({ type: 'switch_session', sessionId })).sessionInfo, sessionInfo);
      expect(await isListed(), 'list_sessions must have it');
      const deleted = dataOf(await client.succeeds({ type: 'delete_session', sessionId }));
      expect(deleted.deleted === true, 'data must be {deleted: true}:', deleted);
      expect(!(await isListed()), 'list_sessions must have it no more');
    },
  },
  ...Object.fromEntries(sessionAnswers.map(sessionRow)),
  '17.2-92:set_model': {
    section: '17.2',
    sentence: 'set_model answers in its shape.',
    covers: ['command:set_model'],
    input: 'get_available_models, set_model with one of them',
    expected: 'data {model}, the one that was asked for',
    async run({ clientWithSession, prepare }) {
      const { client, session } = await clientWithSession();
      const { models } = dataOf(
        await prepare(() => client.succeeds({ type: 'get_available_models', sessionId: session })),
      );
      const last = dataOf({ data: Array.isArray(models) ? models.at(-1) : undefined });
      if (last.id === undefined) throw new NotApplicable('its agent has no models');
      const command = { type: 'set_model', sessionId: session, provider: last.provider, modelId: last.id };
      const { model } = dataOf(await client.succeeds(command));
      expect(dataOf({ data: model }).id === last.id, 'the model must be the one that was asked for:', model);
    },
  },
  '17.2-92:fork': {
    section: '17.2',
    sentence: 'fork answers with the message that it goes back to.',
    covers: ['command:fork'],
    input: 'a prompt, get_fork_messages, fork at the first of them',
    expected: 'data {text, cancelled: false}',
    needs: { script: ['text'] },
    async run({ clientWithSession, prepare, prompt }) {
      const { client, session } = await clientWithSession();
      await prepare(() => client.succeeds(prompt(session, 'text')));
      const listed = await client.ask({ type: 'get_fork_messages', sessionId: session });
      const { messages } = dataOf(listed);
      const first = dataOf({ data: Array.isArray(messages) ? messages[0] : undefined });
      if (first.entryId === undefined) throw new NotApplicable(`its agent cannot: ${JSON.stringify(listed)}`);
      const forked = dataOf(await client.succeeds({ type: 'fork', sessionId: session, entryId: first.entryId }));
      const isIt = forked.text === first.text && forked.cancelled === false;
      expect(isIt, 'it must be the text of that message:', forked);
    },
  },
  '22.1-112': {
    section: '22.1',
    sentence: 'A session that is not there is told by name.',
    input: 'every session command, delete_session and switch_session for a session that is not there',
    expected: 'failure "Session <id> not found" each',
    async run(context) {
      const client = await context.client();
      const sessionId = context.mint('ghost');
      const words = new RegExp(`^Session ${sessionId} not found`, 'u');
      const all: readonly Answered[] = [...sessionCommands, { type: 'delete_session' }, { type: 'switch_session' }];
      const wrong: string[] = [];
      for (const { type, fields = {}, script } of all) {
        const more = script === undefined ? {} : { [script.field]: 'words' };
        const frame = await client.ask({ type, ...fields, ...more, sessionId });
        // An answer to a question that was never asked fails for that reason (docs/protocols/pi-server.md 18.2, 22.5).
        const isReported = type === 'extension_ui_response' || words.test(String(frame.error));
        if (frame.success !== false || !isReported) wrong.push(JSON.stringify(frame));
      }
      expect(wrong.length === 0, `not so: ${wrong.join('\n')}`);
    },
  },
};
