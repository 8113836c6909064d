// One connection of a client of pi 0.13.2: what its lines mean, and what it is told when something is refused. It hears no
// responses, so silence is right where a command went well.
import { describe, expect, test } from 'vitest';
import { createConnection } from '../../../src/adapters/pi-legacy/frontend.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { SessionView } from '../../../src/core/contract/adapter/projection.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { epoch, textOf } from '../../support/telling.ts';

/** A session whose log grows under the client's feet. */
function sessionOf() {
  const transcript: Transcript = emptyTranscript();
  const view: SessionView = { id: 'session', epoch, timeOrigin: 0, transcript };
  const log = (...events: Event[]) => {
    for (const event of events) fold(transcript, { seq: transcript.lastSeq + 1, at: 0, event });
  };
  return { view, log };
}

function connect(session: SessionView | undefined = sessionOf().view) {
  const connection = createConnection(session);
  const did = (actions: readonly Action<Command>[]) => ({
    delivered: actions.flatMap((action) => (action.do === 'deliver' ? [action.message] : [])),
    sent: actions.flatMap((action) => (action.do === 'send' ? [textOf(action.frame)] : [])),
    notes: actions.flatMap((action) => (action.do === 'note' ? [`${action.level}: ${action.text}`] : [])),
    timers: actions.flatMap((action) => (action.do === 'timer' ? [action.id] : [])),
  });
  return {
    raw: (text: string) => did(connection.decode(createFrame(Buffer.from(text)))),
    say: (line: unknown) => did(connection.decode(createFrame(Buffer.from(JSON.stringify(line))))),
    fault: (message: string) => did(connection.fault({ code: 'too-large', message })),
    reply: (command: Command, outcome: Outcome) => did(connection.reply(command, outcome)),
    wake: (timer: string) => did(connection.onTimer?.(timer) ?? []),
  };
}

const errorLine = (error: string) => JSON.stringify({ type: 'error', error });
const text = (words: string) => ({ type: 'text', text: words }) as const;
const prompt: Command = { type: 'prompt', content: [text('go')] };

describe('a line means', () => {
  const image = { id: 'a1', type: 'image', fileName: 'dot.png', mimeType: 'image/png', size: 3, content: 'AAAA' };
  const document = {
    id: 'a2',
    type: 'document',
    fileName: 'd.txt',
    mimeType: 'text/plain',
    size: 5,
    content: 'aGVsbG8=',
    extractedText: 'hello',
    preview: 'cGlj',
  };
  const cases: [string, object, Command][] = [
    ['a prompt', { type: 'prompt', message: 'go' }, prompt],
    ['a prompt without files', { type: 'prompt', message: 'go', attachments: [] }, prompt],
    ['a prompt whose files are null', { type: 'prompt', message: 'go', attachments: null }, prompt],
    [
      'a prompt of something newer',
      { type: 'prompt', message: 'go', id: 7, streamingBehavior: 'steer' },
      { ...prompt, extra: { pi: { id: 7, streamingBehavior: 'steer' } } },
    ],
    [
      'a prompt with an image and a document',
      { type: 'prompt', message: 'go', attachments: [image, document] },
      {
        type: 'prompt',
        content: [
          text('go'),
          {
            type: 'image',
            name: 'dot.png',
            mediaType: 'image/png',
            data: 'AAAA',
            extra: { pi: { id: 'a1', size: 3 } },
          },
          {
            type: 'document',
            name: 'd.txt',
            mediaType: 'text/plain',
            data: 'aGVsbG8=',
            text: 'hello',
            extra: { pi: { id: 'a2', size: 5, preview: 'cGlj' } },
          },
        ],
      },
    ],
    ['an abort', { type: 'abort' }, { type: 'abort', target: 'run' }],
    ['a compaction', { type: 'compact' }, { type: 'compact' }],
    [
      'a compaction with a wish',
      { type: 'compact', customInstructions: 'Code only' },
      { type: 'compact', instructions: 'Code only' },
    ],
  ];
  test.each(cases)('%s', (_, line, command) => {
    const { delivered, sent, notes } = connect().say(line);
    expect(delivered).toEqual([command]);
    expect([sent, notes]).toEqual([[], []]);
  });
});

describe('what is no command is an error line', () => {
  test.each(['not json', '{"type":"prompt"', '', '   '])('%j in the words of the parser, as pi has it', (line) => {
    const parse = () => JSON.parse(line);
    const { sent, notes } = connect().raw(line);
    const { error } = JSON.parse(sent[0] ?? '');
    expect(parse).toThrow(error);
    expect([sent, notes]).toEqual([[errorLine(error)], ['violation: the frame is not valid JSON']]);
  });

  test.each([
    ['42', 'a line must be a JSON object'],
    ['null', 'a line must be a JSON object'],
    ['[]', 'a line must be a JSON object'],
    ['{}', 'a line must have a string "type"'],
    ['{"type":123}', 'a line must have a string "type"'],
    ['{"type":"get_state","id":"1"}', 'Unknown command: get_state'],
    ['{"type":"constructor"}', 'Unknown command: constructor'],
    ['{"type":"prompt"}', 'bad prompt: message: Invalid input: expected string, received undefined'],
    ['{"type":"prompt","message":""}', 'bad prompt: message: Too small: expected string to have >=1 characters'],
    ['{"type":"prompt","message":{"a":1}}', 'bad prompt: message: Invalid input: expected string, received object'],
    [
      '{"type":"compact","customInstructions":1}',
      'bad compact: customInstructions: Invalid input: expected string, received number',
    ],
  ])('%s', (line, error) => {
    const { delivered, sent, notes } = connect().raw(line);
    expect([delivered, sent, notes]).toEqual([[], [errorLine(error)], [`violation: ${error}`]]);
  });

  test('bytes that never became a line', () => {
    expect(connect().fault('the frame is too large').sent).toEqual([errorLine('the frame is too large')]);
  });
});

