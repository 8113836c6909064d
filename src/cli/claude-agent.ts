// What of Claude Code's command line reaches the agent behind `patchbay-claude`, and which session it is.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { instructionsOf, promptText } from '../adapters/claude/initialize.ts';
import { adapterOf } from '../agents.ts';
import type { AgentConfig } from '../config.ts';
import type { Adapter, Capabilities } from '../core/adapter.ts';
import type { Command } from '../core/command.ts';
import { GatewayError, messageOf } from '../core/errors.ts';
import type { Instructions } from '../core/instructions.ts';
import { beginningOf } from '../stores/stored-sessions.ts';
import { type Chosen, findAgent, listOf, type StandIn, type Surroundings, wake, withAgent } from './chosen-agent.ts';
import type { ClaudeArgv, Given } from './claude-argv.ts';
import type { StoredIds } from './stored-ids.ts';

const standIn: StandIn = { program: 'patchbay-claude', instead: 'claude' };

/** An agent that is told what of the command line it can hear. */
export interface ChosenForClaude extends Chosen {
  /** The session's id in all frames. */
  readonly session: string;
  /** The agent's questions have nobody to go to (reference claude-sdk 1: `--permission-prompt-tool` iff canUseTool). */
  readonly isUnattended: boolean;
  /** The stored conversation that goes on; undefined: a new one. */
  readonly resumes: string | undefined;
  /** It hears instructions when it is started and never later, so the client's greeting is read before. */
  readonly awaitsGreeting: boolean;
}

/** What the choice depends on. */
export interface ClaudeSurroundings extends Surroundings {
  readonly cwd: string;
  readonly stored: StoredIds;
}

/**
 * Throws `invalid` or `not-found` with what to do about it, and `agent-refused` where a session is to be resumed that
 * nobody knows.
 */
export function chooseAgent(argv: ClaudeArgv, surroundings: ClaudeSurroundings): ChosenForClaude {
  const { config, name, agent, remarks } = findAgent(standIn, argv.values, surroundings);
  const session = sessionOf(argv);
  const asks = argv.values.get('--permission-prompt-tool');
  const unasked =
    asks === undefined || asks === 'stdio' ? [] : [`the tool ${asks} cannot be asked for permissions here`];
  const {
    config: told,
    opening,
    remarks: unheard,
  } = agent.command !== undefined && agent.protocol === 'claude'
    ? { config: withFlags(agent, agent.command, argv, session), opening: [], remarks: [] }
    : { config: agent, ...ask(argv, name, adapterOf(agent.protocol), surroundings) };
  return {
    config: withAgent(config, name, told),
    name,
    // For an agent of any kind: what it tells of itself is asked for at once by every client of this protocol. Only what
    // it is to hear when it is started goes before.
    opening: [...opening.filter(isInstructing), wake, ...opening.filter((command) => !isInstructing(command))],
    remarks: [...remarks, ...unasked, ...unheard],
    session,
    isUnattended: asks !== 'stdio',
    resumes: opening.find((command) => command.type === 'switch-session')?.path,
    // One of this protocol is passed the greeting itself.
    awaitsGreeting: agent.protocol !== 'claude' && adapterOf(agent.protocol).instructed !== undefined,
  };
}

const isInstructing = ({ type }: Command): boolean => type === 'set-instructions';

