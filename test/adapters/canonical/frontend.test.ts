// Frames that are not commands of the model (docs/protocols/canonical.md 2, 4).
import { describe, expect, test } from 'vitest';
import { createConnection } from '../../../src/adapters/canonical/frontend.ts';
import { createProjection } from '../../../src/adapters/canonical/projection.ts';
import { GatewayFrame } from '../../../src/adapters/canonical/wire.ts';
import { emptyTranscript } from '../../../src/core/log/fold.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { epoch } from '../../support/telling.ts';

const view = { id: 'bound', epoch, timeOrigin: 5, transcript: emptyTranscript() };

/** What a connection does with a frame: frames as JSON, other actions as they are. */
function taken(text: string, bound?: typeof view): unknown[] {
  const actions = createConnection(bound).decode(createFrame(Buffer.from(text)));
  return actions.flatMap((action): unknown[] => {
    if (action.do === 'note') return [];
    if (action.do !== 'send') return [action];
    return [GatewayFrame.parse(JSON.parse(String(action.frame)))];
  });
}

describe('a frame that cannot be taken is told to its sender', () => {
  test.each([
    ['no JSON', '{]', { error: { code: 'bad-frame', message: expect.any(String) } }],
    ['no object', '[1]', { error: { code: 'invalid', message: expect.stringContaining('a frame is an object') } }],
    [
      'no request',
      '{"id":"a"}',
      { id: 'a', outcome: { ok: false, error: expect.objectContaining({ code: 'invalid' }) } },
    ],
    [
      'no id',
      '{"command":{"type":"clear-queue"}}',
      { error: { code: 'invalid', message: expect.stringContaining('id') } },
    ],
    [
      'a command that the model does not have',
      '{"id":3,"command":{"type":"constructor"}}',
      { id: 3, outcome: { ok: false, error: { code: 'unknown-command', message: 'no command named "constructor"' } } },
    ],
    [
      'a field of a wrong kind',
      '{"id":"a","command":{"type":"abort","target":"all"}}',
      {
        id: 'a',
        outcome: { ok: false, error: { code: 'invalid', message: expect.stringContaining('command.target') } },
      },
    ],
    ['a session that is no name', '{"attach":7}', { error: expect.objectContaining({ code: 'invalid' }) }],
  ])('%s', (_, text, answer) => expect(taken(text)).toEqual([answer]));

  test('as a violation, without a word of the frame', () => {
    const [note] = createConnection(undefined).decode(createFrame(Buffer.from('{"id":"secret"}')));
    expect(note).toEqual({ do: 'note', level: 'violation', text: 'a frame without a request' });
  });
});

describe('sessions', () => {
  test('are attached to and let go', () => {
    expect(taken('{"attach":"s"}')).toEqual([{ do: 'subscribe', session: 's' }]);
    expect(taken('{"detach":"s"}')).toEqual([{ do: 'unsubscribe', session: 's' }]);
  });

  test('but not on a connection that has one of its own', () => {
    const refusal = { error: { code: 'unsupported', message: expect.stringContaining('bound') } };
    expect(taken('{"attach":"s"}', view)).toEqual([refusal]);
    expect(taken('{"detach":"bound"}', view)).toEqual([refusal]);
  });

  test('that end are told', () => {
    const actions = createConnection(undefined).sessionEnded?.('s', 'gone');
    expect(actions).toEqual([{ do: 'send', frame: '{"ended":{"session":"s","reason":"gone"}}' }]);
  });
});

describe('losses of others', () => {
  test('are told once for each event, whoever loses the same', () => {
    const projection = createProjection(view);
    const lose = (dialect: string, text: string) => projection.loss?.({ dialect, text });
    expect(lose('eca', 'display')).toEqual(['{"session":"bound","seq":0,"loss":{"dialect":"eca","field":"display"}}']);
    expect(lose('eca', 'display')).toEqual([]);
    expect(lose('pi', 'display')).toHaveLength(1);
    view.transcript.lastSeq = 1;
    expect(lose('eca', 'display')).toEqual(['{"session":"bound","seq":1,"loss":{"dialect":"eca","field":"display"}}']);
  });
});
