// The order checker for ECA on trial: a correct talk passes; broken in one way, it names exactly the rule that broke.
import { describe, expect, test } from 'vitest';
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
import { checkEcaOrder, type EcaOrderOptions, heard, type Said } from './order/eca/order.ts';
import { type EcaRule, ecaRules } from './order/eca/rules.ts';

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

/** Each rule with the ways in which it is broken. */
const table: Record<EcaRule, Record<string, Breakage>> = {
  frame: {
    'null instead of a message': (talk) => void talk.splice(9, 0, { by: 'server', message: null }),
    'no version': edit(['"A notice."'], '"jsonrpc":"2.0",', ''),
    'an older version': edit(['"A notice."'], '"2.0"', '"1.0"'),
    'neither method nor id': insertAfter(['"A notice."'], server({ result: {} })),
    'a batch': insertAfter(['"A notice."'], { by: 'server', message: [text('x').message] }),
  },
  answer: {
    'result and error': edit(['server', '"id":4'], '"result":{}', '"result":{},"error":{"code":1,"message":"x"}'),
    neither: edit(['server', '"id":7'], '"error"', '"errors"'),
    'an error without a number': edit(['server', '"id":7'], '-32601', '"chat_not_found"'),
    'an error without words': edit(['server', '"id":7'], '"message"', '"said"'),
  },
  'answer-missing': { 'a request without answer': remove('server', '"id":4') },
  'answer-twice': { 'two answers': insertAfter(['server', '"id":4'], answer(4)) },
  'answer-unasked': {
    'an id that nobody used': insertAfter(['server', '"id":4'], answer(44)),
    'a string for a number': insertAfter(['server', '"id":4'], answer('4')),
  },
  result: {
    'initialize without models': edit(['server', '"id":1', 'chatWelcome'], '"models"', '"modells"'),
    'a prompt without chat': edit(['server', '"id":3'], '"chatId"', '"chat"'),
    'contexts that are no list': edit(['server', '"id":2'], '[{"type":"repoMap"}]', '{}'),
    'nothing in particular': edit(['server', '"id":4'], '"result":{}', '"result":"deleted"'),
  },
  'request-id': {
    'an id twice': insertAfter(['"A notice."'], request(1)),
    'no id that counts': insertAfter(['"A notice."'], request(1.5)),
  },
  'request-unable': {
    'an editor that has no diagnostics': insertAfter(['"A notice."'], request(9, 'editor/getDiagnostics')),
  },
  null: {
    'a setting that is not known': edit(['config/updated'], '"models"', '"selectModel":null,"models"'),
    'a result': insertAfter(['server', '"id":4'], client({ id: 9, method: 'x' }), answer(9, { result: { a: null } })),
  },
  early: {
    'before initialized': insertBefore(['"initialized"'], tells('$/showMessage', { type: 'info', message: 'x' })),
  },
  method: {
    'a notification of nobody': insertAfter(['"A notice."'], tells('chat/news', {})),
    'a request of nobody': insertAfter(['"A notice."'], request(9, 'chat/news')),
  },
  shape: {
    'no chatId': edit(['"A notice."'], '"chatId"', '"chat"'),
    'a text of nobody': edit(['"A notice."'], '"system"', '"nobody"'),
    'a text that is none': edit(['"I look."'], '"I look."', '1'),
    'arguments as a list': edit(['toolCallRun"', 'call-1'], '{"path":"/w"}', '[]'),
    'an unknown origin': edit(['toolCalled"', 'call-1'], '"native"', '"eca"'),
    'a change without a count': edit(['toolCalled"', 'call-1'], '"linesAdded"', '"lines"'),
    'a cost in numbers': edit(['"usage"'], '"messageCost":"0.01"', '"messageCost":0.01'),
    'a level of nobody': insertAfter(['"A notice."'], tells('$/showMessage', { type: 'fatal', message: 'x' })),
  },
  role: {
    'progress of the model': edit(['"Calling tool"'], '"system"', '"assistant"'),
    'usage of the model': edit(['"usage"'], '"system"', '"assistant"'),
    'a call of the system': edit(['toolCallRunning'], '"assistant"', '"system"'),
    'a content of nobody': insertAfter(['"I look."'], says('assistant', { type: 'poem', text: 'x' })),
  },
  progress: {
    'running without text': edit(['"Calling tool"'], '"text"', '"words"'),
    'running with an empty text': edit(['"Calling tool"'], '"Calling tool"', '""'),
    'finished without text': (talk) =>
      void talk.splice(lastFinished(talk), 1, says('system', { type: 'progress', state: 'finished' })),
  },
  outputs: {
    'text alone': edit(['toolCalled"'], ',"content":"two files"', ''),
    'content alone': edit(['toolCalled"'], '"text":"two files",', ''),
    'two words for one': edit(['toolCalled"'], '"content":"two files"', '"content":"three files"'),
  },
  chat: { 'a chat of its own': insertAfter(['"A notice."'], says('system', { type: 'text', text: 'x' }, 'chat-9')) },
  deleted: {
    'words after it was deleted': insertAfter(
      ['server', '"id":4'],
      says('system', { type: 'text', text: 'x' }, 'chat-2'),
    ),
    'a status after it was deleted': insertAfter(['server', '"id":4'], status('idle', 'chat-2')),
  },
  echo: {
    'no line end': edit(['"look\\n"'], 'look\\n', 'look'),
    'none at all': remove('"again\\n"'),
  },
  'outside-run': {
    'words after the end': insertAfter(['client', '"id":4'], text('late')),
    'a thought after the end': insertAfter(
      ['client', '"id":4'],
      says('assistant', { type: 'reasonStarted', id: 'r9' }),
      says('assistant', { type: 'reasonFinished', id: 'r9' }),
    ),
    'figures after the end': insertAfter(['client', '"id":4'], says('system', { type: 'usage' })),
    'done after the end': edit(
      ['toolCallRejected', 'call-3'],
      '"toolCallRejected"',
      '"toolCalled","error":true,"outputs":[]',
    ),
  },
  'finished-twice': {
    'two ends': insertAfter(['client', '"id":4'], finished()),
    'an end before any run': insertBefore(['client', '"look"'], finished()),
  },
  'finished-missing': {
    'the last run goes on': (talk) => void talk.splice(lastFinished(talk), 1),
    'a stray word of progress': insertAfter(['toolCallRejected', 'call-3'], running('Generating')),
  },
  status: {
    'running when it ends': remove('"idle"', 'chat-1'),
    'running twice': insertAfter(['"running"', 'statusChanged', 'chat-1'], status('running')),
    'idle twice': insertAfter(['"idle"', 'chat-1'], status('idle')),
  },
  'reason-id': {
    'an id again': insertAfter(
      ['"I look."'],
      says('assistant', { type: 'reasonStarted', id: 'r1' }),
      says('assistant', { type: 'reasonFinished', id: 'r1' }),
    ),
  },
  'reason-open': {
    'text before the start': insertAfter(['"I look."'], says('assistant', { type: 'reasonText', id: 'r2', text: 'x' })),
    'an end twice': insertAfter(['reasonFinished'], says('assistant', { type: 'reasonFinished', id: 'r1' })),
  },
  'reason-unclosed': { 'no end': remove('reasonFinished') },
  'call-unprepared': {
    'run at once': (talk) => {
      remove('toolCallPrepare', 'call-1')(talk);
      remove('toolCallPrepare', 'call-1')(talk);
    },
    'done at once': insertAfter(['"I look."'], called('call-9')),
    'rejected at once': insertAfter(['"I look."'], rejected('call-9')),
  },
  'call-order': {
    'done before it is run': (talk) => {
      remove('toolCallRun"', 'call-1')(talk);
      remove('toolCallRunning"', 'call-1')(talk);
    },
    'running before it is run': (talk) => {
      const at = find(talk, 'toolCallRun"', 'call-2');
      talk.splice(at, 0, runningTool('call-2'));
      talk.splice(at + 1, 1);
    },
    'running when it is done': insertAfter(['toolCalled"', 'call-1'], runningTool('call-1')),
  },
  'call-id': {
    'prepared when it is done': insertAfter(['toolCalled"', 'call-1'], prepare('call-1', '')),
    'run twice': insertAfter(['toolCallRun"', 'call-1'], run('call-1')),
  },
  'call-name': {
    'another name': edit(['toolCallRun"', 'call-1'], '"list"', '"eca_list"'),
    'another server': edit(['toolCalled"', 'call-1'], '"server":"eca",', ''),
  },
  'call-twice': {
    'done twice': insertAfter(['toolCalled"', 'call-1'], called('call-1')),
    'done and rejected': insertAfter(['toolCalled"', 'call-1'], rejected('call-1')),
    'rejected twice': insertAfter(['toolCallRejected', 'call-2'], rejected('call-2')),
  },
  'call-unended': {
    'before the next run': remove('toolCallRejected', 'call-2'),
    'before the end': remove('toolCallRejected', 'call-3'),
    'only prepared': insertBefore(['"Done."'], prepare('call-8', '')),
  },
  arguments: {
    'pieces as they come': (talk) => {
      edit(['toolCallPrepare', '"argumentsText":""', 'call-1'], '"argumentsText":""', '"argumentsText":"{"')(talk);
      edit(['toolCallPrepare', 'path', 'call-1'], '"{\\"path', '"\\"path')(talk);
    },
    'the text so far': insertAfter(['toolCallPrepare', 'path', 'call-1'], prepare('call-1', '{"path":"/w"}')),
    'other arguments': edit(['toolCallRun"', 'call-1'], '"/w"', '"/x"'),
    'no text at all': edit(['toolCallPrepare', 'path', 'call-1'], '{\\"path\\":\\"/w\\"}', ''),
  },
  size: {
    'a long text': insertBefore(['"Done."'], text('x'.repeat(4000))),
    'many bytes in few letters': insertBefore(['"Done."'], text('語'.repeat(1400))),
  },
};

