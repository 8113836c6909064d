// Approvals that a session answers itself, for its user has said yes beforehand: to one tool for the rest of the session, or
// to all of them (decision 0015). Everybody who watches sees that, and nobody is asked.
import { describe, expect, test } from 'vitest';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import { refused } from '../../../src/core/model/errors.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { mostRemembered } from '../../../src/core/session/questions/standing-approvals.ts';
import { createSessionRig, question, type RigOptions } from '../../support/core/session-rig.ts';

type Asked = EventOf<'approval-request'>;

const allow: CommandOf<'answer-approval'> = { type: 'answer-approval', id: 'x', decision: 'allow' };
const keep: CommandOf<'answer-approval'> = { ...allow, forSession: true };
const trust = (enabled: boolean): Command => ({ type: 'set-trust', enabled });
const asks = (id: string, more: Partial<Asked> = {}): Asked => ({ ...question, id, call: id, ...more });
const isAllowed = 'notice "look" is allowed for the rest of this session.';
const isNotKept = 'notice The yes to "look" counts once: the agent offers none to keep.';

/** A session in a run. */
function running(options: RigOptions = {}) {
  const rig = createSessionRig({ limits: { questionMs: 60_000 }, ...options });
  rig.prompt('one');
  rig.run();
  rig.log();
  rig.answers.splice(0);
  /** What the agents were told since the prompt. */
  const told = (): Command[] => rig.agents.flatMap(({ received }) => received.slice(1).map(({ command }) => command));
  /** The agent asks, a client answers, the agent takes it: what is logged of that. */
  function answered(asked: Asked, answer: Command): string[] {
    rig.agent.say(asked);
    rig.submit(answer);
    rig.agent.settle('answer-approval');
    return rig.log();
  }
  /** The agent asks: what is logged, and whether it is told yes at once. */
  function asked(...events: Asked[]): readonly [log: string[], told: Command[]] {
    const before = told().length;
    rig.agent.say(...events);
    rig.clock.advance(0);
    return [rig.log(), told().slice(before)];
  }
  return { ...rig, agent: () => rig.agent, told, answered, asked };
}

describe('a yes for the rest of the session', () => {
  test('is kept by the session, all are told so, and the agent hears of this call alone', () => {
    const { answered, told, answers } = running();
    expect(answered(asks('x'), keep)).toEqual(['approval-request x', 'approval-end x allowed', isAllowed]);
    expect(told()).toEqual([allow]);
    expect(answers).toEqual(['answer-approval: ok']);
  });

  test('answers the next call of that tool: it is marked as answered, and over when the agent has taken it', () => {
    const { answered, asked, agent, log, clock, told } = running();
    answered(asks('x'), keep);
    expect(asked(asks('y'))).toEqual([['approval-request y remembered'], [{ ...allow, id: 'y' }]]);
    agent().settle('answer-approval');
    expect(log()).toEqual(['approval-end y allowed']);
    clock.advance(3_600_000);
    expect(told()).toHaveLength(2);
  });

  test.each<[string, Partial<Asked>, boolean]>([
    ['the same tool with other arguments', { input: { other: 1 } }, true],
    ['the same tool of a sub-agent', { parent: 'p' }, true],
    ['another tool', { name: 'loo' }, false],
    ['the tool of another server', { server: 'shelf' }, false],
    ['a tool whose name would run together with its server', { name: '","look' }, false],
  ])('goes for %s: %j', (_, more, isKept) => {
    const { answered, asked } = running();
    answered(asks('x'), keep);
    const [log, told] = asked(asks('y', more));
    expect(log.at(-1)?.endsWith('remembered')).toBe(isKept);
    expect(told).toHaveLength(isKept ? 1 : 0);
  });

  test.each<[string, Command, Partial<Asked>, RigOptions, Command, string[]]>([
    ['a yes for once', allow, {}, {}, allow, []],
    ['a no', { ...keep, decision: 'deny' }, {}, {}, { ...allow, decision: 'deny' }, []],
    [
      'one that the agent keeps, for it has suggested so',
      { ...keep, remember: [7] },
      { suggestions: [7] },
      {},
      { ...keep, remember: [7] },
      [],
    ],
    [
      'one of an agent that keeps permissions and offers none',
      keep,
      {},
      { agent: () => ({ keepsPermissions: true }) },
      allow,
      [isNotKept],
    ],
    [
      'one of an agent that offers an empty list',
      { ...keep, remember: [8] },
      { suggestions: [] },
      { agent: () => ({ keepsPermissions: true }) },
      { ...allow, remember: [8] },
      [isNotKept],
    ],
  ])('is not %s', (_, answer, more, options, heard, notices) => {
    const { answered, asked, told } = running(options);
    expect(answered(asks('x', more), answer).slice(2)).toEqual(notices);
    expect(told()).toEqual([heard]);
    expect(asked(asks('y', more))).toEqual([['approval-request y'], []]);
  });

  test('with permissions of a client’s own: an agent that keeps none does not hear of them', () => {
    const { answered, told } = running();
    answered(asks('x'), { ...keep, remember: [{ rule: 1 }] });
    expect(told()).toEqual([allow]);
  });

  test('that the agent refuses is not kept', () => {
    const { agent, submit, asked, log } = running();
    agent().say(asks('x'));
    submit(keep);
    agent().settle('answer-approval', refused('invalid', 'what?'));
    log();
    expect(asked(asks('y'))).toEqual([['approval-request y'], []]);
  });

  test('answers what is open of that tool as well', () => {
    const { agent, submit, log, told } = running();
    agent().say(asks('x'), asks('y'), asks('z', { name: 'drop' }));
    submit(keep);
    agent().settle('answer-approval');
    expect(told()).toEqual([allow, { ...allow, id: 'y' }]);
    agent().settle('answer-approval');
    expect(log().slice(3)).toEqual(['approval-end x allowed', isAllowed, 'approval-end y allowed']);
  });

  test('is said once, though it is given twice', () => {
    const { agent, submit, log } = running();
    agent().say(asks('x'), asks('y'));
    submit(keep);
    submit({ ...keep, id: 'y' });
    for (const { id } of agent().received.slice(1)) agent().act({ do: 'settle', id, outcome: { ok: true } });
    expect(log().filter((line) => line.startsWith('notice'))).toEqual([isAllowed]);
  });

  test('outlives its agent, and ends with the session', () => {
    const { answered, agent, prompt, run, asked, log } = running();
    answered(asks('x'), keep);
    agent().wire.end({ reason: 'gone' });
    prompt('two');
    run();
    log();
    expect(asked(asks('y'))[0]).toEqual(['approval-request y remembered']);
    expect(running().asked(asks('y'))[0]).toEqual(['approval-request y']);
  });

  test('is kept for so many tools', () => {
    const { answered, asked } = running();
    for (let at = 0; at < mostRemembered; at += 1) {
      answered(asks('x', { name: `tool ${at}` }), keep);
    }
    expect(answered(asks('x'), keep).at(-1)).toBe(
      `notice The yes to "look" counts once: the session keeps it for ${mostRemembered} tools and no more.`,
    );
    expect(asked(asks('y'))[0]).toEqual(['approval-request y']);
    expect(asked(asks('z', { name: 'tool 0' }))[0]).toEqual(['approval-request z remembered']);
  });
});

