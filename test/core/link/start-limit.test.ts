// An agent that is asked and says nothing from its start (docs/faults.md F4): ended after its time, with a reason.
import { describe, expect, test } from 'vitest';
import { adapters } from '../../../src/adapters/index.ts';
import { type AgentConnection, linkAgent } from '../../../src/core/link/agent-link.ts';
import { createAgent } from '../../support/core/agent.ts';
import { promptOf } from '../../support/core/session-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';
import { createWire } from '../../support/core/wire.ts';

const startMs = 60_000;
const reason = 'the agent has said nothing for 60 s since its start';
const send = { do: 'send', frame: 'hello' } as const;
const junk = { do: 'note', level: 'violation', text: 'no message' } as const;
const notice = { do: 'deliver', message: { type: 'notice', level: 'info', text: 'up' } } as const;

function linked(connect: (clock: ReturnType<typeof createVirtualClock>) => AgentConnection) {
  const clock = createVirtualClock();
  const heard: string[] = [];
  const link = linkAgent({ startMs, ...connect(clock) }, clock, {
    event: () => {},
    note: () => {},
    limited: (rule) => void heard.push(rule),
    end: (ending) => void heard.push(ending.reason),
  });
  const prompt = () =>
    link.submit(promptOf('hello'), (outcome) => heard.push(outcome.ok ? 'ok' : outcome.error.message));
  return { clock, link, heard, prompt };
}

function scripted(startMsOf: Pick<AgentConnection, 'startMs'> = {}) {
  const clock = createVirtualClock();
  const agent = createAgent(clock, { start: [send] });
  return { agent, ...linked(() => ({ ...agent, ...startMsOf })) };
}

const wired = [...adapters.values()].flatMap(({ id, agent }) =>
  agent === undefined || agent.isBuiltIn === true || agent.connect !== undefined ? [] : [{ id, agent }],
);

describe.each(wired)('$id', ({ agent }) => {
  test('a prompt to an agent that says nothing is refused after 60 s at the latest', () => {
    let count = 0;
    const { clock, heard, prompt } = linked((own) => ({
      channel: createWire(own).channel,
      backend: agent.backend({ now: () => 0, id: () => `id${++count}` }, {}, undefined, 'session'),
    }));
    prompt();
    clock.advance(startMs);
    expect(heard.length).toBeGreaterThan(0);
    expect(heard).not.toContain('ok');
  });
});

test('its time over: the limit is told, then the reason, to commands and to the session, once', () => {
  const { clock, heard, prompt, agent } = scripted();
  prompt();
  clock.advance(startMs - 1);
  expect(heard).toEqual([]);
  clock.advance(1);
  expect(heard).toEqual(['startMs', reason, reason]);
  expect(agent.wire.closings).toEqual([{ code: 'going-away', reason }]);
  clock.advance(startMs);
  expect(heard).toHaveLength(3);
  expect(clock.pending).toBe(0);
});

test('its first message ends the limit; what is none of its protocol does not', () => {
  const { clock, heard, agent } = scripted();
  agent.act(junk);
  clock.advance(startMs - 1);
  agent.act(notice);
  clock.advance(10 * startMs);
  expect(heard).toEqual([]);
  const deaf = scripted();
  deaf.agent.act(junk);
  deaf.clock.advance(startMs);
  expect(deaf.heard).toEqual(['startMs', reason]);
});

test('an agent that nobody has asked anything may be silent', () => {
  const { clock, heard, link } = linked((own) => createAgent(own));
  clock.advance(10 * startMs);
  expect(heard).toEqual([]);
  link.stop('enough');
});

test('without a limit, for ever', () => {
  const { clock, heard } = scripted({ startMs: null });
  clock.advance(10 * startMs);
  expect(heard).toEqual([]);
});

test('while it is not read the time does not count, and then it has its whole time', () => {
  const { clock, heard, link } = scripted();
  clock.advance(startMs - 1);
  link.pause();
  clock.advance(10 * startMs);
  link.resume();
  clock.advance(startMs - 1);
  expect(heard).toEqual([]);
  clock.advance(1);
  expect(heard).toEqual(['startMs', reason]);
});