/** The same agent, told what the client says in its greeting; where it says nothing, what the command line says counts. */
export function withGreeting(chosen: ChosenForClaude, instructions: Instructions | null): ChosenForClaude {
  if (instructions === null) return chosen;
  const said = chosen.opening.find((command) => command.type === 'set-instructions');
  const opening = chosen.opening.filter((command) => command !== said);
  return { ...chosen, opening: [{ type: 'set-instructions', ...said, ...instructions }, ...opening] };
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** The id that the client asked for, or that of what it resumes, or a new one. */
function sessionOf(argv: ClaudeArgv): string {
  const given = argv.values.get('--session-id');
  if (given !== undefined && !uuid.test(given)) throw new GatewayError('invalid', '--session-id must be a UUID');
  const resumed = argv.has('--fork-session') ? undefined : argv.values.get('--resume');
  const known = resumed !== undefined && uuid.test(resumed) ? resumed : undefined;
  return given ?? known ?? randomUUID();
}

/** What an agent of this protocol must be told, whatever the client wants for itself: we read all that it can say. */
const base = [
  ...['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'],
  '--include-partial-messages',
];

/** Behind its own, because for Claude Code the last one counts. */
function withFlags(
  agent: AgentConfig,
  command: NonNullable<AgentConfig['command']>,
  argv: ClaudeArgv,
  session: string,
): AgentConfig {
  const heard = argv.given.filter(({ ours }) => !ours).flatMap(({ words }) => words);
  const goesOn = (argv.has('--resume') || argv.has('--continue')) && !argv.has('--fork-session');
  // So that the id which a client reads in our frames is one that it can resume.
  const named = goesOn || argv.has('--session-id') ? [] : ['--session-id', session];
  return { ...agent, command: [...command, ...base, ...heard, ...named] };
}

/** What another kind of agent can be asked instead. */
function ask(
  argv: ClaudeArgv,
  name: string,
  { can, instructed }: Adapter,
  surroundings: ClaudeSurroundings,
): Pick<Chosen, 'opening' | 'remarks'> {
  const opening: Command[] = [];
  const heard = new Set(['--session-id']);
  const offer = (command: Command, ...options: string[]) => {
    if (!can.commands.includes(command.type)) return;
    opening.push(command);
    for (const option of options) heard.add(option);
  };

  const path = storedPath(argv, name, can, surroundings);
  if (path !== null) offer({ type: 'switch-session', path }, '--resume', '--continue');
  const { values } = argv;
  const model = values.get('--model');
  if (model === 'default') heard.add('--model');
  else if (model !== undefined) offer({ type: 'set-model', model }, '--model');
  const thinking = thinkingWish(argv);
  if (thinking !== null) offer(thinking, '--thinking', '--max-thinking-tokens', '--effort');
  else heard.add('--thinking');
  const mode = values.get('--permission-mode') ?? (argv.has('--dangerously-skip-permissions') ? bypass : undefined);
  if (mode === 'default') heard.add('--permission-mode');
  else if (mode !== undefined) offer({ type: 'set-mode', mode }, '--permission-mode', '--dangerously-skip-permissions');
  const title = values.get('--name');
  if (title !== undefined) offer({ type: 'set-name', name: title }, '--name');
  const instructions = instructed === undefined ? null : instructionsIn(values);
  if (instructions !== null) opening.push({ type: 'set-instructions', ...instructions });
  for (const option of instructed === undefined ? [] : instructing) heard.add(option);

  const isHeard = (flag: Given) => flag.ours || flag.idle || isEmpty(flag) || heard.has(flag.name);
  const unheard = argv.given.filter((flag) => !isHeard(flag));
  const names = listOf(unheard.map((flag) => flag.name));
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

/** `--system-prompt ""` says nothing, and SDKs say it always (Agent SDK 0.1.30). */
function isEmpty({ words }: Given): boolean {
  const [name = '', ...rest] = words;
  return rest.length > 0 ? rest.every((word) => word === '') : name.endsWith('=');
}

/** A budget counts more than a switch, and a switch more than a level. Thinking as the agent likes it is no wish. */
function thinkingWish({ values }: ClaudeArgv): Command | null {
  const budget = Number(values.get('--max-thinking-tokens') ?? Number.NaN);
  if (Number.isFinite(budget)) return { type: 'set-thinking', budgetTokens: budget };
  if (values.get('--thinking') === 'disabled') return { type: 'set-thinking', budgetTokens: 0 };
  const level = values.get('--effort');
  return level === undefined ? null : { type: 'set-thinking', level };
}

/** Where the conversation lies that is to go on; null when a new one is wanted. Throws `agent-refused`. */
function storedPath(
  argv: ClaudeArgv,
  name: string,
  can: Capabilities,
  { cwd, stored }: ClaudeSurroundings,
): string | null {
  const wanted = argv.values.get('--resume') || null;
  const goesOn = argv.has('--resume') || argv.has('--continue');
  if (!goesOn) return null;
  const missing =
    wanted === null ? 'No conversation found to continue' : `No conversation found with session ID: ${wanted}`;
  if (!can.commands.includes('switch-session')) {
    throw new GatewayError('agent-refused', `${missing} (the agent ${name} cannot go on with an earlier one)`);
  }
  if (argv.has('--fork-session')) {
    throw new GatewayError('agent-refused', `the agent ${name} cannot fork an earlier conversation`);
  }
  const known = wanted === null ? stored.latest(name, cwd) : stored.find(wanted);
  // Another agent cannot read it.
  const path = known?.agent === name ? known.file : wanted;
  const isFile = path !== null && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile && (path === known?.file || isConversation(path))) return path;
  throw new GatewayError('agent-refused', missing);
}

/** Its first line says so, or there is none to lose: pi empties any other file that it is told to go on with. */
function isConversation(path: string): boolean {
  return /^(?:$|\{"type":"session"[,}])/u.test(beginningOf(path));
}
