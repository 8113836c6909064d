// The contents that describe one tool call (docs/protocols/eca.md 8.3, 4.3).
import { type Content, type Dictionary, FileChange } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { changeDetails, imageOf, outputsOf, summaryOf, withExtra } from '../frontend/encode-values.ts';
import { type ChatRef, contentFrame, type Role, type TextFrames, textFrames } from './encode-frame.ts';

/** The parts of a tool call that an editor shows besides name and arguments. */
export type Shown = Partial<Pick<EventOf<'tool-start'>, 'title' | 'origin' | 'server' | 'change'>>;

/** A writer of contents into a chat, or into the chat of a sub-agent. */
export interface ContentWriter {
  readonly chatRef: ChatRef;
  content(role: Role, content: Dictionary): void;
  /** Shows the progress "Generating" before content of the model. */
  generating(): void;
  progress(text: string): void;
}

/** A call that was shown. */
export interface Call {
  /** The canonical id of the call, or of the approval or dialog that is shown as a call. */
  readonly key: string;
  /** The id on the wire. */
  readonly id: string;
  readonly name: string;
  readonly writer: ContentWriter;
  shown: Shown;
  input: Dictionary;
  /** The last stage that was shown. */
  stage: 'prepared' | 'run' | 'running' | 'over';
  /** The user was asked about the call. */
  isAsked?: boolean;
  /** All arguments were sent while the call was prepared. */
  isWritten: boolean;
  /** Extra fields of an ECA server, from the time when the call was prepared. */
  preparing?: Dictionary;
  /** Session clock, ms. */
  startedAt?: number;
  /** The end of a call that never ran. */
  ending?: EventOf<'tool-end'>;
}

/** The result of a tool call, for `toolCalled`. */
export interface Result {
  readonly content: readonly Content[];
  readonly isError: boolean;
  /** Absent if the duration is unknown. */
  readonly totalTimeMs?: number;
}

/** Writes the frames of a call's arguments. */
export interface ArgumentFrames {
  /** One frame with all arguments. It is not split, because a reader may replace what it has by each frame. */
  whole(text: string): string;
  /** Frames that each add a piece of the arguments. */
  readonly pieces: TextFrames;
}

/** The visible parts of a call, read from an event or from the extra fields of an ECA server. */
export function shownIn(fields: Readonly<Record<string, unknown>>): Shown {
  const { title = fields.summary, origin, server } = fields;
  const change = FileChange.safeParse(fields.change);
  return {
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(origin === 'native' || origin === 'mcp' ? { origin } : {}),
    ...(typeof server === 'string' ? { server } : {}),
    ...(change.success ? { change: change.data } : {}),
  };
}

function headOf({ id, name, shown }: Call, type: string): Dictionary {
  // Newer clients show arguments only if the call names a server (docs/protocols/eca.md 2.15).
  const { origin = 'native', server = origin === 'native' ? 'eca' : undefined } = shown;
  return { type, id, name, origin, server };
}

/** The content of a `toolCallPrepare` without its last field, `argumentsText`. */
export function preparing(call: Call): Dictionary {
  const summary = call.shown.title ?? `Preparing ${call.name}`;
  // Whether the call needs approval is unknown yet, but the document requires the field (docs/protocols/eca.md 8.3).
  return withExtra({ ...headOf(call, 'toolCallPrepare'), summary }, { manualApproval: false, ...call.preparing });
}

/** The argument frames of a prepared call. */
export function argumentFrames(call: Call): ArgumentFrames {
  const { chatRef } = call.writer;
  const content = preparing(call);
  return {
    whole: (argumentsText) => contentFrame(chatRef, 'assistant', { ...content, argumentsText }),
    pieces: textFrames(chatRef, 'assistant', content, 'argumentsText'),
  };
}

/** The projection as the call writer uses it. */
export interface CallPorts {
  /** The details of a call without a file change, by canonical id. */
  detailsOf(key: string): Dictionary | undefined;
  /** The working folder of the agent, if known. */
  cwd(): string | undefined;
}

/** A duration in ms. VS Code would show a zero, so a zero is left out. */
export function tookMs(totalTimeMs: number): { readonly totalTimeMs?: number } {
  const rounded = Math.round(totalTimeMs);
  return rounded > 0 ? { totalTimeMs: rounded } : {};
}

/** Writes the contents of calls. */
export function createCallContents(ports: CallPorts) {
  /** `fields`: extra fields of an ECA server. */
  function write(call: Call, type: string, more: Dictionary, fields: Dictionary = {}): void {
    const { key, name, shown, input, writer } = call;
    const details = shown.change === undefined ? ports.detailsOf(key) : changeDetails(shown.change, ports.cwd());
    const body = { arguments: input, summary: summaryOf(name, shown.title, input), details };
    writer.content('assistant', withExtra({ ...headOf(call, type), ...body, ...more }, fields));
  }

  return {
    write,
    called(call: Call, { content, isError, totalTimeMs = 0 }: Result, fields: Dictionary = {}): void {
      // Only a call that failed may end without having run (docs/faults.md 1.5).
      if (call.stage === 'prepared' && !isError) write(call, 'toolCallRun', { manualApproval: false });
      call.stage = 'over';
      const outputs = outputsOf(content);
      write(call, 'toolCalled', { error: isError, outputs, ...tookMs(totalTimeMs) }, fields);
      for (const image of content.map(imageOf)) if (image !== null) call.writer.content('assistant', image);
    },
    rejected(call: Call, fields: Dictionary = {}): void {
      call.stage = 'over';
      write(call, 'toolCallRejected', { reason: 'user' }, fields);
    },
  };
}
