// Chooses the agent and the session behind `patchbay-claude` and applies Claude Code's command line to them.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { instructionsOf, promptText } from '../../../adapters/claude/frontend/initialize.ts';
import { protocolOf } from '../../../adapters/protocols.ts';
import type { AgentConfig } from '../../../config/agent-config.ts';
import type { Protocol } from '../../../core/contract/adapter/adapter.ts';
import type { Instructions } from '../../../core/contract/adapter/instructions.ts';
import type { Command } from '../../../core/model/command.ts';
import { GatewayError, messageOf } from '../../../core/model/errors.ts';
import { beginningOf } from '../../../stores/stored-sessions.ts';
import {
  type Chosen,
  findAgent,
  listOf,
  type StandIn,
  type Surroundings,
  startAgent,
  withAgent,
} from '../chosen-agent.ts';
import type { StoredIds } from '../stored-ids.ts';
import type { ClaudeArgv, Given } from './argv.ts';

const standIn: StandIn = { program: 'patchbay-claude', instead: 'claude' };

/** The chosen agent, with the session and the supported options of the command line. */
export interface ChosenForClaude extends Chosen {
  /** The session id in all frames, until the agent names one (see `isNamedByAgent`). */
  readonly session: string;
  /** The agent names the session itself and resumes the session only by this name. */
  readonly isNamedByAgent: boolean;
  /**
   * True if no client can answer the agent's questions: the SDK passes `--permission-prompt-tool` only with a
   * canUseTool (docs/protocols/claude.md 1.2).
   */
  readonly isUnattended: boolean;
  /** The stored conversation to continue, as the agent calls it; undefined for a new conversation. */
  readonly resumes: string | undefined;
  /** The way into the stored conversation: a command to the agent names its file, or the agent is started with its name. */
  readonly goesOnBy: 'file' | 'agent';
  /** The agent takes instructions only at its start, so the client's `initialize` is read first. */
  readonly awaitsGreeting: boolean;
}

/** The environment of the choice. */
export interface ClaudeSurroundings extends Surroundings {
  readonly cwd: string;
  readonly stored: StoredIds;
}

/**
 * Throws `invalid` or `not-found` with advice for the user, and `agent-refused` if the session to resume is unknown.
 */
export function chooseAgent(argv: ClaudeArgv, surroundings: ClaudeSurroundings): ChosenForClaude {
  const { config, name, agent, remarks } = findAgent(standIn, argv.values, surroundings);
  const { command, protocol } = agent;
  const facts = protocolOf(protocol);
  const isOfOurs = command !== undefined && protocol === 'claude';
  const goesOn = isOfOurs ? null : storedSession(argv, name, facts, surroundings);
  const session = sessionOf(argv, goesOn);
  const asks = argv.values.get('--permission-prompt-tool');
  const unasked =
    asks === undefined || asks === 'stdio' ? [] : [`the tool ${asks} cannot be asked for permissions here`];
  const {
    config: changedConfig,
    opening,
    remarks: unusedRemarks,
  } = isOfOurs
    ? { config: withFlags(agent, command, argv, session), opening: [], remarks: [] }
    : { config: agent, ...ask(argv, name, facts, goesOn) };
  return {
    config: withAgent(config, name, changedConfig),
    name,
    // Start every agent at once: every client of this protocol asks for the agent's properties immediately. Only
    // instructions come first, because an agent takes instructions at its start.
    opening: [...opening.filter(isInstructing), startAgent, ...opening.filter((command) => !isInstructing(command))],
    remarks: [...remarks, ...unasked, ...unusedRemarks],
    session,
    isNamedByAgent: isOfOurs,
    isUnattended: asks !== 'stdio',
    resumes: goesOn?.file,
    goesOnBy: facts.can.commands.includes('switch-session') ? 'file' : 'agent',
    // An agent of this protocol receives the `initialize` frame itself.
    awaitsGreeting: protocol !== 'claude' && facts.agent?.takesInstructions === true,
  };
}

const isInstructing = ({ type }: Command): boolean => type === 'set-instructions';

