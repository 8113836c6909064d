// Writes the index page: a table of the peers, dates and totals, read from the pages themselves, and how to make them
// again.
import { cpus } from 'node:os';
import { pis } from './fetched-programs.ts';
import { pageNames, readPage, tableOf, writePage } from './page.ts';

/** Pages in display order; others follow. */
const order = [
  'pi-0.13.2',
  ...pis.map(({ version }) => `pi-${version}`),
  'claude-code-2.1.197',
  'claude-code-2.1.332',
  'claude-agent-acp',
  'codex-acp',
  'gemini',
  'pi-acp',
  'real-clients',
  'own-frontends',
  'own-clients',
  'recordings',
];

/** Title and totals of a page. */
function rowOf(name: string): readonly string[] {
  const text = readPage(name);
  const title = /^# (.+)$/mu.exec(text)?.[1] ?? name;
  const totals = /^\*\*(.+?)\*\*$/mu.exec(text)?.[1] ?? '';
  const versions = [...text.matchAll(/checks of [\w-]+ \w+, version \w+/gu)].map(([words]) => words);
  return [`[${title}](${name})`, totals, versions.length === 1 ? (versions[0] ?? '') : 'see the page'];
}

export function makeIndex(): void {
  const rank = (name: string) => (order.indexOf(name.replace('.md', '')) + order.length + 1) % (order.length + 1);
  const pages = pageNames().filter((name) => name !== 'README.md');
  const rows = [...pages].sort((a, b) => rank(a) - rank(b)).map(rowOf);
  const processors = cpus();
  writePage('README.md', [
    '# Reports',
    'What `patchbay conformance` says of real programs and of ourselves. Every page is made by the command, or where many runs are one table by what the command is made of; every failure has an explanation, theirs or ours, in [explanations](explanations).',
    `Made on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${process.platform} ${process.arch}, ${processors.length} processors (${processors[0]?.model.trim() ?? 'unknown'}) that others used as well.`,
    tableOf(['who', 'what came of it', 'made with'], rows),
    '## Again',
    [
      'In a copy of the project, after `npm ci` and `npm run build`:',
      '',
      '```text',
      'npx patchbay conformance pi-legacy -- node node_modules/pi-legacy/dist/cli.js --mode rpc',
      'npx patchbay conformance pi --script docs/conformance/reports/asking.json -- node node_modules/pi-modern/dist/cli.js --mode rpc --extension test/conformance/support/asking-extension.ts',
      'npx patchbay conformance claude -- claude -p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --permission-prompt-tool stdio --model fake-1',
      'npx patchbay conformance pi --bounds PATCHBAY_PI_SERVER -- node dist/cli/main.js stdio --frontend pi --agent demo',
      'npx patchbay conformance pi --as agent --trace recording.jsonl',
      '```',
    ].join('\n'),
    [
      'The first three are the pages of pi 0.13.2, of pi 0.54.2 and of Claude Code, with `--label`, `--markdown` and `--explanations` beside. Other versions of both are fetched from npm once; `--as-of` leaves out what came after the version.',
      'ACP agents that want another model API than ours have a relay in front of it, [test/conformance/support/model-relay](../../../test/conformance/support/model-relay):',
      '`npm i @agentclientprotocol/codex-acp @google/gemini-cli @earendil-works/pi-coding-agent@0.87.1 node@22` in a folder. claude-agent-acp is a script that starts it with `CLAUDE_CODE_EXECUTABLE`; as root without `IS_SANDBOX`.',
      'The others are made from such runs, one after the other, by the makers in [test/conformance/reports](../../../test/conformance/reports). All pages at once:',
    ].join(' '),
    [
      '```text',
      'PATCHBAY_ACP_AGENTS=that-folder PATCHBAY_CLAUDE_AGENT_ACP=script PATCHBAY_CORPUS=recordings UPDATE=reports npx vitest run test/conformance/reports',
      '```',
    ].join('\n'),
    'A test compares the version of each set of checks with that on the pages: who changes what a check means makes them anew. The recordings are no part of the project.',
  ]);
}
