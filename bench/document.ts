// Writes docs/performance.md: the table of one run, the machine, how it was measured and what was not.
import { type Family, type Figure, reasons, table } from './report.ts';

const head = `# Performance

Written by \`npm run bench -- --write\`, with the plot; do not edit. All figures come from one run, in which the two
sides of each ratio alternate. Compare ratios, not microseconds: the machine is shared with other work. Where each
microsecond goes: [path-of-a-delta.md](path-of-a-delta.md).

![CPU time of a delta over the length of the message and over the number of readers](performance.svg)
`;

const notMeasured = `## What is not measured

A real pi, Claude Code or model behind the gateway (the agent is a program that writes prepared lines); TLS and
compression; systems other than Linux; Node above 20. Kernel memory is not in the figures of P10, P11 and P12.
`;

/** The whole file. */
export function document(machine: readonly string[], figures: readonly Figure[], families: readonly Family[]): string {
  const byName = families.flatMap(({ rows, isByName }) => (isByName === true ? rows : [])).join(' and ');
  return [
    head,
    '## Figures',
    '',
    'Rows P have pi as the agent, rows C have Claude Code, rows A have every agent or one of ACP, rows S none. "Goal" and "moonshot" were',
    `set before the work began. ${byName} are not in this table: they take many minutes and are asked for by name.`,
    '',
    table(figures),
    '## Why goals are missed',
    '',
    ...reasons(figures).map((sentence) => `- ${sentence}`),
    '',
    '## Machine',
    '',
    ...machine.map((line) => `- ${line}`),
    '',
    '## How each row is measured',
    '',
    ...families.map(({ how }) => `- ${how}`),
    '',
    'Each row reads its output back and compares it with the output of the agent, outside of the measured time: a fast but wrong',
    'path ends the run with exit code 1. Ratios are medians of the ratios of single rounds.',
    '',
    notMeasured,
  ].join('\n');
}
