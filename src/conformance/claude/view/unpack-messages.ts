// Unpacks the messages of a trace from their carrier: several lines in one WebSocket frame, or the events and posts of
// the SDK's browser entry (docs/protocols/claude.md 9.3).
import { dictionaryIn, dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { type Rule, ruleWithin, type Trace, type TraceFrame } from '../../check/rule.ts';
import { readView, type View } from './view.ts';

/** A view, and the carrier frame of each of its messages. */
export interface UnpackedView {
  readonly view: View;
  readonly places: readonly number[];
}

/** Reads a trace. */
export function readUnpacked(trace: Trace): UnpackedView {
  const places: number[] = [];
  const frames: TraceFrame[] = [];
  trace.frames.forEach((frame, place) => {
    for (const one of messagesOf(frame)) {
      frames.push(one);
      places.push(place);
    }
  });
  return { view: readView({ frames, isComplete: trace.isComplete }), places };
}

/** Adapts a rule on messages to the carrier's frame numbers. */
export function unpackMessages(rule: Rule<View>): Rule<UnpackedView> {
  return ruleWithin(
    rule,
    ({ view }) => view,
    (frame, { places }) => places[frame] ?? 0,
  );
}

function messagesOf(frame: TraceFrame): readonly TraceFrame[] {
  const { text, by, at } = frame;
  if (frame.isFault === true || isDictionary(frame.json)) return [frame];
  const payloads = by === 'client' ? posted(text) : listIn(text);
  if (payloads !== null) return payloads.map((json) => ({ at, by, text: JSON.stringify(json), json }));
  // Recorders write this line at the end of input.
  if (text.trim() === '<EOF>') return [];
  // An empty line was sent as such.
  if (text.trim() === '') return [frame];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line): TraceFrame => {
    const json = dictionaryIn(line);
    return json === null ? { at, by, text: line } : { at, by, text: line, json };
  });
}

/** The messages in the body of an HTTP post; null when the text is no HTTP request. */
function posted(text: string): readonly unknown[] | null {
  const request = /^(?:GET|POST) \S+ ?(.*)$/su.exec(text);
  if (request === null) return null;
  const { events } = dictionaryOf(dictionaryIn(request[1] ?? ''));
  return Array.isArray(events) ? events.map((event: unknown) => dictionaryOf(event).payload) : [];
}

/** The messages of a piece of an event stream; null when the text is no event stream or holds no messages. */
function listIn(text: string): readonly unknown[] | null {
  if (!/^(?:id|event|data|retry|):/u.test(text)) return null;
  const payloads: unknown[] = [];
  for (const event of text.split(/\n\n/u)) {
    const lines = event.split('\n').filter((line) => line.startsWith('data:'));
    if (lines.length === 0) continue;
    const { payload } = dictionaryOf(dictionaryIn(lines.map((line) => line.slice(5)).join('\n')));
    if (payload === undefined) return null;
    payloads.push(payload);
  }
  return payloads;
}
