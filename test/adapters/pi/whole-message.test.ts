// Messages that come whole: their roles, and how a user's message came in.
import { describe, expect, test } from 'vitest';
import { bench, wire } from './harness.ts';

/** What one line delivers, inside a run that is open already. */
function delivered(line: object): unknown[] {
  const pi = bench();
  pi.feed(wire.agentStart);
  pi.events();
  pi.feed(line);
  return pi.events();
}

const added = (message: object) => ({ type: 'message_end', message });
const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

test.each<[name: string, message: object, expected: object]>([
  [
    'user',
    { role: 'user', content: [{ type: 'text', text: 'hi', isDocument: true }, image], timestamp: 3, attachments: [1] },
    {
      role: 'user',
      origin: 'prompt',
      timestamp: 3,
      content: [
        { type: 'text', text: 'hi', extra: { pi: { isDocument: true } } },
        { type: 'image', data: 'AAAA', mediaType: 'image/png' },
      ],
      extra: { pi: { attachments: [1] } },
    },
  ],
  [
    'user, as the document has it',
    { role: 'user', content: 'hi' },
    { role: 'user', origin: 'prompt', content: [{ type: 'text', text: 'hi' }], extra: { pi: { plain: true } } },
  ],
  [
    'user, with a text that is none (0.13.2)',
    { role: 'user', content: [{ type: 'text', text: { a: 1 } }] },
    {
      role: 'user',
      origin: 'prompt',
      content: [{ type: 'opaque', name: 'text', protocol: 'pi', payload: { type: 'text', text: { a: 1 } } }],
    },
  ],
  [
    'toolResult',
    { role: 'toolResult', toolCallId: 't', toolName: 'bash', content: [image], details: { x: 1 }, isError: true },
    {
      role: 'tool',
      call: 't',
      name: 'bash',
      isError: true,
      details: { x: 1 },
      content: [{ type: 'image', data: 'AAAA', mediaType: 'image/png' }],
    },
  ],
  [
    'system',
    { role: 'system', content: '', sections: { cwd: '/' } },
    { role: 'system', content: [], extra: { pi: { sections: { cwd: '/' }, plain: true } } },
  ],
  [
    'custom',
    { role: 'custom', content: 'note', customType: 'n', display: true },
    {
      role: 'custom',
      content: [{ type: 'text', text: 'note' }],
      extra: { pi: { customType: 'n', display: true, plain: true } },
    },
  ],
  [
    'bashExecution',
    { role: 'bashExecution', command: 'ls', output: 'a\n', exitCode: 0 },
    { role: 'bash', content: [{ type: 'text', text: 'a\n' }], extra: { pi: { command: 'ls', exitCode: 0 } } },
  ],
  [
    'compactionSummary',
    { role: 'compactionSummary', summary: 's', tokensBefore: 9 },
    {
      role: 'summary',
      content: [{ type: 'text', text: 's' }],
      extra: { pi: { kind: 'compactionSummary', tokensBefore: 9 } },
    },
  ],
  [
    'branchSummary',
    { role: 'branchSummary', summary: 's', fromId: 'f' },
    { role: 'summary', content: [{ type: 'text', text: 's' }], extra: { pi: { kind: 'branchSummary', fromId: 'f' } } },
  ],
])('a message of role %s is one message-added', (_, message, expected) => {
  expect(delivered({ type: 'message_start', message })).toEqual([]);
  expect(delivered(added(message))).toEqual([{ type: 'message-added', ...expected }]);
});

test.each(['narrator', 'constructor', '__proto__'])('a message of role %s passes as it is, both lines', (role) => {
  for (const type of ['message_start', 'message_end']) {
    const payload = { type, message: { role, content: 3 } };
    expect(delivered(payload)).toEqual([{ type: 'unknown', protocol: 'pi', payload }]);
  }
});

describe('origin of user messages', () => {
  test('by their place, when nothing was sent', () => {
    const pi = bench();
    pi.feed(wire.agentStart, wire.said('one'), wire.said('two'));
    expect(pi.events().slice(1)).toMatchObject([{ origin: 'prompt' }, { origin: 'steer' }]);
  });

  test('by their words, when we sent them', () => {
    const pi = bench();
    const content = (text: string) => [{ type: 'text' as const, text }];
    pi.command({ type: 'prompt', content: content('go') }, 'c1');
    pi.feed(wire.response('c1', 'prompt'), wire.agentStart, wire.said('go'));
    pi.command({ type: 'follow-up', content: content('then') }, 'c2');
    pi.command({ type: 'steer', content: content('rather') }, 'c3');
    pi.command({ type: 'prompt', content: content('more'), whenBusy: 'follow-up' }, 'c4');
    pi.feed(...['rather', 'then', 'more', 'then'].map(wire.said));
    const origins = pi.events().flatMap((event) => (event.type === 'message-added' ? [event.origin] : []));
    expect(origins).toEqual(['prompt', 'steer', 'follow-up', 'follow-up', 'steer']);
  });
});
