// Contexts of prompts: who reads them, what the agent and its users are told, and what is offered to choose from.
import { describe, expect, test } from 'vitest';
import type { ContextReading, WorkspacePort } from '../../../src/core/contract/workspace.ts';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import type { Context } from '../../../src/core/model/content.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import { createSessionRig, type RigOptions } from '../../support/core/session-rig.ts';

const file = (path: string): Context => ({ type: 'file', path });
const cursor = (path: string): Context => ({ type: 'file', path, automatic: true });
const asked = (contexts: Context[], whenBusy?: 'queue', text = 'look'): CommandOf<'prompt'> => ({
  type: 'prompt',
  content: [{ type: 'text', text }],
  contexts,
  whenBusy,
});
const search = (text: string): Command => ({ type: 'query', subject: 'contexts', text, contexts: [file('/chosen')] });

/** Folders in which every file says its path, and those whose path begins with `/no` are not there. */
function createFolders() {
  const reads: string[] = [];
  const workspace: WorkspacePort = {
    read: (contexts) =>
      contexts.map((context): ContextReading => {
        const path = context.type === 'file' ? context.path : context.type;
        reads.push(path);
        if (path.startsWith('/broken')) throw new Error('EIO: /secret/place');
        return path.startsWith('/no')
          ? { context, text: null, problem: `${path} is not there` }
          : { context, text: path };
      }),
    find: (typed, chosen, settle) => settle([file(`${typed} without ${chosen.length}`)]),
  };
  return { workspace, reads };
}

function withFolders(options: RigOptions = {}) {
  const { workspace, reads } = createFolders();
  const rig = createSessionRig({ workspace, ...options });
  const given = () => rig.agents.flatMap(({ received }) => received.map(({ command }) => command));
  return { rig, reads, given };
}

const taking = { agent: () => ({ takesContexts: true }) };

describe('an agent that takes no contexts', () => {
  test('gets what they hold before the words, in one text, and no contexts', () => {
    const { rig, given } = withFolders();
    rig.submit(asked([file('/a'), file('/b')]));
    expect(given()).toEqual([
      {
        type: 'prompt',
        content: [{ type: 'text', text: '<contexts>\n/a\n/b\n</contexts>\n\nlook' }],
        whenBusy: undefined,
      },
    ]);
    expect(rig.log()).toEqual([]);
  });

  test('the user hears in one notice of all that could not be read, before the run; the prompt goes all the same', () => {
    const { rig, given } = withFolders();
    rig.submit(asked([file('/no1'), file('/a'), file('/no2')]));
    expect(rig.log()).toEqual(['notice /no1 is not there\n/no2 is not there']);
    expect(given()).toMatchObject([{ content: [{ text: '<contexts>\n/a\n</contexts>\n\nlook' }] }]);
    rig.run();
    expect(rig.log()).toEqual(['run-start']);
    expect(rig.answers).toEqual(['prompt: ok']);
  });

  test('the user does not hear of what the client has added by itself', () => {
    const { rig, given } = withFolders();
    rig.submit(asked([cursor('/no1'), cursor('/a'), file('/no2')]));
    expect(rig.log()).toEqual(['notice /no2 is not there']);
    expect(given()).toMatchObject([{ content: [{ text: '<contexts>\n/a\n</contexts>\n\nlook' }] }]);
  });

  test.each<[string, Context[], string[]]>([
    [
      'one notice',
      [file('/a'), cursor('/b'), file('/no')],
      ['notice A command takes no contexts: they were left out.'],
    ],
    ['none, for what the client has added by itself', [cursor('/b')], []],
  ])('a command goes without them: %s', (_, contexts, log) => {
    const { rig, given, reads } = withFolders();
    rig.submit(asked(contexts, 'queue', '/review now'));
    expect(given()).toEqual([{ type: 'prompt', content: [{ type: 'text', text: '/review now' }], whenBusy: 'queue' }]);
    expect([reads, rig.log()]).toEqual([[], log]);
  });

  test('nothing that could be read: the words as they are', () => {
    const { rig, given } = withFolders();
    rig.submit(asked([file('/no')]));
    rig.submit(asked([], 'queue'));
    rig.run();
    rig.endRun();
    rig.clock.advance(0);
    expect(given().map((command) => Object.hasOwn(command, 'contexts'))).toEqual([false, false]);
    expect(given()).toMatchObject([{ content: [{ text: 'look' }] }, { content: [{ text: 'look' }] }]);
  });

  test('a prompt that waits is read for when it is sent, not when it was asked', () => {
    const { rig, reads } = withFolders();
    rig.prompt('first');
    rig.run();
    rig.submit(asked([file('/a')]));
    expect(reads).toEqual([]);
    rig.endRun();
    rig.clock.advance(0);
    expect(reads).toEqual(['/a']);
  });

  test('in a session without folders: left out, and said so', () => {
    const { rig, given } = withFolders({ workspace: undefined });
    rig.submit(asked([file('/a')]));
    expect(rig.log()).toEqual(['notice The file of the prompt was left out: this session has no folders.']);
    expect(given()).toMatchObject([{ content: [{ text: 'look' }] }]);
  });

  test('folders that fail refuse the prompt, keep their reason to themselves, and the session goes on', () => {
    const { rig, given } = withFolders();
    rig.submit(asked([file('/broken')]));
    expect([rig.answers, rig.problems]).toEqual([
      ['prompt: internal'],
      ['the contexts of the prompt could not be read'],
    ]);
    expect(rig.notes).toEqual(['internal internal error: EIO: /secret/place']);
    expect(rig.session.state).toBe('idle');
    rig.prompt('next');
    expect(given()).toHaveLength(1);
  });
});

