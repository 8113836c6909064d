// The behaviours of our fake ACP agent, as scripts over one prompt of one session.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Behaviour } from '../../check/sets.ts';
import { at } from '../view/view.ts';
import { nobodys, nobodysPlain } from '../words.ts';

/** One prompt of one session, as a script sees it. */
export interface BehaviourContext {
  readonly session: string;
  /** What the client declared. */
  readonly can: (...path: readonly string[]) => boolean;
  /** A unique id that begins with `word`. */
  mint(word: string): string;
  update(update: Dictionary): void;
  notify(method: string, params: Dictionary): void;
  /** Sends a request to the client. Resolves with the answer, or with null when the patience runs out. */
  ask(method: string, params: Dictionary): Promise<Dictionary | null>;
  /** Resolves with true when the client cancels the prompt, with false when the patience runs out. */
  cancelled(): Promise<boolean>;
}

/** What a prompt is answered: the reason why the turn ended, or an error. */
export type Ending = 'end_turn' | { readonly code: number; readonly message: string };
/** A turn up to its answer. */
export type Script = (context: BehaviourContext) => Promise<Ending>;

function say(context: BehaviourContext, ...texts: readonly string[]): void {
  const messageId = context.mint('message');
  for (const text of texts)
    context.update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
}

/** Creates a call of a shell; returns its id. */
function create(context: BehaviourContext, command = 'ls'): string {
  const toolCallId = context.mint('call');
  const rawInput = { command };
  const call = { toolCallId, title: command, name: 'bash', kind: 'execute', status: 'pending', rawInput };
  context.update({ sessionUpdate: 'tool_call', ...call });
  return toolCallId;
}

function end(context: BehaviourContext, toolCallId: string, status: 'completed' | 'failed'): void {
  const content = status === 'completed' ? [{ type: 'content', content: { type: 'text', text: 'a b' } }] : [];
  context.update({ sessionUpdate: 'tool_call_update', toolCallId, status, content });
}

const options = [
  { optionId: 'yes-1', name: 'Allow', kind: 'allow_once' },
  { optionId: 'always-1', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no-1', name: 'Reject', kind: 'reject_once' },
];

/** Asks for permission of one call, and runs the call. */
async function askFor(context: BehaviourContext, command?: string): Promise<boolean> {
  const toolCallId = create(context, command);
  const answer = await context.ask('session/request_permission', {
    sessionId: context.session,
    toolCall: { toolCallId },
    options,
  });
  const chosen = at(answer?.result, 'outcome', 'optionId');
  const isAllowed = chosen === 'yes-1' || chosen === 'always-1';
  if (isAllowed) context.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
  end(context, toolCallId, isAllowed ? 'completed' : 'failed');
  return isAllowed;
}

const scripts: readonly (Behaviour & { readonly script: Script })[] = [
  {
    name: 'text',
    title: 'words, what they cost, a title of the session',
    async script(context) {
      context.update({ sessionUpdate: 'session_info_update', title: 'A title' });
      say(context, 'Grüße', ' aus Zürich 😀\u2028', '\n');
      context.update({ sessionUpdate: 'usage_update', used: 100, size: 200_000 });
      return 'end_turn';
    },
  },
  {
    name: 'think',
    title: 'a thought, then words',
    async script(context) {
      for (const text of ['I should ', 'say hello.'])
        context.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
      say(context, 'Hello.');
      return 'end_turn';
    },
  },
  {
    name: 'tool',
    title: 'a plan, and a call that needs no permission',
    async script(context) {
      const entries = [{ content: 'Look', priority: 'medium', status: 'in_progress' }];
      context.update({ sessionUpdate: 'plan', entries });
      const call = create(context);
      context.update({ sessionUpdate: 'tool_call_update', toolCallId: call, status: 'in_progress' });
      end(context, call, 'completed');
      say(context, 'There are two.');
      return 'end_turn';
    },
  },
  {
    name: 'permission',
    title: 'a call that waits until the client allows or rejects it',
    async script(context) {
      say(context, (await askFor(context)) ? 'There are two.' : 'As you like.');
      return 'end_turn';
    },
  },
  {
    name: 'two-permissions',
    title: 'two calls that wait at the same time',
    async script(context) {
      await Promise.all([askFor(context), askFor(context)]);
      say(context, 'That was all.');
      return 'end_turn';
    },
  },
  {
    name: 'cancel',
    title: 'goes on until the client cancels',
    async script(context) {
      say(context, 'one ', 'two ');
      await context.cancelled();
      return 'end_turn';
    },
  },
  {
    name: 'cancel-permission',
    title: 'a call that waits for permission, for a client that cancels the prompt then',
    async script(context) {
      await askFor(context, 'sleep 60');
      await context.cancelled();
      return 'end_turn';
    },
  },
  {
    name: 'fail',
    title: 'the model fails',
    script: async () => ({ code: -32_603, message: 'The model is overloaded' }),
  },
  {
    name: 'login',
    title: 'the agent wants a login',
    script: async () => ({ code: -32_000, message: 'Authentication required' }),
  },
  {
    name: 'files',
    title: 'reads and writes a file, and runs a command, if the client declares that',
    async script(context) {
      const { session: sessionId, can, ask } = context;
      const path = `${process.cwd()}/package.json`;
      if (can('fs', 'readTextFile')) await ask('fs/read_text_file', { sessionId, path, line: 1, limit: 1 });
      if (can('terminal')) {
        const made = await ask('terminal/create', { sessionId, command: 'echo', args: ['hello'] });
        const terminalId = at(made?.result, 'terminalId');
        if (typeof terminalId === 'string')
          for (const word of ['wait_for_exit', 'output', 'release'])
            await ask(`terminal/${word}`, { sessionId, terminalId });
      }
      say(context, 'Done.');
      return 'end_turn';
    },
  },
  {
    name: 'form',
    title: 'asks for a name, if the client declares forms',
    async script(context) {
      const properties = { name: { type: 'string', title: 'Name' } };
      const requestedSchema = { type: 'object', properties, required: ['name'] };
      const question = { sessionId: context.session, mode: 'form', message: 'Your name?', requestedSchema };
      if (context.can('elicitation', 'form')) await context.ask('elicitation/create', question);
      say(context, 'Thank you.');
      return 'end_turn';
    },
  },
  {
    name: 'odd',
    title: 'an update, notifications and requests that no client knows or has declared',
    async script(context) {
      const { session: sessionId } = context;
      context.update({ sessionUpdate: '_conformance_update', any: ['thing'] });
      context.update({ sessionUpdate: 'conformance_update', any: ['thing'] });
      context.notify(nobodys, { any: 'thing' });
      const asks = [context.ask(nobodys, { any: 'thing' }), context.ask(nobodysPlain, { any: 'thing' })];
      if (!context.can('fs', 'readTextFile'))
        asks.push(context.ask('fs/read_text_file', { sessionId, path: '/conformance/nothing' }));
      if (!context.can('terminal')) asks.push(context.ask('terminal/create', { sessionId, command: 'echo' }));
      await Promise.all(asks);
      say(context, 'Still here?');
      return 'end_turn';
    },
  },
];

/** Behaviours that a prompt can request by name. */
export const behaviours: readonly Behaviour[] = scripts.map(({ name, title }) => ({ name, title }));

/** The script of a behaviour. */
export const scriptOf = (name: string): Script | undefined => scripts.find((one) => one.name === name)?.script;
