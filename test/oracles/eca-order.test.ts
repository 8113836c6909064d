// The judge of what an ECA client hears from us on trial: a correct talk passes; broken in one way, the judge names the rule,
// or the promise of ours, that broke.
import { describe, expect, test } from 'vitest';
import { type EcaTalk, heard, judgedEca, type Said } from '../support/judged-eca.ts';
import {
  called,
  client,
  correct,
  find,
  finished,
  type Message,
  prepare,
  rejected,
  run,
  running,
  runningTool,
  says,
  server,
  status,
  tells,
  text,
} from './handmade-eca.ts';
import { ecaOwn } from './own/eca.ts';

type Breakage = (talk: Said[]) => void;

const remove =
  (...parts: string[]): Breakage =>
  (talk) =>
    void talk.splice(find(talk, ...parts), 1);
const insertAfter =
  (parts: string[], ...extra: Said[]): Breakage =>
  (talk) =>
    void talk.splice(find(talk, ...parts) + 1, 0, ...extra);
const insertBefore =
  (parts: string[], ...extra: Said[]): Breakage =>
  (talk) =>
    void talk.splice(find(talk, ...parts), 0, ...extra);
const edit =
  (parts: string[], from: string, to: string): Breakage =>
  (talk) => {
    const at = find(talk, ...parts);
    const [said] = talk.slice(at, at + 1);
    const before = JSON.stringify(said?.message);
    const broken = before.replaceAll(from, to);
    expect(broken).not.toBe(before);
    talk[at] = { by: said?.by ?? 'server', message: JSON.parse(broken) };
  };

const request = (id: unknown, method = 'chat/askQuestion') => server({ id, method, params: {} });
const answer = (id: unknown, rest: Message = { result: {} }) => server({ id, ...rest });
const lastFinished = (talk: readonly Said[]) =>
  talk.findLastIndex(({ message }) => JSON.stringify(message).includes('"finished"'));

