// Rules on the order of a run: runs, turns and messages nest, and repetitions are equal (docs/protocols/pi-legacy.md 2;
// docs/protocols/pi.md 6.1).
import { isDeepStrictEqual } from 'node:util';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { StreamedMessage, Turn } from '../view/parts.ts';
import { messageIn } from '../view/view.ts';
import { type LegacyRows, talks } from './legacy-rows.ts';

/** Every turn that has ended. */
function* endedTurns(runs: Iterable<{ readonly turns: readonly Turn[] }>) {
  for (const run of runs) for (const turn of run.turns) if (turn.end !== null) yield { ...turn, end: turn.end };
}

const endsOf = (messages: readonly StreamedMessage[], role?: string) =>
  messages.flatMap((message) =>
    message.end === null || (role !== undefined && message.role !== role) ? [] : [messageIn(message.end)],
  );

export const runRows: LegacyRows = {
  'run-prompted': {
    reads: 'both',
    section: 'agent_start',
    sentence: 'A run begins only when a prompt has come for it.',
    covers: ['event:agent_start'],
    scenarios: talks,
    judge: ({ places }) => places.runs,
  },
  'run-ends': {
    section: 'agent_end',
    sentence: 'Each run ends in one `agent_end`, before the next begins.',
    covers: ['event:agent_end'],
    scenarios: talks,
    *judge({ places, runs, trace }) {
      yield* places.runEnds;
      const open = runs.at(-1);
      if (open?.end === null && trace.isComplete) yield { frame: open.start.frame, wrong: 'this run has no agent_end' };
    },
  },
  'run-messages': {
    section: 'agent_end',
    sentence: '`agent_end` holds all messages of its run, and no others.',
    covers: ['event:agent_end'],
    scenarios: talks,
    *judge({ runs }) {
      for (const { end, turns } of runs) {
        if (end === null) continue;
        const ends = turns.flatMap(({ messages }) => endsOf(messages));
        const isSame = isDeepStrictEqual(end.json.messages, ends);
        yield { frame: end.frame, wrong: isSame ? null : `not the ${ends.length} messages of the run` };
      }
    },
  },
  'turn-in-run': {
    section: 'turn_start',
    sentence: 'A turn begins inside a run.',
    covers: ['event:turn_start'],
    scenarios: talks,
    judge: ({ places }) => places.turns,
  },
  'one-answer-a-turn': {
    section: 'turn_start',
    sentence: 'A turn holds one answer of the model.',
    covers: ['event:turn_start'],
    scenarios: talks,
    *judge({ runs }) {
      for (const { start, messages } of endedTurns(runs)) {
        const answers = messages.filter(({ role }) => role === 'assistant').length;
        yield { frame: start.frame, wrong: answers <= 1 ? null : `there are ${answers} answers in this turn` };
      }
    },
  },
  'turn-ends': {
    section: 'turn_end',
    sentence: 'Each turn ends in one `turn_end`, before the next begins and before its run ends.',
    covers: ['event:turn_end'],
    scenarios: talks,
    judge: ({ places }) => places.turnEnds,
  },
  'turn-message': {
    section: 'turn_end',
    sentence: '`turn_end` holds the answer of its turn, as its `message_end` told it.',
    covers: ['event:turn_end'],
    scenarios: talks,
    *judge({ runs }) {
      for (const { end, messages } of endedTurns(runs)) {
        const answer = endsOf(messages, 'assistant').at(-1);
        if (answer === undefined) continue;
        const isSame = isDeepStrictEqual(end.json.message, answer);
        yield { frame: end.frame, wrong: isSame ? null : 'another message than the one that was told' };
      }
    },
  },
  'turn-results': {
    section: 'Alternative: Using turn_end',
    sentence: '`turn_end` holds the tool results of its turn, in their order.',
    covers: ['event:turn_end'],
    scenarios: talks,
    *judge({ runs }) {
      for (const { end, messages } of endedTurns(runs)) {
        const results = endsOf(messages, 'toolResult');
        const isSame = isDeepStrictEqual(end.json.toolResults, results);
        yield { frame: end.frame, wrong: isSame ? null : `not the ${results.length} results of the turn` };
      }
    },
  },
  'message-in-turn': {
    section: 'message_start',
    sentence: 'A message begins inside a turn.',
    covers: ['event:message_start'],
    scenarios: talks,
    judge: ({ places }) => places.messages,
  },
  'message-ends': {
    section: 'message_end',
    sentence: 'Each message ends in one `message_end` of its role, before anything else begins.',
    covers: ['event:message_end'],
    scenarios: talks,
    judge: ({ places }) => places.messageEnds,
  },
  'message-whole': {
    section: 'message_end',
    level: 'SHOULD',
    sentence: 'Messages of users and tools are the same at their start and at their end.',
    covers: ['event:message_end'],
    scenarios: talks,
    *judge({ messages }) {
      for (const { role, start, end } of messages) {
        if (role === 'assistant' || end === null) continue;
        const isSame = isDeepStrictEqual(messageIn(start), messageIn(end));
        yield { frame: end.frame, wrong: isSame ? null : 'it began as another message' };
      }
    },
  },
  'answer-starts-empty': {
    section: 'Output Stream',
    level: 'SHOULD',
    sentence: 'An answer of the model begins without content.',
    covers: ['event:message_start'],
    scenarios: talks,
    *judge({ messages }) {
      for (const { role, start } of messages) {
        if (role !== 'assistant') continue;
        const isEmpty = isDeepStrictEqual(messageIn(start).content, []);
        yield { frame: start.frame, wrong: isEmpty ? null : 'its content is not an empty list' };
      }
    },
  },
  'prompt-first': {
    section: 'Example Session',
    sentence: 'The first message of a run is that of its user.',
    covers: ['event:message_start'],
    scenarios: talks,
    *judge({ runs }) {
      for (const { turns } of runs) {
        const first = turns[0]?.messages[0];
        if (first !== undefined)
          yield { frame: first.start.frame, wrong: first.role === 'user' ? null : `it is one of role ${first.role}` };
      }
    },
  },
  'update-in-answer': {
    section: 'message_update',
    sentence: 'Updates come while an answer of the model is open.',
    covers: ['event:message_update'],
    scenarios: talks,
    judge: ({ places }) => places.updates,
  },
  'update-role': {
    section: 'message_update',
    sentence: 'The message in an update, and its `partial`, are an answer of the model.',
    covers: ['event:message_update'],
    scenarios: talks,
    *judge({ agent }) {
      for (const { frame, type, json } of agent) {
        if (type !== 'message_update') continue;
        const { partial } = dictionaryOf(json.assistantMessageEvent);
        const held = [json.message, partial].filter((message) => message !== undefined);
        const isFine = held.every((message) => dictionaryOf(message).role === 'assistant');
        yield { frame, wrong: isFine ? null : 'it has another role' };
      }
    },
  },
};
