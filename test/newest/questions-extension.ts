// An extension of pi for the fidelity table: a command that asks each kind of question and shows each kind of remark.
interface Ui {
  select(title: string, options: string[]): Promise<string | undefined>;
  confirm(title: string, message: string): Promise<boolean>;
  input(title: string, placeholder: string): Promise<string | undefined>;
  editor(title: string, prefill: string): Promise<string | undefined>;
  notify(message: string, kind: string): void;
  setStatus(key: string, text: string | undefined): void;
}
interface Pi {
  registerCommand(
    name: string,
    command: { description: string; handler(words: string, context: { ui: Ui }): Promise<void> },
  ): void;
}

export default function questions(pi: Pi): void {
  pi.registerCommand('questions', {
    description: 'Asks',
    async handler(_words, { ui }) {
      ui.setStatus('questions', 'asking');
      const answers = [
        await ui.select('Which?', ['one', 'two']),
        await ui.confirm('Sure?', 'It cannot be undone.'),
        await ui.input('Your name?', 'name'),
        await ui.editor('Your words?', 'some'),
      ];
      ui.notify(JSON.stringify(answers.map((answer) => answer ?? null)), 'info');
      ui.setStatus('questions', undefined);
    },
  });
}
