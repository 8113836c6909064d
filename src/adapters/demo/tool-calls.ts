// Tool calls of the demo agent: the tools it claims to have, and the events of a call. No tool does anything: a result
// is a function of the arguments.
import type { Dictionary } from '../../core/model/content.ts';
import type { Event, EventOf } from '../../core/model/event.ts';
import type { Tool } from '../../core/model/session-info.ts';
import { changeOf } from './file-changes.ts';
import type { Play } from './play.ts';
import type { PlayState } from './play-state.ts';
import { cut, lane, nextTurn, sayBlock, takeSteering } from './speech.ts';

const text = { type: 'string' };

function tool(name: string, description: string, properties: Dictionary): Tool {
  return { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } };
}

/** The tools as clients see them. */
export const tools: readonly Tool[] = [
  tool('lookup', 'Finds entries in a list that does not exist', { query: text, limit: { type: 'integer' } }),
  tool('edit_file', 'Would replace a piece of a file', { path: text, old_text: text, new_text: text }),
  tool('write_note', 'Would write a note, and asks first', { path: text, text }),
  tool('delegate', 'Gives a task to a sub-agent', { task: text }),
];

/** One call of a tool. */
export interface Call {
  readonly id: string;
  readonly name: 'lookup' | 'edit_file' | 'write_note' | 'delegate';
  readonly input: Dictionary;
  /** The call of the sub-agent that makes this call. */
  readonly parent?: string;
}

/** Creates a call. No event was delivered yet. */
export function newCall(stage: PlayState, name: Call['name'], input: Dictionary, parent?: string): Call {
  return { id: stage.env.id('call'), name, input, ...lane(parent) };
}

/** Creates a call of the tool `lookup`. */
export function newLookup(stage: PlayState, query: string, parent?: string): Call {
  return newCall(stage, 'lookup', { query, limit: 3 }, parent);
}

/** Streams the block of a call, with its arguments in pieces. */
export function* announce(stage: PlayState, call: Call): Play {
  const { id, name, input, parent } = call;
  yield* sayBlock(stage, { kind: 'tool-call', id, name }, cut(JSON.stringify(input), 8), { input }, parent);
}

/** A running call: the event that starts it, and the events that end it. */
export interface Running {
  readonly start: EventOf<'tool-start'>;
  update(mode: EventOf<'tool-update'>['mode'], output: string): EventOf<'tool-update'>;
  end(output: string, isError?: boolean): Event[];
}

/** Starts a call. Its duration counts from here. */
export function begin(stage: PlayState, call: Call, input: Dictionary = call.input): Running {
  const { id, name, parent } = call;
  const startedAt = stage.env.now();
  const change = changeOf(name, input);
  return {
    start: { type: 'tool-start', ...lane(parent), call: id, name, input, ...change },
    update: (mode, output) => {
      return { type: 'tool-update', ...lane(parent), call: id, mode, content: [{ type: 'text', text: output }] };
    },
    end: (output, isError = false) => {
      const durationMs = Math.round(stage.env.now() - startedAt);
      return answer(call, output, { isError, durationMs, ...change });
    },
  };
}

/** The result of a call: the end of the tool, and the message with the result for the model. */
export function answer(
  { id, name, parent }: Call,
  output: string,
  how: Pick<EventOf<'tool-end'>, 'isError' | 'skipped' | 'durationMs' | 'change'>,
): Event[] {
  const end: EventOf<'tool-end'> = {
    type: 'tool-end',
    ...lane(parent),
    call: id,
    name,
    content: [{ type: 'text', text: output }],
    ...how,
  };
  return [end, resultMessage(end)];
}

/** The message that adds a tool's result to the conversation. */
export function resultMessage({ parent, call, name, content, isError }: EventOf<'tool-end'>): EventOf<'message-added'> {
  return { type: 'message-added', ...lane(parent), role: 'tool', call, name, content, isError };
}

/** The results are complete: starts the next turn, with the user's messages that came meanwhile. */
export function* afterTools(stage: PlayState): Play {
  yield* nextTurn(stage);
  yield* takeSteering(stage);
}
