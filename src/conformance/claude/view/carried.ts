// Traces of Claude's format as rules read them, whatever carried them: several lines in one frame of a WebSocket, or the events and
// posts of the SDK's browser entry (docs/protocols/claude.md 9.3). Knows no rule.
import { dictionaryIn, dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Rule, Trace, TraceFrame } from '../../check/rule.ts';
import { readView, type View } from './view.ts';

/** A view, and where each of its frames was in the trace. */
export interface CarriedView {
  readonly view: View;
  readonly places: readonly number[];
}

/** Reads a trace. */
export function readCarried(trace: Trace): CarriedView {
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

/** A rule over messages as a rule over what carried them. */
export function carried(rule: Rule<View>): Rule<CarriedView> {
  return {
    ...rule,
    *judge({ view, places }) {
      for (const { frame, wrong } of rule.judge(view)) yield { frame: places[frame] ?? 0, wrong };
    },
  };
}

function messagesOf(frame: TraceFrame): readonly TraceFrame[] {
  const { text, by, at } = frame;
  if (frame.isFault === true || isDictionary(frame.json)) return [frame];
  const payloads = by === 'client' ? posted(text) : told(text);
  if (payloads !== null) return payloads.map((json) => ({ at, by, text: JSON.stringify(json), json }));
  // Recorders note the end of input so.
  if (text.trim() === '<EOF>') return [];
  // An empty line is one that somebody sent.
  if (text.trim() === '') return [frame];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line): TraceFrame => {
    const json = dictionaryIn(line);
    return json === null ? { at, by, text: line } : { at, by, text: line, json };
  });
}

/** The messages of a post, or of none; null when this is no request of HTTP. */
function posted(text: string): readonly unknown[] | null {
  const request = /^(?:GET|POST) \S+ ?(.*)$/su.exec(text);
  if (request === null) return null;
  const { events } = dictionaryOf(dictionaryIn(request[1] ?? ''));
  return Array.isArray(events) ? events.map((event: unknown) => dictionaryOf(event).payload) : [];
}

/** The messages of a piece of an event stream; null when it is none, or its data are no messages. */
function told(text: string): readonly unknown[] | null {
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
