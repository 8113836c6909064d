// Traces of Claude clients as rules read them, whatever carried them: several lines in one frame of a WebSocket, or the events and
// posts of the SDK's browser entry (reference claude-sdk, 2.3).
import { dictionaryIn, dictionaryOf, isDictionary } from '../../core/dictionary.ts';
import type { Level } from '../check.ts';
import type { Finding, Rule, Trace, TraceFrame } from '../rule.ts';
import { readView, type View } from './view.ts';

/** A view, and where each of its frames was in the trace. */
export interface ClientView {
  readonly view: View;
  readonly places: readonly number[];
}

/** Rules by the name that their ids end with. */
export interface Row {
  /** Default: `1.1`, which names the messages; how a client uses them is measured (reference, 1.1). */
  readonly section?: string;
  readonly sentence: string;
  readonly scenarios: readonly string[];
  readonly covers: readonly string[];
  /** Default `MUST`. */
  readonly level?: Level;
  /** The seed says so. */
  readonly isSpecified?: true;
  judge(view: View): Iterable<Finding>;
}

/** Rules of Claude clients. */
export function clientRules(rows: Readonly<Record<string, Row>>): Rule<ClientView>[] {
  return Object.entries(rows).map(([name, { section = '1.1', level = 'MUST', isSpecified, judge, ...row }]) => ({
    id: `claude/client/${name}`,
    section,
    level,
    basis: isSpecified === true ? 'specification' : 'measured',
    ...row,
    *judge({ view, places }) {
      for (const { frame, wrong } of judge(view)) yield { frame: places[frame] ?? 0, wrong };
    },
  }));
}

/** Reads a trace. */
export function readClientView(trace: Trace): ClientView {
  const places: number[] = [];
  const frames: TraceFrame[] = [];
  trace.frames.forEach((frame, place) => {
    for (const one of messagesOf(frame)) {
      frames.push(one);
      places.push(place);
    }
  });
  return { view: readView({ frames, isWhole: trace.isWhole }), places };
}

function messagesOf(frame: TraceFrame): readonly TraceFrame[] {
  const { text, by, at } = frame;
  if (frame.isFault === true || isDictionary(frame.json)) return [frame];
  const carried = by === 'client' ? posted(text) : told(text);
  if (carried !== null) return carried.map((json) => ({ at, by, text: JSON.stringify(json), json }));
  // Recorders note the end of input so.
  if (text.trim() === '' || text.trim() === '<EOF>') return [];
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

/** The messages of a piece of an event stream; null when it is none. */
function told(text: string): readonly unknown[] | null {
  if (!/^(?:id|event|data|retry|):/u.test(text)) return null;
  return text.split(/\n\n/u).flatMap((event) => {
    const lines = event.split('\n').filter((line) => line.startsWith('data:'));
    const { payload } = dictionaryOf(dictionaryIn(lines.map((line) => line.slice(5)).join('\n')));
    return payload === undefined ? [] : [payload];
  });
}
