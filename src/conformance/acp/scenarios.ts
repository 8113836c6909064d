// Scenarios for ACP agents: the start, prompts, what is asked, and cancelling. Each has a connection of its own, because a
// connection is greeted once.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Dictionary } from '../../core/model/content.ts';
import { NotApplicable, PeerWrong } from '../check/check.ts';
import { requiredBy } from '../check/rule.ts';
import { type AcpScenario, type CheckContext, type Client, greeting } from './context.ts';
import { sessionScenarios } from './scenarios-sessions.ts';
import { at } from './view/view.ts';

const text = (said: string): Dictionary => ({ type: 'text', text: said });
/** A picture of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A sound of four samples. */
const sound = 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA';

/** A scenario of one prompt of that word. */
const prompts = (name: string, word: string, title: string): AcpScenario => ({
  name,
  title,
  needs: { script: [word] },
  async run({ client: greet }) {
    const client = await greet();
    const { session } = await client.open();
    await client.turn(session, { word });
  },
});

/** The updates of the agent since that frame that are such. */
const updatesOf = ({ connection }: Client, from: number, isIt: (update: unknown) => boolean): unknown[] =>
  connection.log.slice(from).flatMap(({ by, json }) => {
    const update = at(json, 'params', 'update');
    return by === 'peer' && update !== undefined && isIt(update) ? [update] : [];
  });
const isSaid = (update: unknown) => ['agent_message_chunk', 'notice'].includes(String(at(update, 'sessionUpdate')));

/**
 * A scenario of one prompt in whose turn the agent must have told something of that kind. Only the scenario knows what the
 * prompt asks for, so the scenario fails the check.
 */
const makesTell = (
  name: string,
  word: string,
  check: string,
  title: string,
  isIt: (update: unknown) => boolean,
): AcpScenario => ({
  name,
  title,
  needs: { script: [word] },
  async run({ client: greet }) {
    const client = await greet();
    const { session } = await client.open();
    const { id, from } = client.prompt(session, { word });
    const answer = await requiredBy('acp/prompt-answered', () => client.answer(id));
    if ('error' in answer || updatesOf(client, from, isIt).length > 0) return;
    throw new PeerWrong(`nothing of it is told: ${JSON.stringify(answer.result).slice(0, 200)}`, check);
  },
});

/** A prompt with a content that agents declare. */
const holds = (name: string, ability: string, content: Dictionary): AcpScenario => ({
  name,
  title: `a prompt with content of type ${name}`,
  needs: { script: ['text'] },
  async run({ client: greet, tools }) {
    const client = await greet();
    if (!client.can('promptCapabilities', ability)) throw new NotApplicable(`the agent does not declare ${ability}`);
    const { session } = await client.open();
    await client.turn(session, { content: [text(tools.script('text')), content] });
  },
});

/** A turn without an end is cancelled once it has begun, and another one follows. */
async function cancels(
  { client: greet, tools }: CheckContext,
  word: string,
  begun: readonly string[],
  how: 'session' | 'request',
) {
  const client = await greet();
  const { session } = await client.open();
  const { id, from } = client.prompt(session, { word });
  await client.told(session, begun, from);
  if (how === 'session') client.notify('session/cancel', { sessionId: session });
  else client.notify('$/cancel_request', { requestId: id });
  const answer = await requiredBy(how === 'session' ? 'acp/cancel-answered' : 'acp/cancel-request', () =>
    client.answer(id),
  );
  const reason = at(answer.result, 'stopReason');
  if (reason === 'end_turn')
    throw new PeerWrong(
      'work without an end ended by itself',
      how === 'session' ? 'acp/cancel-reason' : 'acp/cancel-request',
    );
  if (how === 'session') await client.turn(session, { text: tools.script('text') });
}

/** A prompt that asks for permission, up to that request. */
async function untilAsked({ client: greet }: CheckContext) {
  const client = await greet();
  const { session } = await client.open();
  client.decision = 'leave';
  const { id, from } = client.prompt(session, { word: 'approval' });
  return { client, session, id, question: await client.asked(from) };
}

