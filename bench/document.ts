// Writes docs/performance.md: the table of one run, the machine, how it was measured and what was not.
import { type Family, type Figure, table } from './report.ts';

const head = `# Performance

Written by \`npm run bench -- --write\`; do not edit. All figures in the table come from one run, in which the two
sides of each ratio alternate. Compare ratios, not microseconds: the machine is shared with other work.
`;

const notMeasured = `## What is not measured

A real pi, Claude Code or model behind the gateway (the agent is a program that writes prepared lines); TLS and
compression; systems other than Linux; Node above 20. Kernel memory is not in the figures of P10, P11 and P12.
`;

/** The whole file. */
export function document(machine: readonly string[], figures: readonly Figure[], families: readonly Family[]): string {
  return [
    head,
    '## Figures',
    '',
    'Rows P have pi as the agent, rows C have Claude Code. "Goal" and "moonshot" were set for the rows P before the work began;',
    'the rows C are compared with the same values.',
    '',
    table(figures),
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
