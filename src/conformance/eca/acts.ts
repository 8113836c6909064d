// What our ECA server does with a prompt of the editor that is judged, act by act. Knows no connection: it plays on a desk.
import type { Dictionary } from '../../core/model/content.ts';
import type { Act } from '../sets.ts';
import { nobodys } from './methods.ts';

/** Where an act is played: one chat of one editor. */
export interface Desk {
  readonly chatId: string;
  /** A word that nobody else uses. */
  mint(word: string): string;
  /** Says a content in the chat. */
  say(role: 'user' | 'system' | 'assistant', content: Dictionary): void;
  notify(method: string, params: Dictionary): void;
  /** Asks the editor, and waits until it answers or patience is over. */
  ask(id: string | number, method: string, params: Dictionary): Promise<void>;
  /** What the editor says of that call: what comes first, or null when patience is over. */
  decision(call: string): Promise<'approve' | 'reject' | 'stop' | null>;
  /** Resolves when the editor has stopped this chat, or when patience is over. */
  stopped(): Promise<boolean>;
}

/** What is done; the echo before it and the end behind it are the same for all. */
export type Play = (desk: Desk) => Promise<void>;

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

function speak(desk: Desk, ...texts: readonly string[]): void {
  desk.say('system', running('Generating'));
  for (const text of texts) desk.say('assistant', { type: 'text', text });
}

/** Writes a call as both eras read it: nothing, then all of its arguments. */
function prepare(desk: Desk, manualApproval: boolean): Dictionary {
  const head = { id: desk.mint('call'), name: 'shell_command', server: 'eca', origin: 'native', summary: '$ ls' };
  const input = { command: 'ls' };
  for (const argumentsText of ['', JSON.stringify(input)])
    desk.say('assistant', { type: 'toolCallPrepare', ...head, argumentsText, manualApproval });
  return { ...head, arguments: input };
}

function execute(desk: Desk, call: Dictionary): void {
  desk.say('assistant', { type: 'toolCallRunning', ...call });
  desk.say('system', running('Calling tool'));
  const outputs = [{ type: 'text', text: 'a b', content: 'a b' }];
  desk.say('assistant', { type: 'toolCalled', ...call, error: false, outputs, totalTimeMs: 5 });
}

async function askFor(desk: Desk, call: Dictionary): Promise<boolean> {
  desk.say('assistant', { type: 'toolCallRun', ...call, manualApproval: true });
  desk.say('system', running('Waiting for tool call approval'));
  const said = await desk.decision(String(call.id));
  if (said === 'approve') execute(desk, call);
  else desk.say('assistant', { type: 'toolCallRejected', ...call, reason: 'user' });
  return said === 'approve';
}

const plays: readonly (Act & { readonly play: Play })[] = [
  {
    name: 'text',
    title: 'words, a link, what they cost, a title of the chat',
    async play(desk) {
      desk.say('system', { type: 'metadata', title: 'A title' });
      speak(desk, 'Grüße', ' aus Zürich 😀\u2028', '\n');
      desk.say('assistant', { type: 'url', title: 'somewhere', url: 'https://example.test/' });
      desk.say('system', usage);
    },
  },
  {
    name: 'think',
    title: 'a reason, then words',
    async play(desk) {
      const id = desk.mint('reason');
      desk.say('system', running('Generating'));
      desk.say('assistant', { type: 'reasonStarted', id });
      desk.say('assistant', { type: 'reasonText', id, text: 'I should ' });
      desk.say('assistant', { type: 'reasonText', id, text: 'say hello.' });
      desk.say('assistant', { type: 'reasonFinished', id, totalTimeMs: 3 });
      speak(desk, 'Hello.');
      desk.say('system', usage);
    },
  },
  {
    name: 'tool',
    title: 'a call that needs no approval',
    async play(desk) {
      speak(desk, 'I look.');
      const call = prepare(desk, false);
      desk.say('assistant', { type: 'toolCallRun', ...call, manualApproval: false });
      execute(desk, call);
      speak(desk, 'There are two.');
    },
  },
  {
    name: 'approval',
    title: 'a call that waits until the editor approves or rejects it',
    async play(desk) {
      const call = prepare(desk, true);
      speak(desk, (await askFor(desk, call)) ? 'There are two.' : 'As you like.');
    },
  },
  {
    name: 'two-approvals',
    title: 'two calls of one message that wait one after the other',
    async play(desk) {
      const calls = [prepare(desk, true), prepare(desk, true)];
      for (const call of calls) await askFor(desk, call);
      speak(desk, 'That was all.');
    },
  },
  {
    name: 'stop',
    title: 'goes on until the editor stops it',
    async play(desk) {
      speak(desk, 'one ', 'two ');
      if (await desk.stopped()) desk.say('system', { type: 'text', text: '\nPrompt stopped\n' });
    },
  },
  {
    name: 'fail',
    title: 'the model fails',
    async play(desk) {
      desk.say('system', { type: 'text', text: '\n\nThe model is overloaded' });
    },
  },
  {
    name: 'odd',
    title: 'a content, a notification and requests that no editor knows',
    async play(desk) {
      desk.say('system', { type: 'conformanceContent', any: ['thing'] });
      desk.notify(nobodys, { any: 'thing' });
      desk.notify('$/showMessage', { type: 'info', message: 'A message for the user.' });
      await Promise.all([
        desk.ask(desk.mint('request'), nobodys, { any: 'thing' }),
        desk.ask(4711, nobodys, { any: 'thing' }),
      ]);
      speak(desk, 'Still here?');
    },
  },
];

/** What can be asked for. */
export const acts: readonly Act[] = plays.map(({ name, title }) => ({ name, title }));

/** How it is done. */
export const playOf = (name: string): Play | undefined => plays.find((one) => one.name === name)?.play;