/** All scenarios. */
export const scenarios: readonly AcpScenario[] = [
  {
    name: 'start',
    title: 'initialize, session/new, with fields that nobody knows',
    async run({ connect }) {
      const client = await connect();
      const unknown = { conformance: true, _meta: { conformance: { any: 'thing' } } };
      await client.ask('initialize', { ...greeting(), ...unknown }, 'acp/initialize-answered');
      await client.open(unknown);
      await client.settled();
    },
  },
  {
    name: 'newest',
    title: 'initialize for a version that nobody has',
    async run({ connect }) {
      const client = await connect();
      await client.ask('initialize', greeting(undefined, 99), 'acp/version-newest');
    },
  },
  {
    name: 'early',
    title: 'a request before initialize',
    async run({ connect, place }) {
      const client = await connect();
      await client.ask('session/new', place, 'acp/before-initialize');
      await client.ask('initialize', greeting(), 'acp/initialize-answered');
    },
  },
  {
    name: 'text',
    title: 'two prompts of one session, the second one with a link to a file',
    needs: { script: ['text'] },
    async run({ client: greet, tools }) {
      const client = await greet();
      const { session } = await client.open();
      const { from, id: first } = client.prompt(session, { word: 'text' });
      const { result } = await requiredBy('acp/prompt-answered', () => client.answer(first));
      if (at(result, 'stopReason') === 'end_turn' && updatesOf(client, from, isSaid).length === 0)
        throw new PeerWrong('the turn ends, and nothing was said', 'acp/says-something');
      const link = {
        type: 'resource_link',
        uri: pathToFileURL(join(tools.folder, 'notes.txt')).href,
        name: 'notes.txt',
      };
      const said = [text(tools.script('text')), link];
      const id = client.request('session/prompt', { sessionId: session, prompt: said, conformance: true });
      await requiredBy('acp/prompt-answered', () => client.answer(id));
      await client.settled();
    },
  },
  prompts('think', 'think', 'a prompt that makes the model think'),
  prompts('tool', 'tool', 'a prompt that makes the agent use a tool'),
  prompts('tools', 'tools', 'a prompt that makes the agent use several tools'),
  makesTell(
    'tool that fails',
    'toolfail',
    'acp/call-failed',
    'a prompt that makes the agent use a tool that fails',
    (update) => at(update, 'status') === 'failed',
  ),
  prompts('edit', 'edit', 'a prompt that makes the agent change a file'),
  prompts('long', 'long', 'a prompt that is answered at length'),
  prompts('unicode', 'unicode', 'a prompt that is answered beyond ASCII'),
  makesTell('fail', 'fail', 'acp/failure-told', 'a prompt whose model fails', isSaid),
  prompts('notice', 'notice', 'a prompt that makes the agent tell a notice'),
  prompts('compaction', 'compaction', 'a prompt that makes the agent compact its context'),
  prompts('form', 'input', 'a prompt that makes the agent ask for a line of text'),
  holds('image', 'image', { type: 'image', data: pixel, mimeType: 'image/png' }),
  holds('audio', 'audio', { type: 'audio', data: sound, mimeType: 'audio/wav' }),
  holds('resource', 'embeddedContext', {
    type: 'resource',
    resource: { uri: 'file:///conformance/notes.txt', mimeType: 'text/plain', text: 'alpha\nbeta\n' },
  }),
  {
    name: 'plain',
    title: 'a client that can do nothing: a prompt, and one that would open a dialog',
    needs: { script: ['text'] },
    async run({ client: greet, tools }) {
      const client = await greet({});
      const { session } = await client.open();
      await client.turn(session, { text: tools.script('text') });
      for (const word of ['input', 'notice', 'compaction']) {
        const said = optional(() => tools.script(word));
        if (said !== null) await client.turn(session, { text: said });
      }
    },
  },
  {
    name: 'two prompts',
    title: 'a second prompt while the first one runs',
    needs: { script: ['busy', 'text'] },
    async run({ client: greet }) {
      const client = await greet();
      const { session } = await client.open();
      const first = client.prompt(session, { word: 'busy' });
      await client.told(session, ['agent_message_chunk', 'agent_thought_chunk'], first.from);
      const second = client.prompt(session, { word: 'text' });
      await requiredBy('acp/prompt-answered', () => client.answer(first.id));
      await requiredBy('acp/prompt-queued', () => client.answer(second.id));
    },
  },
  {
    name: 'permission',
    title: 'permission is asked and given',
    needs: { script: ['approval'] },
    async run(context) {
      const { client, id, question } = await untilAsked(context);
      client.decide(question, 'allow');
      client.decision = 'allow';
      await requiredBy('acp/prompt-answered', () => client.answer(id));
    },
  },
  {
    name: 'permission rejected',
    title: 'permission is asked and refused',
    needs: { script: ['approval'] },
    async run(context) {
      const { client, id, question } = await untilAsked(context);
      client.decide(question, 'reject');
      client.decision = 'reject';
      await requiredBy('acp/prompt-answered', () => client.answer(id));
    },
  },
  {
    name: 'permission cancelled',
    title: 'the prompt is cancelled while permission is asked',
    needs: { script: ['approval'] },
    async run(context) {
      const { client, session, id, question } = await untilAsked(context);
      client.notify('session/cancel', { sessionId: session });
      client.decide(question, 'cancelled');
      await requiredBy('acp/permission-cancelled', () => client.answer(id));
    },
  },
  {
    name: 'cancel',
    title: 'a text without an end is cancelled, and another prompt follows',
    needs: { script: ['endless', 'text'] },
    run: (context) => cancels(context, 'endless', ['agent_message_chunk', 'agent_thought_chunk'], 'session'),
  },
  {
    name: 'cancel tool',
    title: 'a tool without an end is cancelled, and another prompt follows',
    needs: { script: ['endless tool', 'text'] },
    run: (context) => cancels(context, 'endless tool', ['tool_call', 'tool_call_update'], 'session'),
  },
  {
    name: 'cancel request',
    title: 'a prompt is cancelled by the id of its request',
    needs: { script: ['endless'] },
    run: (context) => cancels(context, 'endless', ['agent_message_chunk', 'agent_thought_chunk'], 'request'),
  },
  {
    name: 'cancel idle',
    title: 'a session in which nothing runs is cancelled, and a request that nobody made; a prompt follows',
    needs: { script: ['text'] },
    async run({ client: greet }) {
      const client = await greet();
      const { session } = await client.open();
      client.notify('session/cancel', { sessionId: session });
      client.notify('$/cancel_request', { requestId: 4711 });
      await client.settled();
      await client.turn(session, { word: 'text' });
    },
  },
  ...sessionScenarios,
];

/** The value, or null where the target has no such prompt. */
function optional<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof NotApplicable) return null;
    throw thrown;
  }
}
