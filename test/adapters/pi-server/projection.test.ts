// What a session says to clients of pi-server: pi's events, each in an envelope, and what extensions ask and show under the
// server's own names.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pi } from '../../../src/adapters/pi/index.ts';
import { idOf } from '../../../src/adapters/pi-server/frontend/request-id.ts';
import { piServer } from '../../../src/adapters/pi-server/index.ts';
import { createProjection } from '../../../src/adapters/pi-server/projection/projection.ts';
import type { FrontendSide } from '../../../src/core/contract/adapter/frontend.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Event, Logged } from '../../../src/core/model/event.ts';
import { stillEnv } from '../../support/decoding.ts';
import { canonicalEvents, scenarioNames } from '../../support/fixtures.ts';
import { admitAll, garbage } from '../../support/garbage.ts';
import { judgedPiServer } from '../../support/judged.ts';
import { createLog, epoch, tell, tellLate } from '../../support/telling.ts';

type Json = Record<string, unknown>;

function sideOf(adapter: typeof pi): FrontendSide {
  const side = adapter.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error(`${adapter.id} has no clients`);
  return side;
}
const server = sideOf(piServer);

function logOf(events: readonly Event[]): readonly Logged[] {
  const log = createLog();
  for (const event of events) log.admit(event);
  return log.logged;
}

/** The frames that events give, and what is lost. */
function told(events: readonly Event[]): { frames: Json[]; losses: string[] } {
  const { texts, losses } = tell(server, logOf(events));
  return { frames: texts.map((text): Json => JSON.parse(text)), losses };
}

const wrapped = (event: Json) => ({ type: 'event', sessionId: 'session', event });
const request = (requestId: string, method: string, fields: Json) =>
  wrapped({ type: 'extension_ui_request', requestId, method, ...fields });
const own = `${epoch}-1-0`;
/** A greeting, for the judge. */
const ready = {
  type: 'server_ready',
  data: { serverVersion: '1', protocolVersion: '1.0.0', transports: ['websocket'] },
};

describe('what extensions ask and show (docs/protocols/pi-server.md 18.1)', () => {
  test.each<[Event, Json]>([
    [
      { type: 'dialog-request', id: 'd', kind: 'select', title: 't', options: ['a', 'b'], timeoutMs: 5 },
      request('d', 'select', { title: 't', options: ['a', 'b'], timeout: 5 }),
    ],
    [
      { type: 'dialog-request', id: 'd', kind: 'confirm', title: 't', message: 'm' },
      request('d', 'confirm', { title: 't', message: 'm' }),
    ],
    [
      { type: 'dialog-request', id: 'd', kind: 'input', title: 't', placeholder: 'p' },
      request('d', 'input', { title: 't', placeholder: 'p' }),
    ],
    [
      { type: 'dialog-request', id: 'd', kind: 'editor', title: 't', prefill: 'p' },
      request('d', 'editor', { title: 't', prefill: 'p' }),
    ],
    [
      { type: 'dialog-request', id: 'd', kind: 'interview', title: 't', questions: [{ q: 1 }], timeoutMs: 5 },
      request('d', 'interview', { title: 't', questions: [{ q: 1 }], timeout: 5 }),
    ],
    [{ type: 'notice', level: 'warning', text: 'w' }, request(own, 'notify', { message: 'w', notifyType: 'warning' })],
    [{ type: 'error', message: 'e' }, request(own, 'notify', { message: 'e', notifyType: 'error' })],
    [
      { type: 'display', place: 'status', key: 'k', lines: ['busy'] },
      request(own, 'setStatus', { key: 'k', text: 'busy' }),
    ],
    [{ type: 'display', place: 'status', key: 'k', lines: null }, request(own, 'setStatus', { key: 'k' })],
    [
      { type: 'display', place: 'widget', key: 'k', lines: ['a', 'b'], position: 'belowEditor' },
      request(own, 'setWidget', { key: 'k', content: ['a', 'b'], placement: 'belowEditor' }),
    ],
    [{ type: 'display', place: 'widget', key: 'k', lines: null }, request(own, 'setWidget', { key: 'k' })],
    [{ type: 'display', place: 'title', lines: ['t'] }, request(own, 'setTitle', { title: 't' })],
    [
      { type: 'display', place: 'working', lines: ['on', 'it'] },
      request(own, 'setWorkingMessage', { message: 'on\nit' }),
    ],
    [{ type: 'display', place: 'working', lines: null }, request(own, 'setWorkingMessage', {})],
    [
      { type: 'display', place: 'title', lines: ['t'], extra: { pi: { id: 'theirs', tone: 'dry' } } },
      request('theirs', 'setTitle', { title: 't', tone: 'dry' }),
    ],
    [
      { type: 'display', place: 'working', lines: ['w'], extra: { pi: { id: 'theirs', tone: 'dry' } } },
      request('theirs', 'setWorkingMessage', { message: 'w', tone: 'dry' }),
    ],
  ])('%o', (event, frame) => {
    expect(told([event])).toEqual({ frames: [frame], losses: [] });
  });

  test('an approval is a yes or no under the name that an answer gives back', () => {
    const events: Event[] = [
      { type: 'run-start' },
      { type: 'approval-request', id: 'a b/1', name: 'rm', title: 'Remove x', input: {}, timeoutMs: 9 },
    ];
    const { event } = told(events).frames[1] ?? {};
    expect(event).toMatchObject({ type: 'extension_ui_request', method: 'confirm', title: 'Allow rm: Remove x?' });
    const { requestId } = Object(event);
    // Clients may send no other characters (docs/protocols/pi-server.md 18.5).
    expect(requestId).toMatch(/^[A-Za-z0-9:_-]+$/u);
    expect(idOf(requestId)).toBe('approval:a b/1');
  });

  test('what the server has no words for is a loss', () => {
    const editor: Event = { type: 'display', place: 'editor', lines: ['a'] };
    const foreign: Event = { type: 'unknown', protocol: 'eca', payload: { type: 'x' } };
    const noObject: Event = { type: 'unknown', protocol: 'pi-server', payload: 'x' };
    expect(told([editor, foreign, noObject])).toEqual({
      frames: [],
      losses: ['display', 'event of eca', 'event of pi-server'],
    });
  });
});

