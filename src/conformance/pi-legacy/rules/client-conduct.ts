// Rules on the conduct of pi-legacy clients: one prompt at a time, and no disconnect whatever the agent sends
// (docs/protocols/pi-legacy.md 1.7, 2).

import type { Finding, TraceFrame } from '../../check/rule.ts';
import { probe } from '../../pi/fake-agent/shared-behaviours.ts';
import type { View } from '../view/parts.ts';
import type { LegacyRows } from './legacy-rows.ts';

/**
 * Whether the client was still connected after that frame: our agent sends the end of each run only to a connected
 * client.
 */
function wasThere({ trace, agent }: View, after: number): boolean {
  const hasReply = trace.frames.some(({ by }, frame) => frame > after && by === 'client');
  return hasReply || agent.some(({ frame, type }) => frame > after && type === 'agent_end');
}

/** One finding for each place where our agent sent the unusual line; no other agent sends such lines. */
function survives(
  behaviour: string,
  { section, sentence }: Pick<LegacyRows[string], 'section' | 'sentence'>,
  isProbe: (frame: TraceFrame) => boolean,
): LegacyRows[string] {
  return {
    reads: 'both',
    section,
    sentence,
    covers: [],
    scenarios: [behaviour],
    *judge(view): Generator<Finding> {
      for (const [frame, line] of view.trace.frames.entries()) {
        if (line.by === 'agent' && line.text.includes(probe) && isProbe(line))
          yield { frame, wrong: wasThere(view, frame) ? null : 'the client has left after this line' };
      }
    },
  };
}

const typeOf = ({ json }: TraceFrame) => String(Object(json).type);
/** Length of a long line, characters. */
const long = 100_000;

export const clientConductRows: LegacyRows = {
  'one-prompt-at-a-time': {
    reads: 'both',
    section: 'Prompt Message',
    isMeasured: true,
    sentence: 'A prompt waits for the end of the run before, for the lines of two runs cannot be told apart.',
    covers: ['command:prompt'],
    scenarios: ['text', 'tool', 'abort'],
    *judge({ prompts, mixes }) {
      const second = new Set(mixes.flatMap((mix) => mix.prompts.slice(1)));
      for (const prompt of prompts)
        yield { frame: prompt.line.frame, wrong: second.has(prompt) ? 'another prompt is at work' : null };
    },
  },
  'compact-when-idle': {
    reads: 'both',
    section: 'Compact Message',
    isMeasured: true,
    sentence: 'A compaction is asked for between two runs, for in one it takes the messages away from under it.',
    covers: ['command:compact'],
    scenarios: ['text'],
    *judge({ compacts, agent }) {
      for (const { line } of compacts) {
        const last = agent.findLast(({ frame, type }) => frame < line.frame && /^agent_(?:start|end)$/u.test(type));
        yield { frame: line.frame, wrong: last?.type === 'agent_start' ? 'a run is open' : null };
      }
    },
  },
  'survives-events': survives(
    'unknown-event',
    { section: 'Event Types Overview', sentence: 'A line of an unknown type does not drive the client away.' },
    (frame) => typeOf(frame) === probe,
  ),
  'survives-fields': survives(
    'unknown-fields',
    { section: 'Event Schemas', sentence: 'Unknown fields in a line do not drive the client away.' },
    (frame) => typeOf(frame).startsWith('tool_execution'),
  ),
  'survives-separators': survives(
    'separators',
    { section: 'Output Protocol', sentence: 'U+2028 and its kin inside a line do not drive the client away.' },
    (frame) => typeOf(frame) === 'message_update' && frame.text.includes('\u2028'),
  ),
  'survives-long-lines': survives(
    'long',
    { section: 'Output Protocol', sentence: 'A line of a megabyte does not drive the client away.' },
    (frame) => typeOf(frame) === 'message_update' && frame.text.length > long,
  ),
};
