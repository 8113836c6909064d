// Every recorded ACP agent speaks to our backend: legal runs, the same texts, thoughts, calls and outputs, and true messages of
// ours. What came out stands in replay.txt, to be read.
import { describe, expect, test } from 'vitest';
import { verify } from '../../../src/core/log/grammar.ts';
import { gistOf } from '../../support/acp-gist.ts';
import { type PlayedAcp, playAcp } from '../../support/acp-replay.ts';
import { acpTraces, noAcpTraces } from '../../support/acp-traces.ts';
import { acpOrderFaults } from '../../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../../support/judges/acp-schema.ts';

const programs = [
  'claude-agent-acp-0.101.0',
  'codex-acp-2.6.0',
  'codex-acp-2.6.0-auto-review',
  'gemini-cli-0.61.0',
  'pi-acp-0.0.34',
  'qwen-code-0.24.4',
];

interface Played extends PlayedAcp {
  readonly name: string;
}

function playAll(program: string): Played[] {
  return acpTraces(program).flatMap(({ scenario, connections }) =>
    connections.map((rows, place) => ({ name: `${program} ${scenario} ${place}`, ...playAcp(rows) })),
  );
}

describe.skipIf(noAcpTraces !== null)(`recorded agents (${noAcpTraces ?? 'there are recordings'})`, () => {
  test.each(programs)('%s gives legal runs, and our side of the connection is true', (program) => {
    for (const { name, logged, log, faults, rows, otherAnswers } of playAll(program)) {
      expect(faults, name).toEqual([]);
      expect(verify(logged.map(({ event }) => event)).faults, name).toEqual([]);
      // That agent dies of a line `42` in the middle of a run (docs/protocols/acp.md 1.3).
      if (name !== 'pi-acp-0.0.34 unknown 0') expect(log.transcript.run, name).toBeNull();
      expect(otherAnswers, name).toEqual([]);
      expect(acpOrderFaults(rows, { only: 'in' }), name).toEqual([]);
      // The recorded agents of these scenarios were asked for other versions than 1.
      const ours = rows.filter(({ dir }) => dir === 'in');
      expect(acpSchemaFaults(/ version\d? /u.test(name) ? ours : rows), name).toEqual([]);
    }
  });

  test('says what the recorded agents said', async () => {
    const table = programs.flatMap((program) =>
      playAll(program).flatMap(({ name, logged, refused }) => [
        name,
        ...[...gistOf(logged), ...refused.map((words) => `refused ${words}`)].map((line) => `  ${line}`),
      ]),
    );
    await expect(`${table.join('\n')}\n`).toMatchFileSnapshot('replay.txt');
  });
});
