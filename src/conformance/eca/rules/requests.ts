// Rules on chat requests beside prompts: stop, delete, contexts, commands. docs/protocols/eca.md 8.6, 8.7, 4 and 5.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Request } from '../../check/json-rpc.ts';
import { shown } from '../../check/shape.ts';
import { isFinished, isRunning } from '../view/turns.ts';
import type { EcaRows, EcaView } from '../view/view.ts';

/** Requests of this method that were answered with a result. */
function* resultsOf(
  { client }: EcaView,
  method: string,
): Generator<{ readonly ask: Request; readonly frame: number; readonly result: unknown }> {
  for (const ask of client.requests) {
    const [answer] = ask.answers;
    if (ask.method === method && answer !== undefined && 'result' in answer.json)
      yield { ask, frame: answer.frame, result: answer.result };
  }
}

const namesIn = (result: unknown): unknown[] | null => {
  const { commands } = dictionaryOf(result);
  return Array.isArray(commands) ? commands.map((one) => dictionaryOf(one).name) : null;
};

/** Rules on these requests. */
export const requestRows: EcaRows = {
  'stop-finishes': {
    section: 'Chat stop prompt',
    sentence: 'A run that is stopped is finished.',
    covers: ['notification:chat/promptStop', 'content:progress'],
    scenarios: ['stop', 'stop waiting', 'two chats'],
    reads: 'both',
    *judge(view) {
      for (const { turns } of view.chats.values()) {
        for (const { events, isTangled, isDeleted } of turns) {
          const stop = events.findIndex(({ is }) => is === 'stop');
          const [before, after] = [events.slice(0, stop), events.slice(stop)];
          if (stop < 0 || isTangled || before.some(isFinished)) continue;
          const frame = events[stop]?.frame ?? 0;
          if (after.some(isFinished)) yield { frame, wrong: null };
          else if (view.isComplete && !isDeleted && before.some(isRunning))
            yield { frame, wrong: 'its run is not finished' };
        }
      }
    },
  },
  'stop-quiet': {
    section: 'Chat stop prompt',
    level: 'SHOULD',
    sentence: 'After a run was stopped and finished the model says no more in it.',
    covers: ['notification:chat/promptStop'],
    scenarios: ['stop', 'stop waiting'],
    reads: 'both',
    *judge(view) {
      for (const { turns } of view.chats.values()) {
        for (const { events, isTangled } of turns) {
          const stop = events.findIndex(({ is }) => is === 'stop');
          const end = events.findIndex((event, index) => index > stop && isFinished(event));
          if (stop < 0 || end < 0 || isTangled) continue;
          const late = events
            .slice(end)
            .find(
              (event) =>
                event.is === 'content' &&
                (event.type === 'text' || event.type === 'reasonText') &&
                event.role === 'assistant',
            );
          const frame = late?.frame ?? events[end]?.frame ?? 0;
          yield { frame, wrong: late === undefined ? null : 'words of a run that was stopped' };
        }
      }
    },
  },
  'stop-frees': {
    section: 'Chat stop prompt',
    sentence: 'After a run was stopped the chat takes another prompt, and plays it.',
    covers: ['notification:chat/promptStop'],
    scenarios: ['stop'],
    reads: 'both',
    *judge(view) {
      for (const { turns } of view.chats.values()) {
        for (const [place, { prompt, isTangled, isStopped, isDeleted, contents }] of turns.entries()) {
          if (turns[place - 1]?.isStopped !== true || isTangled || isStopped || isDeleted) continue;
          const isPlayed = contents.some(
            ({ role, type }) => role === 'assistant' || (role === 'system' && type === 'text'),
          );
          if (isPlayed || view.isComplete)
            yield { frame: prompt.frame, wrong: isPlayed ? null : 'nothing is said to it' };
        }
      }
    },
  },
  'stop-idle': {
    section: 'Chat stop prompt',
    isMeasured: true,
    sentence: 'A stop while nothing runs says nothing in the chat.',
    covers: ['notification:chat/promptStop'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      for (const { turns } of view.chats.values()) {
        for (const { events: own, isTangled } of turns) {
          const stop = own.findIndex(({ is }) => is === 'stop');
          if (stop < 0 || isTangled || !own.slice(0, stop).some(isFinished)) continue;
          // Late texts of a stopped run are no answer.
          if (own.slice(0, stop).some(({ is }) => is === 'stop' || is === 'delete')) continue;
          const next = own[stop + 1];
          const isWord = next?.is === 'content' || next?.is === 'status';
          yield { frame: next?.frame ?? own[stop]?.frame ?? 0, wrong: isWord ? 'it is answered in the chat' : null };
        }
      }
    },
  },
  'delete-quiet': {
    section: 'Chat delete',
    isMeasured: true,
    sentence: 'Of a chat that is deleted nothing is said any more.',
    covers: ['request:chat/delete'],
    scenarios: ['text', 'two chats'],
    reads: 'both',
    *judge(view) {
      for (const { events, turns } of view.chats.values()) {
        if (turns.some(({ isTangled }) => isTangled)) continue;
        for (const [place, event] of events.entries()) {
          if (event.is !== 'delete') continue;
          const answered = event.ask.answers[0]?.frame;
          if (answered === undefined) continue;
          const later = events.slice(place + 1);
          const next = later.find(({ is }) => is === 'prompt' || is === 'opened')?.frame ?? view.count;
          const late = later.find(
            ({ is, frame }) => (is === 'content' || is === 'status') && frame > answered && frame < next,
          );
          yield {
            frame: late?.frame ?? answered,
            wrong: late === undefined ? null : 'words of a chat that was deleted',
          };
        }
      }
    },
  },
  'query-commands-filter': {
    section: 'Chat Query Commands',
    level: 'SHOULD',
    sentence: 'A blank query gives all commands: no other query gives one that is not among them.',
    covers: ['request:chat/queryCommands'],
    scenarios: ['queries'],
    reads: 'both',
    *judge(view) {
      const all = [...resultsOf(view, 'chat/queryCommands')];
      const blank = all.filter(({ ask }) => ask.params.query === '').map(({ result }) => namesIn(result));
      for (const { ask, frame, result } of all) {
        const [known] = blank;
        const names = namesIn(result);
        if (ask.params.query === '' || known === undefined || known === null || names === null) continue;
        const strange = names.find((name) => !known.includes(name));
        yield { frame, wrong: strange === undefined ? null : `${shown(strange)} is not among all commands` };
      }
    },
  },
  'query-chat-kept': {
    section: 'Chat Query Context',
    level: 'SHOULD',
    sentence: 'An answer to a query that names a chat names the one that was asked about.',
    covers: ['request:chat/queryContext', 'request:chat/queryCommands'],
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      for (const method of ['chat/queryContext', 'chat/queryCommands']) {
        for (const { ask, frame, result } of resultsOf(view, method)) {
          const { chatId } = dictionaryOf(result);
          const own = ask.params.chatId ?? null;
          if (chatId === undefined || own === null) continue;
          yield { frame, wrong: chatId === own ? null : `asked about ${shown(own)}, answered about ${shown(chatId)}` };
        }
      }
    },
  },
};
