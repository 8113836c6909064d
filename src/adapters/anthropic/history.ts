// The conversation that the model gets: the answered prompts and their answers.
import type { Dictionary } from '../../core/model/content.ts';
import { isThought } from './block.ts';

/** A message of the API. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Dictionary[];
}

/** A prompt and its answer, in several messages if the model paused. */
export interface Exchange {
  readonly prompt: readonly Dictionary[];
  readonly answers: readonly { readonly model: string; readonly blocks: readonly Dictionary[] }[];
}

/** The conversation in the form that each request repeats. */
export interface History {
  /** Begins an exchange with a prompt. */
  begin(prompt: readonly Dictionary[]): void;
  /** Adds a message of the model, without blocks that cannot be sent back. `model`: the model of the request. */
  answer(model: string, blocks: readonly Dictionary[]): void;
  /**
   * Ends the exchange. Drops an exchange without an answer: a prompt that the API refuses would spoil all later
   * requests.
   */
  end(): void;
  /** Drops the exchange. */
  drop(): void;
  /** Messages for a request to that model, including the open exchange. */
  messages(model: string): WireMessage[];
  clear(): void;
  /** Replaces the conversation. */
  recall(exchanges: readonly Exchange[]): void;
}

/** Creates an empty history. There is no size limit: the API reports when the model's limit is reached. */
export function createHistory(): History {
  let past: Exchange[] = [];
  let open: Exchange | null = null;

  return {
    begin(prompt) {
      open = { prompt, answers: [] };
    },
    answer(model, blocks) {
      if (open !== null && blocks.length > 0) open = { ...open, answers: [...open.answers, { model, blocks }] };
    },
    end() {
      if (open !== null && open.answers.length > 0) past.push(open);
      open = null;
    },
    drop() {
      open = null;
    },
    messages: (model) => [...past, ...(open === null ? [] : [open])].flatMap((exchange) => shown(exchange, model)),
    clear() {
      past = [];
      open = null;
    },
    recall(exchanges) {
      past = [...exchanges];
      open = null;
    },
  };
}

function shown({ prompt, answers }: Exchange, model: string): WireMessage[] {
  // Thinking belongs to its model. The API rejects it for another model.
  const readable = answers.map((answer) =>
    answer.model === model ? answer.blocks : answer.blocks.filter((block) => !isThought(block)),
  );
  const messages = readable.filter((blocks) => blocks.length > 0);
  return [
    { role: 'user', content: prompt },
    ...messages.map((content): WireMessage => ({ role: 'assistant', content })),
  ];
}
