// The behaviours of our fake ECA server, as scripts over one chat.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Behaviour } from '../../check/sets.ts';
import { nobodys } from '../methods.ts';

/** One chat of one editor, as a script sees it. */
export interface BehaviourContext {
  readonly chatId: string;
  /** A unique id that begins with `word`. */
  mint(word: string): string;
  /** Sends a content to the chat. */
  sendContent(role: 'user' | 'system' | 'assistant', content: Dictionary): void;
  notify(method: string, params: Dictionary): void;
  /** Sends a request to the editor and waits for the answer, as long as the patience lasts. */
  ask(id: string | number, method: string, params: Dictionary): Promise<void>;
  /** The editor's first decision on a tool call, or null when the patience runs out. */
  decision(call: string): Promise<'approve' | 'reject' | 'stop' | null>;
  /** Resolves with true when the editor stops the chat, with false when the patience runs out. */
  stopped(): Promise<boolean>;
}

/** The part of a run between the echo of the prompt and the end, which are the same for all. */
export type Script = (context: BehaviourContext) => Promise<void>;

const usage: Dictionary = {
  type: 'usage',
  messageInputTokens: 10,
  messageOutputTokens: 20,
  sessionTokens: 30,
  messageCost: '0.01',
  lastMessageCost: '0.01',
  sessionCost: '0.02',
  limit: { context: 200_000, output: 32_000 },
};
const running = (text: string): Dictionary => ({ type: 'progress', state: 'running', text });

function sendText(context: BehaviourContext, ...texts: readonly string[]): void {
  context.sendContent('system', running('Generating'));
  for (const text of texts) context.sendContent('assistant', { type: 'text', text });
}

/** Prepares a tool call so that both eras read it: empty arguments, then all of them. */
function prepare(context: BehaviourContext, manualApproval: boolean): Dictionary {
  const head = { id: context.mint('call'), name: 'shell_command', server: 'eca', origin: 'native', summary: '$ ls' };
  const input = { command: 'ls' };
  for (const argumentsText of ['', JSON.stringify(input)])
    context.sendContent('assistant', { type: 'toolCallPrepare', ...head, argumentsText, manualApproval });
  return { ...head, arguments: input };
}

function execute(context: BehaviourContext, call: Dictionary): void {
  context.sendContent('assistant', { type: 'toolCallRunning', ...call });
  context.sendContent('system', running('Calling tool'));
  const outputs = [{ type: 'text', text: 'a b', content: 'a b' }];
  context.sendContent('assistant', { type: 'toolCalled', ...call, error: false, outputs, totalTimeMs: 5 });
}

async function askFor(context: BehaviourContext, call: Dictionary): Promise<boolean> {
  context.sendContent('assistant', { type: 'toolCallRun', ...call, manualApproval: true });
  context.sendContent('system', running('Waiting for tool call approval'));
  const decision = await context.decision(String(call.id));
  if (decision === 'approve') execute(context, call);
  else context.sendContent('assistant', { type: 'toolCallRejected', ...call, reason: 'user' });
  return decision === 'approve';
}

const scripts: readonly (Behaviour & { readonly script: Script })[] = [
  {
    name: 'text',
    title: 'words, a link, what they cost, a title of the chat',
    async script(context) {
      context.sendContent('system', { type: 'metadata', title: 'A title' });
      sendText(context, 'Grüße', ' aus Zürich 😀\u2028', '\n');
      context.sendContent('assistant', { type: 'url', title: 'somewhere', url: 'https://example.test/' });
      context.sendContent('system', usage);
    },
  },
  {
    name: 'think',
    title: 'a reason, then words',
    async script(context) {
      const id = context.mint('reason');
      context.sendContent('system', running('Generating'));
      context.sendContent('assistant', { type: 'reasonStarted', id });
      context.sendContent('assistant', { type: 'reasonText', id, text: 'I should ' });
      context.sendContent('assistant', { type: 'reasonText', id, text: 'say hello.' });
      context.sendContent('assistant', { type: 'reasonFinished', id, totalTimeMs: 3 });
      sendText(context, 'Hello.');
      context.sendContent('system', usage);
    },
  },
  {
    name: 'tool',
    title: 'a call that needs no approval',
    async script(context) {
      sendText(context, 'I look.');
      const call = prepare(context, false);
      context.sendContent('assistant', { type: 'toolCallRun', ...call, manualApproval: false });
      execute(context, call);
      sendText(context, 'There are two.');
    },
  },
  {
    name: 'approval',
    title: 'a call that waits until the editor approves or rejects it',
    async script(context) {
      const call = prepare(context, true);
      sendText(context, (await askFor(context, call)) ? 'There are two.' : 'As you like.');
    },
  },
  {
    name: 'two-approvals',
    title: 'two calls of one message that wait one after the other',
    async script(context) {
      const calls = [prepare(context, true), prepare(context, true)];
      for (const call of calls) await askFor(context, call);
      sendText(context, 'That was all.');
    },
  },
  {
    name: 'stop',
    title: 'goes on until the editor stops it',
    async script(context) {
      sendText(context, 'one ', 'two ');
      if (await context.stopped()) context.sendContent('system', { type: 'text', text: '\nPrompt stopped\n' });
    },
  },
  {
    name: 'fail',
    title: 'the model fails',
    async script(context) {
      context.sendContent('system', { type: 'text', text: '\n\nThe model is overloaded' });
    },
  },
  {
    name: 'odd',
    title: 'a content, a notification and requests that no editor knows',
    async script(context) {
      context.sendContent('system', { type: 'conformanceContent', any: ['thing'] });
      context.notify(nobodys, { any: 'thing' });
      context.notify('$/showMessage', { type: 'info', message: 'A message for the user.' });
      await Promise.all([
        context.ask(context.mint('request'), nobodys, { any: 'thing' }),
        context.ask(4711, nobodys, { any: 'thing' }),
      ]);
      sendText(context, 'Still here?');
    },
  },
];

/** Behaviours that a prompt can request by name. */
export const behaviours: readonly Behaviour[] = scripts.map(({ name, title }) => ({ name, title }));

/** The script of a behaviour. */
export const scriptOf = (name: string): Script | undefined => scripts.find((one) => one.name === name)?.script;
