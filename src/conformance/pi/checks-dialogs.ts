// Checks of dialogs that stay unanswered for a while, or get a second answer (docs/protocols/pi.md 12.1).
import type { Dictionary } from '../../core/model/content.ts';
import { PeerWrong } from '../check/check.ts';
import type { CheckContext, PiCheck, PiClient } from './context.ts';

const dialog = {
  section: 'Dialog Methods (require response)',
  level: 'MUST',
  basis: 'specification',
  covers: ['event:extension_ui_request', 'command:extension_ui_response'],
} as const;

/** Prompts so that the agent opens a dialog, and waits for the dialog. */
async function asked({ open, tools }: CheckContext): Promise<{ pi: PiClient; from: number; question: Dictionary }> {
  const pi = await open();
  const from = pi.now;
  pi.start({ type: 'prompt', message: tools.script('select') });
  const isQuestion = ({ type, method }: Dictionary) => type === 'extension_ui_request' && method === 'select';
  return { pi, from, question: await pi.comes('dialog', from, isQuestion) };
}

const reply = (pi: PiClient, question: Dictionary, answer: Dictionary): void =>
  pi.say(JSON.stringify({ type: 'extension_ui_response', id: question.id, ...answer }));

const endsOf = (pi: PiClient, from: number): number =>
  pi.received(from).filter(({ type }) => type === 'agent_end').length;

export const dialogChecks: readonly PiCheck[] = [
  {
    ...dialog,
    id: 'pi/dialog-blocks',
    sentence: 'A dialog blocks who asked until it is answered, and nothing else.',
    input: 'a prompt that asks; get_state while the dialog is open; the answer',
    expected: 'the response to get_state, no agent_end before the answer, and one behind it',
    needs: { script: ['select'] },
    async run(context) {
      const { pi, from, question } = await asked(context);
      await pi.ask('get_state');
      await context.tools.pause(50);
      await pi.ask('get_state');
      const isRun = pi.received(from).some(({ type }) => type === 'agent_start');
      if (isRun && endsOf(pi, from) > 0) throw new PeerWrong('the run ended while its dialog was open');
      reply(pi, question, { value: 'red' });
      if (isRun) await pi.idle(from);
    },
  },
  {
    ...dialog,
    id: 'pi/dialog-cancel',
    sentence: 'A dialog can be cancelled, and who asked goes on.',
    input: 'a prompt that asks, and its dialog cancelled',
    expected: 'agent_end, and the next prompt is answered',
    needs: { script: ['select', 'text'] },
    async run(context) {
      const { pi, from, question } = await asked(context);
      reply(pi, question, { cancelled: true });
      await pi.ask('get_state');
      if (pi.received(from).some(({ type }) => type === 'agent_start')) await pi.idle(from);
      await pi.run('text');
    },
  },
  {
    ...dialog,
    id: 'pi/dialog-late',
    section: 'Extension UI Response Format',
    level: 'SHOULD',
    basis: 'measured',
    sentence: 'A second answer to a dialog changes nothing.',
    input: 'a dialog that is answered twice, and the next prompt',
    expected: 'one agent_end for each prompt',
    needs: { script: ['select', 'text'] },
    async run(context) {
      const { pi, from, question } = await asked(context);
      reply(pi, question, { value: 'red' });
      reply(pi, question, { value: 'green' });
      await pi.ask('get_state');
      if (pi.received(from).some(({ type }) => type === 'agent_start')) await pi.idle(from);
      await pi.run('text');
      const starts = pi.received(from).filter(({ type }) => type === 'agent_start').length;
      if (endsOf(pi, from) !== starts) throw new PeerWrong(`${starts} runs began, and ${endsOf(pi, from)} ended`);
    },
  },
];
