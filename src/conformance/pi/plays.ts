// What both generations of our agents of pi do in a run, whoever their client is: they answer, think, use tools, fail, are
// stopped, and say what clients must be able to read without stumbling.
import type { Act } from '../sets.ts';
import type { Dictionary } from '../../core/model/content.ts';
import type { Speech } from './speech.ts';

/** What a run is played on. The user's message has been said; a turn is open, and is closed afterwards. */
export interface Scene {
  readonly speech: Speech;
  say(line: Dictionary): void;
  mint(word: string): string;
  /** Waits a moment, so that a client that has stumbled is gone. Rejects when it is. */
  breathe(): Promise<void>;
  /** Resolves when the client has asked to stop, or when patience is over; true for the first. */
  stopped(): Promise<boolean>;
}

/** One act and what is done in it. */
export interface Play<Stage> extends Act {
  play(stage: Stage): Promise<void> | void;
}

/** In what clients are tried with; nobody else says it. */
export const probe = 'patchbay_probe';
/** Words for texts that try clients. */
const probeText = { separators: `${probe} a\u2028b\u2029c\u0085d`, long: `${probe} ` };
/** Characters of the long text. */
export const longText = 300_000;

const text = (...pieces: readonly string[]) => ({ kind: 'text', pieces }) as const;
const stopping = { stopReason: 'aborted', errorMessage: 'Request was aborted.' } as const;

/** One call of a tool, and a turn that closes with text. */
function useTool({ speech, mint }: Scene, output: string, isError: boolean): void {
  const call = { id: mint('call'), name: 'bash', input: { command: 'ls -la' } };
  speech.answer([text('I look', ' into it.'), { kind: 'toolcall', ...call }], { stopReason: 'toolUse' });
  speech.tool({ ...call, output, isError });
  speech.endTurn();
  speech.beginTurn();
  speech.answer([text('That is ', 'all.')]);
}

/** Acts that both have. */
export const plays: readonly Play<Scene>[] = [
  { name: 'text', title: 'Answers with a text.', play: ({ speech }) => speech.answer([text('Hello, ', 'world.')]) },
  {
    name: 'think',
    title: 'Thinks, and answers.',
    play: ({ speech }) => speech.answer([{ kind: 'thinking', pieces: ['Let me ', 'see.'] }, text('It is ', '42.')]),
  },
  { name: 'tool', title: 'Uses a tool.', play: (scene) => useTool(scene, 'total 0\n', false) },
  { name: 'toolfail', title: 'Uses a tool that fails.', play: (scene) => useTool(scene, 'ls: no such file', true) },
  {
    name: 'fail',
    title: 'Fails in the middle of its answer.',
    play({ speech }) {
      const answer = speech.beginAnswer();
      answer.open('text');
      answer.more('Half a ');
      answer.end({ stopReason: 'error', errorMessage: '400 {"type":"error"}' });
    },
  },
  {
    name: 'abort',
    title: 'Answers until it is stopped.',
    async play({ speech, stopped }) {
      const answer = speech.beginAnswer();
      answer.open('text');
      answer.more('This goes on');
      answer.more(' until you stop me.');
      answer.end((await stopped()) ? stopping : {});
    },
  },
  {
    name: 'unknown-event',
    title: 'Says a line of a type that there is not, as a newer version might.',
    async play({ speech, say, breathe }) {
      say({ type: probe, anything: [1, { nested: true }] });
      await breathe();
      speech.answer([text('That was ', 'new.')]);
    },
  },
  {
    name: 'unknown-fields',
    title: 'Says lines with more fields than there are, as a newer version might.',
    async play({ speech, say, breathe }) {
      const call = { toolCallId: 'call-probe', toolName: 'bash', [probe]: { deep: [true] } };
      say({ type: 'tool_execution_start', args: { command: 'true' }, ...call });
      say({ type: 'tool_execution_end', result: { content: [], details: {}, [probe]: 1 }, isError: false, ...call });
      await breathe();
      speech.answer([text('There was ', 'more.')]);
    },
  },
  {
    name: 'separators',
    title: 'Says characters that some readers take for the end of a line.',
    async play({ speech, breathe }) {
      speech.answer([text(probeText.separators)]);
      await breathe();
    },
  },
  {
    name: 'long',
    title: 'Says a very long line.',
    async play({ speech, breathe }) {
      speech.answer([text(`${probeText.long}${'x'.repeat(longText)}`)]);
      await breathe();
    },
  },
];