/** The ways in which a talk is broken, with the rules that find each, ours behind those for everybody. */
const broken: readonly [what: string, rules: string, breakage: Breakage][] = [
  ['null instead of a message', 'message-shape', (talk) => void talk.splice(9, 0, { by: 'server', message: null })],
  ['no version', 'message-shape', edit(['"A notice."'], '"jsonrpc":"2.0",', '')],
  ['an older version', 'message-shape', edit(['"A notice."'], '"2.0"', '"1.0"')],
  ['neither method nor id', 'message-shape', insertAfter(['"A notice."'], server({ result: {} }))],
  ['a batch', 'message-shape', insertAfter(['"A notice."'], { by: 'server', message: [text('x').message] })],
  [
    'result and error',
    'answer-result-or-error',
    edit(['server', '"id":4'], '"result":{}', '"result":{},"error":{"code":1,"message":"x"}'),
  ],
  ['neither', 'message-shape answered', edit(['server', '"id":7'], '"error"', '"errors"')],
  ['an error without a number', 'own/answers', edit(['server', '"id":7'], '-32601', '"chat_not_found"')],
  ['an error without words', 'error-shape own/answers', edit(['server', '"id":7'], '"message"', '"said"')],
  ['a request without answer', 'answered', remove('server', '"id":4')],
  ['two answers', 'answered-once', insertAfter(['server', '"id":4'], answer(4))],
  ['an id that nobody used', 'answer-id', insertAfter(['server', '"id":4'], answer(44))],
  ['a string for a number', 'answer-id', insertAfter(['server', '"id":4'], answer('4'))],
  [
    'initialize without models',
    'initialize-models own/answers',
    edit(['server', '"id":1', 'chatWelcome'], '"models"', '"modells"'),
  ],
  ['a prompt without chat', 'prompt-result prompt-taken own/answers', edit(['server', '"id":3'], '"chatId"', '"chat"')],
  [
    'contexts that are no list',
    'query-context-result own/answers',
    edit(['server', '"id":2'], '[{"type":"repoMap"}]', '{}'),
  ],
  [
    'nothing in particular',
    'delete-result own/answers',
    edit(['server', '"id":4'], '"result":{}', '"result":"deleted"'),
  ],
  ['an id twice', 'request-id', insertAfter(['"A notice."'], request(1))],
  ['no id that counts', 'message-shape', insertAfter(['"A notice."'], request(1.5))],
  [
    'an editor that has no diagnostics',
    'asks-what-was-declared',
    insertAfter(['"A notice."'], request(9, 'editor/getDiagnostics')),
  ],
  ['a setting that is not known', 'own/no-null', edit(['config/updated'], '"models"', '"selectModel":null,"models"')],
  [
    'a result',
    'own/no-null',
    insertAfter(['server', '"id":4'], client({ id: 9, method: 'x' }), answer(9, { result: { a: null } })),
  ],
  [
    'before initialized',
    'quiet-before-initialized',
    insertBefore(['"initialized"'], tells('$/showMessage', { type: 'info', message: 'x' })),
  ],
  ['a notification of nobody', 'own/messages', insertAfter(['"A notice."'], tells('chat/news', {}))],
  ['a request of nobody', 'own/messages', insertAfter(['"A notice."'], request(9, 'chat/news'))],
  ['no chatId', 'content-envelope own/messages own/contents', edit(['"A notice."'], '"chatId"', '"chat"')],
  ['a text of nobody', 'own/contents', edit(['"A notice."'], '"system"', '"nobody"')],
  ['a text that is none', 'content-text own/contents', edit(['"I look."'], '"I look."', '1')],
  [
    'arguments as a list',
    'content-tool-call-run call-arguments own/arguments',
    edit(['toolCallRun"', 'call-1'], '{"path":"/w"}', '[]'),
  ],
  ['an empty reason', 'own/contents', edit(['toolCallRejected', 'call-2'], '"user"', '""')],
  ['an unknown origin', 'call-name-kept own/contents own/calls', edit(['toolCalled"', 'call-1'], '"native"', '"eca"')],
  ['a change without a count', 'content-details', edit(['toolCalled"', 'call-1'], '"linesAdded"', '"lines"')],
  ['a cost in numbers', 'content-usage', edit(['"usage"'], '"messageCost":"0.01"', '"messageCost":0.01')],
  [
    'a level of nobody',
    'own/messages',
    insertAfter(['"A notice."'], tells('$/showMessage', { type: 'fatal', message: 'x' })),
  ],
  ['progress of the model', 'role-of-server own/contents', edit(['"Calling tool"'], '"system"', '"assistant"')],
  ['usage of the model', 'role-of-server own/contents', edit(['"usage"'], '"system"', '"assistant"')],
  ['a call of the system', 'role-of-model own/contents', edit(['toolCallRunning'], '"assistant"', '"system"')],
  ['a content of nobody', 'own/contents', insertAfter(['"I look."'], says('assistant', { type: 'poem', text: 'x' }))],
  ['running without text', 'content-progress own/contents', edit(['"Calling tool"'], '"text"', '"words"')],
  ['running with an empty text', 'own/contents', edit(['"Calling tool"'], '"Calling tool"', '""')],
  [
    'finished without text',
    'own/contents',
    (talk) => void talk.splice(lastFinished(talk), 1, says('system', { type: 'progress', state: 'finished' })),
  ],
  ['text alone', 'own/outputs', edit(['toolCalled"'], ',"content":"two files"', '')],
  ['content alone', 'own/outputs', edit(['toolCalled"'], '"text":"two files",', '')],
  ['two words for one', 'own/outputs', edit(['toolCalled"'], '"content":"two files"', '"content":"three files"')],
  [
    'a chat of its own',
    'chats-named',
    insertAfter(['"A notice."'], says('system', { type: 'text', text: 'x' }, 'chat-9')),
  ],
  [
    'words after it was deleted',
    'delete-quiet own/deleted',
    insertAfter(['server', '"id":4'], says('system', { type: 'text', text: 'x' }, 'chat-2')),
  ],
  [
    'a status after it was deleted',
    'delete-quiet own/deleted',
    insertAfter(['server', '"id":4'], status('idle', 'chat-2')),
  ],
  ['no line end', 'own/echoes', edit(['"look\\n"'], 'look\\n', 'look')],
  ['none at all', 'own/echoes', remove('"again\\n"')],
  ['words after the end', 'own/runs', insertAfter(['client', '"id":4'], text('late'))],
  [
    'a thought after the end',
    'own/runs',
    insertAfter(
      ['client', '"id":4'],
      says('assistant', { type: 'reasonStarted', id: 'r9' }),
      says('assistant', { type: 'reasonFinished', id: 'r9' }),
    ),
  ],
  [
    'figures after the end',
    'content-usage own/runs',
    insertAfter(['client', '"id":4'], says('system', { type: 'usage' })),
  ],
  [
    'done after the end',
    'own/runs',
    edit(['toolCallRejected', 'call-3'], '"toolCallRejected"', '"toolCalled","error":true,"outputs":[]'),
  ],
  ['two ends', 'finished-once own/runs', insertAfter(['client', '"id":4'], finished())],
  ['an end before any run', 'own/runs', insertBefore(['client', '"look"'], finished())],
  ['the last run goes on', 'stop-finishes own/runs', (talk) => void talk.splice(lastFinished(talk), 1)],
  ['a stray word of progress', 'own/runs', insertAfter(['toolCallRejected', 'call-3'], running('Generating'))],
  ['running when it ends', 'status-before-finished own/statuses', remove('"idle"', 'chat-1')],
  ['running twice', 'own/statuses', insertAfter(['"running"', 'statusChanged', 'chat-1'], status('running'))],
  ['idle twice', 'own/statuses', insertAfter(['"idle"', 'chat-1'], status('idle'))],
  [
    'an id again',
    'own/thoughts',
    insertAfter(
      ['"I look."'],
      says('assistant', { type: 'reasonStarted', id: 'r1' }),
      says('assistant', { type: 'reasonFinished', id: 'r1' }),
    ),
  ],
  [
    'text before the start',
    'reason-open own/thoughts',
    insertAfter(['"I look."'], says('assistant', { type: 'reasonText', id: 'r2', text: 'x' })),
  ],
  [
    'an end twice',
    'reason-open own/thoughts',
    insertAfter(['reasonFinished'], says('assistant', { type: 'reasonFinished', id: 'r1' })),
  ],
  ['no end', 'own/thoughts', remove('reasonFinished')],
  [
    'run at once',
    'call-prepared own/calls',
    (talk) => {
      remove('toolCallPrepare', 'call-1')(talk);
      remove('toolCallPrepare', 'call-1')(talk);
    },
  ],
  ['done at once', 'call-prepared call-run own/calls', insertAfter(['"I look."'], called('call-9'))],
  ['rejected at once', 'call-prepared own/calls', insertAfter(['"I look."'], rejected('call-9'))],
  [
    'done before it is run',
    'finished-once call-run own/calls',
    (talk) => {
      remove('toolCallRun"', 'call-1')(talk);
      remove('toolCallRunning"', 'call-1')(talk);
    },
  ],
  [
    'running before it is run',
    'finished-once call-run own/calls',
    (talk) => {
      const at = find(talk, 'toolCallRun"', 'call-2');
      talk.splice(at, 0, runningTool('call-2'));
      talk.splice(at + 1, 1);
    },
  ],
  [
    'running when it is done',
    'call-ended-stays own/calls',
    insertAfter(['toolCalled"', 'call-1'], runningTool('call-1')),
  ],
  ['prepared when it is done', 'call-id-own own/calls', insertAfter(['toolCalled"', 'call-1'], prepare('call-1', ''))],
  ['run twice', 'own/calls', insertAfter(['toolCallRun"', 'call-1'], run('call-1'))],
  ['another name', 'call-name-kept own/calls', edit(['toolCallRun"', 'call-1'], '"list"', '"eca_list"')],
  ['another server', 'own/calls', edit(['toolCalled"', 'call-1'], '"server":"eca",', '')],
  ['done twice', 'call-ended-once own/calls', insertAfter(['toolCalled"', 'call-1'], called('call-1'))],
  ['done and rejected', 'call-ended-once own/calls', insertAfter(['toolCalled"', 'call-1'], rejected('call-1'))],
  ['rejected twice', 'call-ended-once own/calls', insertAfter(['toolCallRejected', 'call-2'], rejected('call-2'))],
  ['before the next run', 'call-ended own/call-ends', remove('toolCallRejected', 'call-2')],
  ['before the end', 'own/call-ends', remove('toolCallRejected', 'call-3')],
  ['only prepared', 'own/call-ends', insertBefore(['"Done."'], prepare('call-8', ''))],
  [
    'pieces as they come',
    'own/arguments',
    (talk) => {
      edit(['toolCallPrepare', '"argumentsText":""', 'call-1'], '"argumentsText":""', '"argumentsText":"{"')(talk);
      edit(['toolCallPrepare', 'path', 'call-1'], '"{\\"path', '"\\"path')(talk);
    },
  ],
  [
    'the text so far',
    'own/arguments',
    insertAfter(['toolCallPrepare', 'path', 'call-1'], prepare('call-1', '{"path":"/w"}')),
  ],
  ['other arguments', 'call-arguments own/arguments', edit(['toolCallRun"', 'call-1'], '"/w"', '"/x"')],
  [
    'no text at all',
    'call-arguments own/arguments',
    edit(['toolCallPrepare', 'path', 'call-1'], '{\\"path\\":\\"/w\\"}', ''),
  ],
  ['a long text', 'own/size', insertBefore(['"Done."'], text('x'.repeat(4000)))],
  ['many bytes in few letters', 'own/size', insertBefore(['"Done."'], text('語'.repeat(1400)))],
];

