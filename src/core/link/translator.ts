// A filter from one protocol's agent frames to another's client frames: no session, no clock. Knows no protocol.
import type { Action, Backend, NoteLevel, Projection, SessionView } from '../contract/adapter.ts';
import type { Frame, RecognisedFrame, Peek, Out } from '../contract/channel.ts';
import { closeRun } from '../log/close-run.ts';
import type { Event } from '../model/event.ts';
import { createRecogniser } from '../fast-path/recogniser.ts';
import { createRepair } from '../log/repair.ts';
import { emptyTranscript, fold } from '../log/fold.ts';

/** A filter at work. */
export interface Translator {
  /** What the client would be sent for this frame of the agent, and for what was recognised before it. */
  frame(frame: Frame): Out[];
  /** See Receiver. What an accepted glance gives comes with the next frames, or by {@link Translator.take}. */
  glance(peek: Peek, start: number, end: number): RecognisedFrame | null;
  /** What has gathered since. */
  take(): Out[];
  /** The input is over: a run that is open is closed properly. */
  end(): Out[];
}

/** What a filter is made of. */
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
}

/** Timers never fire and nothing is sent to the agent: it spoke long ago. */
export function createTranslator(ports: TranslatorPorts): Translator {
  const transcript = emptyTranscript();
  const projection = ports.projection({
    id: ports.id,
    epoch: ports.epoch,
    timeOrigin: ports.timeOrigin ?? 0,
    place: ports.place,
    transcript,
  });
  let outs: Out[] = [];
  const append = (event: Event) => {
    const logged = { seq: transcript.lastSeq + 1, at: 0, event };
    fold(transcript, logged);
    for (const out of projection.event(logged)) outs.push(out);
    for (const { level, text } of projection.notes?.() ?? []) ports.note(level, text);
  };
  const admit = createRepair({ transcript, append, note: ports.note });

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'deliver') admit(action.message);
      else if (action.do === 'note') ports.note(action.level, action.text);
    }
  }

  function taken(): Out[] {
    const result = outs;
    outs = [];
    return result;
  }

  perform(ports.backend.start?.() ?? []);
  return {
    frame(frame) {
      perform(ports.backend.decode(frame));
      return taken();
    },
    glance:
      ports.backend.recognise === undefined
        ? () => null
        : createRecogniser(ports.backend.recognise, (frame) => admit(frame.accept())),
    take: taken,
    end() {
      perform(ports.backend.end?.() ?? []);
      const failure = { kind: 'agent' as const, message: 'the input ended in the middle of the run' };
      for (const event of closeRun(transcript, { outcome: 'failed', failure })) append(event);
      return taken();
    },
  };
}
