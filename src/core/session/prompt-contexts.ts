// The contexts of prompts: read in the folders of the session where the agent cannot or must not do it, and found there for
// users who type. Knows no protocol.
import type { Command, CommandOf, Context } from '../model/command.ts';
import { isCommand, withContexts } from '../log/context-text.ts';
import { refused, type Settle } from '../model/errors.ts';
import type { ContextReading, WorkspacePort } from '../contract/workspace.ts';
import type { AgentPort } from './session-agent.ts';

/** What the contexts of a session need. */
export interface ContextPorts {
  /** See SessionPorts. */
  readonly workspace: WorkspacePort | undefined;
  readonly isConfined: boolean;
  /** Tells users what their agent will not see, once for a prompt. */
  warn(text: string): void;
  readonly agent: AgentPort;
}

/** The contexts of one session. */
export interface Contexts {
  /**
   * The command as its agent can take it: a prompt with what its contexts hold now, if it does not read them itself.
   * `takesContexts` as the agent's backend says.
   */
  readable(command: Command, takesContexts: boolean): Command;
  /** What a user may choose: the agent's answer, for it may have contexts of its own, else the workspace's. */
  find(command: CommandOf<'query'>, settle: Settle): void;
}

/** Reads nothing yet. */
export function createContexts(ports: ContextPorts): Contexts {
  const { workspace, isConfined, warn, agent } = ports;

  function findHere(folders: WorkspacePort, command: CommandOf<'query'>, settle: Settle): void {
    folders.find(command.text ?? '', command.contexts ?? [], (contexts) => settle({ ok: true, data: { contexts } }));
  }

  return {
    readable(command, takesContexts) {
      if (command.type !== 'prompt' || command.contexts === undefined) return command;
      if (takesContexts && !isConfined) return command;
      const { contexts, ...rest } = command;
      if (isCommand(command.content)) {
        if (contexts.some((context) => !isAutomatic(context))) warn('A command takes no contexts: they were left out.');
        return rest;
      }
      const readings = workspace?.read(contexts) ?? contexts.map(unread);
      const problems = readings.flatMap(({ context, text, problem }) =>
        problem === undefined || (text === null && isAutomatic(context)) ? [] : [problem],
      );
      if (problems.length > 0) warn(problems.join('\n'));
      return { ...rest, content: withContexts(command.content, readings) };
    },
    find(command, settle) {
      if (workspace === undefined && isConfined) return settle(refused('unsupported', 'this session has no folders'));
      // None is started again for a question: it would know nothing of what was said.
      if (workspace !== undefined && (isConfined || agent.isGone())) return findHere(workspace, command, settle);
      agent.forward(command, (outcome) => {
        if (outcome.ok || workspace === undefined || agent.isSessionClosed()) settle(outcome);
        else findHere(workspace, command, settle);
      });
    },
  };
}

/** Its user has not chosen it, and misses nothing. */
function isAutomatic(context: Context): boolean {
  return context.type === 'file' && context.automatic === true;
}

function unread(context: Context): ContextReading {
  return {
    context,
    text: null,
    problem: `The ${context.type} of the prompt was left out: this session has no folders.`,
  };
}
