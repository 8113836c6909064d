// Nothing is lost between the model and the wire: every event and every command that the model can hold crosses, and what
// each protocol's recordings say arrives as the log has it (docs/protocols/canonical.md 1.2).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical } from '../../../src/adapters/canonical/index.ts';
import { createProjection } from '../../../src/adapters/canonical/projection.ts';
import { GatewayFrame } from '../../../src/adapters/canonical/wire.ts';
import { adapters } from '../../../src/adapters/index.ts';
import { emptyTranscript } from '../../../src/core/log/fold.ts';
import { Event, type Logged } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { anyCommandOf, commandTypes } from '../../support/any-command.ts';
import { arbitraryOf } from '../../support/arbitrary.ts';
import { decodeLines, stillEnv } from '../../support/decoding.ts';
import { canonicalEvents, hasScenarioFile, scenarioLines, scenarioNames, toldOnly } from '../../support/fixtures.ts';
import { createLog, epoch, tell, textOf } from '../../support/telling.ts';

const side = () => {
  const made = canonical.client?.frontend(stillEnv(), {});
  if (made === undefined) throw new Error('canonical has clients');
  return made;
};
const view = () => ({ id: 'session', epoch, timeOrigin: 0, transcript: emptyTranscript() });
/** As JSON has it: a field that is undefined is absent. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const eventTypes = Event.options.map((option) => option.shape.type.value);

test('it declares the whole model', () => {
  expect([...canonical.can.events].sort()).toEqual([...eventTypes].sort());
  expect([...canonical.can.commands].sort()).toEqual([...commandTypes].sort());
});

test.each(Event.options.map((option) => [option.shape.type.value, option] as const))(
  'event %s crosses whole',
  (_, option) => {
    const projection = createProjection(view());
    projection.event({ seq: 1, at: 0, event: { type: 'run-start' } });
    fc.assert(
      fc.property(arbitraryOf(option), fc.constantFrom(undefined, 'past', 'present'), (value, replay) => {
        const event = Event.parse(value);
        const logged: Logged = { seq: 7, at: 12.5, event, ...(replay === undefined ? {} : { replay }) };
        const frames = projection.event(logged).map((out): unknown => JSON.parse(textOf(out)));
        expect(frames).toEqual([asJson({ session: 'session', ...logged })]);
        expect(GatewayFrame.parse(frames[0])).toEqual(frames[0]);
      }),
      { numRuns: 40 },
    );
  },
);

test.each(commandTypes.map((type) => [type]))('command %s crosses whole', (type) => {
  fc.assert(
    fc.property(anyCommandOf(type), fc.oneof(fc.string({ maxLength: 256 }), fc.nat()), (command, id) => {
      const connection = side().connection();
      const text = JSON.stringify({ id, session: 's', command });
      const [action, ...more] = connection.decode(createFrame(Buffer.from(text)));
      if (action?.do !== 'deliver') throw new Error(`${text} was not taken: ${JSON.stringify(action)}`);
      expect([asJson(action.message), action.session, more]).toEqual([asJson(command), 's', []]);
      const answer = connection.reply(action.message, { ok: true, data: { text: 'done' } });
      const frame = JSON.stringify({ id, outcome: { ok: true, data: { text: 'done' } } });
      expect(answer).toEqual([{ do: 'send', frame }]);
    }),
    { numRuns: 40 },
  );
});

describe('a session', () => {
  const eventsOf = (texts: readonly string[]) =>
    texts
      .map((text) => JSON.parse(text))
      .flatMap(({ session: _, ...rest }) => (rest.event === undefined ? [] : [rest]));

  test.each(scenarioNames)('of the scenario %s is told as it is', (scenario) => {
    const log = createLog();
    for (const event of canonicalEvents(scenario)) log.admit(event);
    const { texts, losses } = tell(side(), log.logged);
    expect(eventsOf(texts)).toEqual(asJson(log.logged));
    expect(losses).toEqual([]);
  });

  const recorded = [...adapters.values()].filter(({ id, agent }) => agent !== undefined && !toldOnly.has(id));
  const files = recorded.flatMap((adapter) =>
    scenarioNames
      .filter((scenario) => hasScenarioFile(scenario, adapter.id))
      .map((scenario) => ({ adapter, scenario, id: adapter.id })),
  );
  test.each(files)('of an agent of $id in $scenario is told as it is', ({ adapter, scenario }) => {
    const { logged } = decodeLines(adapter, scenarioLines(scenario, adapter.id));
    expect(logged.length).toBeGreaterThan(3);
    expect(eventsOf(tell(side(), logged).texts)).toEqual(asJson(logged));
  });

  test('has recordings of every protocol of agents that has a wire', () => {
    expect([...new Set(files.map(({ id }) => id))].sort()).toEqual(['claude', 'eca', 'pi', 'pi-legacy', 'pi-server']);
  });
});
