// What every protocol promises, as a suite that each of them is run through. Knows none of them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/core/contract/adapter/action.ts';
import type { Adapter, AgentAdapter } from '../../src/core/contract/adapter/adapter.ts';
import type { FrontendSide } from '../../src/core/contract/adapter/frontend.ts';
import { emptyTranscript } from '../../src/core/log/fold.ts';
import { Command, type CommandType } from '../../src/core/model/command.ts';
import { GatewayError, type Outcome, refused } from '../../src/core/model/errors.ts';
import { Event, type EventType } from '../../src/core/model/event.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { driveBackend } from '../support/agent-driver.ts';
import { anyCommand, anyCommandOf, commandTypes } from '../support/any-command.ts';
import { anyFrame } from '../support/any-frame.ts';
import { stillEnv } from '../support/decoding.ts';
import { admitAll, garbage } from '../support/garbage.ts';
import { createLog, epoch, tell, tellLate, textOf } from '../support/telling.ts';
import { conversation, finds } from '../support/telltale.ts';

const eventTypes: readonly EventType[] = Event.options.map((option) => option.shape.type.value);
const runs = { numRuns: 60 };

/** What the suite must know of a protocol with clients: a frame that it takes. */
export interface ContractOptions {
  /** A prompt with these words, as a client sends it. */
  readonly prompt?: (words: string) => string;
}

/** Runs the suite for one protocol. */
export function adapterContract(adapter: Adapter, options: ContractOptions = {}): void {
  describe(`adapter: ${adapter.id}`, () => {
    describeDeclaration(adapter);
    if (adapter.agent !== undefined) describeBackend(adapter, adapter.agent.backend);
    if (adapter.client !== undefined) {
      const side = adapter.client.frontend(stillEnv(), {});
      describeFrontend(adapter, side, options);
      describeProjection(adapter, side);
    }
  });
}

function describeDeclaration({ id, title, can, framing, agent, client }: Adapter): void {
  describe('declares', () => {
    test('a name that fits in a URL, and one line about itself', () => {
      expect(id).toMatch(/^[a-z][a-z0-9-]{0,31}$/u);
      expect(title).toMatch(/^[^\n]{1,100}$/u);
      expect(Object.keys(framing).sort()).toEqual(['sse', 'stdio', 'websocket']);
    });

    test('a side towards clients or towards agents', () => {
      expect(client ?? agent).toBeDefined();
    });

    test('events and commands that exist, once each', () => {
      expect(can.events.filter((type) => !eventTypes.includes(type))).toEqual([]);
      expect(can.commands.filter((type) => !commandTypes.includes(type))).toEqual([]);
      expect(new Set(can.events).size).toBe(can.events.length);
      expect(new Set(can.commands).size).toBe(can.commands.length);
    });

    test.each([
      ['frontend', client?.frontend],
      ['backend', agent?.backend],
    ])('by refusing options that it does not have: %s', (_, make) => {
      if (make === undefined) return;
      expect(() => make(stillEnv(), {})).not.toThrow();
      for (const wrong of [{ 'no-such-option': 1 }, { constructor: 'x' }]) {
        expect(() => make(stillEnv(), wrong)).toThrow(GatewayError);
        expect(() => make(stillEnv(), wrong)).toThrow(expect.objectContaining({ code: 'invalid' }));
      }
    });
  });
}

function describeBackend({ id, can }: Adapter, make: AgentAdapter['backend']): void {
  const start = () => driveBackend(make(stillEnv(), {}));

  describe('towards agents', () => {
    test('takes whatever an agent sends, in any state, and delivers only what it declares', () => {
      const step = fc.oneof(
        { weight: 6, arbitrary: anyFrame(id).map((frame) => ({ frame })) },
        { weight: 2, arbitrary: anyCommand.map((command) => ({ command })) },
        { weight: 1, arbitrary: fc.constantFrom('no such timer', '').map((timer) => ({ timer })) },
        { weight: 1, arbitrary: fc.constant({ ring: 1 }) },
      );
      fc.assert(
        fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
          const agent = start();
          for (const one of steps) {
            if ('frame' in one) agent.frame(one.frame);
            else if ('command' in one) agent.ask(one.command);
            else if ('timer' in one) agent.wake(one.timer);
            else agent.ring(one.ring);
          }
          agent.end();
          for (const outcomes of agent.outcomes.values()) expect(outcomes).toHaveLength(1);
          const undeclared = agent.delivered.filter(({ type }) => !can.events.includes(type));
          expect(undeclared).toEqual([]);
        }),
        runs,
      );
    });

    test.each(commandTypes)('%s: settled once, or the agent was asked and owes the answer', (type) => {
      fc.assert(
        fc.property(anyCommandOf(type), (command) => {
          const agent = start();
          const before = agent.sent;
          const name = agent.ask(command);
          const wasAsked = agent.sent > before;
          agent.ring(200);
          const outcomes = agent.outcomes.get(name) ?? [];
          expect(outcomes.length).toBeLessThanOrEqual(1);
          expect(outcomes.length === 1 || wasAsked || agent.sent > before).toBe(true);
        }),
        { numRuns: 20 },
      );
    });

    const others = commandTypes.filter((type) => !can.commands.includes(type));
    test.each(others.map((type) => [type]))('%s is not declared, so it is refused at once', (type: CommandType) => {
      fc.assert(
        fc.property(anyCommandOf(type), (command) => {
          const agent = start();
          const before = agent.sent;
          const [outcome] = agent.outcomes.get(agent.ask(command)) ?? [];
          expect(outcome).toMatchObject({ ok: false, error: { code: 'unsupported' } });
          expect(agent.sent).toBe(before);
        }),
        { numRuns: 5 },
      );
    });
  });
}

