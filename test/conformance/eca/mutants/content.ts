// ECA servers with wrong contents: a missing field, or a wrong role.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Mutant } from '../../support/mutant.ts';
import {
  content,
  having,
  isContent,
  isFinished,
  isOfModel,
  lacking,
  onceBehind,
  params,
  role,
  told,
} from './changes.ts';

/** Adds a content that our own server does not send. */
const says = (own: string, said: Readonly<Record<string, unknown>>) =>
  onceBehind(isOfModel, (frame) => told(frame, own, said));

/** A missing field, which the check of the content type must catch. */
const missing: readonly (readonly [type: string, field: string, alsoCaughtBy?: readonly string[]])[] = [
  ['reasonStarted', 'id', ['reason-open', 'reason-closed']],
  ['reasonText', 'text'],
  ['reasonFinished', 'id', ['reason-open', 'reason-closed']],
  ['toolCallPrepare', 'argumentsText', ['call-arguments']],
  ['toolCallRun', 'manualApproval'],
  ['toolCallRunning', 'arguments'],
  ['toolCalled', 'error'],
  ['toolCallRejected', 'reason'],
  ['usage', 'sessionTokens'],
];
const checkOf = (type: string) => `content-${type.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;

export const contentMutants: readonly Mutant[] = [
  ...missing.map(
    ([type, field, alsoCaughtBy = []]): Mutant => ({
      fault: `${type} without ${field}`,
      caughtBy: [checkOf(type)],
      alsoCaughtBy,
      make: content(type, lacking(field)),
    }),
  ),
  {
    fault: 'an origin that is no word',
    caughtBy: [
      'content-tool-call-prepare',
      'content-tool-call-run',
      'content-tool-call-running',
      'content-tool-called',
    ],
    make: () => ({
      out: (frame) => [
        'origin' in dictionaryOf(dictionaryOf(frame.params).content)
          ? {
              ...frame,
              params: {
                ...dictionaryOf(frame.params),
                content: { ...dictionaryOf(dictionaryOf(frame.params).content), origin: 7 },
              },
            }
          : frame,
      ],
    }),
  },
  {
    fault: 'running without a text',
    caughtBy: ['content-progress'],
    make: content('progress', lacking('text'), ({ state }) => state === 'running'),
  },
  {
    fault: 'a state of progress that is no word',
    caughtBy: ['content-progress'],
    alsoCaughtBy: ['run-begins'],
    make: content('progress', having({ state: 7 }), ({ state }) => state === 'running'),
  },
  { fault: 'costs as numbers', caughtBy: ['content-usage'], make: content('usage', having({ sessionCost: 0.5 })) },
  { fault: 'a link without a title', caughtBy: ['content-url'], make: says('assistant', { type: 'url', url: 'x:' }) },
  {
    fault: 'an image without bytes',
    caughtBy: ['content-image'],
    make: says('assistant', { type: 'image', mediaType: 'image/png' }),
  },
  { fault: 'metadata without a title', caughtBy: ['content-metadata'], make: says('system', { type: 'metadata' }) },
  {
    fault: 'outputs without words',
    caughtBy: ['content-outputs'],
    make: content('toolCalled', having({ outputs: [{ type: 'text' }] })),
  },
  {
    fault: 'details without a type',
    caughtBy: ['content-details'],
    make: content('toolCallRun', having({ details: { path: '/x' } })),
  },
  {
    fault: 'a changed file without its diff',
    caughtBy: ['content-details'],
    make: content(
      'toolCallPrepare',
      having({ details: { type: 'fileChange', path: '/x', linesAdded: 1, linesRemoved: 0 } }),
    ),
  },
  {
    fault: 'contents without a role',
    caughtBy: ['content-envelope'],
    alsoCaughtBy: ['role-of-server', 'prompt-echoed', 'echo-first', 'run-begins'],
    make: params((frame) => isContent(frame) && isFinished(frame), lacking('role')),
  },
  {
    fault: 'calls are of the system',
    caughtBy: ['role-of-model'],
    alsoCaughtBy: ['run-begins', 'finished-last'],
    make: role('toolCallRun', 'system'),
  },
  { fault: 'usage is of the assistant', caughtBy: ['role-of-server'], make: role('usage', 'assistant') },
  {
    fault: 'the user says what a link says',
    caughtBy: ['role-of-user', 'role-of-model'],
    make: says('user', { type: 'url', title: 'x', url: 'x:' }),
  },
  {
    fault: 'a status that is no word',
    caughtBy: ['status-shape'],
    make: params(
      (frame) => frame.method === 'chat/statusChanged' && dictionaryOf(frame.params).status === 'idle',
      having({ status: 7 }),
    ),
  },
  {
    fault: 'a chat is opened that has no name',
    caughtBy: ['chat-notices'],
    make: params((frame) => frame.method === 'chat/opened', lacking('chatId')),
  },
  {
    fault: 'a call that is rejected, of an origin that is none',
    caughtBy: ['content-tool-call-rejected'],
    alsoCaughtBy: ['call-name-kept'],
    make: content('toolCallRejected', having({ origin: 7 })),
  },
];
