// The trace of a run: which spans, inside which, and that each ends once, whatever happens.
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { owner } from '../../../src/core/contract/principal.ts';
import { closeRun } from '../../../src/core/log/close-run.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createRunSpans } from '../../../src/gateway/tracing/run-spans.ts';
import type { Tracer } from '../../../src/gateway/tracing/tracer.ts';
import { anyEvents } from '../../support/core/arbitraries.ts';
import { repaired } from '../../support/core/repaired.ts';
import { samplesOf } from '../../support/samples.ts';
import { demoRun } from './support/demo-run.ts';
import { recordSpans, treeOf } from './support/recorded-spans.ts';

const disposals: (() => unknown)[] = [];
afterEach(() => {
  for (const dispose of disposals.splice(0)) dispose();
});

function opened(tracer?: Tracer) {
  const recording = recordSpans();
  const run = demoRun(tracer ?? recording.tracer);
  disposals.push(() => run.gateway.close('the test is over'));
  return { ...run, ...recording, tree: () => treeOf(recording.traces) };
}

describe('a run of the demo agent', () => {
  test.each([
    ['hello', ['invoke_agent robot', '  turn']],
    ['tool', ['invoke_agent robot', '  turn', '    execute_tool lookup', '  turn']],
    ['toolfail', ['invoke_agent robot', '  turn', '    execute_tool lookup !tool', '  turn']],
    ['fail', ['invoke_agent robot !provider', '  turn']],
    ['die', ['invoke_agent robot !agent', '  turn']],
  ])('%s', async (words, tree) => {
    const rig = opened();
    rig.prompt(words);
    await rig.hear('agent_end');
    expect(rig.tree()).toEqual(tree);
    expect(rig.all().map(({ ends }) => ends.length)).toEqual(tree.map(() => 1));
  });

  test('the tools of a sub-agent are inside its call', async () => {
    const rig = opened();
    rig.prompt('subagent');
    await rig.hear('agent_end');
    expect(rig.tree()).toEqual([
      'invoke_agent robot',
      '  turn',
      '    execute_tool delegate',
      '      execute_tool lookup',
      '  turn',
    ]);
  });

  test.each([
    [true, 'allowed', []],
    [false, 'denied', [' !denied']],
  ])('a wait for approval that is answered with %s', async (confirmed, decision, error) => {
    const rig = opened();
    rig.prompt('ask');
    const { id } = await rig.hear('extension_ui_request');
    expect(rig.all().filter(({ ends }) => ends.length === 0)).toMatchObject([
      { name: 'invoke_agent robot' },
      { name: 'turn' },
      { name: 'await_approval write_note' },
    ]);
    rig.say({ type: 'extension_ui_response', id, confirmed });
    await rig.hear('agent_end');
    expect(rig.tree().slice(0, 4)).toEqual([
      'invoke_agent robot',
      '  turn',
      '    await_approval write_note',
      `    execute_tool write_note${error.join('')}`,
    ]);
    const [wait] = rig.all().filter(({ name }) => name.startsWith('await_approval'));
    expect(wait?.facts).toEqual({
      'gen_ai.tool.name': 'write_note',
      'gen_ai.tool.call.id': expect.any(String),
      'patchbay.approval.decision': decision,
    });
    expect(new Set(rig.all().map(({ ends }) => ends.length))).toEqual(new Set([1]));
  });

  test('what the spans say, and that nothing of the conversation is in them', async () => {
    const rig = opened();
    rig.prompt('tool toolfail edit secretword');
    await rig.hear('agent_end');
    const [run, ...others] = rig.all();
    expect(run?.facts).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'robot',
      'gen_ai.conversation.id': 's',
      'patchbay.agent.protocol': 'demo',
      'patchbay.run.outcome': 'completed',
    });
    const tools = others.filter(({ name }) => name.startsWith('execute_tool'));
    expect(tools).toHaveLength(3);
    for (const { facts, name } of tools)
      expect(facts).toEqual({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name.slice('execute_tool '.length),
        'gen_ai.tool.call.id': expect.any(String),
      });
    expect(JSON.stringify(rig.traces)).not.toContain('secretword');
  });

  test.each([
    ['is aborted', 'aborted', ({ say }: ReturnType<typeof opened>) => say({ type: 'abort' })],
    [
      'is closed with its session',
      'aborted',
      ({ gateway }: ReturnType<typeof opened>) => gateway.board.closeSession('s', owner),
    ],
    ['is closed with the gateway', 'aborted', ({ gateway }: ReturnType<typeof opened>) => gateway.close('bye')],
  ])('a run that hangs and %s', async (_name, outcome, end) => {
    const rig = opened();
    rig.prompt('hang');
    await rig.hear('message_start');
    expect(rig.all().map(({ ends }) => ends.length)).toEqual([0, 0]);
    end(rig);
    await Promise.resolve();
    expect(rig.all().map(({ ends }) => ends.length)).toEqual([1, 1]);
    expect(rig.traces[0]?.facts['patchbay.run.outcome']).toBe(outcome);
  });

  test('a tracer that throws costs the trace alone, and is counted', async () => {
    const rig = opened({
      begin() {
        throw new Error('broken');
      },
    });
    rig.prompt('tool');
    await rig.hear('agent_end');
    expect(rig.logged).toEqual(['error internal error: broken']);
    expect(samplesOf(rig.gateway.board.metrics(), 'patchbay_notes_total').get('level="internal"')).toBe(1);
  });
});

const about = { session: 's', agent: 'robot', protocol: 'demo' };
const unexpected = (thrown: unknown) => expect.unreachable(String(thrown));

test('whatever an agent says: every span ends once, inside the life of the run', () => {
  fc.assert(
    fc.property(anyEvents, fc.boolean(), (events, isClosedInOrder) => {
      const { traces, all, tracer } = recordSpans();
      const spans = createRunSpans(tracer, about, unexpected);
      const { log, transcript } = repaired(events);
      for (const event of log) spans.logged(event);
      const cause = { outcome: 'failed', failure: { kind: 'gateway', message: 'over' } } as const;
      if (isClosedInOrder) for (const event of closeRun(transcript, cause)) spans.logged(event);
      spans.end();
      spans.end();
      expect(all().filter(({ ends }) => ends.length !== 1)).toEqual([]);
      expect(traces).toHaveLength(log.filter(({ type }) => type === 'run-start').length);
      // What the gateway closes in order leaves nothing to be closed here.
      if (isClosedInOrder) expect(JSON.stringify(all())).not.toContain('unfinished');
    }),
  );
});

test('tools that are open at once have a bound, and so have their names', () => {
  const { all, tracer } = recordSpans();
  const spans = createRunSpans(tracer, about, unexpected);
  const tool = (call: string): Event => ({ type: 'tool-start', call, name: 'x'.repeat(100_000), input: {} });
  spans.logged({ type: 'run-start' });
  for (let call = 0; call < 5000; call += 1) spans.logged(tool(`${call}`));
  expect(all()).toHaveLength(1001);
  expect(Math.max(...all().map(({ name }) => name.length))).toBeLessThan(300);
  spans.logged({ type: 'run-end', outcome: 'aborted' });
  expect(all().filter(({ ends }) => ends.length !== 1)).toEqual([]);
});
