// A filter from one protocol's agent frames to another's client frames, without a session and without a clock.
import type { Action, NoteLevel } from '../contract/adapter/action.ts';
import type { Backend } from '../contract/adapter/backend.ts';
import type { Projection, SessionView } from '../contract/adapter/projection.ts';
import type { Frame, Out, Peek, RecognisedFrame } from '../contract/channel.ts';
import type { Stretch } from '../contract/stretch.ts';
import { takesBurst } from '../fast-path/asides.ts';
import { createRecogniser } from '../fast-path/receiver-recogniser.ts';
import { closeRun } from '../log/close-run.ts';
import { emptyTranscript, fold, foldBurst } from '../log/fold.ts';
import { createRepair } from '../log/repair.ts';
import { repeatedTexts } from '../log/repeated-texts.ts';
import { type Burst, eventCount, eventsIn } from '../model/burst.ts';
import type { Event } from '../model/event.ts';

/** A running filter. */
export interface Translator {
  /** What the client would be sent for this frame of the agent, and for the frames recognised before it. */
  frame(frame: Frame): Out[];
  /**
   * See Receiver. The output of an accepted frame comes with the next {@link Translator.frame} or {@link
   * Translator.take}.
   */
  glance(peek: Peek, start: number, end: number): RecognisedFrame | null;
  /**
   * See Receiver.takeBurst. With {@link TranslatorPorts.stretch}, the output does not wait for the next call; without,
   * it comes as that of `glance`.
   */
  takeBurst(peek: Peek, start: number, end: number, maxFrameBytes: number): number;
  /** The output since the last call. */
  take(): Out[];
  /** The input is over: closes a run that is still open. */
  end(): Out[];
}

/** The parts of a filter. */
export interface TranslatorPorts {
  readonly id: string;
  readonly epoch: string;
  /** See SessionView; default 0. */
  readonly timeOrigin?: number;
  /** See SessionView. */
  readonly place?: string;
  readonly backend: Backend;
  projection(session: SessionView): Projection;
  note(level: NoteLevel, text: string): void;
  /** Told of each event, and of the frames that it became. Bursts are told as their events. */
  appended?(event: Event, outs: readonly Out[]): void;
  /** Takes output that was made together. `earlier`: the output before it. Absent: all output is single frames. */
  stretch?(earlier: readonly Out[], stretch: Stretch): void;
}

/** Timers never fire and nothing is sent to the agent: its output is a recording. */
export function createTranslator(ports: TranslatorPorts): Translator {
  const transcript = emptyTranscript();
  const projection = ports.projection({
    id: ports.id,
    epoch: ports.epoch,
    timeOrigin: ports.timeOrigin ?? 0,
    place: ports.place,
    transcript,
  });
  const texts = () => repeatedTexts(transcript);
  let outs: Out[] = [];
  const append = (event: Event) => {
    const logged = { seq: transcript.lastSeq + 1, at: 0, event };
    fold(transcript, logged);
    const written = projection.event(logged);
    for (const out of written) outs.push(out);
    ports.appended?.(event, written);
    for (const { level, text } of projection.notes?.() ?? []) ports.note(level, text);
  };
  const appendBurst = (burst: Burst) => {
    const { bursts } = projection;
    if (ports.stretch === undefined || bursts === undefined || !takesBurst(bursts, burst)) {
      for (const event of eventsIn(burst)) append(event);
      return;
    }
    const seq = transcript.lastSeq + 1;
    foldBurst(transcript, burst, 0);
    ports.stretch(take(), bursts.write(burst, seq, 0, eventCount(burst), 0));
  };
  const admit = createRepair({ transcript, append, appendBurst, note: ports.note });

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'deliver') admit(action.message);
      else if (action.do === 'note') ports.note(action.level, action.text);
    }
  }

  function take(): Out[] {
    const result = outs;
    outs = [];
    return result;
  }

  perform(ports.backend.start?.() ?? []);
  return {
    frame(frame) {
      frame.mayRepeat?.(texts);
      perform(ports.backend.decode(frame));
      return take();
    },
    glance:
      ports.backend.recognise === undefined
        ? () => null
        : createRecogniser(ports.backend.recognise, (frame) => admit(frame.accept())),
    takeBurst(peek, start, end, maxFrameBytes) {
      const recognised = ports.backend.recogniseBurst?.(peek, start, end, maxFrameBytes) ?? null;
      if (recognised === null) return start;
      admit.burst(recognised.accept());
      return recognised.next;
    },
    take,
    end() {
      perform(ports.backend.end?.() ?? []);
      const failure = { kind: 'agent' as const, message: 'the input ended in the middle of the run' };
      for (const event of closeRun(transcript, { outcome: 'failed', failure })) append(event);
      return take();
    },
  };
}
