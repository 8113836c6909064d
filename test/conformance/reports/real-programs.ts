// Writes the pages on the real pi, one for each version, on Claude Code, and on ACP agents. Programs that are no dependencies of
// ours are configured: PATCHBAY_NEW_PI is a folder with newer versions of pi and a Node that runs them, PATCHBAY_CLAUDE_CODE and
// PATCHBAY_CLAUDE_AGENT_ACP are programs, PATCHBAY_ACP_AGENTS is a folder with codex-acp, gemini-cli and a Node that runs them.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { judged } from './command.ts';
import { explanationFile, folder } from './page.ts';

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
}

/** Agents whose model speaks another API than the fake one. */
const relay = 'test/conformance/support/model-relay/main.mjs';

/** ACP agents of npm, in the order of the index. */
function acpAgents(newPi: string, folder: string): readonly RealProgram[] {
  const [piBin, bin] = [newPi, folder].map((place) => path.join(place, 'node_modules/.bin'));
  const script = 'acp-claude.json';
  const common = { protocol: 'acp', words: [], asks: false };
  const codex = '@agentclientprotocol/codex-acp/dist/index.js';
  const gemini = '@google/gemini-cli/bundle/gemini.js';
  return [
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
        ...['env', `PATH=${piBin}:/usr/bin:/bin`, `PI_ACP_PI_COMMAND=${piBin}/pi`],
        ...[`${piBin}/node`, 'node_modules/pi-acp/dist/index.js'],
      ],
    },
  ];
}

/** In the order of the index. */
function programs(newPi: string, claudeCode: string, claudeAcp: string, folder: string): readonly RealProgram[] {
  const node = path.join(newPi, 'node_modules/.bin/node');
  const newest = { protocol: 'pi', asks: true };
  return [
    {
      page: 'pi-0.13.2',
      protocol: 'pi-legacy',
      label: 'pi 0.13.2',
      command: ['node', 'node_modules/pi-legacy/dist/cli.js'],
      asks: false,
    },
    {
      page: 'pi-0.54.2',
      protocol: 'pi',
      label: 'pi 0.54.2',
      command: ['node', 'node_modules/pi-modern/dist/cli.js'],
      asks: true,
    },
    {
      ...newest,
      page: 'pi-0.87.1',
      label: 'pi 0.87.1',
      command: [node, path.join(newPi, 'node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js')],
    },
    {
      ...newest,
      page: 'pi-1.5.2',
      label: 'pi 1.5.2',
      command: [node, path.join(newPi, 'p152/package/dist/bundle/cli.js')],
    },
    {
      page: 'claude-code',
      protocol: 'claude',
      label: 'Claude Code 2.1.330',
      command: [claudeCode],
      words: [
        ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
        ...['--include-partial-messages', '--permission-prompt-tool', 'stdio', '--model', 'fake-1'],
      ],
      asks: false,
    },
    {
      page: 'claude-agent-acp',
      protocol: 'acp',
      label: 'claude-agent-acp 0.101.0',
      command: [claudeAcp],
      words: [],
      asks: false,
      script: 'acp-claude.json',
    },
    ...acpAgents(newPi, folder),
  ];
}

/** The page of a program that is not installed stays as it is. `isChosen`: takes the name of a page. */
export async function makeRealPrograms(isChosen: (page: string) => boolean): Promise<void> {
  const { PATCHBAY_NEW_PI: newPi = '/nowhere', PATCHBAY_CLAUDE_CODE: claudeCode = '/nowhere' } = process.env;
  const { PATCHBAY_CLAUDE_AGENT_ACP: claudeAcp = '/nowhere', PATCHBAY_ACP_AGENTS: acp = '/nowhere' } = process.env;
  for (const { page, protocol, label, command, words, asks, script } of programs(newPi, claudeCode, claudeAcp, acp)) {
    if (!isChosen(page)) continue;
    if (command.some((word) => word.includes('/') && !word.includes('=') && !existsSync(word))) {
      console.log(`${label} is not here: ${page}.md stays as it is`);
      continue;
    }
    const { counts, ms } = await judged([
      ...[protocol, '--label', label, '--markdown', path.join(folder, `${page}.md`)],
      ...['--explanations', explanationFile(page)],
      ...(asks ? ['--script', path.join(folder, 'asking.json')] : []),
      ...(script === undefined ? [] : ['--script', path.join(folder, script)]),
      // Some programs take seconds to start.
      ...['--patience', '30000', '--', ...command, ...(words ?? ['--mode', 'rpc'])],
      ...(asks ? ['--extension', 'test/conformance/support/asking-extension.ts'] : []),
    ]);
    console.log(label, JSON.stringify(counts.verdicts), ms);
  }
}
