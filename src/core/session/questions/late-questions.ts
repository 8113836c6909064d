// The questions of a session whose agent may never ask one.
import type { Settle } from '../../model/errors.ts';
import type { Event } from '../../model/event.ts';
import type { Answer } from './answers.ts';
import { createQuestions, type QuestionPorts, type Questions } from './questions.ts';

/** A class, because each session with an agent has one. The parts are made with the first question or the first answer. */
export class LateQuestions implements Questions {
  readonly #ports: QuestionPorts;
  #made: Questions | null = null;

  constructor(ports: QuestionPorts) {
    this.#ports = ports;
  }

  #questions(): Questions {
    this.#made ??= createQuestions(this.#ports);
    return this.#made;
  }

  marked(event: Event): Event {
    return event.type === 'approval-request' ? this.#questions().marked(event) : event;
  }

  trust(isOn: boolean): void {
    this.#questions().trust(isOn);
  }

  answer(command: Answer, settle: Settle): void {
    this.#questions().answer(command, settle);
  }

  event(event: Event): void {
    const isQuestion = event.type === 'approval-request' || event.type === 'dialog-request';
    if (this.#made !== null || isQuestion) this.#questions().event(event);
  }

  setUnattended(): void {
    this.#questions().setUnattended();
  }

  clear(): void {
    this.#made?.clear();
  }
}