const rulesOf = (talk: readonly Said[], options?: EcaTalk) => [
  ...new Set(judgedEca(talk, options).map(({ rule }) => rule.replace('eca/', ''))),
];

test('a correct talk breaks no rule', () => {
  expect(judgedEca(correct)).toEqual([]);
});

test('a talk that still goes on may end anywhere', () => {
  for (let length = 0; length < correct.length; length += 1) {
    expect(judgedEca(correct.slice(0, length), { complete: false })).toEqual([]);
  }
});

test('what was heard is judged without the requests, but for what needs them', () => {
  const frames = correct.flatMap(({ by, message }) => (by === 'server' ? [message] : []));
  const withoutShutdown = frames.filter((frame) => !JSON.stringify(frame).includes('"result":null'));
  expect(judgedEca(heard(withoutShutdown))).toEqual([]);
});

test('a stop may leave a rejection for after the end, until the next run', () => {
  const talk = [...correct];
  const [late] = talk.splice(find(talk, 'toolCallRejected', 'call-3'), 1);
  expect(rulesOf(talk)).toEqual(['own/call-ends']);
  insertAfter(['"id":8', 'client'], late ?? finished())(talk);
  expect(rulesOf(talk)).toEqual([]);
});

test('one that is known to append may be sent pieces, one that replaces the text so far', () => {
  const pieces = [...correct];
  edit(['toolCallPrepare', '"argumentsText":""', 'call-1'], '"argumentsText":""', '"argumentsText":"{"')(pieces);
  edit(['toolCallPrepare', 'path', 'call-1'], '"{\\"path', '"\\"path')(pieces);
  expect(rulesOf(pieces, { readers: ['appends'] })).toEqual([]);
  expect(rulesOf(pieces, { readers: ['replaces'] })).toEqual(['own/arguments']);
  const soFar = [...correct];
  insertAfter(['toolCallPrepare', '"argumentsText":""', 'call-1'], prepare('call-1', '{"pa'))(soFar);
  expect(rulesOf(soFar, { readers: ['replaces'] })).toEqual([]);
  expect(rulesOf(soFar, { readers: ['appends'] })).toEqual(['own/arguments']);
});