/** What a frontend asked for, checked. */
function checked(actions: readonly Action<Command>[], can: Adapter['can']) {
  const delivered: Command[] = [];
  const sent: string[] = [];
  let violations = 0;
  for (const action of actions) {
    if (action.do === 'deliver') {
      delivered.push(action.message);
      expect(Command.parse(action.message).type).toSatisfy((type: CommandType) => can.commands.includes(type));
    }
    if (action.do === 'send') sent.push(textOf(action.frame));
    if (action.do === 'note' && action.level === 'violation') violations += 1;
    expect(action.do).not.toBe('settle');
  }
  for (const text of sent) expect(text).not.toContain('\n');
  return { delivered, sent, violations };
}

function describeFrontend({ id, can }: Adapter, side: FrontendSide, { prompt }: ContractOptions): void {
  const connect = () => side.connection({ id: 'session', epoch, timeOrigin: 0, transcript: emptyTranscript() });

  describe('towards clients', () => {
    test('takes whatever a client sends, and answers every one of its commands', () => {
      const outcomes = fc.constantFrom<Outcome>(
        { ok: true },
        { ok: true, data: {} },
        refused('busy', 'busy'),
        refused('stale', 'late'),
      );
      fc.assert(
        fc.property(fc.array(fc.tuple(anyFrame(id), outcomes), { maxLength: 20, size: 'max' }), (frames) => {
          const connection = connect();
          checked(connection.start?.() ?? [], can);
          for (const [frame, outcome] of frames) {
            const { delivered } = checked(connection.decode(frame), can);
            for (const command of delivered) checked(connection.reply(command, outcome), can);
          }
          checked(connection.onTimer?.('no such timer') ?? [], can);
          checked(connection.end?.() ?? [], can);
        }),
        runs,
      );
    });

    test.each([
      ['no UTF-8', Buffer.from([0xc3, 0x28])],
      ['control characters', Buffer.from([1, 2, 3])],
      ['nothing at all', Buffer.alloc(0)],
      ['brackets without end', Buffer.from('['.repeat(1_000))],
    ])('%s: answered in its own protocol, as a violation, and the connection goes on', (_, bytes) => {
      const connection = connect();
      const { sent, violations, delivered } = checked(connection.decode(createFrame(bytes)), can);
      expect([sent.length > 0, violations > 0, delivered]).toEqual([true, true, []]);
      if (prompt === undefined) throw new Error(`say what a prompt looks like in ${id}: test/support/client-roles.ts`);
      const frame = createFrame(Buffer.from(prompt('hello')));
      expect(checked(connection.decode(frame), can).delivered).toMatchObject([{ type: 'prompt' }]);
    });

    test('bytes that never became a frame are answered as well', () => {
      const { sent, violations } = checked(
        connect().fault({ code: 'too-large', message: 'the frame is too large' }),
        can,
      );
      expect([sent.length > 0, violations > 0]).toEqual([true, true]);
    });

    test('a connection need not be bound to a session to take frames', () => {
      fc.assert(
        fc.property(anyFrame(id), (frame) => {
          checked(side.connection().decode(frame), can);
        }),
        runs,
      );
    });
  });
}

function describeProjection({ can, client }: Adapter, side: FrontendSide): void {
  describe('tells its clients', () => {
    test('the same for the same events, in whole lines, whatever the events are', () => {
      fc.assert(
        fc.property(garbage, (events) => {
          const log = createLog();
          admitAll(log, events);
          log.close();
          const first = tell(side, log.logged);
          expect(tell(side, log.logged)).toEqual(first);
          for (const text of first.texts) expect(text).not.toContain('\n');
        }),
        runs,
      );
    });

    test('nothing of events that it has no shape for', () => {
      fc.assert(
        fc.property(garbage, (events) => {
          for (const event of events) {
            if (can.events.includes(event.type) || !standsAlone(event)) continue;
            const log = createLog();
            log.admit(event);
            expect({ event, texts: tell(side, log.logged).texts }).toEqual({ event, texts: [] });
          }
        }),
        runs,
      );
    });

    if (client?.replaysHistory === false) {
      test('what goes on when they come, and nothing that is over', () => {
        const log = createLog();
        for (const event of conversation) log.admit(event);
        const last = log.logged.findLastIndex(({ event }) => event.type === 'run-end');
        for (const { joined, texts } of tellLate(side, log.logged.slice(0, last + 1))) {
          for (const words of finds(can)) {
            expect({ joined, words, told: words.isIn(texts) }).toEqual({ joined, words, told: joined <= last });
          }
        }
      });
    } else {
      test('everything that was said, whenever they come', () => {
        const log = createLog();
        for (const event of conversation) log.admit(event);
        for (const { joined, texts } of tellLate(side, log.logged)) {
          for (const words of finds(can))
            expect({ joined, words, told: words.isIn(texts) }).toEqual({ joined, words, told: true });
        }
      });
    }

    test('who share options share a projection, and nobody else', () => {
      expect(side.key).toEqual(expect.any(String));
    });
  });
}

/** Whether the repair needs nothing else around it. */
function standsAlone(event: Event): boolean {
  const log = createLog();
  log.admit(event);
  return log.logged.length === 1 && log.logged[0]?.event.type === event.type;
}
