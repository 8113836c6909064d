// Handmade recordings of correct servers and clients in rare situations: no rule finds a violation. Wrong variants
// stand beside some of them.
import { describe, expect, test } from 'vitest';
import { piServerAgent } from '../../../src/conformance/pi-server/agent.ts';
import { piServerClient } from '../../../src/conformance/pi-server/client.ts';
import { faults, type Talk, traceOf } from '../support/handmade.ts';

const ready = (protocolVersion = '1.0.0'): Talk[number] => [
  'agent',
  { type: 'server_ready', data: { serverVersion: '2.2.1', protocolVersion, transports: ['websocket'] } },
];
/** A command with its whole lifecycle. */
function done(command: Record<string, unknown>, version?: number, answer: object = {}): Talk {
  const { id, type, sessionId } = command;
  const data = { commandId: id, commandType: type, ...(sessionId === undefined ? {} : { sessionId }), dependsOn: [] };
  const told = { success: true, ...(version === undefined ? {} : { sessionVersion: version }) };
  return [
    ['client', command],
    ['agent', { type: 'command_accepted', data }],
    ['agent', { type: 'command_started', data }],
    ['agent', { type: 'command_finished', data: { ...data, ...told } }],
    ['agent', { id, type: 'response', command: type, ...told, ...answer }],
  ];
}
const name = (id: string, more: object = {}) => ({ id, type: 'set_session_name', sessionId: 's', name: id, ...more });
/** Another client names the session. */
const theirs = (version: number): Talk => done({ ...name('other') }, version).slice(1, 4);
const refused = (command: Record<string, unknown>, error: string): Talk => [
  ['client', command],
  ['agent', { id: command.id, type: 'response', command: command.type, success: false, error }],
];
/** Lifecycle steps of a command, and its response where it has one. */
function course(
  { id, type, sessionId, ...rest }: Readonly<Record<string, unknown>>,
  phases: readonly ('accepted' | 'started' | 'finished')[],
  end: Readonly<Record<string, unknown>>,
  isOwn = true,
): Talk {
  const { dependsOn = [], idempotencyKey, ifSessionVersion } = rest;
  const data = {
    ...{ commandId: id, commandType: type, sessionId, dependsOn },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(ifSessionVersion === undefined ? {} : { ifSessionVersion }),
  };
  const steps: Talk = phases.map((phase) => [
    'agent',
    { type: `command_${phase}`, data: phase === 'finished' ? { ...data, ...end } : data },
  ]);
  return isOwn ? [...steps, ['agent', { id, type: 'response', command: type, ...end }]] : steps;
}
const executed = ['accepted', 'started', 'finished'] as const;
const unstarted = ['accepted', 'finished'] as const;
const succeeds = (version: number) => ({ success: true, sessionVersion: version });
const conflicts = { success: false, error: "Conflicting id 'a'" };
const [first, second] = [name('a'), name('b', { dependsOn: ['a'] })];
const asking = name('v', { ifSessionVersion: 0 });
const beside = { id: 'other', type: 'steer', sessionId: 's' };
/** Another client uses the id for something else. */
const conflict = course({ ...first, idempotencyKey: 'k' }, unstarted, conflicts, false);

const notValid = { id: '1', type: 'get_state' };

const clients: readonly (readonly [string, Talk])[] = [
  [
    'asks for a version that it learnt on an earlier connection',
    [ready(), ...done(name('a', { ifSessionVersion: 7 }), 8)],
  ],
  [
    'asks for versions that its own commands will make, before it hears of them',
    [
      ready(),
      ...done({ id: 'g', type: 'get_state', sessionId: 's' }, 0),
      ['client', name('a', { ifSessionVersion: 0 })],
      ['client', name('b', { ifSessionVersion: 1 })],
    ],
  ],
  [
    'depends on what was finished on an earlier connection',
    [ready(), ['client', { id: 'b', type: 'list_sessions', dependsOn: ['a'] }]],
  ],
  [
    'sends again, on a new connection, what it hears the end of',
    [ready(), ...done(name('a'), 1).slice(1, 4), ...done(name('a', { idempotencyKey: 'k' }), 1)],
  ],
  [
    'answers a question of an earlier connection',
    [
      ready(),
      ['agent', { type: 'event', sessionId: 's', event: { type: 'turn_start' } }],
      ['client', { type: 'extension_ui_response', sessionId: 's', requestId: 'q', response: { method: 'cancelled' } }],
    ],
  ],
  [
    'answers by a method of later servers',
    [
      ready('1.3.0'),
      [
        'agent',
        { type: 'event', sessionId: 's', event: { type: 'extension_ui_request', requestId: 'q', method: 'rank' } },
      ],
      [
        'client',
        { type: 'extension_ui_response', sessionId: 's', requestId: 'q', response: { method: 'rank', order: [] } },
      ],
    ],
  ],
  ['uses a command of a later server', [ready('1.3.0'), ...done({ id: 'w', type: 'get_weather' })]],
  ['sends no id', [ready(), ['client', { type: 'list_sessions' }]]],
  [
    'sends a command again with its fields in another order',
    [
      ready(),
      ...done(name('a')),
      ['client', { name: 'a', sessionId: 's', type: 'set_session_name', id: 'a', idempotencyKey: 'k' }],
    ],
  ],
  [
    'sends again what has succeeded',
    [
      ready(),
      ...done({ id: 'a', type: 'list_sessions' }),
      ['client', { id: 'a', type: 'list_sessions', idempotencyKey: 'k' }],
    ],
  ],
  ['is alone, and writes without a version', [ready(), ...done(name('a'), 1), ...done(name('b'), 2)]],
];

