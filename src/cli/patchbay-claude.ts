#!/usr/bin/env node
// `patchbay-claude`: replaces the `claude` executable, with any agent behind it. A program built on the Claude Agent
// SDK changes only `pathToClaudeCodeExecutable`. `claude -p` works as well.
import './compile-cache.ts';
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import { ownVersion, tellFailure } from './program.ts';
import { type ChosenForClaude, chooseAgent, withGreeting } from './stand-ins/claude/agent.ts';
import { type ClaudeArgv, parseClaudeArgv } from './stand-ins/claude/argv.ts';
import { converse, failureFrame } from './stand-ins/claude/conversation.ts';
import { claudeCodeVersion, claudeHelp } from './stand-ins/claude/help.ts';
import { readPrompt } from './stand-ins/claude/prompt.ts';
import { greets, readGreeting } from './stand-ins/claude/read-greeting.ts';
import { type StoredIds, storedIdsIn } from './stand-ins/stored-ids.ts';

// The parent process may close the log pipe. A failed log write must not end the gateway.
process.stderr.on('error', () => {});

const isVerbose = (process.env.PATCHBAY_VERBOSE ?? '') !== '';
const program = 'patchbay-claude';

async function run(argv: ClaudeArgv): Promise<void> {
  if (argv.help) {
    process.stdout.write(claudeHelp);
    return;
  }
  if (argv.version) {
    process.stdout.write(`${claudeCodeVersion} (Claude Code)\n`);
    remark(`agent-patchbay ${ownVersion}, speaking the format of Claude Code ${claudeCodeVersion}`);
    return;
  }
  if (!argv.print && argv.words[0] === 'auth' && argv.words[1] === 'status') {
    // The agent manages its own keys, so there is no login (docs/protocols/claude.md 1.5: answer, and read no stdin).
    process.stdout.write(`${JSON.stringify({ loggedIn: true, authMethod: 'third_party', apiProvider: 'patchbay' })}\n`);
    return;
  }
  const streams = argv.input === 'stream-json';
  if (!streams && !argv.print) {
    const what = argv.words.length === 0 ? 'its interface' : argv.words.join(' ');
    const served = 'only -p and --input-format stream-json are served here';
    throw new GatewayError('invalid', `${served}; start claude itself for ${what}`);
  }
  if (streams && argv.output !== 'stream-json') {
    throw new GatewayError('invalid', '--input-format stream-json needs --output-format stream-json');
  }
  await serve(argv, streams ? null : await readPrompt(argv.words, process.stdin, remark));
}

async function serve(argv: ClaudeArgv, prompt: string | null): Promise<void> {
  const stored = storedIdsIn(stateFolder('claude-sessions'));
  const found = choose(argv, stored);
  for (const sentence of found.remarks) remark(sentence);
  const isGreeted = prompt === null && found.awaitsGreeting;
  const { stdin } = process;
  const { instructions, input } = isGreeted
    ? await readGreeting(stdin, greets(argv, process.env))
    : { instructions: null, input: stdin };
  const chosen = withGreeting(found, instructions);
  const last = await converse({ argv, chosen, prompt, input, stored, remark, verbose: isVerbose });
  // As Claude Code does (docs/protocols/claude.md 1.6): the SDK then shows the error to its user.
  if (last?.is_error === true) process.exitCode = 1;
}

/** Reports a start failure also as a result frame, because the SDK hides stderr. */
function choose(argv: ClaudeArgv, stored: StoredIds): ChosenForClaude {
  try {
    return chooseAgent(argv, {
      env: process.env,
      self: process.argv[1] ?? '',
      home: homedir(),
      cwd: process.cwd(),
      stored,
    });
  } catch (thrown) {
    if (argv.output !== 'text') process.stdout.write(`${failureFrame(messageOf(thrown), randomUUID())}\n`);
    throw thrown;
  }
}

/** The directory for state that survives the process (XDG base directories). */
function stateFolder(name: string): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'agent-patchbay', name);
}

function remark(sentence: string): void {
  process.stderr.write(`${program}: ${sentence}\n`);
}

async function main(): Promise<void> {
  try {
    await run(parseClaudeArgv(process.argv.slice(2)));
  } catch (thrown) {
    tellFailure(program, thrown);
  }
}

void main();
