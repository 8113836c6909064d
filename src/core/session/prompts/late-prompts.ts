// The prompts of a session that may never get one.
import type { CommandOf } from '../../model/command.ts';
import type { Outcome, Settle } from '../../model/errors.ts';
import type { EventOf, Logged } from '../../model/event.ts';
import type { Compact, Prompt } from './phase.ts';
import { createPrompts, type PromptPorts, type Prompts } from './prompts.ts';

/**
 * A class, because each session with an agent has one. The parts are made with the first prompt or the first run: they
 * would be a tenth of the memory of an agent that is only kept ready.
 */
export class LatePrompts implements Prompts {
  readonly #ports: PromptPorts;
  #made: Prompts | null = null;

  constructor(ports: PromptPorts) {
    this.#ports = ports;
  }

  #prompts(): Prompts {
    this.#made ??= createPrompts(this.#ports);
    return this.#made;
  }

  isRunning(): boolean {
    return this.#made?.isRunning() ?? this.#ports.transcript.run !== null;
  }

  isBusy(): boolean {
    const { run, compaction } = this.#ports.transcript;
    return this.#made?.isBusy() ?? (run !== null || compaction !== null);
  }

  isIdle(): boolean {
    return this.#made?.isIdle() ?? !this.isBusy();
  }

  isCompactionDue(): boolean {
    return this.#made?.isCompactionDue() ?? false;
  }

  queued(): number {
    return this.#made?.queued() ?? 0;
  }

  submit(command: Prompt | Compact, settle: Settle): void {
    this.#prompts().submit(command, settle);
  }

  followUp(command: CommandOf<'follow-up'>, settle: Settle): void {
    this.#prompts().followUp(command, settle);
  }

  clearQueue(command: CommandOf<'clear-queue'>, settle: Settle): void {
    this.#prompts().clearQueue(command, settle);
  }

  abort(command: CommandOf<'abort'>, settle: Settle): void {
    this.#prompts().abort(command, settle);
  }

  accept(event: EventOf<'run-start'>): void {
    this.#prompts().accept(event);
  }

  event(logged: Logged): void {
    const { type } = logged.event;
    const isBoundary = type === 'run-end' || type === 'compaction-start' || type === 'compaction-end';
    if (this.#made !== null || isBoundary) this.#prompts().event(logged);
  }

  pauseStallWatch(isPaused: boolean, at: number): void {
    this.#made?.pauseStallWatch(isPaused, at);
  }

  lose(outcome: Outcome): void {
    this.#made?.lose(outcome);
  }

  drop(outcome: Outcome): void {
    this.#made?.drop(outcome);
  }

  whenIdle(callback: () => void): void {
    if (this.#made === null && this.isIdle()) callback();
    else this.#prompts().whenIdle(callback);
  }

  tellIdle(): void {
    this.#made?.tellIdle();
  }
}