describe('an answer', () => {
  test.each([prompt, { type: 'abort', target: 'run' }] satisfies Command[])(
    'to $type that went well is silence',
    (command) => {
      expect(connect().reply(command, { ok: true }).sent).toEqual([]);
    },
  );

  const no = refused('agent-down', 'the agent is gone');
  test.each([
    [prompt, [errorLine('the agent is gone')]],
    [{ type: 'abort', target: 'run' }, [errorLine('the agent is gone')]],
    [{ type: 'compact' }, [errorLine('Compaction failed: the agent is gone')]],
    [{ type: 'answer-dialog', id: 'd', answer: { kind: 'cancelled' }, unable: true }, []],
    [{ type: 'answer-approval', id: 'a', decision: 'deny', unable: true }, []],
  ] satisfies [Command, string[]][])('that refuses %o', (command, sent) => {
    expect(connect().reply(command, no).sent).toEqual(sent);
  });

  test('to a compaction is its line, unless the session has told it', () => {
    const { view, log } = sessionOf();
    const client = connect(view);
    log({ type: 'compaction-start', trigger: 'threshold' }, { type: 'compaction-end', outcome: 'completed' });
    const [first] = client.say({ type: 'compact' }).delivered;
    const [second] = client.say({ type: 'compact' }).delivered;
    if (first === undefined || second === undefined) throw new Error('no command was delivered');
    const data = { summary: 'All.', tokensBefore: 9, extra: { pi: { summary: 'All.', firstKeptEntryId: 'x' } } };
    expect(client.reply(first, { ok: true, data }).sent).toEqual([
      '{"type":"compaction","summary":"All.","tokensBefore":9}',
    ]);
    log({ type: 'compaction-start', trigger: 'manual' }, { type: 'compaction-end', outcome: 'completed' });
    expect(client.reply(second, { ok: true, data }).sent).toEqual([]);
  });
});

describe('a question that the client cannot be asked', () => {
  const approval: Event = { type: 'approval-request', id: 'a1', name: 'bash', input: {} };
  const dialog: Event = { type: 'dialog-request', id: 'd1', kind: 'confirm', title: 'Sure?' };

  test('is declined for it, once, while its prompt runs', () => {
    const { view, log } = sessionOf();
    const client = connect(view);
    const asked = client.say({ type: 'prompt', message: 'go' });
    expect(asked.timers).toEqual(['questions']);
    log({ type: 'run-start' }, approval, dialog);
    client.reply(prompt, { ok: true });
    const { delivered, timers } = client.wake('questions');
    expect(delivered).toMatchObject([
      { type: 'answer-approval', id: 'a1', decision: 'deny', unable: true },
      { type: 'answer-dialog', id: 'd1', answer: { kind: 'cancelled' }, unable: true },
    ]);
    expect(timers).toEqual(['questions']);
    expect(client.wake('questions').delivered).toEqual([]);
    log({ type: 'approval-end', id: 'a1', outcome: 'denied' }, { ...approval });
    expect(client.wake('questions').delivered).toMatchObject([{ type: 'answer-approval', id: 'a1' }]);
    log({ type: 'run-end', outcome: 'completed' });
    expect(client.wake('questions').timers).toEqual([]);
  });

  test('is none where the session answers itself', () => {
    const { view, log } = sessionOf();
    const client = connect(view);
    client.say({ type: 'prompt', message: 'go' });
    log({ type: 'run-start' }, { ...approval, standing: 'remembered' });
    expect(client.wake('questions').delivered).toEqual([]);
  });

  test('is looked for from the prompt on, for it may come before the run', () => {
    const { view, log } = sessionOf();
    const client = connect(view);
    client.say({ type: 'prompt', message: '/command' });
    log(dialog);
    expect(client.wake('questions')).toMatchObject({ delivered: [{ id: 'd1' }], timers: ['questions'] });
    client.reply(prompt, refused('agent-refused', 'no'));
    expect(client.wake('questions').timers).toEqual([]);
  });

  test('does not keep a second clock', () => {
    const client = connect();
    client.say({ type: 'prompt', message: 'one' });
    expect(client.say({ type: 'prompt', message: 'two' }).timers).toEqual([]);
  });

  test('needs a session', () => {
    const connection = createConnection(undefined);
    const line = createFrame(Buffer.from('{"type":"prompt","message":"go"}'));
    expect(connection.decode(line).map((action) => action.do)).toEqual(['deliver']);
    expect(connection.onTimer?.('questions')).toEqual([]);
  });
});