describe('trust', () => {
  test('answers all approvals from then on, and says so; no agent hears of it', () => {
    const { submit, asked, answers, log, told, session } = running();
    submit(trust(true));
    expect([answers, log(), told()]).toEqual([['set-trust: ok'], ['session-changed'], []]);
    expect(session.transcript.info.trusted).toBe(true);
    expect(asked(asks('y'), asks('z', { name: 'drop', suggestions: [1] }))).toEqual([
      ['approval-request y trusted', 'approval-request z trusted'],
      [
        { ...allow, id: 'y' },
        { ...allow, id: 'z' },
      ],
    ]);
  });

  test('leaves what was asked before to its user', () => {
    const { agent, submit, clock, told } = running();
    agent().say(asks('x'));
    submit(trust(true));
    clock.advance(0);
    expect(told()).toEqual([]);
  });

  test('ends when it is taken back', () => {
    const { submit, asked, session, log } = running();
    submit(trust(true));
    submit(trust(false));
    log();
    expect(asked(asks('y'))).toEqual([['approval-request y'], []]);
    expect(session.transcript.info.trusted).toBe(false);
  });

  test('answers no dialog', () => {
    const { agent, submit, clock, told, log } = running();
    submit(trust(true));
    log();
    agent().say({ type: 'dialog-request', id: 'd', kind: 'confirm', title: 'Sure?' });
    clock.advance(0);
    expect([log(), told()]).toEqual([['dialog-request d'], []]);
  });

  test('may come before there is any agent', () => {
    const rig = createSessionRig();
    rig.submit(trust(true));
    expect([rig.answers, rig.agents]).toEqual([['set-trust: ok'], []]);
  });

  test('holds where nobody can answer any more', () => {
    const { submit, session, asked } = running();
    submit(trust(true));
    session.setUnattended();
    expect(asked(asks('y'))[1]).toEqual([{ ...allow, id: 'y' }]);
  });
});

describe('what is answered beforehand', () => {
  const trusted = (options?: RigOptions) => {
    const rig = running(options);
    rig.submit(trust(true));
    rig.log();
    return rig;
  };

  test('is a no where the agent does not take the yes, for nobody else was asked', () => {
    const { asked, agent, log, told } = trusted();
    asked(asks('y'));
    agent().settle('answer-approval', refused('unsupported', 'not so'));
    expect(log()).toEqual(['+approval-end y expired']);
    expect(told().at(-1)).toEqual({ ...allow, id: 'y', decision: 'deny', reason: 'the agent did not take the answer' });
  });

  test.each<[string, Event, string[]]>([
    ['withdrawn', { type: 'approval-end', id: 'y', outcome: 'cancelled' }, ['approval-end y cancelled']],
    [
      'over with its run',
      { type: 'run-end', outcome: 'completed' },
      ['+approval-end y cancelled', 'run-end completed'],
    ],
  ])('and %s before the yes goes out gets none', (_, event, ends) => {
    const { agent, clock, told, log } = trusted();
    agent().say(asks('y'), event);
    clock.advance(0);
    expect([log().slice(1), told()]).toEqual([ends, []]);
  });

  test('is answered once, though a client answers as well', () => {
    const { asked, submit, answers, told } = trusted();
    asked(asks('y'));
    submit({ ...allow, id: 'y', decision: 'deny' });
    expect(answers.at(-1)).toBe('answer-approval: stale');
    expect(told()).toHaveLength(1);
  });

  test('is the session’s word and not the agent’s', () => {
    const { asked } = running();
    expect(asked(asks('y', { standing: 'trusted' }))).toEqual([['approval-request y'], []]);
  });

  test('is asked again under the same id: another question, and another yes', () => {
    const { asked, agent, log } = trusted();
    asked(asks('y'));
    agent().settle('answer-approval');
    log();
    expect(asked(asks('y'))).toEqual([['approval-request y trusted'], [{ ...allow, id: 'y' }]]);
  });
});
