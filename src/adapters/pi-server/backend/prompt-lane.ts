// Tracks the prompts of one session on the server, in execution order, also those of other clients. Reports which
// prompt the current run belongs to, and when a prompt is over. Gives a prompt up if the server did not execute its
// abort.
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Outcome } from '../../../core/model/errors.ts';

/** One prompt on the server. */
export interface LanePrompt {
  readonly id: string;
  /** The server has started the prompt. */
  isStarted: boolean;
  /** The prompt's agent has started. */
  hasRun: boolean;
  /** The prompt's agent has ended, as far as reported. The next agent may belong to the next prompt. */
  isQuiet: boolean;
  /** The gateway has ended the run itself. Later events of the run are ignored. */
  isDisowned: boolean;
  /** The prompt belongs to another client or was meant to join a run. */
  readonly isForeign: boolean;
  /** The prompt's command was settled. */
  isSettled: boolean;
  /** Settles the command, once. */
  settle(outcome: Outcome): void;
}

/** The prompts on the server. */
export interface PromptLane {
  /** The prompt that the server executes, or null. */
  current(): LanePrompt | null;
  /** Prompts that are not disowned. */
  live(): readonly LanePrompt[];
  readonly isFree: boolean;
  sent(id: string, settle: LanePrompt['settle']): void;
  /** Must be called when the server starts a prompt of the gateway or of another client. */
  started(id: string): void;
  find(id: string): LanePrompt | null;
  /** Removes a prompt that is over, and returns it. */
  take(id: string): LanePrompt | null;
  /** Whether the prompt after the current one has also started. */
  isNextStarted(): boolean;
}

/** Prompts that a server may have at once, those of other clients included. */
const mostPrompts = 4096;

/** Creates a lane without prompts. */
export function createPromptLane(out: Pick<Outbox, 'exceed'>): PromptLane {
  let prompts: LanePrompt[] = [];

  function add(id: string, settle: LanePrompt['settle'] | null): LanePrompt {
    const prompt: LanePrompt = {
      id,
      isStarted: false,
      hasRun: false,
      isQuiet: false,
      isDisowned: false,
      isForeign: settle === null,
      isSettled: settle === null,
      settle(outcome) {
        if (prompt.isSettled) return;
        prompt.isSettled = true;
        settle?.(outcome);
      },
    };
    prompts.push(prompt);
    if (prompts.length > mostPrompts) out.exceed(`the pi-server has begun more than ${mostPrompts} prompts at once`);
    return prompt;
  }

  const find = (id: string) => prompts.find((prompt) => prompt.id === id);

  return {
    current: () => prompts[0] ?? null,
    live: () => prompts.filter(({ isDisowned }) => !isDisowned),
    get isFree() {
      return prompts.length === 0;
    },
    sent: (id, settle) => void add(id, settle),
    started(id) {
      const prompt = find(id) ?? add(id, null);
      prompt.isStarted = true;
      // 2.0.1 reports the start of a prompt before the end of the previous one (docs/protocols/pi-server.md 7.6).
      prompts = [...prompts.filter(({ isStarted }) => isStarted), ...prompts.filter(({ isStarted }) => !isStarted)];
    },
    find: (id) => find(id) ?? null,
    take(id) {
      const prompt = find(id) ?? null;
      prompts = prompts.filter((one) => one !== prompt);
      return prompt;
    },
    isNextStarted: () => prompts[1]?.isStarted === true,
  };
}