const rulesOf = (talk: readonly Said[], options?: EcaOrderOptions) =>
  checkEcaOrder(talk, options).map(({ rule }) => rule);

test('a correct talk breaks no rule', () => {
  expect(checkEcaOrder(correct)).toEqual([]);
});

test('a talk that still goes on may end anywhere', () => {
  for (let length = 0; length < correct.length; length += 1) {
    expect(checkEcaOrder(correct.slice(0, length), { complete: false })).toEqual([]);
  }
});

test('what was heard is judged without the requests, but for what needs them', () => {
  const frames = correct.flatMap(({ by, message }) => (by === 'server' ? [message] : []));
  const withoutShutdown = frames.filter((frame) => !JSON.stringify(frame).includes('"result":null'));
  expect(checkEcaOrder(heard(withoutShutdown))).toEqual([]);
});

test('a stop may leave a rejection for after the end, until the next run', () => {
  const talk = [...correct];
  const [late] = talk.splice(find(talk, 'toolCallRejected', 'call-3'), 1);
  expect(rulesOf(talk)).toEqual(['call-unended']);
  insertAfter(['"id":8', 'client'], late ?? finished())(talk);
  expect(rulesOf(talk)).toEqual([]);
});

test('one that is known to append may be sent pieces, one that replaces the text so far', () => {
  const pieces = [...correct];
  edit(['toolCallPrepare', '"argumentsText":""', 'call-1'], '"argumentsText":""', '"argumentsText":"{"')(pieces);
  edit(['toolCallPrepare', 'path', 'call-1'], '"{\\"path', '"\\"path')(pieces);
  expect(rulesOf(pieces, { readers: ['appends'] })).toEqual([]);
  expect(rulesOf(pieces, { readers: ['replaces'] })).toEqual(['arguments']);
  const soFar = [...correct];
  insertAfter(['toolCallPrepare', '"argumentsText":""', 'call-1'], prepare('call-1', '{"pa'))(soFar);
  expect(rulesOf(soFar, { readers: ['replaces'] })).toEqual([]);
  expect(rulesOf(soFar, { readers: ['appends'] })).toEqual(['arguments']);
});

