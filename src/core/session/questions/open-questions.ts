// The state of each open question: whether an answer was sent to the agent, and how many clients cannot answer.
import type { Transcript } from '../../model/transcript.ts';
import { openQuestion, type Question } from './answers.ts';

/** The open questions of one session. */
export interface OpenQuestions {
  /** Compares by identity: agents reuse ids, and a late answer must not end a new question (docs/threats.md T22). */
  isOpen(question: Question): boolean;
  /** Whether an answer was sent to the agent. Until the agent accepts or refuses it, a second answer is refused. */
  isAnswered(question: Question): boolean;
  answer(question: Question): void;
  /** The agent has accepted or refused the answer. Returns why the question expired meanwhile, or null. */
  settle(question: Question): string | null;
  /** Ends the answered question for this reason unless the agent accepts the answer. */
  expireUnlessTaken(question: Question, reason: string): void;
  /** Counts one more client that cannot answer. Returns the count. */
  addUnable(question: Question): number;
  clear(): void;
}

/** Creates the state of a session's questions. */
export function createOpenQuestions(transcript: Transcript): OpenQuestions {
  /** Answered questions with the reason why they expired, or null. */
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
