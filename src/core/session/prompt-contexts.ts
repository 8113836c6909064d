// The contexts of prompts. Reads contexts in the folders of the session if the agent cannot or must not read them, and
// searches the folders for contexts that the user can choose.

import type { ContextReading, WorkspacePort } from '../contract/workspace.ts';
import { isCommand, withContexts } from '../log/context-text.ts';
import type { Command, CommandOf } from '../model/command.ts';
import type { Context } from '../model/content.ts';
import { refused, type Settle } from '../model/errors.ts';
import type { AgentPort } from './agent/session-agent.ts';

/** The dependencies of the contexts of a session. */
export interface ContextPorts {
  /** See SessionPorts. */
  readonly workspace: WorkspacePort | undefined;
  readonly isConfined: boolean;
  /** Warns users about contexts that the agent will not see, once for each prompt. */
  warn(text: string): void;
  readonly agent: AgentPort;
}

/** The contexts of one session. */
export interface Contexts {
  /**
   * Replaces the contexts of a prompt by their present content, unless the agent reads contexts itself.
   * `takesContexts`: see the agent's backend.
   */
  readable(command: Command, takesContexts: boolean): Command;
  /** Answers a query for contexts from the agent, which may have its own contexts, else from the workspace. */
  find(command: CommandOf<'query'>, settle: Settle): void;
}

/** Creates the contexts of one session. */
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
      // Do not start an agent only for a query: a new agent does not know the conversation.
      if (workspace !== undefined && (isConfined || agent.isGone())) return findHere(workspace, command, settle);
      agent.forward(command, (outcome) => {
        if (outcome.ok || workspace === undefined || agent.isSessionClosed()) settle(outcome);
        else findHere(workspace, command, settle);
      });
    },
  };
}

/** A context that the editor attached by itself. The user does not expect a warning about it. */
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
