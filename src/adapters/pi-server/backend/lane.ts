// The prompts of one session on the server, in the order in which it runs them: whose run it is that it tells of, and when
// a prompt is over. A prompt may be another client's; one may be disowned, when its abort was not heard. Knows no event.
import type { Outcome } from '../../../core/model/errors.ts';

/** One prompt on the server. */
export interface LanePrompt {
  readonly id: string;
  /** The server has begun with it. */
  isStarted: boolean;
  /** Its agent has started. */
  hasRun: boolean;
  /** Its agent has ended, as far as it told: what starts now may be the next prompt's. */
  isQuiet: boolean;
  /** Its run was ended here: what it still says counts no more. */
  isDisowned: boolean;
  /** Another client's, or one that was to join a run. */
  readonly isForeign: boolean;
  /** Its command was answered. */
  isSettled: boolean;
  /** Answers its command, the first time. */
  settle(outcome: Outcome): void;
}

/** The prompts on the server. */
export interface AgentLane {
  /** The prompt that the server is at; null when it has none. */
  current(): LanePrompt | null;
  /** Prompts that have not been disowned. */
  live(): readonly LanePrompt[];
  readonly isFree: boolean;
  sent(id: string, settle: LanePrompt['settle']): void;
  /** The server begins with a prompt, of ours or of another client. */
  started(id: string): void;
  find(id: string): LanePrompt | null;
  /** It is over: takes it out. */
  take(id: string): LanePrompt | null;
  /** The prompt behind the current one has begun as well. */
  isNextStarted(): boolean;
}

/** Nothing is on the server. */
export function createAgentLane(): AgentLane {
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
      // A 2.0.1 says so before it says that the one before is over (docs/protocols/pi-server.md 7.6).
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
