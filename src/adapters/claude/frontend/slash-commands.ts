// The slash commands that the gateway carries out for agents without such commands. Clients type them as prompts
// (docs/protocols/claude.md 6.4). An agent of this protocol has its own, and an agent's own command takes precedence.
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { CommandOf } from '../../../core/model/command.ts';
import type { Content } from '../../../core/model/content.ts';
import type { CommandInfo } from '../../../core/model/session-info.ts';

/** A command, as `initialize` lists it. */
export interface SlashCommand extends CommandInfo {
  readonly hint?: string;
}

const compact: SlashCommand = {
  name: 'compact',
  description: 'Sum up the conversation, and go on with the summary in its place',
  hint: '<optional instructions for the summary>',
};

/** All commands that the clients of a session may type. */
export function slashCommandsOf(session: SessionView | undefined): readonly SlashCommand[] {
  const known = session?.transcript.info.commands ?? [];
  return isOurs(session) ? [...known, compact] : known;
}

function isOurs(session: SessionView | undefined): boolean {
  if (session?.agent === undefined || session.agent.protocol === 'claude') return false;
  const isKnown = session.transcript.info.commands?.some(({ name }) => name === compact.name) === true;
  return !isKnown && session.agent.commands.has('compact');
}

const typed = /^\s*\/compact(?:\s+(?<instructions>\S[\s\S]*?))?\s*$/u;

/** Reads what a client has typed: one of the gateway's commands, or a prompt. */
export function promptOrCommand(content: Content[], session: SessionView | undefined): CommandOf<'prompt' | 'compact'> {
  const [only, ...others] = content;
  const words = only?.type === 'text' && others.length === 0 && isOurs(session) ? typed.exec(only.text) : null;
  if (words === null) return { type: 'prompt', content };
  return { type: 'compact', instructions: words.groups?.instructions, asPrompt: true };
}
