// One pi's own RpcClient, driven through every public method that it has: from that pi itself, and with the gateway between it and
// the same pi, the demo agent, and Claude Code. One test for each step and agent.
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { demoRig, piRig, type RpcRig } from '../support/rpc-rig.ts';
import { type Tour, walk } from '../support/rpc-tour.ts';
import { comparable } from '../support/rpc-values.ts';
import { cell } from './cell.ts';
import { inCallOrder, normaliser } from './normal.ts';
import { clientOf, findPi, type PiName } from './pis.ts';
import { claudeRig } from './rpc-claude.ts';
import { declaredOf, lacks, withoutSettled } from './rpc-declared.ts';
import { methodsOf, stepsOf } from './rpc-steps.ts';
import { shapeDifferences } from './shape.ts';

type Values = ReadonlyMap<string, unknown>;
type Check = (own: unknown, due: unknown, step: string) => void;

/** An agent behind the gateway. */
interface Behind {
  readonly label: string;
  readonly check: Check;
  start(): Promise<RpcRig> | RpcRig;
}

const errorIn = (value: unknown): string | null => {
  const { error, ...rest } = { error: null, ...Object(value) };
  return typeof error === 'string' && Object.keys(rest).length === 0 ? error : null;
};

/** Throws where another agent's value has not the shape of pi's own; the lacks that are excused go to `excused`. */
const hasShape =
  (excused: Set<string>): Check =>
  (own, due, step) => {
    const [failure, ownFailure] = [errorIn(due), errorIn(own)];
    if (ownFailure !== null && failure === null) throw new Error(ownFailure);
    if (failure !== null) {
      expect(ownFailure, `pi says: ${failure}`).not.toBeNull();
      return;
    }
    const wrong = shapeDifferences(due, own).filter((line) => {
      const lack = lacks.find((one) => one.line.test(line) && (one.step ?? step) === step);
      if (lack !== undefined) excused.add(lack.why);
      return lack === undefined;
    });
    if (wrong.length > 0) throw new Error(wrong.join('; '));
  };

/**
 * A step that was refused in the middle of a run would leave the run to the next one, and some agents take what waits as runs of
 * their own.
 */
async function untilIdle({ client, events, hear }: Tour, isFailed: boolean): Promise<void> {
  if (isFailed) await client.abort().catch(() => {});
  for (;;) {
    const from = events.length;
    const state = await client.getState().catch(() => null);
    if (state === null || (!state.isStreaming && state.pendingMessageCount === 0)) return;
    await hear('the end of what still goes on', ({ type }) => type === 'agent_end', from);
  }
}

/** Defines the tests of that pi's client. */
export async function tours(name: PiName): Promise<void> {
  const pi = findPi(name);
  if ('reason' in pi) {
    test.skip(`${name}: ${pi.reason}`, () => {});
    return;
  }
  const Client = await clientOf(pi);
  const steps = stepsOf(Client);
  const claude = inject('claude');
  const excused = new Set<string>();
  // In the dialect that a user gets who asks for none.
  const usual = { Client, dialect: '' } as const;
  const same: Check = (own, due) => expect(name === 'pi-0.73' ? withoutSettled(own, due) : own).toEqual(due);
  const agents: readonly Behind[] = [
    { label: `pi ${pi.version}`, check: same, start: () => piRig('behind', { ...pi, Client }) },
    { label: 'demo', check: hasShape(excused), start: () => demoRig(usual) },
    ...('reason' in claude
      ? []
      : [{ label: 'Claude Code', check: hasShape(excused), start: () => claudeRig(Client, claude.binary) }]),
  ];

  async function valuesOf(rig: RpcRig): Promise<Values> {
    try {
      const values = await walk(rig.tour, steps, untilIdle);
      return new Map([...values].map(([step, value]) => [step, normaliser(rig.dir)(inCallOrder(comparable(value)))]));
    } finally {
      await rig.close();
    }
  }
  let direct: Values;
  beforeAll(async () => {
    direct = await valuesOf(await piRig('direct', { ...pi, Client }));
  });

  test('the steps are about every public method of the class', () => {
    const methods = methodsOf(Client);
    expect(methods.length).toBeGreaterThan(30);
    expect([...new Set(steps.flatMap((step) => step.methods))].sort()).toEqual([...methods].sort());
  });

  describe.each(agents)('$label', (agent) => {
    let values: Values;
    beforeAll(async () => {
      values = await valuesOf(await agent.start());
    });
    test.each(steps)('$methods: $name', async ({ name: step, methods }) => {
      const row = `${[...new Set(methods)].join(', ')}: ${step}`;
      const place = { table: "pi's own RpcClient", row, column: `RpcClient ${pi.version} > ${agent.label}` };
      const run = () => agent.check(values.get(step), direct.get(step), step);
      await cell(place, run, declaredOf(agent.label, name, step));
    });
  });

  test.runIf(name === 'pi-newest')('each declared lack is one', () => {
    const needed = lacks.filter(({ isRare }) => isRare !== true).map(({ why }) => why);
    expect(needed.filter((why) => !excused.has(why))).toEqual([]);
  });
}
