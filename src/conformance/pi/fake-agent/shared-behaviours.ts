// The behaviours that both generations of our fake pi agents share: answer, think, use tools, fail, be aborted, and
// send unusual lines that a client must survive.

import type { Dictionary } from '../../../core/model/content.ts';
import type { Behaviour } from '../../check/sets.ts';
import type { RunWriter } from './run-writer.ts';

/**
 * The actions that a behaviour can use. The user's message has already been written; the turn is open, and is closed
 * afterwards.
 */
export interface BehaviourContext {
  readonly writer: RunWriter;
  send(line: Dictionary): void;
  mint(word: string): string;
  /**
   * Waits a moment, so that a client that cannot read the line has disconnected. Rejects when the client has
   * disconnected.
   */
  shortPause(): Promise<void>;
  /** Resolves with true when the client aborts, with false when the patience runs out. */
  waitForStop(): Promise<boolean>;
}

/** A behaviour and its script. */
export interface ScriptedBehaviour<Context> extends Behaviour {
  run(context: Context): Promise<void> | void;
}

/** A word that marks unusual lines; nobody else uses it. */
export const probe = 'patchbay_probe';
/** Texts that are hard to split into lines. */
const probeText = { separators: `${probe} a\u2028b\u2029c\u0085d`, long: `${probe} ` };
/** Length of the long text, characters. */
export const longText = 300_000;

const text = (...pieces: readonly string[]) => ({ kind: 'text', pieces }) as const;
const stopping = { stopReason: 'aborted', errorMessage: 'Request was aborted.' } as const;

/** One tool call, then a turn that ends with text. */
function useTool({ writer, mint }: BehaviourContext, output: string, isError: boolean): void {
  const call = { id: mint('call'), name: 'bash', input: { command: 'ls -la' } };
  writer.answer([text('I look', ' into it.'), { kind: 'toolcall', ...call }], { stopReason: 'toolUse' });
  writer.tool({ ...call, output, isError });
  writer.endTurn();
  writer.beginTurn();
  writer.answer([text('That is ', 'all.')]);
}

/** Behaviours of both generations. */
export const sharedBehaviours: readonly ScriptedBehaviour<BehaviourContext>[] = [
  { name: 'text', title: 'Answers with a text.', run: ({ writer }) => writer.answer([text('Hello, ', 'world.')]) },
  {
    name: 'think',
    title: 'Thinks, and answers.',
    run: ({ writer }) => writer.answer([{ kind: 'thinking', pieces: ['Let me ', 'see.'] }, text('It is ', '42.')]),
  },
  { name: 'tool', title: 'Uses a tool.', run: (context) => useTool(context, 'total 0\n', false) },
  { name: 'toolfail', title: 'Uses a tool that fails.', run: (context) => useTool(context, 'ls: no such file', true) },
  {
    name: 'fail',
    title: 'Fails in the middle of its answer.',
    run({ writer }) {
      const answer = writer.beginAnswer();
      answer.open('text');
      answer.more('Half a ');
      answer.end({ stopReason: 'error', errorMessage: '400 {"type":"error"}' });
    },
  },
  {
    name: 'abort',
    title: 'Answers until it is stopped.',
    async run({ writer, waitForStop }) {
      const answer = writer.beginAnswer();
      answer.open('text');
      answer.more('This goes on');
      answer.more(' until you stop me.');
      answer.end((await waitForStop()) ? stopping : {});
    },
  },
  {
    name: 'unknown-event',
    title: 'Says a line of a type that there is not, as a newer version might.',
    async run({ writer, send, shortPause }) {
      send({ type: probe, anything: [1, { nested: true }] });
      await shortPause();
      writer.answer([text('That was ', 'new.')]);
    },
  },
  {
    name: 'unknown-fields',
    title: 'Says lines with more fields than there are, as a newer version might.',
    async run({ writer, send, shortPause }) {
      const call = { toolCallId: 'call-probe', toolName: 'bash', [probe]: { deep: [true] } };
      send({ type: 'tool_execution_start', args: { command: 'true' }, ...call });
      send({ type: 'tool_execution_end', result: { content: [], details: {}, [probe]: 1 }, isError: false, ...call });
      await shortPause();
      writer.answer([text('There was ', 'more.')]);
    },
  },
  {
    name: 'separators',
    title: 'Says characters that some readers take for the end of a line.',
    async run({ writer, shortPause }) {
      writer.answer([text(probeText.separators)]);
      await shortPause();
    },
  },
  {
    name: 'long',
    title: 'Says a very long line.',
    async run({ writer, shortPause }) {
      writer.answer([text(`${probeText.long}${'x'.repeat(longText)}`)]);
      await shortPause();
    },
  },
];
