// An extension for the real pi whose slash commands open dialogs: `/ask select` during its prompt, `/later select`
// after it; `/show` sends each kind of notice, and `/throw` fails. Replies are repeated to the user. Runs inside pi and
// imports nothing.

interface Ui {
  select(title: string, options: string[]): Promise<string | undefined>;
  confirm(title: string, message: string): Promise<boolean>;
  input(title: string, placeholder: string): Promise<string | undefined>;
  editor(title: string, prefill: string): Promise<string | undefined>;
  notify(message: string, type?: 'info' | 'warning' | 'error'): void;
  setStatus(key: string, text: string | undefined): void;
  setWidget(key: string, lines: string[] | undefined): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
}
interface Context {
  readonly ui: Ui;
}
interface Pi {
  registerCommand(
    name: string,
    command: { readonly description: string; handler(words: string, context: Context): Promise<void> },
  ): void;
}

const questions = new Map<string, (ui: Ui) => Promise<unknown>>([
  ['select', (ui) => ui.select('Which colour?', ['red', 'green', 'blue'])],
  ['confirm', (ui) => ui.confirm('Go on?', 'Nothing depends on it.')],
  ['input', (ui) => ui.input('Your name?', 'a name')],
  ['editor', (ui) => ui.editor('Your text?', 'first line')],
]);

async function ask(words: string, { ui }: Context): Promise<void> {
  const answer = await questions.get(words.trim())?.(ui);
  ui.notify(`the answer is ${JSON.stringify(answer ?? null)}`, 'info');
}

async function show(_words: string, { ui }: Context): Promise<void> {
  ui.notify('an information');
  ui.notify('a warning', 'warning');
  ui.setStatus('demo', 'a status line');
  ui.setStatus('demo', undefined);
  ui.setWidget('demo', ['a widget', 'of two lines']);
  ui.setWidget('demo', undefined);
  ui.setTitle('a title');
  ui.setEditorText('some words');
}

/** Registers the commands. */
export default function asking(pi: Pi): void {
  pi.registerCommand('ask', { description: 'asks at once', handler: ask });
  pi.registerCommand('show', { description: 'shows something at each place', handler: show });
  pi.registerCommand('throw', {
    description: 'fails',
    handler: () => Promise.reject(new Error('it fails')),
  });
  pi.registerCommand('later', {
    description: 'asks behind its prompt',
    async handler(words, context) {
      // Long after the gateway has seen that the prompt began no run, even on a busy machine.
      setTimeout(() => void ask(words, context), 1000);
    },
  });
}
