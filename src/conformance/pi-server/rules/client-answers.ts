// Rules on a client's answers to questions of extensions: docs/protocols/pi-server.md 18.
import { each } from '../../check/rule.ts';
import { answersIn, noticesIn, questionOf, questionsIn } from '../view/questions.ts';
import type { ServerRows, View } from '../view/view.ts';

const asked = ['questions', 'newer'];

const methods: ReadonlySet<unknown> = new Set(['select', 'confirm', 'input', 'editor', 'interview', 'cancelled']);

/** Answers to questions of this trace, with the question. */
const answered = (view: View) =>
  answersIn(view).flatMap((answer) => {
    const question = questionOf(view, answer);
    return question === undefined ? [] : [{ frame: answer.frame, answer, question }];
  });

/** Rules on answers. */
export const answerRows: ServerRows = {
  'question-answered': {
    section: '18',
    level: 'SHOULD',
    sentence: 'A question is answered, or dismissed, while it is open.',
    covers: ['dialog:select', 'dialog:confirm', 'dialog:input', 'dialog:editor'],
    scenarios: asked,
    reads: 'both',
    *judge(view) {
      const answers = answersIn(view);
      for (const { frame, event } of questionsIn(view)) {
        // No client can answer that fast.
        if (typeof event.timeout === 'number' && event.timeout < 1000) continue;
        const isAnswered = answers.some((one) => one.requestId === event.requestId && one.frame > frame);
        if (isAnswered || view.isComplete) yield { frame, wrong: isAnswered ? null : 'nobody answers it' };
      }
    },
  },
  'answer-method': {
    section: '18.2',
    sentence: 'An answer is of the kind of its question, or dismisses it.',
    scenarios: asked,
    reads: 'both',
    judge: (view) =>
      each(
        answered(view).filter(({ question }) => methods.has(question.event.method)),
        ({ answer: { answer }, question: { event } }) =>
          answer.method === event.method || answer.method === 'cancelled'
            ? null
            : `${String(answer.method)} answers ${String(event.method)}`,
      ),
  },
  'answer-option': {
    section: '18.2',
    level: 'SHOULD',
    sentence: 'Who is to choose chooses one of the options.',
    scenarios: ['questions'],
    reads: 'both',
    judge: (view) =>
      each(
        answered(view).filter(({ answer }) => answer.answer.method === 'select'),
        ({ answer: { answer }, question: { event } }) => {
          const isOne = !Array.isArray(event.options) || event.options.includes(answer.value);
          return isOne ? null : `${JSON.stringify(answer.value)} is no option`;
        },
      ),
  },
  'answer-session': {
    section: '18.2',
    sentence: 'An answer goes to the session whose extension asked.',
    scenarios: asked,
    reads: 'both',
    judge: (view) =>
      each(answered(view), ({ answer: { json }, question: { session } }) =>
        json.sessionId === session ? null : `${String(json.sessionId)} did not ask, but ${session}`,
      ),
  },
  'answer-once': {
    section: '18.2',
    isMeasured: true,
    sentence: 'A question is answered once.',
    scenarios: asked,
    judge: (view) => {
      const all = answersIn(view);
      return each(all, ({ frame, requestId }) =>
        all.some((one) => one.requestId === requestId && one.frame < frame) ? 'it was answered before' : null,
      );
    },
  },
  'answer-asked': {
    section: '18.2',
    sentence: 'What is answered was a question, and no notice.',
    scenarios: asked,
    reads: 'both',
    judge: (view) =>
      each(answersIn(view), ({ requestId }) =>
        noticesIn(view).some(({ event }) => event.requestId === requestId) ? 'it answers what was no question' : null,
      ),
  },
};
