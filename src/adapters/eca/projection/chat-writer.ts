// The state of one chat: that the chat is open and how its run progresses, in the order of a real turn
// (docs/protocols/eca.md 4.1).
import type { Dictionary } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { notificationFrame } from '../json-rpc.ts';
import { type ChatRef, contentFrame, type Role, textFrames } from './encode-frame.ts';

/** The progress texts of real servers. */
export const progressTexts = {
  waiting: 'Waiting model',
  generating: 'Generating',
  asking: 'Waiting for tool call approval',
  calling: 'Calling tool',
} as const;

/** One chat, as the parts of a projection write to it. */
export interface ChatWriter {
  readonly chatRef: ChatRef;
  /** Something of the chat was sent. */
  readonly isOpened: boolean;
  /** A run has begun and is not over. */
  readonly isRunning: boolean;
  /** The run shows the progress "Generating": nothing comes before content of the model. */
  readonly isGenerating: boolean;
  /** Sends a frame as it is. */
  send(frame: string): void;
  /** Sends frames of the run. Shows the run as begun first. */
  sendInRun(frames: readonly string[]): void;
  content(role: Role, content: Dictionary): void;
  /** Shows the progress "Generating" before content of the model. */
  generating(): void;
  /** Shows the progress of the run. Does nothing outside of runs. */
  progress(text: string): void;
  /** Shows a temporary progress text; `null` returns to the progress of the run. */
  temporaryProgress(text: string | null): void;
  title(name: string): void;
  /** Sends a text of the system. */
  systemText(text: string): void;
  /** Clears the history of the chat. */
  clear(): void;
  /** Must be called after the text of the run's prompt, or of the next prompt, was sent. */
  userTextSent(): void;
  startRun(): void;
  /** Ends the run. `words`: a text about its outcome, if there is one. */
  endRun(event: EventOf<'run-end'>, words: string | null): void;
}

/**
 * Creates the writer of a chat that no client has seen. `say` sends a frame. The frames of `opening` are sent before
 * the first one.
 */
export function createChatWriter(
  chatRef: ChatRef,
  say: (frame: string) => void,
  opening: () => readonly string[],
): ChatWriter {
  const { chatId } = chatRef;
  let isOpened = false;
  /** `due`: the run has begun, but the text of the user is to be sent first. */
  let run: 'none' | 'due' | 'open' = 'none';
  /** A text of the user was sent since the last run. */
  let hasContent = false;
  let runProgress: string = progressTexts.waiting;
  let shown = '';

  function send(frame: string): void {
    if (!isOpened) {
      isOpened = true;
      for (const first of opening()) say(first);
    }
    say(frame);
  }

  const status = (word: 'running' | 'idle' | 'stopping') =>
    send(notificationFrame('chat/statusChanged', { chatId, status: word }));

  function show(text: string): void {
    shown = text;
    send(contentFrame(chatRef, 'system', { type: 'progress', state: 'running', text }));
  }

  function begin(): void {
    if (run !== 'due') return;
    run = 'open';
    runProgress = progressTexts.waiting;
    status('running');
    show(runProgress);
  }

  function progress(text: string): void {
    if (run === 'none') return;
    begin();
    runProgress = text;
    show(text);
  }

  const systemText = textFrames(chatRef, 'system', { type: 'text' }, 'text');

  return {
    chatRef,
    get isOpened() {
      return isOpened;
    },
    get isRunning() {
      return run !== 'none';
    },
    get isGenerating() {
      return isOpened && run === 'open' && shown === progressTexts.generating;
    },
    send,
    sendInRun(frames) {
      begin();
      for (const frame of frames) send(frame);
    },
    content(role, content) {
      // The text of the user comes before the run that answers it.
      if (role !== 'user') begin();
      send(contentFrame(chatRef, role, content));
    },
    generating() {
      begin();
      if (shown !== progressTexts.generating) progress(progressTexts.generating);
    },
    progress,
    temporaryProgress(text) {
      const next = text === null ? runProgress : text.trim();
      // Clients ignore a running progress without text (docs/protocols/eca.md 2.9).
      if (run === 'none' || next === '') return;
      begin();
      if (next !== shown) show(next);
    },
    title(title) {
      send(contentFrame(chatRef, 'system', { type: 'metadata', title }));
    },
    systemText(text) {
      begin();
      for (const frame of systemText(text)) send(frame);
    },
    clear() {
      hasContent = false;
      if (isOpened) send(notificationFrame('chat/cleared', { chatId, messages: true }));
    },
    userTextSent() {
      hasContent = true;
      begin();
    },
    startRun() {
      run = 'due';
      if (hasContent) begin();
    },
    endRun({ outcome }, words) {
      begin();
      if (words !== null) for (const frame of systemText(words)) send(frame);
      status(outcome === 'aborted' ? 'stopping' : 'idle');
      // The document requires a text here too (docs/protocols/eca.md 8.3).
      send(contentFrame(chatRef, 'system', { type: 'progress', state: 'finished', text: '' }));
      run = 'none';
      hasContent = false;
      shown = '';
    },
  };
}