test('a prompt that waits may be stopped with the run that it waits for, and only then', () => {
  const waiting = [
    client({ id: 9, method: 'chat/prompt', params: { chatId: 'chat-1', message: 'later' } }),
    answer(9, { result: { chatId: 'chat-1', model: 'm', status: 'success' } }),
  ];
  const talk = [...correct];
  insertBefore(['chat/promptStop'], ...waiting)(talk);
  expect(rulesOf(talk)).toEqual([]);
  const unstopped = [...correct];
  insertBefore(['"Done."'], ...waiting)(unstopped);
  talk.splice(find(talk, 'chat/promptStop'), 1);
  expect([rulesOf(talk), rulesOf(unstopped)]).toEqual([['own/echoes'], ['own/echoes']]);
});

test('a chat that is deleted may begin again', () => {
  const talk = [...correct];
  insertAfter(
    ['server', '"id":4'],
    client({ id: 9, method: 'chat/prompt', params: { chatId: 'chat-2', message: 'new' } }),
    says('user', { type: 'text', text: 'new\n' }, 'chat-2'),
    text('fine', 'chat-2'),
    finished('chat-2'),
    answer(9, { result: { chatId: 'chat-2', model: 'm', status: 'success' } }),
  )(talk);
  expect(judgedEca(talk)).toEqual([]);
});

describe('one breach', () => {
  test.each(broken)('%s', (_, rules, breakIt) => {
    const talk = structuredClone([...correct]);
    breakIt(talk);
    expect(rulesOf(talk).join(' ')).toBe(rules);
  });

  test('each promise of ours has one', () => {
    const tried = new Set(broken.flatMap(([, rules]) => rules.split(' ')));
    expect(ecaOwn(['appends']).filter(({ id }) => !tried.has(id.replace('eca/', '')))).toEqual([]);
  });
});