/** Adds the instructions of the client's `initialize`, which override those of the command line. */
export function withGreeting(chosen: ChosenForClaude, instructions: Instructions | null): ChosenForClaude {
  if (instructions === null) return chosen;
  const instruction = chosen.opening.find((command) => command.type === 'set-instructions');
  const opening = chosen.opening.filter((command) => command !== instruction);
  return { ...chosen, opening: [{ type: 'set-instructions', ...instruction, ...instructions }, ...opening] };
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** The id that the client requested, else the id of the resumed session, else a new one. */
function sessionOf(argv: ClaudeArgv, goesOn: StoredSession | null): string {
  const given = argv.values.get('--session-id');
  if (given !== undefined && !uuid.test(given)) throw new GatewayError('invalid', '--session-id must be a UUID');
  const resumed = argv.has('--fork-session') ? undefined : argv.values.get('--resume');
  const known = resumed !== undefined && uuid.test(resumed) ? resumed : undefined;
  return given ?? goesOn?.id ?? known ?? randomUUID();
}

/** Options for every agent of this protocol, whatever the client requests for itself: the gateway reads all frames. */
const base = [
  ...['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'],
  '--include-partial-messages',
];

/** Appends the options to the agent's own: for Claude Code the last one of several counts. */
function withFlags(
  agent: AgentConfig,
  command: NonNullable<AgentConfig['command']>,
  argv: ClaudeArgv,
  session: string,
): AgentConfig {
  const passedOn = argv.given.filter(({ ours }) => !ours).flatMap(({ words }) => words);
  const goesOn = (argv.has('--resume') || argv.has('--continue')) && !argv.has('--fork-session');
  // The client must be able to resume the session by the id in our frames.
  const named = goesOn || argv.has('--session-id') ? [] : ['--session-id', session];
  return { ...agent, command: [...command, ...base, ...passedOn, ...named] };
}

/** Translates Claude Code's options into commands for an agent of another protocol. */
function ask(
  argv: ClaudeArgv,
  name: string,
  { can, agent }: Protocol,
  goesOn: StoredSession | null,
): Pick<Chosen, 'opening' | 'remarks'> {
  const canInstruct = agent?.takesInstructions === true;
  const opening: Command[] = [];
  const used = new Set(['--session-id']);
  const offer = (command: Command, ...options: string[]) => {
    if (!can.commands.includes(command.type)) return;
    opening.push(command);
    for (const option of options) used.add(option);
  };

  if (goesOn !== null) {
    offer({ type: 'switch-session', path: goesOn.file });
    for (const option of ['--resume', '--continue']) used.add(option);
  }
  const { values } = argv;
  const model = values.get('--model');
  if (model === 'default') used.add('--model');
  else if (model !== undefined) offer({ type: 'set-model', model }, '--model');
  const thinking = thinkingWish(argv);
  if (thinking !== null) offer(thinking, '--thinking', '--max-thinking-tokens', '--effort');
  else used.add('--thinking');
  const mode = values.get('--permission-mode') ?? (argv.has('--dangerously-skip-permissions') ? bypass : undefined);
  if (mode === 'default') used.add('--permission-mode');
  else if (mode !== undefined) offer({ type: 'set-mode', mode }, '--permission-mode', '--dangerously-skip-permissions');
  const title = values.get('--name');
  if (title !== undefined) offer({ type: 'set-name', name: title }, '--name');
  const instructions = canInstruct ? instructionsIn(values) : null;
  if (instructions !== null) opening.push({ type: 'set-instructions', ...instructions });
  for (const option of canInstruct ? instructing : []) used.add(option);

  const isUsed = (flag: Given) => flag.ours || flag.idle || isEmpty(flag) || used.has(flag.name);
  const unused = argv.given.filter((flag) => !isUsed(flag));
  const names = listOf(unused.map((flag) => flag.name));
  return { opening, remarks: names === '' ? [] : [`the agent ${name} does not take ${names}`] };
}

const bypass = 'bypassPermissions';

const instructing = [
  '--system-prompt',
  '--append-system-prompt',
  '--system-prompt-file',
  '--append-system-prompt-file',
] as const;

/** Throws `invalid` for a file that cannot be read. */
function instructionsIn(values: ClaudeArgv['values']): Instructions | null {
  const [text, addition, textFile, additionFile] = instructing.map((option) => values.get(option) ?? '');
  return instructionsOf(
    promptText([text || textIn('--system-prompt-file', textFile)]),
    promptText([addition || textIn('--append-system-prompt-file', additionFile)]),
  );
}

function textIn(option: string, file: string | undefined): string {
  if (file === undefined || file === '') return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new GatewayError('invalid', `${option}: ${messageOf(thrown)}`);
  }
}

/** Whether all values are empty. Agent SDK 0.1.30 always passes `--system-prompt ""`, which has no effect. */
function isEmpty({ words }: Given): boolean {
  const [name = '', ...rest] = words;
  return rest.length > 0 ? rest.every((word) => word === '') : name.endsWith('=');
}

/** The thinking command, if any. A token budget overrides the on/off switch, which overrides the effort level. */
function thinkingWish({ values }: ClaudeArgv): Command | null {
  const budget = Number(values.get('--max-thinking-tokens') ?? Number.NaN);
  if (Number.isFinite(budget)) return { type: 'set-thinking', budgetTokens: budget };
  if (values.get('--thinking') === 'disabled') return { type: 'set-thinking', budgetTokens: 0 };
  const level = values.get('--effort');
  return level === undefined ? null : { type: 'set-thinking', level };
}

/** A conversation to continue. */
interface StoredSession {
  /** Its file, or what its agent calls it. */
  readonly file: string;
  /** The session id it had before; undefined if it never had one. */
  readonly id: string | undefined;
}

/** The conversation to continue; null for a new one. Throws `agent-refused` if it does not exist. */
function storedSession(
  argv: ClaudeArgv,
  name: string,
  { can, agent }: Protocol,
  { cwd, stored }: ClaudeSurroundings,
): StoredSession | null {
  const wanted = argv.values.get('--resume') || null;
  const goesOn = argv.has('--resume') || argv.has('--continue');
  if (!goesOn) return null;
  const missing =
    wanted === null ? 'No conversation found to continue' : `No conversation found with session ID: ${wanted}`;
  const takesFiles = can.commands.includes('switch-session');
  if (!takesFiles && agent?.keepsConversations !== true) {
    throw new GatewayError('agent-refused', `${missing} (the agent ${name} cannot continue an earlier conversation)`);
  }
  if (argv.has('--fork-session')) {
    throw new GatewayError('agent-refused', `the agent ${name} cannot fork an earlier conversation`);
  }
  const known = wanted === null ? stored.latest(name, cwd) : (stored.find(wanted) ?? stored.holding(name, wanted));
  // An agent cannot read the conversation of another agent.
  const file = known?.agent === name ? known.file : takesFiles ? wanted : null;
  if (file !== null && !takesFiles) return { file, id: known?.id };
  const isFile = file !== null && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile && (file === known?.file || isConversation(file))) return { file, id: known?.id };
  throw new GatewayError('agent-refused', missing);
}

/** Whether the first line is a session header or the file is empty. pi overwrites any other file that it continues. */
function isConversation(path: string): boolean {
  return /^(?:$|\{"type":"session"[,}])/u.test(beginningOf(path));
}
