// One pi's own RpcClient, driven through every public method that it has: from that pi itself, and with the gateway between it and
// the same pi, the demo agent, and Claude Code. One test for each step and agent.
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { demoRig, piRig, type RpcRig } from '../support/rpc-rig.ts';
import { walk } from '../support/rpc-tour.ts';
import { comparable } from '../support/rpc-values.ts';
import { cell } from './cell.ts';
import { clientOf, findPi, type PiName } from './pis.ts';
import { claudeRig } from './rpc-claude.ts';
import { lacks, refusals } from './rpc-declared.ts';
import { methodsOf, stepsOf } from './rpc-steps.ts';
import { shapeDifferences } from './shape.ts';

type Values = ReadonlyMap<string, unknown>;

/** An agent behind the gateway. */
interface Behind {
  readonly label: string;
  /** Equal to the pi itself, and not only of its shape. */
  readonly isSame: boolean;
  start(): Promise<RpcRig> | RpcRig;
}

const errorIn = (value: unknown): string | null => {
  const { error, ...rest } = { error: null, ...Object(value) };
  return typeof error === 'string' && Object.keys(rest).length === 0 ? error : null;
};

/** Throws where a value is not what the pi itself gives. Gives the lacks that were excused. */
function check(agent: Behind, own: unknown, due: unknown): readonly string[] {
  if (agent.isSame) {
    expect(own).toEqual(due);
    return [];
  }
  const [failure, ownFailure] = [errorIn(due), errorIn(own)];
  if (ownFailure !== null && failure === null) throw new Error(ownFailure);
  if (failure !== null) {
    expect(ownFailure, 'refused as by pi').not.toBeNull();
    return [];
  }
  const lines = shapeDifferences(due, own);
  const isExcused = (line: string) => lacks.some((lack) => lack.agent === agent.label && lack.line.test(line));
  expect(lines.filter((line) => !isExcused(line))).toEqual([]);
  return lines;
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
  const usual = { Client, dialect: '' } as const;
  const agents: readonly Behind[] = [
    { label: `pi ${pi.version}`, isSame: true, start: () => piRig('behind', { ...pi, Client }) },
    // In the dialect that a user gets who asks for none.
    { label: 'demo', isSame: false, start: () => demoRig(usual) },
    ...('reason' in claude
      ? []
      : [{ label: 'Claude Code', isSame: false, start: () => claudeRig(Client, claude.binary) }]),
  ];

  async function valuesOf(rig: RpcRig): Promise<Values> {
    try {
      const values = await walk(rig.tour, steps);
      return new Map([...values].map(([step, value]) => [step, comparable(value)]));
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
    const excused: string[] = [];
    beforeAll(async () => {
      values = await valuesOf(await agent.start());
    });
    test.each(steps)('$methods: $name', async ({ name: step, methods }) => {
      const row = `${[...new Set(methods)].join(', ')}: ${step}`;
      const place = { table: "pi's own RpcClient", row, column: `RpcClient ${pi.version} > ${agent.label}` };
      const declared = refusals.get(agent.label)?.get(step);
      await cell(place, () => excused.push(...check(agent, values.get(step), direct.get(step))), declared);
    });
    test('each declared lack is one', () => {
      const idle = lacks.filter(({ agent: of, line }) => of === agent.label && !excused.some((one) => line.test(one)));
      expect(idle).toEqual([]);
    });
  });
}
