// What the model is shown of the conversation: prompts that were answered, and the answers. Knows no event.
import type { Dictionary } from '../../core/model/content.ts';
import { isThought } from './block.ts';

/** A message of the API. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Dictionary[];
}

/** A prompt and what was answered, in one message or in several where the model paused. */
export interface Exchange {
  readonly prompt: readonly Dictionary[];
  readonly answers: readonly { readonly model: string; readonly blocks: readonly Dictionary[] }[];
}

/** The conversation as the API needs it again with each request. */
export interface History {
  /** A prompt begins an exchange. */
  begin(prompt: readonly Dictionary[]): void;
  /** A message of the model, as far as it can be shown again. `model`: the one that was asked. */
  answer(model: string, blocks: readonly Dictionary[]): void;
  /**
   * The exchange is over. Without an answer nothing of it stays: a prompt that the API refuses would otherwise spoil
   * all that come after it.
   */
  end(): void;
  /** Nothing of the exchange stays. */
  drop(): void;
  /** Messages for a request to that model, the open exchange included. */
  messages(model: string): WireMessage[];
  clear(): void;
  /** These were before; nothing else was. */
  recall(exchanges: readonly Exchange[]): void;
}

/** Begins empty. It has no bound: when the model's is reached, the API says so. */
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
  // What a model has thought is its own: another one takes it for a forgery.
  const readable = answers.map((answer) =>
    answer.model === model ? answer.blocks : answer.blocks.filter((block) => !isThought(block)),
  );
  const said = readable.filter((blocks) => blocks.length > 0);
  return [{ role: 'user', content: prompt }, ...said.map((content): WireMessage => ({ role: 'assistant', content }))];
}
