// The behaviours of our fake pi agent: those that both generations share, and those of newer versions.
import type { Dictionary } from '../../../core/model/content.ts';
import type { StreamedBlock } from './run-writer.ts';
import { type BehaviourContext, probe, type ScriptedBehaviour, sharedBehaviours } from './shared-behaviours.ts';

/** The actions that a behaviour of the fake pi 0.52 and later can take. The fake pi 0.13 has no dialogs and notices. */
export interface PiBehaviourContext extends BehaviourContext {
  /** Opens a dialog and waits for the reply; null without one. */
  ask(request: Dictionary): Promise<Dictionary | null>;
  /** Sends a request that needs no reply. */
  notify(request: Dictionary): void;
}

/** Timeout of a dialog that no person can answer in time, ms. */
export const shortMs = 300;
const lateBreaths = 5;

const text = (...pieces: readonly string[]): StreamedBlock => ({ kind: 'text', pieces });
const retries = { attempt: 1, maxAttempts: 3 };
const overloaded = '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';

/** A dialog, then an answer that quotes the reply. */
function dialog(method: string, request: Dictionary): ScriptedBehaviour<PiBehaviourContext> {
  return {
    name: method,
    title: `Asks the user by \`${method}\`.`,
    async run({ writer, ask }) {
      const reply = await ask({ method, ...request });
      writer.answer([text(reply === null ? 'You said nothing.' : 'You said ', JSON.stringify(reply))]);
    },
  };
}

/** All behaviours. */
export const behaviours: readonly ScriptedBehaviour<PiBehaviourContext>[] = [
  ...sharedBehaviours,
  {
    name: 'busy',
    title: 'Takes its time, so that its user may say something meanwhile.',
    async run({ writer, shortPause }) {
      const answer = writer.beginAnswer();
      answer.open('text');
      for (const word of ['I ', 'take ', 'my ', 'time']) {
        answer.more(word);
        await shortPause();
      }
      answer.end();
    },
  },
  {
    name: 'retry',
    title: 'Fails, and answers at the second attempt.',
    async run({ writer, send }) {
      writer.answer([text('Half a')], { stopReason: 'error', errorMessage: overloaded });
      writer.endTurn();
      writer.endRun();
      send({ type: 'auto_retry_start', ...retries, delayMs: 1, errorMessage: overloaded });
      writer.beginRun();
      writer.beginTurn();
      writer.answer([text('At ', 'last.')]);
      send({ type: 'auto_retry_end', success: true, attempt: 1 });
    },
  },
  {
    name: 'compaction',
    title: 'Answers, and compacts by itself.',
    run: ({ writer }) => writer.answer([text('Much.')]),
  },
  dialog('select', { title: 'Which one?', options: ['red', 'green', 'blue'] }),
  dialog('confirm', { title: 'Deploy?', message: 'This updates the live server.', timeout: 60_000 }),
  dialog('input', { title: 'Your name?', placeholder: 'Ada' }),
  dialog('editor', { title: 'Edit this', prefill: 'line 1\nline 2' }),
  {
    name: 'timeout',
    title: 'Asks for so short a time that only a program can answer.',
    async run({ writer, ask, shortPause }) {
      const reply = await ask({ method: 'select', title: 'Quick!', options: ['yes', 'no'], timeout: shortMs });
      // The dialog may have expired while the client's reply was on its way, so the run stays open a little longer.
      for (let breath = 0; reply === null && breath < lateBreaths; breath += 1) await shortPause();
      writer.answer([text('So be it.')]);
    },
  },
  {
    name: 'inform',
    title: 'Shows what wants no answer.',
    async run({ writer, notify, shortPause }) {
      notify({ method: 'notify', message: 'Something happened.', notifyType: 'warning' });
      notify({ method: 'notify', message: 'Something else happened.' });
      notify({ method: 'setStatus', statusKey: 'judge', statusText: 'at work' });
      notify({ method: 'setStatus', statusKey: 'judge' });
      notify({ method: 'setWidget', widgetKey: 'judge', widgetLines: ['one', 'two'] });
      notify({ method: 'setTitle', title: 'judged' });
      notify({ method: 'set_editor_text', text: 'words' });
      notify({ method: probe, words: 'a method that there is not' });
      await shortPause();
      writer.answer([text('You were told.')]);
    },
  },
  {
    name: 'stray',
    title: 'Answers what nobody has asked, in the middle of its lines.',
    async run({ writer, send, shortPause }) {
      send({ id: probe, type: 'response', command: 'get_state', success: true, data: {} });
      send({ type: 'response', command: probe, success: false, error: `Unknown command: ${probe}` });
      await shortPause();
      writer.answer([text('Never ', 'mind.')]);
    },
  },
];