const servers: readonly (readonly [string, Talk])[] = [
  [
    'refuses a command under an id that somebody else uses',
    [
      ready(),
      ['client', notValid],
      ...done({ id: '1', type: 'list_sessions' }).slice(1, 4),
      ...refused(notValid, 'Validation failed: no sessionId').slice(1),
    ],
  ],
  [
    'carries out what depends on a command whose id another client uses in vain',
    [
      ready(),
      ['client', first],
      ...course(first, executed, succeeds(1)),
      ...conflict,
      ['client', second],
      ...course(second, executed, succeeds(2)),
    ],
  ],
  [
    'carries out what depends on a command of an earlier connection, under an id that this client uses in vain',
    [
      ready(),
      ['client', { ...first, idempotencyKey: 'k' }],
      ...course({ ...first, idempotencyKey: 'k' }, unstarted, conflicts),
      ['client', second],
      ...course(second, executed, succeeds(2)),
    ],
  ],
  [
    'ends a command at a later version than it asked for, for another client changes the session beside the lane',
    [
      ready(),
      ['client', asking],
      ...course(asking, ['accepted', 'started'], {}, false),
      ...course(beside, executed, succeeds(1), false),
      ...course(asking, ['finished'], succeeds(2)),
    ],
  ],
  [
    'repeats a success of a time when what it depends on had not failed yet',
    [
      ready(),
      ['client', first],
      ...course(first, executed, { success: false, error: 'no' }),
      ['client', second],
      ...course(second, unstarted, { ...succeeds(2), replayed: true }),
    ],
  ],
];

describe('a correct client', () => {
  test.each(clients)('%s', (_name, client) => expect(faults(piServerClient, traceOf(client))).toEqual([]));
});
describe('a correct server', () => {
  test.each(servers)('%s', (_name, client) => expect(faults(piServerAgent, traceOf(client))).toEqual([]));
});

describe('a wrong client', () => {
  const wrong: readonly (readonly [string, string, Talk])[] = [
    [
      'is refused as unknown',
      'known-command',
      [ready(), ...refused({ id: 'w', type: 'get_weather' }, "Validation failed: Unknown command type 'get_weather'")],
    ],
    [
      'asks for a version that nobody can have',
      'version-told',
      [ready(), ...done(name('a'), 1), ['client', name('b', { ifSessionVersion: 9 })]],
    ],
    [
      'overwrites what another client has changed',
      'version-asked',
      [ready(), ...done(name('a'), 1), ...theirs(2), ...done(name('b'), 3)],
    ],
    [
      'sends what is in conflict again',
      'conflict-heeded',
      [ready(), ...refused(notValid, "Conflicting id '1'"), ['client', notValid]],
    ],
  ];
  test.each(wrong)('%s', (_name, id, client) =>
    expect(faults(piServerClient, traceOf(client))).toContain(`pi-server/client/${id}`),
  );
});

test('the first command of a conflicting id may be repeated', () => {
  const first = { id: '1', type: 'list_sessions' };
  const client: Talk = [ready(), ...done(first), ...refused(notValid, "Conflicting id '1'"), ['client', first]];
  const found = faults(piServerClient, traceOf(client));
  expect(found).toContain('pi-server/client/id-unique');
  expect(found).not.toContain('pi-server/client/conflict-heeded');
});

describe('a wrong server', () => {
  const errand = done({ id: '1', type: 'list_sessions' }, undefined, { data: { sessions: [] } });
  test('never greets', () => {
    expect(faults(piServerAgent, traceOf(errand))).toContain('pi-server/ready-first');
    // A recording without a greeting may begin anywhere.
    expect(faults(piServerAgent, traceOf(errand, false))).toEqual([]);
  });
  test('carries out what depends on a command that has failed', () => {
    const talk: Talk = [
      ready(),
      ['client', first],
      ...course(first, executed, { success: false, error: 'no' }),
      ['client', second],
      ...course(second, executed, succeeds(1)),
    ];
    expect(faults(piServerAgent, traceOf(talk))).toContain('pi-server/dependency-failed');
  });
  test('carries out at another version what asks for one', () => {
    const steered: Talk = [ready(), ...course(beside, executed, succeeds(1), false)];
    const talk: Talk = [...steered, ['client', asking], ...course(asking, executed, succeeds(2))];
    expect(faults(piServerAgent, traceOf(talk))).toContain('pi-server/version-condition');
  });
  test('carries out what depends on a command that has not ended', () => {
    const ended = course(first, executed, succeeds(1));
    const talk: Talk = [
      ready(),
      ['client', first],
      ...ended.slice(0, 2),
      ['client', second],
      ...course(second, executed, succeeds(2)),
      ...ended.slice(2),
    ];
    expect(faults(piServerAgent, traceOf(talk))).toContain('pi-server/dependency-succeeded');
  });
  test('accepts what it refuses', () => {
    const data = { commandId: '1', commandType: 'get_state', dependsOn: [] };
    const [command, answer] = refused(notValid, 'Validation failed: no sessionId');
    if (command === undefined || answer === undefined) throw new Error('nothing is refused');
    const client: Talk = [ready(), command, ['agent', { type: 'command_accepted', data }], answer];
    expect(faults(piServerAgent, traceOf(client))).toContain('pi-server/rejected-silent');
  });
});
