// Short words for events that go in and frames that come out, so that the tests of the projection read as tables.
import { z } from 'zod';
import type { Content } from '../../../src/core/model/content.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { faultsIn } from '../../support/judged.ts';
import { type Sent, told } from './harness.ts';

export type Stop = EventOf<'message-end'>['stop']['reason'];
export type RunEnd = EventOf<'run-end'>;

export const run: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }];
export const done: Event[] = [{ type: 'turn-end' }, { type: 'run-end', outcome: 'completed' }];

export function message(id = 'm', more: Partial<EventOf<'message-start'>> = {}): Event {
  return { type: 'message-start', id, ...more };
}

export function ended(reason: Stop = 'end', more: Partial<EventOf<'message-end'>> = {}): Event {
  return { type: 'message-end', stop: { reason }, ...more };
}

export function opened(index: number, block: EventOf<'block-start'>['block'], parent?: string): Event {
  return { type: 'block-start', index, block, parent };
}

export function piece(index: number, delta: string, parent?: string): Event {
  return { type: 'block-delta', index, delta, parent };
}

export function closed(index: number, more: Partial<EventOf<'block-end'>> = {}): Event {
  return { type: 'block-end', index, ...more };
}

/** A whole block of text, in these pieces. */
export function text(index: number, ...pieces: string[]): Event[] {
  return [opened(index, { kind: 'text' }), ...pieces.map((delta) => piece(index, delta)), closed(index)];
}

/** A whole block that calls a tool. */
export function call(index: number, id: string, json = '{}', parent?: string): Event[] {
  const head = { kind: 'tool-call', id, name: 'read' } as const;
  return [opened(index, head, parent), piece(index, json, parent), closed(index, { parent })];
}

/** A block that comes whole, at index 0. */
export function whole(content: Content): Event[] {
  return [opened(0, { kind: 'whole', content }), closed(0)];
}

export function started(id: string, parent?: string): Event {
  return { type: 'tool-start', call: id, name: 'read', input: { at: id }, parent };
}

export function answered(id: string, content: Content[] = [], parent?: string): Event {
  return { type: 'tool-end', call: id, name: 'read', content, isError: false, parent };
}

const Inner = z.looseObject({ type: z.string(), index: z.number().optional() });
const StreamEvent = Inner.extend({ content_block: Inner.optional(), delta: z.looseObject({}).optional() });
const Said = z.looseObject({ content: z.array(Inner.extend({ tool_use_id: z.string().optional() })) });

/** The inner event of a stream event. Throws for other frames. */
export function eventIn(frame: Sent | undefined): z.infer<typeof StreamEvent> {
  return StreamEvent.parse(frame?.event);
}

/** The blocks of an assistant or user frame. Throws for other frames. */
export function contentIn(frame: Sent | undefined): z.infer<typeof Said>['content'] {
  return Said.parse(frame?.message).content;
}

function shorten(frame: Sent): string {
  const words = (...parts: readonly unknown[]) => parts.filter((part) => part !== undefined).join(' ');
  switch (frame.type) {
    case 'stream_event': {
      const { type, index, content_block: block, delta } = eventIn(frame);
      return words(type, index, block?.type ?? delta?.type);
    }
    case 'assistant':
    case 'user': {
      const [block] = contentIn(frame);
      return words(frame.type, block?.type, block?.tool_use_id);
    }
    default:
      return words(frame.type, frame.subtype);
  }
}

/** The frames in a few words each, e.g. `content_block_delta 0 text_delta`, `user tool_result c`. */
export function outline(frames: readonly Sent[]): string[] {
  return frames.map(shorten);
}

/** The frames whose outline begins with that. */
export function only(frames: readonly Sent[], word: string): Sent[] {
  return frames.filter((frame) => shorten(frame).startsWith(word));
}

/** What the order checker has against the frames. */
export function inOrder(frames: readonly Sent[]): string[] {
  return faultsIn('claude', frames);
}

/** The last result that is told of these events. */
export function resultOf(events: readonly Event[]): Sent | undefined {
  return only(told(events).frames, 'result').at(-1);
}
