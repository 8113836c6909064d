// What of Claude Code's command line reaches the agent behind `patchbay-claude`, and which session it is.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { instructionsOf, promptText } from '../../adapters/claude/frontend/initialize.ts';
import { adapterOf } from '../../gateway/agents.ts';
import type { AgentConfig } from '../../config/config.ts';
import type { Adapter, Capabilities } from '../../core/contract/adapter.ts';
import type { Command } from '../../core/model/command.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import type { Instructions } from '../../core/contract/instructions.ts';
import { beginningOf } from '../../stores/stored-sessions.ts';
import {
  type Chosen,
  findAgent,
  listOf,
  type StandIn,
  type Surroundings,
  startAgent,
  withAgent,
} from '../chosen-agent.ts';
import type { ClaudeArgv, Given } from './argv.ts';
import type { StoredIds } from '../stored-ids.ts';

const standIn: StandIn = { program: 'patchbay-claude', instead: 'claude' };

/** An agent that is told what of the command line it can hear. */
export interface ChosenForClaude extends Chosen {
  /** The session's id in all frames, as long as the agent has named none that counts more. */
  readonly session: string;
  /** The agent names the session itself, and only by that name it can be resumed. */
  readonly isNamedByAgent: boolean;
  /** The agent's questions have nobody to go to (docs/protocols/claude.md 1.2: `--permission-prompt-tool` only where there is a canUseTool). */
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
  const { command, protocol } = agent;
  const isOfOurs = command !== undefined && protocol === 'claude';
  const goesOn = isOfOurs ? null : storedSession(argv, name, adapterOf(protocol).can, surroundings);
  const session = sessionOf(argv, goesOn);
  const asks = argv.values.get('--permission-prompt-tool');
  const unasked =
    asks === undefined || asks === 'stdio' ? [] : [`the tool ${asks} cannot be asked for permissions here`];
  const {
    config: told,
    opening,
    remarks: unheard,
  } = isOfOurs
    ? { config: withFlags(agent, command, argv, session), opening: [], remarks: [] }
    : { config: agent, ...ask(argv, name, adapterOf(protocol), goesOn) };
  return {
    config: withAgent(config, name, told),
    name,
    // For an agent of any kind: what it tells of itself is asked for at once by every client of this protocol. Only what
    // it is to hear when it is started goes before.
    opening: [...opening.filter(isInstructing), startAgent, ...opening.filter((command) => !isInstructing(command))],
    remarks: [...remarks, ...unasked, ...unheard],
    session,
    isNamedByAgent: isOfOurs,
    isUnattended: asks !== 'stdio',
    resumes: goesOn?.file,
    // An agent of this protocol is passed the greeting itself.
    awaitsGreeting: protocol !== 'claude' && adapterOf(protocol).agent?.withInstructions !== undefined,
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

/** The id that the client asked for, or the one under which what it resumes is known, or a new one. */
function sessionOf(argv: ClaudeArgv, goesOn: StoredSession | null): string {
  const given = argv.values.get('--session-id');
  if (given !== undefined && !uuid.test(given)) throw new GatewayError('invalid', '--session-id must be a UUID');
  const resumed = argv.has('--fork-session') ? undefined : argv.values.get('--resume');
  const known = resumed !== undefined && uuid.test(resumed) ? resumed : undefined;
  return given ?? goesOn?.id ?? known ?? randomUUID();
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
  { can, agent }: Adapter,
  goesOn: StoredSession | null,
): Pick<Chosen, 'opening' | 'remarks'> {
  const canInstruct = agent?.withInstructions !== undefined;
  const opening: Command[] = [];
  const heard = new Set(['--session-id']);
  const offer = (command: Command, ...options: string[]) => {
    if (!can.commands.includes(command.type)) return;
    opening.push(command);
    for (const option of options) heard.add(option);
  };

  if (goesOn !== null) offer({ type: 'switch-session', path: goesOn.file }, '--resume', '--continue');
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
  const instructions = canInstruct ? instructionsIn(values) : null;
  if (instructions !== null) opening.push({ type: 'set-instructions', ...instructions });
  for (const option of canInstruct ? instructing : []) heard.add(option);

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

/** A conversation that is to go on. */
interface StoredSession {
  readonly file: string;
  /** Its id until now; undefined: nobody has heard one from us. */
  readonly id: string | undefined;
}

/** Which conversation is to go on; null when a new one is wanted. Throws `agent-refused`. */
function storedSession(
  argv: ClaudeArgv,
  name: string,
  can: Capabilities,
  { cwd, stored }: ClaudeSurroundings,
): StoredSession | null {
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
  const known = wanted === null ? stored.latest(name, cwd) : (stored.find(wanted) ?? stored.holding(name, wanted));
  // Another agent cannot read it.
  const file = known?.agent === name ? known.file : wanted;
  const isFile = file !== null && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile && (file === known?.file || isConversation(file))) return { file, id: known?.id };
  throw new GatewayError('agent-refused', missing);
}

/** Its first line says so, or there is none to lose: pi empties any other file that it is told to go on with. */
function isConversation(path: string): boolean {
  return /^(?:$|\{"type":"session"[,}])/u.test(beginningOf(path));
}