describe('what newer agents say', () => {
  test.each<[string, Json, Json]>([
    ['pi', { type: 'entry_appended', id: 1 }, { type: 'entry_appended', id: 1 }],
    ['pi-server', { type: 'told', id: 1 }, { type: 'told', id: 1 }],
    [
      'pi',
      { type: 'extension_ui_request', id: 'q', method: 'paint', widgetKey: 'k' },
      { type: 'extension_ui_request', requestId: 'q', method: 'paint', key: 'k' },
    ],
    [
      'pi-server',
      { type: 'extension_ui_request', requestId: 'q', method: 'paint', id: 1 },
      { type: 'extension_ui_request', requestId: 'q', method: 'paint', id: 1 },
    ],
  ])('passes (%s: %o)', (protocol, payload, event) => {
    expect(told([{ type: 'unknown', protocol, payload }]).frames).toEqual([wrapped(event)]);
  });
});

describe('the envelope', () => {
  test('names the session as the client does, whatever is in its name', () => {
    const transcript = emptyTranscript();
    const projection = createProjection({ id: 'a"b', epoch, timeOrigin: 0, transcript });
    const logged: Logged = { seq: 1, at: 0, event: { type: 'run-start' } };
    fold(transcript, logged);
    expect(projection.event(logged)).toEqual(['{"type":"event","sessionId":"a\\"b","event":{"type":"agent_start"}}']);
  });

  test('leaves a long message in its pieces, and says that its deltas may be joined', () => {
    const transcript = emptyTranscript();
    const projection = createProjection({ id: 's', epoch, timeOrigin: 0, transcript });
    const events: Event[] = [
      { type: 'run-start' },
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      { type: 'block-start', index: 0, block: { kind: 'text' } },
      { type: 'block-delta', index: 0, delta: 'x'.repeat(100_000) },
    ];
    const outs = logOf(events).flatMap((logged) => {
      fold(transcript, logged);
      return projection.event(logged);
    });
    expect(projection.mergesDeltas).toBe(true);
    const [update] = outs.slice(-1);
    expect(Array.isArray(update)).toBe(true);
    const bytes = [...(update ?? [])].filter((piece) => piece instanceof Uint8Array);
    // The message stands in the frame twice, and only once in memory.
    expect(bytes).toHaveLength(2);
    expect(bytes[0]).toBe(bytes[1]);
  });
});

const piNames = ['id', 'statusKey', 'statusText', 'widgetKey', 'widgetLines', 'widgetPlacement'];
const isShown = (event: Json) => event.type === 'extension_ui_request';

/** The pi in a pi-server is older than its words on the end of a run. */
function withoutWillRetry({ willRetry, ...line }: Json): Json {
  return line.type === 'agent_end' ? line : { ...line, ...(willRetry === undefined ? {} : { willRetry }) };
}

/** What clients of pi are told without what only one of the two can be shown. */
function inPi(logged: readonly Logged[]): Json[] {
  const lines = tell(sideOf(pi), logged).texts.map((text): Json => JSON.parse(text));
  return lines.flatMap((line) => (isShown(line) || line.type === 'agent_settled' ? [] : [withoutWillRetry(line)]));
}

describe('whatever an agent says', () => {
  const runs = { numRuns: 100 };
  const logs = garbage.map((events) => {
    const log = createLog();
    admitAll(log, events);
    log.close();
    return log.logged;
  });
  const framesIn = (texts: readonly string[]) => texts.map((text): Json => JSON.parse(text));

  test('is what pi says, but for what is asked and shown', () =>
    fc.assert(
      fc.property(logs, (logged) => {
        const passed = (event: unknown): event is Json => !isShown(Object(event));
        const events = framesIn(tell(server, logged).texts).map(({ event }) => event);
        expect(events.filter(passed)).toEqual(inPi(logged));
      }),
      runs,
    ));

  test('has none of the names that only pi has for what is shown', () =>
    fc.assert(
      fc.property(logs, (logged) => {
        for (const { event } of framesIn(tell(server, logged).texts)) {
          const said = Object(event) as Json;
          if (isShown(said)) for (const name of piNames) expect(said).not.toHaveProperty(name);
        }
      }),
      runs,
    ));
});

describe.each(scenarioNames)('a conversation: %s', (scenario) => {
  const logged = logOf(canonicalEvents(scenario));
  const found = (texts: readonly string[]) =>
    judgedPiServer(
      [ready, ...texts.map((text): unknown => JSON.parse(text))].map((json) => ({ by: 'agent', json })),
      { bound: 'session' },
    );

  test('is in order', () => expect(found(tell(server, logged).texts)).toEqual([]));

  test('is not told to who comes when it is over', () => {
    const late = tellLate(server, logged).at(-1)?.texts ?? [];
    expect(
      late.map((text): unknown => JSON.parse(text).event.type).filter((type) => type !== 'extension_ui_request'),
    ).toEqual([]);
  });

  test('is in order for who comes late', () => {
    for (const { joined, texts } of tellLate(server, logged)) {
      // The past does not tell that an agent ended and started again for a retry.
      const violations = found(texts).filter(({ rule }) => rule !== 'pi/agent-end-messages');
      expect({ joined, violations }).toEqual({ joined, violations: [] });
    }
  });
});
