// Every step in every phase of a session's own work: where it leads.
import { describe, expect, test } from 'vitest';
import { emptyTranscript } from '../../../src/core/log/fold.ts';
import { refused } from '../../../src/core/model/errors.ts';
import { createStallWatch } from '../../../src/core/session/agent/stall-watch.ts';
import {
  type AnswerAtEnd,
  answerAtEndOf,
  createPhaseMachine,
  handleOf,
  type Phase,
  type Prompt,
  type Request,
  type Step,
} from '../../../src/core/session/prompts/phase.ts';
import { promptOf } from '../../support/core/session-rig.ts';

const settle = () => {};
const request: Request<Prompt> = { command: { ...promptOf('one'), handle: 'h' }, settle };
const atEnd: AnswerAtEnd = { settle, stallWatch: createStallWatch(emptyTranscript()), lost: null };
const gone = refused('agent-down', 'gone');

const steps = {
  send: { type: 'send', request },
  'reply ok': { type: 'reply', outcome: { ok: true, data: 'mine' } },
  'reply no': { type: 'reply', outcome: refused('agent-refused', 'no') },
  accept: { type: 'accept', atEnd: null },
  'accept at end': { type: 'accept', atEnd },
  'run-start': { type: 'run-start' },
  'run-end': { type: 'run-end' },
  answered: { type: 'answered' },
  'lose in run': { type: 'lose', outcome: gone, isRunOpen: true },
  lose: { type: 'lose', outcome: gone, isRunOpen: false },
  compact: { type: 'compact', settle },
  'compaction-start': { type: 'compaction-start' },
  'compaction-reply': { type: 'compaction-reply' },
} satisfies Record<string, Step>;

type StepName = keyof typeof steps;
const stepNames = Object.keys(steps) as StepName[];

/** How each phase is reached, and the steps that lead out of it; every other step leaves the phase as it is. */
const table: Record<string, { readonly by: StepName[]; readonly out: Partial<Record<StepName, Phase['name']>> }> = {
  idle: { by: [], out: { send: 'sent', compact: 'compacting' } },
  sent: {
    by: ['send'],
    out: { 'reply no': 'idle', accept: 'starting', 'accept at end': 'starting', 'lose in run': 'idle', lose: 'idle' },
  },
  starting: { by: ['send', 'accept'], out: { 'run-start': 'running', 'run-end': 'idle', lose: 'idle' } },
  'starting, answered at the end': {
    by: ['send', 'accept at end'],
    out: { 'run-start': 'running', 'run-end': 'ending', lose: 'idle' },
  },
  running: { by: ['send', 'accept', 'run-start'], out: { 'run-end': 'idle', lose: 'idle' } },
  'running, answered at the end': {
    by: ['send', 'accept at end', 'run-start'],
    out: { 'run-end': 'ending', lose: 'idle' },
  },
  ending: { by: ['send', 'accept at end', 'run-start', 'run-end'], out: { answered: 'idle' } },
  compacting: { by: ['compact'], out: { 'compaction-reply': 'idle' } },
  'compacting, answered': { by: ['compact', 'compaction-start'], out: { 'compaction-reply': 'idle' } },
};

function phasesAfter(...names: readonly StepName[]) {
  const phases = createPhaseMachine(emptyTranscript());
  for (const name of names) phases.step(steps[name]);
  return phases;
}

describe.each(Object.entries(table))('%s', (_, { by, out }) => {
  test.each(stepNames)('%s', (name) => {
    const before = phasesAfter(...by).current();
    const phases = phasesAfter(...by, name);
    expect(phases.current().name).toBe(out[name] ?? before.name);
  });

  test('a step returns the phase before', () => {
    const phases = phasesAfter(...by);
    const before = phases.current();
    expect(phases.step(steps.lose)).toBe(before);
  });
});

test.each<[by: StepName[], isRunning: boolean, isBusy: boolean]>([
  [[], false, false],
  [['send'], true, true],
  [['send', 'accept'], true, true],
  // From here on the run is in the transcript.
  [['send', 'accept', 'run-start'], false, false],
  [['send', 'accept at end', 'run-start', 'run-end'], false, false],
  [['compact'], false, true],
])('%j without a run in the transcript', (by, isRunning, isBusy) => {
  const phases = phasesAfter(...by);
  expect([phases.isRunning(), phases.isBusy()]).toEqual([isRunning, isBusy]);
});

test.each<[by: StepName[], handle: string | undefined]>([
  [[], undefined],
  [['send'], 'h'],
  [['send', 'accept'], 'h'],
  [['send', 'accept', 'run-start'], 'h'],
  [['send', 'accept', 'run-start', 'run-end'], undefined],
  [['send', 'reply no'], undefined],
  [['send', 'lose'], undefined],
])('%j: the handle of the prompt that the agent has', (by, handle) => {
  expect(handleOf(phasesAfter(...by).current())).toBe(handle);
});

test("the agent's success is kept until the run starts", () => {
  expect(phasesAfter('send', 'reply ok').current()).toMatchObject({ reply: { ok: true, data: 'mine' } });
});

test('the first reason for a lost run is the one that is told', () => {
  const phases = phasesAfter('send', 'accept at end', 'run-start', 'lose in run');
  phases.step({ type: 'lose', outcome: refused('shutting-down', 'later'), isRunOpen: true });
  expect(answerAtEndOf(phases.current())?.lost).toEqual(gone);
});

test('a compaction is answered once', () => {
  const phases = phasesAfter('compact', 'compaction-start');
  expect(phases.current()).toEqual({ name: 'compacting', settle: null });
});
