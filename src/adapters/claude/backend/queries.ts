// Queries about a Claude agent, answered from what it reported or by a request (docs/protocols/claude.md 3.4). The
// session answers the other queries.
import { z } from 'zod';
import type { CommandOf } from '../../../core/model/command.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import { AgentServer } from '../wire/agent.ts';
import type { AgentInfo } from './agent-info.ts';
import { thinkingLevels } from './encode-command.ts';
import { type Answer, type ControlRequest, outcomeOf } from './requests.ts';

/** The dependencies of the queries. */
export interface QueryPorts {
  readonly info: AgentInfo;
  ask(request: ControlRequest, done: (answer: Answer) => void): void;
  /** Calls back when the agent has answered `initialize`, or will not. */
  whenInitialized(done: () => void): void;
  isRunning(): boolean;
  isCompacting(): boolean;
}

const Servers = z.looseObject({ mcpServers: z.array(AgentServer) });
const ContextUsage = z.looseObject({ totalTokens: z.number(), maxTokens: z.number().nullish() });

/** Answers a query. */
export type AgentQueries = (command: CommandOf<'query'>, settle: (outcome: Outcome) => void) => void;

export function createAgentQueries({ info, ask, whenInitialized, isRunning, isCompacting }: QueryPorts): AgentQueries {
  const tell = (data: object | undefined): Outcome =>
    data === undefined ? refused('unsupported', 'the agent has not told yet') : { ok: true, data };

  /** Answers with data that comes with the answer to `initialize`. */
  function afterInitialize(settle: (outcome: Outcome) => void, data: () => object | undefined): void {
    const known = data();
    if (known !== undefined) settle(tell(known));
    else whenInitialized(() => settle(tell(data())));
  }

  return ({ subject }, settle) => {
    const { known } = info;
    switch (subject) {
      case 'models':
        return afterInitialize(settle, () => info.known.models && { models: info.known.models });
      case 'commands':
        return afterInitialize(settle, () => info.known.commands && { commands: info.known.commands });
      case 'thinking-levels':
        return settle(tell({ levels: [...thinkingLevels] }));
      case 'state':
        return settle(tell({ changes: known, running: isRunning(), compacting: isCompacting() }));
      case 'tools':
        return settle(tell(known.tools && { tools: known.tools }));
      case 'tool-servers':
        return ask({ subtype: 'mcp_status' }, (answer) => {
          const read = 'response' in answer ? Servers.safeParse(answer.response) : undefined;
          if (read?.success === true) info.learnServers(read.data.mcpServers);
          settle(outcomeOf(answer, () => ({ servers: info.servers })));
        });
      case 'context-usage':
        return ask({ subtype: 'get_context_usage', detail: 'summary' }, (answer) => {
          const read = 'response' in answer ? ContextUsage.safeParse(answer.response) : undefined;
          if ('response' in answer && read?.success !== true) return settle(tell(undefined));
          settle(
            outcomeOf(answer, () => ({
              tokens: read?.data?.totalTokens ?? null,
              window: read?.data?.maxTokens ?? null,
            })),
          );
        });
      case 'messages':
      case 'statistics':
      case 'last-text':
      case 'fork-points':
      case 'skills':
      case 'session-files':
      case 'history':
      case 'contexts':
      case 'metrics':
      case 'health':
        return settle(refused('unsupported', `a Claude agent cannot be asked for ${subject}`));
      default:
        return subject satisfies never;
    }
  };
}
