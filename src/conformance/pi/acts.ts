// What our agent of pi does with prompts, for clients to be judged by: what both generations do, and what only newer ones can.
import type { Dictionary } from '../../core/model/content.ts';
import { type Play, plays, probe, type Scene } from './plays.ts';
import type { Spoken } from './speech.ts';

/** What an act of pi is played on. */
export interface PiScene extends Scene {
  /** Asks the client, and waits for its answer; null when none comes. */
  ask(request: Dictionary): Promise<Dictionary | null>;
  /** Tells it what wants no answer. */
  inform(request: Dictionary): void;
}

/** A dialog that nobody can answer in time, ms. */
export const shortMs = 300;
const lateBreaths = 5;

const text = (...pieces: readonly string[]): Spoken => ({ kind: 'text', pieces });
const retries = { attempt: 1, maxAttempts: 3 };
const overloaded = '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';

/** One dialog, and an answer that goes on from there. */
function dialog(method: string, request: Dictionary): Play<PiScene> {
  return {
    name: method,
    title: `Asks the user by \`${method}\`.`,
    async play({ speech, ask }) {
      const reply = await ask({ method, ...request });
      speech.answer([text(reply === null ? 'You said nothing.' : 'You said ', JSON.stringify(reply))]);
    },
  };
}

/** All acts. */
export const acts: readonly Play<PiScene>[] = [
  ...plays,
  {
    name: 'busy',
    title: 'Takes its time, so that its user may say something meanwhile.',
    async play({ speech, breathe }) {
      const answer = speech.beginAnswer();
      answer.open('text');
      for (const word of ['I ', 'take ', 'my ', 'time']) {
        answer.more(word);
        await breathe();
      }
      answer.end();
    },
  },
  {
    name: 'retry',
    title: 'Fails, and answers at the second attempt.',
    async play({ speech, say }) {
      speech.answer([text('Half a')], { stopReason: 'error', errorMessage: overloaded });
      speech.endTurn();
      speech.endRun();
      say({ type: 'auto_retry_start', ...retries, delayMs: 1, errorMessage: overloaded });
      speech.beginRun();
      speech.beginTurn();
      speech.answer([text('At ', 'last.')]);
      say({ type: 'auto_retry_end', success: true, attempt: 1 });
    },
  },
  {
    name: 'compaction',
    title: 'Answers, and compacts by itself.',
    play: ({ speech }) => speech.answer([text('Much.')]),
  },
  dialog('select', { title: 'Which one?', options: ['red', 'green', 'blue'] }),
  dialog('confirm', { title: 'Deploy?', message: 'This updates the live server.', timeout: 60_000 }),
  dialog('input', { title: 'Your name?', placeholder: 'Ada' }),
  dialog('editor', { title: 'Edit this', prefill: 'line 1\nline 2' }),
  {
    name: 'timeout',
    title: 'Asks for so short a time that only a program can answer.',
    async play({ speech, ask, breathe }) {
      const reply = await ask({ method: 'select', title: 'Quick!', options: ['yes', 'no'], timeout: shortMs });
      // Time for an answer that comes too late.
      for (let breath = 0; reply === null && breath < lateBreaths; breath += 1) await breathe();
      speech.answer([text('So be it.')]);
    },
  },
  {
    name: 'inform',
    title: 'Shows what wants no answer.',
    async play({ speech, inform, breathe }) {
      inform({ method: 'notify', message: 'Something happened.', notifyType: 'warning' });
      inform({ method: 'notify', message: 'Something else happened.' });
      inform({ method: 'setStatus', statusKey: 'judge', statusText: 'at work' });
      inform({ method: 'setStatus', statusKey: 'judge' });
      inform({ method: 'setWidget', widgetKey: 'judge', widgetLines: ['one', 'two'] });
      inform({ method: 'setTitle', title: 'judged' });
      inform({ method: 'set_editor_text', text: 'words' });
      inform({ method: probe, words: 'a method that there is not' });
      await breathe();
      speech.answer([text('You were told.')]);
    },
  },
  {
    name: 'stray',
    title: 'Answers what nobody has asked, in the middle of its lines.',
    async play({ speech, say, breathe }) {
      say({ id: probe, type: 'response', command: 'get_state', success: true, data: {} });
      say({ type: 'response', command: probe, success: false, error: `Unknown command: ${probe}` });
      await breathe();
      speech.answer([text('Never ', 'mind.')]);
    },
  },
];
