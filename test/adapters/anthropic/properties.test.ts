// Streams of any blocks, cut anywhere and ended in any way: the events are in order without a repair, the run ends, and what
// a Claude client is told of a whole message is what the official library makes of the stream itself.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adapters } from '../../../src/adapters/index.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import { wholeContent } from '../../../src/core/log/messages.ts';
import { stillEnv } from '../../support/decoding.ts';
import { finalMessage, finalMessages } from '../../support/judges/message-stream.ts';
import { tell } from '../../support/telling.ts';
import { call, changed, closed, message, opened, started, startMachine, stopping, text, thinking } from './machine.ts';

const pieces = fc.array(fc.oneof(fc.string(), fc.constantFrom('\u2028', '\ud83d', '\ude00', '\n', '')), {
  maxLength: 4,
});

const streamed = fc.oneof(
  pieces.map((some) => (index: number) => text(index, ...some)),
  fc.tuple(pieces, fc.base64String()).map(
    ([some, signature]) =>
      (index: number) =>
        thinking(index, signature, ...some),
  ),
);
const other = fc.oneof(
  fc
    .base64String()
    .map((data) => (index: number) => [opened(index, { type: 'redacted_thinking', data }), closed(index)]),
  fc
    .jsonValue()
    .map((value) => (index: number) => [
      opened(index, { type: 'hologram', value }),
      changed(index, { type: 'spin_delta', value }),
      closed(index),
    ]),
  fc
    .json()
    .map((json) => (index: number) => [
      opened(index, { type: 'server_tool_use', id: `srv_${index}`, name: 'search', input: {} }),
      changed(index, { type: 'input_json_delta', partial_json: json.slice(0, 3) }),
      changed(index, { type: 'input_json_delta', partial_json: json.slice(3) }),
      closed(index),
    ]),
  fc.json().map((json) => (index: number) => call(index, `toolu_${index}`, json.slice(0, 2), json.slice(2))),
);
const stops = fc.constantFrom('end_turn', 'max_tokens', 'refusal', 'tool_use', 'pause_turn', 'later');

const anyMessage = (block: typeof streamed) =>
  fc.tuple(fc.array(block, { maxLength: 5 }), stops).map(([blocks, stop]) =>
    message(
      blocks.flatMap((make, index) => make(index)),
      stop,
    ),
  );

test('whatever comes, in whatever order it breaks off: in order, and over in the end', () => {
  const endings = fc.constantFrom<'finished' | 'aborted' | { failed: object }>('finished', 'aborted', {
    failed: { message: 'terminated', mayRetry: true },
  });
  fc.assert(
    fc.property(anyMessage(fc.oneof(streamed, other)), fc.nat(40), endings, fc.boolean(), (frames, at, how, aborts) => {
      const machine = startMachine({ retries: 0 });
      machine.prompt('Hi');
      machine.say(...frames.slice(0, at));
      if (aborts) machine.ask({ type: 'abort', target: 'run' });
      // A pause asks again, so there may be one more end than one.
      machine.end(how);
      machine.end('aborted');
      const { faults, end } = verify(machine.delivered);
      expect(faults).toEqual([]);
      expect([end.run, end.turn, end.open.size]).toEqual([null, false, 0]);
      expect(machine.repairs).toEqual([]);
      machine.prompt('Again');
      const roles = machine.body().messages.map(({ role }) => role);
      expect([roles[0], roles.at(-1)]).toEqual(['user', 'user']);
      for (const { content } of machine.body().messages) expect(content.length).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});

test('a Claude client is told the message that the official library makes of the stream', async () => {
  const side = adapters.get('claude')?.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error('claude has no clients');
  await fc.assert(
    fc.asyncProperty(fc.array(streamed, { maxLength: 5 }), async (blocks) => {
      const frames = message(blocks.flatMap((make, index) => make(index)));
      const machine = startMachine();
      machine.prompt('Hi');
      machine.say(...frames);
      const told = await finalMessages(tell(side, machine.logged).texts.map((line) => JSON.parse(line)));
      expect(told).toEqual([await finalMessage(frames)]);
    }),
    { numRuns: 60 },
  );
});

test('what is folded of a message is what is shown to the model again', () => {
  fc.assert(
    fc.property(fc.array(streamed, { maxLength: 5 }), (blocks) => {
      const machine = startMachine();
      machine.prompt('Hi');
      machine.say(started(), ...blocks.flatMap((make, index) => make(index)));
      const open = machine.transcript.open.get('');
      const said =
        open === undefined ? [] : wholeContent(open).filter((part) => part.type === 'text' && part.text.trim() !== '');
      machine.say(stopping('end_turn'), { type: 'message_stop' });
      machine.prompt('Again');
      const shown = machine.body().messages.length === 1 ? [] : (machine.body().messages[1]?.content ?? []);
      expect(shown.filter(({ type }) => type === 'text')).toEqual(
        said.map((part) => ({ type: 'text', text: 'text' in part ? part.text : '' })),
      );
    }),
    { numRuns: 100 },
  );
});
