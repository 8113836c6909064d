// Steps that open a dialog: select, confirm, input, editor.
import type { CommandOf } from '../../../core/model/command.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { type Play, say } from '../play.ts';
import type { PlayState } from '../play-state.ts';
import { sayText } from '../speech.ts';

type Question = Omit<EventOf<'dialog-request'>, 'type' | 'id'>;
type Answer = CommandOf<'answer-dialog'>['answer'];

function dialog(question: Question) {
  return function* (stage: PlayState): Play {
    const answer = yield* put(stage, question);
    yield* sayText(stage, `Your answer to "${question.title}": ${inWords(answer)}.`);
  };
}

/** One of three colours. */
export const select = dialog({ kind: 'select', title: 'Which colour?', options: ['red', 'green', 'blue'] });
/** Yes or no. */
export const confirm = dialog({ kind: 'confirm', title: 'Go on?', message: 'Nothing depends on it.' });
/** One line. */
export const input = dialog({ kind: 'input', title: 'Your name?', placeholder: 'a name' });
/** Several lines. */
export const editor = dialog({ kind: 'editor', title: 'Your text?', prefill: 'first line\nsecond line' });

function* put(stage: PlayState, question: Question): Play<Answer> {
  const id = stage.env.id('dialog');
  const request: EventOf<'dialog-request'> = { type: 'dialog-request', id, ...question };
  for (;;) {
    const signal = yield { events: [request], pause: { for: 'dialog', id, kind: question.kind } };
    if (typeof signal === 'string' || signal.type !== 'answer-dialog') continue;
    yield say({ type: 'dialog-end', id, outcome: signal.answer.kind === 'cancelled' ? 'cancelled' : 'answered' });
    return signal.answer;
  }
}

function inWords(answer: Answer): string {
  switch (answer.kind) {
    case 'value':
      return answer.value;
    case 'confirmed':
      return answer.confirmed ? 'yes' : 'no';
    case 'responses':
      return JSON.stringify(answer.responses);
    case 'cancelled':
      return 'none, it was cancelled';
    default:
      return answer satisfies never;
  }
}
