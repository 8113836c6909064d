// The way back to an agent's default model, for agents that know none.
import { expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSessionRig } from '../../support/core/session-rig.ts';

const tells = (id: string): Event => ({ type: 'session-changed', changes: { model: { id, provider: 'p' } } });
const toDefault: Command = { type: 'set-model' };
const unsupported = refused('unsupported', 'there is no default model');

function started(...events: Event[]) {
  const rig = createSessionRig();
  rig.submit({ type: 'query', subject: 'state' });
  rig.agent.say(...events);
  rig.agent.settle('query');
  const { agent } = rig;
  /** What the agent was told since then. */
  const told = () => agent.received.slice(1).map(({ command }) => command);
  return { rig, agent, told };
}

test('an agent that has a default is asked alone', () => {
  const { rig, agent, told } = started(tells('first'));
  rig.submit(toDefault);
  agent.settle('set-model');
  expect([told(), rig.answers.at(-1)]).toEqual([[toDefault], 'set-model: ok']);
});

test('one that has none goes back to the model that it began with', () => {
  const { rig, agent, told } = started(tells('first'));
  rig.submit({ type: 'set-model', model: 'second' });
  agent.say(tells('second'));
  agent.settle('set-model');
  rig.submit(toDefault);
  agent.settle('set-model', unsupported);
  expect(told().at(-1)).toEqual({ type: 'set-model', model: 'first', provider: 'p' });
  agent.settle('set-model');
  expect(rig.answers.at(-1)).toBe('set-model: ok');
});

test.each<[string, Event[], boolean]>([
  ['it told none', [], false],
  ['a client chose one before it told its own', [], true],
])('the refusal stands where %s', (_, events, isChosen) => {
  const { rig, agent, told } = started(...events);
  if (isChosen) {
    rig.submit({ type: 'set-model', model: 'second' });
    agent.settle('set-model');
    agent.say(tells('second'));
  }
  const before = told().length;
  rig.submit(toDefault);
  agent.settle('set-model', unsupported);
  expect([told().length - before, rig.answers.at(-1)]).toEqual([1, 'set-model: unsupported']);
});

test('a refusal of another kind is no reason to try another model', () => {
  const { rig, agent, told } = started(tells('first'));
  rig.submit(toDefault);
  agent.settle('set-model', refused('agent-refused', 'not now'));
  expect([told().length, rig.answers.at(-1)]).toEqual([1, 'set-model: agent-refused']);
});
