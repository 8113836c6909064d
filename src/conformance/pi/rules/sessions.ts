// Rules on new_session, fork and switch_session (docs/protocols/pi.md 13.1).
import type { Command } from '../view/lines.ts';
import { conversationRoles, doneOf, messagesOf, unchangedBetween } from '../view/session-answers.ts';
import { answerOf, consecutive, dataOf, type PiRows, textOf } from '../view/view.ts';

/** Commands that lead to another session. */
const leaving: ReadonlySet<string | null> = new Set(['new_session', 'switch_session', 'fork']);
/** The last part of a path. */
const nameOf = (path: string): string | undefined => path.split(/[\\/]/u).at(-1);

/** Rules on sessions. */
export const sessionRows: PiRows = {
  'new-session-empty': {
    reads: 'both',
    section: 'new_session',
    sentence: 'new_session clears all messages.',
    covers: ['command:new_session'],
    scenarios: ['sessions'],
    *judge(view) {
      for (const { before, after } of consecutive(view, 'new_session', 'get_messages')) {
        if (dataOf(before.answer).cancelled !== false) continue;
        const left = messagesOf(after).filter(({ role }) => conversationRoles.has(role)).length;
        yield { frame: after.answer.frame, wrong: left === 0 ? null : `${left} messages are left` };
      }
    },
  },
  'new-session-id': {
    reads: 'both',
    section: 'new_session',
    sentence: 'A fresh session has an id of its own.',
    covers: ['command:new_session', 'command:get_state'],
    scenarios: ['sessions'],
    *judge(view) {
      const states = view.commands.flatMap(doneOf).filter(({ command: { type } }) => type === 'get_state');
      for (const { command: one, answer } of view.commands.flatMap(doneOf)) {
        if (one.type !== 'new_session' || dataOf(answer).cancelled !== false) continue;
        const before = states.findLast((state) => state.answer.frame < one.frame);
        const after = states.find((state) => state.command.frame > answer.frame);
        if (before === undefined || after === undefined) continue;
        const isLeft = ({ type, frame }: Command) =>
          leaving.has(type) && frame > one.frame && frame < after.command.frame;
        if (view.commands.some(isLeft)) continue;
        const isNew = dataOf(before.answer).sessionId !== dataOf(after.answer).sessionId;
        yield { frame: after.answer.frame, wrong: isNew ? null : 'it has the id of the one before' };
      }
    },
  },
  'fork-messages': {
    level: 'SHOULD',
    reads: 'both',
    section: 'get_fork_messages',
    sentence: 'get_fork_messages tells the messages of the user, in order.',
    covers: ['command:get_fork_messages'],
    scenarios: ['sessions'],
    *judge(view) {
      for (const { before, after } of unchangedBetween(view, 'get_messages', 'get_fork_messages')) {
        const messages = messagesOf(before);
        if (messages.some(({ role }) => role === 'compactionSummary' || role === 'branchSummary')) continue;
        const users = messages
          .filter(({ role }) => role === 'user')
          .map(textOf)
          .filter(Boolean);
        const reported = messagesOf(after).map(({ text }) => text);
        const isSame = users.length === reported.length && users.every((text, index) => text === reported[index]);
        yield { frame: after.answer.frame, wrong: isSame ? null : 'those are not the messages of the user' };
      }
    },
  },
  'fork-text': {
    reads: 'both',
    section: 'fork',
    sentence: 'fork answers with the text of the entry, as get_fork_messages told it.',
    covers: ['command:fork'],
    scenarios: ['sessions'],
    *judge(view) {
      for (const { before, after } of consecutive(view, 'get_fork_messages', 'fork')) {
        const entry = messagesOf(before).find(({ entryId }) => entryId === after.command.json?.entryId);
        if (entry === undefined) continue;
        const wrong = dataOf(after.answer).text === entry.text ? null : 'that is another text';
        yield { frame: after.answer.frame, wrong };
      }
    },
  },
  'fork-cuts': {
    reads: 'both',
    section: 'fork',
    sentence: 'A fork has the path up to its entry: the messages of the user before it, and not its own.',
    covers: ['command:fork'],
    scenarios: ['sessions'],
    *judge(view) {
      for (const { before, after } of consecutive(view, 'fork', 'get_messages')) {
        const reported = view.commands
          .flatMap(doneOf)
          .findLast(({ command: { type, frame } }) => type === 'get_fork_messages' && frame < before.command.frame);
        const at =
          reported === undefined
            ? -1
            : messagesOf(reported).findIndex((one) => one.entryId === before.command.json?.entryId);
        if (at < 0 || dataOf(before.answer).cancelled !== false) continue;
        const count = messagesOf(after).filter((one) => one.role === 'user' && textOf(one) !== '').length;
        yield { frame: after.answer.frame, wrong: count === at ? null : `${count} messages of the user, not ${at}` };
      }
    },
  },
  'fork-unknown': {
    isMeasured: true,
    reads: 'both',
    section: 'fork',
    sentence: 'An entry that get_fork_messages does not tell cannot be forked from.',
    covers: ['command:fork', 'command:get_fork_messages'],
    scenarios: ['sessions'],
    *judge({ commands: all }) {
      let known: readonly unknown[] | null = null;
      for (const one of all) {
        const answer = answerOf(one);
        const { entryId } = one.json ?? {};
        if (one.type === 'get_fork_messages' && answer?.isSuccess === true)
          known = messagesOf({ command: one, answer }).map((message) => message.entryId);
        if (one.type !== 'fork' || answer === undefined || known === null || known.includes(entryId)) continue;
        yield { frame: answer.frame, wrong: answer.isSuccess ? 'it was forked from' : null };
      }
    },
  },
  'switch-session-file': {
    reads: 'both',
    section: 'switch_session',
    sentence: 'After switch_session the session is that of the file.',
    covers: ['command:switch_session', 'command:get_state'],
    scenarios: ['sessions'],
    *judge(view) {
      for (const { before, after } of consecutive(view, 'switch_session', 'get_state')) {
        const { sessionFile } = dataOf(after.answer);
        if (dataOf(before.answer).cancelled !== false || typeof sessionFile !== 'string') continue;
        // The path may have been relative.
        const isSame = nameOf(sessionFile) === nameOf(String(before.command.json?.sessionPath));
        const wrong = isSame ? null : `it is that of ${sessionFile}`;
        yield { frame: after.answer.frame, wrong };
      }
    },
  },
};