test('a prompt that waits may be stopped with the run that it waits for, and only then', () => {
  const waiting = [
    client({ id: 9, method: 'chat/prompt', params: { chatId: 'chat-1', message: 'later' } }),
    answer(9, { result: { chatId: 'chat-1', status: 'success' } }),
  ];
  const talk = [...correct];
  insertBefore(['chat/promptStop'], ...waiting)(talk);
  expect(rulesOf(talk)).toEqual([]);
  const unstopped = [...correct];
  insertBefore(['"Done."'], ...waiting)(unstopped);
  talk.splice(find(talk, 'chat/promptStop'), 1);
  expect([rulesOf(talk), rulesOf(unstopped)]).toEqual([['echo'], ['echo']]);
});

test('a chat that is deleted may begin again', () => {
  const talk = [...correct];
  insertAfter(
    ['server', '"id":4'],
    client({ id: 9, method: 'chat/prompt', params: { chatId: 'chat-2', message: 'new' } }),
    says('user', { type: 'text', text: 'new\n' }, 'chat-2'),
    text('fine', 'chat-2'),
    finished('chat-2'),
    answer(9, { result: { chatId: 'chat-2', status: 'success' } }),
  )(talk);
  expect(checkEcaOrder(talk)).toEqual([]);
});

describe.each(Object.entries(table))('%s', (rule, breakages) => {
  test.each(Object.entries(breakages))('%s', (_, breakIt) => {
    const talk = structuredClone([...correct]);
    breakIt(talk);
    const broken = checkEcaOrder(talk);
    expect([...new Set(broken.map((violation) => violation.rule))], JSON.stringify(broken)).toEqual([rule]);
  });
});

test('each rule has a breakage', () => {
  expect(Object.keys(table).sort()).toEqual(Object.keys(ecaRules).sort());
});