describe('an agent that takes contexts', () => {
  test('gets them as they came, and nothing is read', () => {
    const { rig, given, reads } = withFolders(taking);
    const prompt = asked([file('/a'), { type: 'opaque', protocol: 'p', payload: { path: '/x' } }]);
    const command = asked([file('/a'), cursor('/b')], 'queue', '/review');
    rig.submit(prompt);
    rig.run();
    rig.submit(command);
    rig.endRun();
    rig.clock.advance(0);
    expect(given()).toEqual([prompt, command]);
    expect([reads, rig.log().filter((line) => line.startsWith('notice'))]).toEqual([[], []]);
  });

  test('gets none of a confined session: what its client names is read in its folders alone (docs/threats.md T9)', () => {
    const { rig, given, reads } = withFolders({ ...taking, isConfined: true });
    rig.submit(asked([file('/a'), file('/no')]));
    expect(reads).toEqual(['/a', '/no']);
    expect(given()).toMatchObject([{ content: [{ text: '<contexts>\n/a\n</contexts>\n\nlook' }] }]);
    expect(given()[0]).not.toHaveProperty('contexts');
  });

  test('which agent it is counts anew when another one is started', () => {
    const { rig, given } = withFolders({ agent: (number) => ({ takesContexts: number === 1 }) });
    rig.submit(asked([file('/a')]));
    rig.agent.wire.end({ reason: 'died' });
    rig.submit(asked([file('/b')]));
    expect(given().map((command) => Object.hasOwn(command, 'contexts'))).toEqual([false, true]);
  });
});

describe('what a user may choose', () => {
  function searching(options: RigOptions = {}) {
    const folders = withFolders(options);
    const outcomes: Outcome[] = [];
    folders.rig.session.submit(search('ty'), (outcome) => void outcomes.push(outcome));
    return { ...folders, outcomes };
  }
  const found = [{ ok: true, data: { contexts: [file('ty without 1')] } }];

  test('the agent is asked first, and its answer counts', () => {
    const { rig, outcomes } = searching();
    expect(outcomes).toEqual([]);
    rig.agent.settle('query', { ok: true, data: { contexts: [] } });
    expect(outcomes).toEqual([{ ok: true, data: { contexts: [] } }]);
  });

  test.each(['unsupported', 'agent-refused', 'timeout'] as const)('it says %s: what is in the folders', (code) => {
    const { rig, outcomes } = searching();
    rig.agent.settle('query', { ok: false, error: { code, message: 'no' } });
    expect(outcomes).toEqual(found);
  });

  test('without folders: as the agent says', () => {
    const { rig, outcomes } = searching({ workspace: undefined });
    const refusal = { ok: false, error: { code: 'unsupported', message: 'no' } } as const;
    rig.agent.settle('query', refusal);
    expect(outcomes).toEqual([refusal]);
  });

  test('an agent that is gone is not started again for a question', () => {
    const { rig } = withFolders();
    rig.prompt('one');
    rig.agent.wire.end({ reason: 'died' });
    rig.log();
    const outcomes: Outcome[] = [];
    rig.session.submit(search('ty'), (outcome) => void outcomes.push(outcome));
    expect([outcomes, rig.agents.length, rig.log()]).toEqual([found, 1, []]);
  });

  test('a session that was closed meanwhile looks for nothing', () => {
    const { rig, outcomes } = searching();
    rig.session.close('over');
    rig.clock.advance(0);
    expect(outcomes).toEqual([{ ok: false, error: { code: 'agent-down', message: 'over' } }]);
  });

  test.each([
    ['in its folders alone', {}, found],
    ['nowhere, without them', { workspace: undefined }, [expect.objectContaining({ ok: false })]],
  ])('in a confined session: %s, and no agent is asked (docs/threats.md T8)', (_, options, expected) => {
    const { rig, outcomes } = searching({ ...taking, isConfined: true, ...options });
    expect([outcomes, rig.agents]).toEqual([expected, []]);
  });
});
