// What a chat says of itself: that it is there, and how its run goes on, in the order of a real turn (docs/protocols/eca.md 4.1). Knows no message and no tool.
import type { Dictionary } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { contentFrame, type Role, textFrames, type Voice } from './encode-frame.ts';
import { notificationFrame } from '../json-rpc.ts';

/** The words of a run's progress that real servers have. */
export const words = {
  waiting: 'Waiting model',
  generating: 'Generating',
  asking: 'Waiting for tool call approval',
  calling: 'Calling tool',
} as const;

/** One chat, as the parts of a projection speak in it. */
export interface Chat {
  readonly voice: Voice;
  /** Something has been told of it. */
  readonly isOpened: boolean;
  /** A run has begun and is not over. */
  readonly isRunning: boolean;
  /** A frame, said as it is. */
  say(frame: string): void;
  /** Frames of the run: that it goes on is told before them. */
  sayInRun(frames: readonly string[]): void;
  content(role: Role, content: Dictionary): void;
  /** What the model says now: "Generating" stands before it. */
  generating(): void;
  /** Where the run has come to. Says nothing outside of runs. */
  progress(text: string): void;
  /** Something for a while; `null` goes back to where the run has come to. */
  aside(text: string | null): void;
  title(name: string): void;
  /** Words of the system. */
  system(text: string): void;
  /** Its history is gone. */
  clear(): void;
  /** The words of the run's own prompt, or of one that is to come, have been told. */
  heard(): void;
  startRun(): void;
  /** `words`: how it went, where that is to be said. */
  endRun(event: EventOf<'run-end'>, words: string | null): void;
}

/** A chat of which nothing was told. `say` takes frames; those of `opening` come before the first. */
export function createChat(voice: Voice, say: (frame: string) => void, opening: () => readonly string[]): Chat {
  const { chatId } = voice;
  let isOpened = false;
  /** `due`: it has begun, but what the user said should come first. */
  let run: 'none' | 'due' | 'open' = 'none';
  /** What the user said has been told since the last run. */
  let isHeard = false;
  let place: string = words.waiting;
  let shown = '';

  function told(frame: string): void {
    if (!isOpened) {
      isOpened = true;
      for (const first of opening()) say(first);
    }
    say(frame);
  }

  const status = (word: 'running' | 'idle' | 'stopping') =>
    told(notificationFrame('chat/statusChanged', { chatId, status: word }));

  function show(text: string): void {
    shown = text;
    told(contentFrame(voice, 'system', { type: 'progress', state: 'running', text }));
  }

  function begin(): void {
    if (run !== 'due') return;
    run = 'open';
    place = words.waiting;
    status('running');
    show(place);
  }

  function progress(text: string): void {
    if (run === 'none') return;
    begin();
    place = text;
    show(text);
  }

  const systemText = textFrames(voice, 'system', { type: 'text' }, 'text');

  return {
    voice,
    get isOpened() {
      return isOpened;
    },
    get isRunning() {
      return run !== 'none';
    },
    say: told,
    sayInRun(frames) {
      begin();
      for (const frame of frames) told(frame);
    },
    content(role, content) {
      // What the user says comes before the run that it is for.
      if (role !== 'user') begin();
      told(contentFrame(voice, role, content));
    },
    generating() {
      begin();
      if (shown !== words.generating) progress(words.generating);
    },
    progress,
    aside(text) {
      const next = text === null ? place : text.trim();
      // A running progress without words is taken for none (docs/protocols/eca.md 2.9).
      if (run === 'none' || next === '') return;
      begin();
      if (next !== shown) show(next);
    },
    title(title) {
      told(contentFrame(voice, 'system', { type: 'metadata', title }));
    },
    system(text) {
      begin();
      for (const frame of systemText(text)) told(frame);
    },
    clear() {
      isHeard = false;
      if (isOpened) told(notificationFrame('chat/cleared', { chatId, messages: true }));
    },
    heard() {
      isHeard = true;
      begin();
    },
    startRun() {
      run = 'due';
      if (isHeard) begin();
    },
    endRun({ outcome }, words) {
      begin();
      if (words !== null) for (const frame of systemText(words)) told(frame);
      status(outcome === 'aborted' ? 'stopping' : 'idle');
      // The document asks for a text here, too: docs/protocols/eca.md 8.3.
      told(contentFrame(voice, 'system', { type: 'progress', state: 'finished', text: '' }));
      run = 'none';
      isHeard = false;
      shown = '';
    },
  };
}
