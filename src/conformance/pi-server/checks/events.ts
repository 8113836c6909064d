// Checks of session events: docs/protocols/pi-server.md 19 (rows: 23.12).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { expect } from '../check-client.ts';
import type { CheckContext, PiServerRows } from '../context.ts';
import { outlineOf, type SessionEvent, textOf } from '../view/frames.ts';

/** The events of one prompt, up to its response and to the end of everything that it started. */
async function eventsOf(
  context: CheckContext,
  word: string,
): Promise<{ readonly events: readonly SessionEvent[]; readonly responses: number }> {
  const { client, session } = await context.clientWithSession({ watched: true });
  const from = client.now;
  const id = client.start(context.prompt(session, word));
  const frame = await client.response(id);
  expect(frame.success === true, 'the prompt must succeed:', frame);
  // A compaction may end after the response (docs/protocols/pi-server.md 17.12).
  const isOpen = () => {
    const types = client.events(session, from).map(({ event }) => event.type);
    return types.lastIndexOf('auto_compaction_start') > types.lastIndexOf('auto_compaction_end');
  };
  await client.until('end of the compaction', () => (isOpen() ? undefined : true));
  await client.settled();
  const responses = client.received(from).filter((one) => one.frame.type === 'response' && one.frame.id === id).length;
  return { events: client.events(session, from), responses };
}

/** Fails the peer unless these events come in this order, with any others in between. */
function expectInOrder(events: readonly SessionEvent[], expected: readonly string[]): void {
  const words = outlineOf(events);
  let at = 0;
  for (const word of expected) {
    const found = words.indexOf(word, at);
    expect(found >= 0, `'${word}' is missing behind '${words[at - 1] ?? 'the beginning'}' in`, words);
    at = found + 1;
  }
}

const updateOf = ({ event }: SessionEvent): Dictionary =>
  event.type === 'message_update' ? dictionaryOf(event.assistantMessageEvent) : {};
const count = (events: readonly SessionEvent[], type: string): number =>
  events.filter(({ event }) => event.type === type).length;

/** Rows 102 to 105. */
export const eventRows: PiServerRows = {
  '19-102': {
    section: '19',
    sentence: 'A prompt is told as a run, a turn, its messages and their pieces.',
    input: 'prompt that is answered with text',
    expected: 'agent_start … agent_end in order; the deltas together are the final text',
    needs: { script: ['text'] },
    async run(context) {
      const { events } = await eventsOf(context, 'text');
      const order = ['agent_start', 'turn_start', 'message_start user', 'message_end user', 'message_start assistant'];
      const pieces = ['update text_start', 'update text_delta', 'update text_end'];
      expectInOrder(events, [...order, ...pieces, 'message_end assistant', 'turn_end', 'agent_end']);
      const words = outlineOf(events);
      expect(words[0] === 'agent_start' && words.at(-1) === 'agent_end', 'nothing is outside the run:', words);
      const deltas = events
        .map((one) => (updateOf(one).type === 'text_delta' ? String(updateOf(one).delta) : ''))
        .join('');
      const ends = events.filter(
        ({ event }) => event.type === 'message_end' && dictionaryOf(event.message).role === 'assistant',
      );
      const text = ends.map(({ event }) => textOf(event.message)).join('');
      expect(deltas !== '' && deltas === text, 'the deltas must be the text:', deltas, text);
      const end = events.findLast(({ event }) => event.type === 'agent_end')?.event;
      expect(Array.isArray(end?.messages) && end.messages.length > 1, 'agent_end must have the messages:', end);
    },
  },
  '19-103': {
    section: '19',
    sentence: 'A tool call is told as it is written, as it runs, and as its result; then the next turn.',
    input: 'prompt whose agent uses a tool',
    expected: 'toolcall_*, tool_execution_start … end, toolResult message, second turn',
    needs: { script: ['tool'] },
    async run(context) {
      const { events } = await eventsOf(context, 'tool');
      const call = ['update toolcall_start', 'update toolcall_end', 'message_end assistant'];
      const execution = ['tool_execution_start', 'tool_execution_end', 'message_start toolResult', 'turn_end'];
      expectInOrder(events, ['agent_start', ...call, ...execution, 'turn_start', 'message_end assistant', 'agent_end']);
      const of = (type: string) => events.find(({ event }) => event.type === type)?.event ?? {};
      const [start, end] = [of('tool_execution_start'), of('tool_execution_end')];
      const isOne = typeof start.toolCallId === 'string' && start.toolCallId === end.toolCallId;
      expect(isOne && start.toolName === end.toolName, 'start and end must be of one call:', start, end);
    },
  },
  '19.5-104': {
    section: '19.5',
    sentence: 'Retries are told one by one, and so is their end; the prompt is answered once.',
    input: 'prompt whose model fails at first',
    expected: 'auto_retry_start per attempt, auto_retry_end, one response',
    needs: { script: ['retry'] },
    async run(context) {
      const { events, responses } = await eventsOf(context, 'retry');
      const starts = events.filter(({ event }) => event.type === 'auto_retry_start');
      expect(starts.length > 0, 'auto_retry_start must come:', outlineOf(events));
      const attempts = starts.map(({ event }) => event.attempt);
      expect(
        attempts.every((attempt, index) => attempt === index + 1),
        'attempts must be counted from 1:',
        attempts,
      );
      expectInOrder(events, ['agent_start', 'auto_retry_start', 'auto_retry_end']);
      const end = events.findLast(({ event }) => event.type === 'auto_retry_end')?.event;
      expect(end?.success === true, 'the end must tell the success:', end);
      expect(responses === 1, 'there must be one response, and there are', responses);
    },
  },
  '19.5-104b': {
    section: '19.5',
    isMeasured: true,
    level: 'MAY',
    sentence: 'All retries of one answer have one end.',
    input: 'prompt whose model fails at first, twice',
    expected: 'auto_retry_end once',
    needs: { script: ['retry'] },
    async run(context) {
      const { events } = await eventsOf(context, 'retry');
      expect(count(events, 'auto_retry_end') === 1, 'auto_retry_end must come once:', outlineOf(events));
    },
  },
  '19.4-105': {
    section: '19.4',
    sentence: 'A compaction that comes by itself is told, and so is its end.',
    input: 'prompt that fills the context',
    expected: 'auto_compaction_start {reason}, auto_compaction_end {result, aborted, willRetry}',
    needs: { script: ['compaction'] },
    async run(context) {
      const { events } = await eventsOf(context, 'compaction');
      expectInOrder(events, ['agent_start', 'auto_compaction_start', 'auto_compaction_end']);
      const of = (type: string) => events.find(({ event }) => event.type === type)?.event ?? {};
      const [start, end] = [of('auto_compaction_start'), of('auto_compaction_end')];
      expect(typeof start.reason === 'string', 'the start must have a reason:', start);
      const isComplete = 'result' in end && typeof end.aborted === 'boolean' && typeof end.willRetry === 'boolean';
      expect(isComplete, 'the end must have result, aborted, willRetry:', end);
    },
  },
};
