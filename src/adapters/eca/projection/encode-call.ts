// The contents that tell of one tool call (docs/protocols/eca.md 8.3, 4.3). Knows no order.
import { type Content, type Dictionary, FileChange } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { contentFrame, type Role, type TextFrames, textFrames, type Voice } from './encode-frame.ts';
import { changeDetails, imageOf, outputsOf, summaryOf, withRest } from '../frontend/encode-values.ts';

/** What people are shown of a call. */
export type Shown = Partial<Pick<EventOf<'tool-start'>, 'title' | 'origin' | 'server' | 'change'>>;

/** Where calls are told: a chat, or that of a sub-agent. */
export interface Place {
  readonly voice: Voice;
  content(role: Role, content: Dictionary): void;
  /** "Generating" stands before what the model says. */
  generating(): void;
  progress(text: string): void;
}

/** A call that was told. */
export interface Call {
  /** Canonical: of the call, or of the approval or dialog that is shown as one. */
  readonly key: string;
  /** On the wire. */
  readonly id: string;
  readonly name: string;
  readonly place: Place;
  shown: Shown;
  input: Dictionary;
  /** How far it was told. */
  stage: 'prepared' | 'run' | 'running' | 'over';
  /** Its user was asked about it. */
  isAsked?: boolean;
  /** All of its arguments were told while it was prepared. */
  isWritten: boolean;
  /** What an ECA server said while it was prepared. */
  preparing?: Dictionary;
  /** Session clock, ms. */
  startedAt?: number;
  /** How it ended without having run. */
  ending?: EventOf<'tool-end'>;
}

/** What a call has given. */
export interface Result {
  readonly content: readonly Content[];
  readonly isError: boolean;
  /** Absent: nobody knows how long it took. */
  readonly totalTimeMs?: number;
}

/** The frames of a call's arguments. */
export interface ArgumentFrames {
  /** Of all of them: one frame, for what it has may be replaced by it. */
  whole(text: string): string;
  /** Of some more of them. */
  readonly pieces: TextFrames;
}

/** What is known of it: from an event, or from what an ECA server said beside one. */
export function shownIn(said: Readonly<Record<string, unknown>>): Shown {
  const { title = said.summary, origin, server } = said;
  const change = FileChange.safeParse(said.change);
  return {
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(origin === 'native' || origin === 'mcp' ? { origin } : {}),
    ...(typeof server === 'string' ? { server } : {}),
    ...(change.success ? { change: change.data } : {}),
  };
}

function headOf({ id, name, shown }: Call, type: string): Dictionary {
  // Newer clients show the arguments of calls that name a server only (docs/protocols/eca.md 2.15).
  const { origin = 'native', server = origin === 'native' ? 'eca' : undefined } = shown;
  return { type, id, name, origin, server };
}

/** The content of a `toolCallPrepare` without its last field, `argumentsText`. */
export function preparing(call: Call): Dictionary {
  const summary = call.shown.title ?? `Preparing ${call.name}`;
  // Whether it needs approval is not known yet, but the document asks for a word (docs/protocols/eca.md 8.3).
  return withRest({ ...headOf(call, 'toolCallPrepare'), summary }, { manualApproval: false, ...call.preparing });
}

/** The frames of its arguments while it is prepared. */
export function argumentFrames(call: Call): ArgumentFrames {
  const { voice } = call.place;
  const content = preparing(call);
  return {
    whole: (argumentsText) => contentFrame(voice, 'assistant', { ...content, argumentsText }),
    pieces: textFrames(voice, 'assistant', content, 'argumentsText'),
  };
}

/** What there is to know about calls beside what is told of them. */
export interface CallPorts {
  /** What there is to show of one beside a changed file, by its canonical id. */
  detailsOf(key: string): Dictionary | undefined;
  /** Where the agent works, if that is known. */
  cwd(): string | undefined;
}

/** How long something took. VS Code shows a zero as a figure of its own, so what took no time says nothing. */
export function tookMs(totalTimeMs: number): { readonly totalTimeMs?: number } {
  const rounded = Math.round(totalTimeMs);
  return rounded > 0 ? { totalTimeMs: rounded } : {};
}

/** Says contents of calls. */
export function createCallSayer(ports: CallPorts) {
  /** `said`: what an ECA server said beside it. */
  function say(call: Call, type: string, more: Dictionary, said: Dictionary = {}): void {
    const { key, name, shown, input, place } = call;
    const details = shown.change === undefined ? ports.detailsOf(key) : changeDetails(shown.change, ports.cwd());
    const body = { arguments: input, summary: summaryOf(name, shown.title, input), details };
    place.content('assistant', withRest({ ...headOf(call, type), ...body, ...more }, said));
  }

  return {
    say,
    called(call: Call, { content, isError, totalTimeMs = 0 }: Result, said: Dictionary = {}): void {
      // Only what failed need not have run (docs/faults.md 1.5).
      if (call.stage === 'prepared' && !isError) say(call, 'toolCallRun', { manualApproval: false });
      call.stage = 'over';
      const outputs = outputsOf(content);
      say(call, 'toolCalled', { error: isError, outputs, ...tookMs(totalTimeMs) }, said);
      for (const image of content.map(imageOf)) if (image !== null) call.place.content('assistant', image);
    },
    rejected(call: Call, said: Dictionary = {}): void {
      call.stage = 'over';
      say(call, 'toolCallRejected', { reason: 'user' }, said);
    },
  };
}
