// Rules on what follows a prompt: its echo, the run, and the end. docs/protocols/eca.md 8.3, 4.

import type { Request } from '../../check/json-rpc.ts';
import { shown } from '../../check/shape.ts';
import type { Content } from '../view/chat-events.ts';
import { isOver, isRunning, type Turn } from '../view/turns.ts';
import type { EcaRows, EcaView } from '../view/view.ts';

const conversations = ['text'];
const covers = ['request:chat/prompt'];

/** The text of a prompt. */
const wordsOf = ({ params }: Request): string => String(params.message).trim();
const isOfUser = ({ role, type }: Content): boolean => role === 'user' && type === 'text';
const isOfModel = ({ role }: Content): boolean => role === 'assistant';

function* turnsOf({ chats }: EcaView): Generator<{ readonly turn: Turn }> {
  for (const { turns } of chats.values()) for (const turn of turns) yield { turn };
}

/** Rules on runs. */
export const runRows: EcaRows = {
  'prompt-echoed': {
    section: 'Chat Content Received',
    isMeasured: true,
    sentence: 'The words of each prompt that is taken are told again as text of the user: editors show no others.',
    covers: [...covers, 'content:text'],
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      for (const { turn } of turnsOf(view)) {
        const { prompt, contents, finished } = turn;
        const isEchoed = contents.some((one) => isOfUser(one) && String(one.content.text).trim() === wordsOf(prompt));
        if (isEchoed) yield { frame: prompt.frame, wrong: null };
        else if (turn.isClean && (view.isComplete || finished.length > 0))
          yield { frame: prompt.frame, wrong: `${shown(prompt.params.message)} is not told again` };
      }
    },
  },
  'echo-first': {
    section: 'Chat Content Received',
    isMeasured: true,
    sentence: 'The words of the user come before what the model says to them.',
    covers: ['content:text'],
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      for (const { turn } of turnsOf(view)) {
        const own = turn.contents.findIndex(
          (one) => isOfUser(one) && String(one.content.text).trim() === wordsOf(turn.prompt),
        );
        const model = turn.contents.findIndex(isOfModel);
        if (own < 0 || model < 0 || !turn.isClean) continue;
        const wrong = own < model ? null : 'the model speaks before the words of the user are told';
        yield { frame: turn.contents[model]?.frame ?? turn.prompt.frame, wrong };
      }
    },
  },
  'run-begins': {
    section: 'Chat Content Received',
    isMeasured: true,
    sentence: 'Before the model speaks `progress` says that the chat is running, for editors lock it then.',
    covers: ['content:progress'],
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      for (const { turn } of turnsOf(view)) {
        const model = turn.contents.findIndex(isOfModel);
        if (model < 0 || !turn.isClean) continue;
        const isLocked = turn.contents.slice(0, model).some(isRunning);
        const wrong = isLocked ? null : 'the model speaks while nothing is running';
        yield { frame: turn.contents[model]?.frame ?? turn.prompt.frame, wrong };
      }
    },
  },
  'prompt-finished': {
    section: 'Chat Content Received',
    sentence: 'Each prompt that is taken ends with `progress` of state finished, whatever happens to it.',
    covers: ['content:progress'],
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      for (const { turn } of turnsOf(view)) {
        // A superseded run ends with the next one, and a deleted run sends nothing more.
        const { prompt, finished, isDeleted, isTangled, isStopped } = turn;
        if (finished.length > 0) yield { frame: prompt.frame, wrong: null };
        else if (view.isComplete && !isDeleted && !isTangled && !isStopped)
          yield { frame: prompt.frame, wrong: 'its run is not finished' };
      }
    },
  },
  'finished-once': {
    section: 'Chat Content Received',
    isMeasured: true,
    sentence: 'A run is finished once; early servers finish once for each call that they had to ask about.',
    covers: ['content:progress'],
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      for (const { turn } of turnsOf(view)) {
        if (!turn.isClean || turn.finished.length === 0) continue;
        const calls = turn.contents.filter(({ type }) => type === 'toolCallRun').map(({ content }) => content.id);
        const most = Math.max(1, new Set(calls).size);
        const wrong = turn.finished.length > most ? `finished ${turn.finished.length} times` : null;
        yield { frame: turn.finished.at(-1) ?? turn.prompt.frame, wrong };
      }
    },
  },
  'finished-last': {
    section: 'Chat Content Received',
    isMeasured: true,
    sentence: 'After the end of a run the model says nothing more until the next prompt.',
    covers: ['content:progress'],
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      for (const { turn } of turnsOf(view)) {
        const last = turn.finished.at(-1);
        if (last === undefined || !turn.isClean || !isOver(view, turn)) continue;
        const late = turn.contents.find((one) => isOfModel(one) && one.frame > last && !one.isHistory);
        yield { frame: late?.frame ?? last, wrong: late === undefined ? null : `${shown(late.type)} after the end` };
      }
    },
  },
  'failure-told': {
    section: 'Chat Content Received',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A run in which the model says nothing tells in words of the system why; an empty answer is no failure.',
    covers: ['content:text'],
    scenarios: ['fail'],
    reads: 'both',
    *judge(view) {
      for (const { turn } of turnsOf(view)) {
        const [first] = turn.finished;
        if (first === undefined || !turn.isClean || turn.contents.some(isOfModel)) continue;
        yield { frame: first, wrong: turn.hasWords ? null : 'the run ends without a word' };
      }
    },
  },
};
