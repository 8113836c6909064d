// An agent that sends messages that are none of its protocol (docs/faults.md F9): some are skipped, a hundred in a row
// end it, whatever the protocol.
import { describe, expect, test } from 'vitest';
import { adapters } from '../../../src/adapters/index.ts';
import { linkAgent } from '../../../src/core/link/agent-link.ts';
import { mostJunk } from '../../../src/core/link/junk-count.ts';
import { createAgent } from '../../support/core/agent.ts';
import { createSessionRig } from '../../support/core/session-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';
import { createWire } from '../../support/core/wire.ts';

const agents = [...adapters.values()].flatMap(({ id, agent }) =>
  agent === undefined || agent.isBuiltIn === true || agent.connect !== undefined ? [] : [{ id, agent }],
);
const reason = 'the agent sent 100 messages in a row that are none of its protocol';

function linked(id: string) {
  const found = agents.find((one) => one.id === id)?.agent;
  if (found === undefined) throw new Error(`no agent ${id}`);
  const clock = createVirtualClock();
  const wire = createWire(clock);
  let count = 0;
  const env = { now: () => 0, id: () => `id${++count}` };
  const endings: string[] = [];
  const backend = found.backend(env, {}, undefined, 'session');
  const listener = {
    event: () => {},
    note: () => {},
    end: (ending: { reason: string }) => void endings.push(ending.reason),
  };
  linkAgent({ channel: wire.channel, backend }, clock, listener);
  const send = (text: string, times: number) => {
    for (let sent = 0; sent < times; sent += 1) wire.frame(text);
  };
  return { wire, endings, send };
}

describe.each(agents.map(({ id }) => id))('%s', (id) => {
  test.each(['junk', '42', '[]', 'null', '"text"', '{"half":'])('%s', (text) => {
    const { wire, endings, send } = linked(id);
    send(text, mostJunk - 1);
    expect(endings).toEqual([]);
    send(text, 1);
    expect(endings).toEqual([reason]);
    expect(wire.closings).toEqual([{ code: 'going-away', reason }]);
    send(text, 10);
    expect(endings).toEqual([reason]);
  });
});

describe('the count', () => {
  const junk = { do: 'note', level: 'violation', text: 'no message' } as const;
  const loss = { do: 'note', level: 'loss', text: 'no shape' } as const;
  const event = { do: 'deliver', message: { type: 'notice', level: 'info', text: 'hello' } } as const;

  function counting() {
    const clock = createVirtualClock();
    const agent = createAgent(clock);
    const endings: string[] = [];
    linkAgent(agent, clock, { event: () => {}, note: () => {}, end: ({ reason: why }) => void endings.push(why) });
    const junkTimes = (times: number) => {
      for (let sent = 0; sent < times; sent += 1) agent.act(junk);
    };
    return { agent, endings, junkTimes };
  }

  test.each([
    ['an event', [event]],
    ['an event with a complaint', [junk, event]],
    ['nothing to say', []],
    ['a loss', [loss]],
  ])('starts again after %s', (_name, actions) => {
    const { agent, endings, junkTimes } = counting();
    junkTimes(mostJunk - 1);
    agent.act(...actions);
    junkTimes(mostJunk - 1);
    expect(endings).toEqual([]);
    junkTimes(1);
    expect(endings).toEqual([reason]);
  });

  test('ends the run as failed', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    rig.log();
    for (let sent = 0; sent < mostJunk; sent += 1) rig.agent.act(junk);
    expect(rig.log()).toEqual(['+run-end failed', 'agent-changed down']);
  });
});
