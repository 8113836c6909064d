// The state of each open question: whether an answer is on its way to the agent, and who cannot answer.
import type { Transcript } from '../../model/transcript.ts';
import { openQuestion, type Question } from './answers.ts';

/** The open questions of one session. */
export interface OpenQuestions {
  /** By identity: agents use ids again, and the answer to an old question must not end a new one (docs/threats.md T22). */
  isOpen(question: Question): boolean;
  /** An answer is on its way to the agent: a second answer is not taken meanwhile. */
  isAnswered(question: Question): boolean;
  answer(question: Question): void;
  /** The agent has taken or refused the answer. Returns why the question expired meanwhile; null where it did not. */
  settle(question: Question): string | null;
  /** The answered question ends for that reason unless the agent takes the answer. */
  expireUnlessTaken(question: Question, reason: string): void;
  /** One more client cannot answer; returns how many cannot. */
  addUnable(question: Question): number;
  clear(): void;
}

/** No question has been asked. */
export function createOpenQuestions(transcript: Transcript): OpenQuestions {
  /** Why an answered question has expired; null while it has not. */
  const answered = new Map<Question, string | null>();
  const unable = new WeakMap<Question, number>();

  return {
    isOpen: (question) => openQuestion(transcript, question.type, question.id) === question,
    isAnswered: (question) => answered.has(question),
    answer: (question) => void answered.set(question, null),
    settle(question) {
      const reason = answered.get(question) ?? null;
      answered.delete(question);
      return reason;
    },
    expireUnlessTaken: (question, reason) => void answered.set(question, reason),
    addUnable(question) {
      const count = (unable.get(question) ?? 0) + 1;
      unable.set(question, count);
      return count;
    },
    clear: () => answered.clear(),
  };
}
