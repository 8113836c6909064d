// Writes the pages on the real pi, one for each version, on Claude Code, and on ACP agents. pi and Claude Code come from npm, once, into
// the cache of such programs. The others are configured: PATCHBAY_CLAUDE_AGENT_ACP is a program, PATCHBAY_ACP_AGENTS a folder with
// codex-acp, gemini-cli, and pi and a Node that runs them.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { lineOf } from '../../support/fetched.ts';
import { findPrograms, nodeIn } from '../../support/programs.ts';
import { judged } from './command.ts';
import { fetchClaudeCode, fetchPi, type Pi, pis } from './fetched-programs.ts';
import { explanationFile, folder, readPage, writePage } from './page.ts';

interface RealProgram {
  readonly page: string;
  readonly protocol: string;
  readonly label: string;
  readonly command: readonly string[];
  /** Arguments; default `--mode rpc`. */
  readonly words?: readonly string[];
  /** The program accepts an extension that opens dialogs. */
  readonly asks: boolean;
  /** File with the prompts, in the folder of the pages. */
  readonly script?: string;
  /** The version, where checks name the versions that they describe. */
  readonly asOf?: string;
  /** The file with the explanations; default that of the page. */
  readonly explanations?: string;
}

async function piProgram(pi: Pi, node22: string): Promise<RealProgram> {
  const { version } = pi;
  const home = await fetchPi(pi);
  const cli = ['dist/bundle/cli.js', 'dist/cli.js']
    .map((file) => path.join(home, file))
    .find((file) => existsSync(file));
  if (cli === undefined) throw new Error(`pi ${version} has no program`);
  return {
    page: `pi-${version}`,
    protocol: 'pi',
    label: `pi ${version}`,
    command: [pi.needsNode22 ? node22 : 'node', cli],
    // Extensions came with 0.35.
    asks: !['0.27.9', '0.31.1'].includes(version),
    asOf: version,
    explanations: 'pi',
  };
}

async function claudeCode(version: string): Promise<RealProgram> {
  return {
    page: `claude-code-${version}`,
    protocol: 'claude',
    label: `Claude Code ${version}`,
    command: [await fetchClaudeCode(version)],
    words: [
      ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      ...['--include-partial-messages', '--permission-prompt-tool', 'stdio', '--model', 'fake-1'],
    ],
    asks: false,
    explanations: 'claude-code',
  };
}

/** Agents whose model speaks another API than the fake one. */
const relay = 'test/conformance/support/model-relay/main.mjs';

/** ACP agents of npm, in the order of the index. */
function acpAgents(claudeAcp: string, folder: string): readonly RealProgram[] {
  const bin = path.join(folder, 'node_modules/.bin');
  const script = 'acp-claude.json';
  const common = { protocol: 'acp', words: [], asks: false };
  const codex = '@agentclientprotocol/codex-acp/dist/index.js';
  const gemini = '@google/gemini-cli/bundle/gemini.js';
  return [
    {
      ...common,
      page: 'claude-agent-acp',
      label: 'claude-agent-acp 0.101.0',
      command: [claudeAcp],
      script,
    },
    {
      ...common,
      page: 'codex-acp',
      label: 'codex-acp 2.6.0',
      command: ['node', relay, 'codex', `${bin}/node`, path.join(folder, 'node_modules', codex)],
      script,
    },
    {
      ...common,
      page: 'gemini',
      label: 'gemini-cli 0.61.0',
      command: ['node', relay, 'gemini', `${bin}/node`, path.join(folder, 'node_modules', gemini)],
      words: ['--acp'],
      script,
    },
    {
      ...common,
      page: 'pi-acp',
      label: 'pi-acp 0.0.34 with pi 0.87.1',
      command: [
        ...['env', `PATH=${bin}:/usr/bin:/bin`, `PI_ACP_PI_COMMAND=${bin}/pi`],
        ...[`${bin}/node`, 'node_modules/pi-acp/dist/index.js'],
      ],
    },
  ];
}

const legacy: RealProgram = {
  page: 'pi-0.13.2',
  protocol: 'pi-legacy',
  label: 'pi 0.13.2',
  command: ['node', 'node_modules/pi-legacy/dist/cli.js'],
  asks: false,
};

/** The versions of Claude Code whose pages are kept. */
const claudeVersions = ['2.1.197', '2.1.332'];

/** The page of a program that is not here stays as it is. `isChosen`: takes the name of a page. */
export async function makeRealPrograms(isChosen: (page: string) => boolean): Promise<void> {
  const { PATCHBAY_CLAUDE_AGENT_ACP: claudeAcp = '/nowhere', PATCHBAY_ACP_AGENTS: acp = '/nowhere' } = process.env;
  await makePage(legacy, isChosen);
  const chosenPis = pis.filter(({ version }) => isChosen(`pi-${version}`));
  const node22 = chosenPis.length === 0 ? null : nodeIn((await findPrograms(['node-22']))['node-22']);
  for (const pi of chosenPis) await makeFetched(`pi ${pi.version}`, piProgram(pi, node22 ?? 'node'));
  for (const version of claudeVersions.filter((one) => isChosen(`claude-code-${one}`)))
    await makeFetched(`Claude Code ${version}`, claudeCode(version));
  for (const agent of acpAgents(claudeAcp, acp)) await makePage(agent, isChosen);
}

async function makeFetched(label: string, program: Promise<RealProgram>): Promise<void> {
  try {
    await makePage(await program, () => true);
  } catch (thrown) {
    console.log(`${label}: ${lineOf(thrown)}`);
  }
}

async function makePage(program: RealProgram, isChosen: (page: string) => boolean): Promise<void> {
  const { page, protocol, label, command, words, asks, script, asOf, explanations = page } = program;
  if (!isChosen(page)) return;
  if (command.some((word) => word.includes('/') && !word.includes('=') && !existsSync(word)))
    return console.log(`${label} is not here: ${page}.md stays as it is`);
  const { counts, ms } = await judged([
    ...[protocol, '--label', label, '--markdown', path.join(folder, `${page}.md`)],
    ...['--explanations', explanationFile(explanations)],
    ...(asOf === undefined ? [] : ['--as-of', asOf]),
    ...(asks ? ['--script', path.join(folder, 'asking.json')] : []),
    ...(script === undefined ? [] : ['--script', path.join(folder, script)]),
    // Some programs take seconds to start.
    ...['--patience', '30000', '--', ...command, ...(words ?? ['--mode', 'rpc'])],
    ...(asks ? ['--extension', 'test/conformance/support/asking-extension.ts'] : []),
  ]);
  // Programs of the cache of this user.
  writePage(`${page}.md`, [readPage(`${page}.md`).trimEnd().replaceAll(homedir(), '~')]);
  console.log(label, JSON.stringify(counts.verdicts), ms);
}
