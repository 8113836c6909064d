// Slash commands of real servers that the gateway carries out itself, whatever the agent offers. They are listed with
// the agent's commands and run when sent as a prompt (docs/protocols/eca.md 4.9). An agent's command of the same name
// takes precedence.
import type { CommandType } from '../../../core/model/command.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { OutcomeData, QueryData } from '../../../core/model/outcome-data.ts';
import type { CommandInfo } from '../../../core/model/session-info.ts';
import type { Transcript } from '../../../core/model/transcript.ts';
import { type Actions, afterEvents, type ConnectionPorts, sendContent, type Target } from '../connection.ts';
import type { ChatForks } from './chat-forks.ts';
import { type Chat, isRunning } from './chats.ts';
import { costWord } from './encode-values.ts';
import { compactionWords } from './system-texts.ts';

type Name = 'compact' | 'fork' | 'clear' | 'costs';

interface GatewayCommand extends CommandInfo {
  readonly name: Name;
  /** The command type that the agent must support. */
  readonly needs?: CommandType;
}

const all: readonly GatewayCommand[] = [
  {
    name: 'compact',
    description: 'Summarize what was said so far, to make room in the context.',
    needs: 'compact',
    arguments: [{ name: 'instructions', description: 'What the summary must keep', required: false }],
  },
  { name: 'fork', description: 'Make another chat that begins with what was said in this one.', needs: 'fork' },
  { name: 'clear', description: 'Forget what was said in this chat.', needs: 'new-session' },
  { name: 'costs', description: 'Show what this chat has used and cost.' },
];

/** The gateway commands that the agent supports and does not offer itself. `can`: the command types of the agent. */
export function gatewayCommands(
  can: ReadonlySet<string> | undefined,
  theirs: readonly CommandInfo[],
): GatewayCommand[] {
  const taken = new Set(theirs.map(({ name }) => name.replace(/^\//u, '')));
  return all.filter(({ name, needs }) => !taken.has(name) && (needs === undefined || can?.has(needs) === true));
}

/** The gateway commands of one connection. */
export interface GatewayCommands {
  /** Carries the command out, then runs `finish`. Runs `otherwise` if the text is an ordinary prompt. */
  take(chat: Chat, words: string, finish: () => Actions, otherwise: () => Actions): Actions;
}

/** The dependencies of the commands. */
export interface GatewayCommandPorts extends ConnectionPorts {
  readonly forks: ChatForks;
}

/** Creates the gateway's own slash commands. They keep no state. */
export function createGatewayCommands(ports: GatewayCommandPorts): GatewayCommands {
  function say(chat: Chat, text: string): Actions {
    return sendContent(ports, chat.id, { type: 'text', text });
  }

  function compact(chat: Chat, target: Target, instructions: string, finish: () => Actions): Actions {
    if (isRunning(chat)) return [...say(chat, atWork('compacted')), ...finish()];
    const since = chat.view?.transcript.lastSeq ?? 0;
    const command = { type: 'compact', ...(instructions === '' ? {} : { instructions }) } as const;
    return [
      ...sendContent(ports, chat.id, { type: 'progress', state: 'running', text: 'Compacting…' }),
      ...ports.ask(target, command, (outcome) => {
        const isShown = chat.view !== undefined && hasCompacted(chat.view.transcript, since);
        return [...(isShown ? [] : say(chat, compactionWords(endOf(outcome)))), ...finish()];
      }),
    ];
  }

  function clear(chat: Chat, target: Target, finish: () => Actions): Actions {
    if (isRunning(chat)) return [...say(chat, atWork('cleared')), ...finish()];
    return ports.ask(target, { type: 'new-session' }, (outcome) =>
      outcome.ok
        ? afterEvents(ports, target, finish)
        : [...say(chat, `\n\nThe chat was not cleared: ${outcome.error.message}\n`), ...finish()],
    );
  }

  function costs(chat: Chat, target: Target, finish: () => Actions): Actions {
    return ports.ask(target, { type: 'query', subject: 'statistics' }, (outcome) => [
      ...say(chat, outcome.ok ? costWords(outcome.data) : `\n\nThe costs are not known: ${outcome.error.message}\n`),
      ...finish(),
    ]);
  }

  function carryOut(chat: Chat, target: Target, [name, rest]: [Name, string], finish: () => Actions): Actions {
    switch (name) {
      case 'compact':
        return compact(chat, target, rest, finish);
      case 'fork':
        return ports.forks.whole(chat, (why) => [
          ...(why === null ? [] : say(chat, `\n\nThe chat was not forked: ${why}.\n`)),
          ...finish(),
        ]);
      case 'clear':
        return clear(chat, target, finish);
      case 'costs':
        return costs(chat, target, finish);
      default:
        return name satisfies never;
    }
  }

  return {
    take(chat, words, finish, otherwise) {
      const { target } = chat;
      const [, name, rest = ''] = /^\/([a-z]+)(?:\s+(.*))?$/su.exec(words.trim()) ?? [];
      const meant = all.find((command) => command.name === name)?.name;
      if (meant === undefined || target === undefined) return otherwise();
      return ports.ask(target, { type: 'query', subject: 'commands' }, (outcome) => {
        if (chat.isOver) return finish();
        const theirs = outcome.ok ? (QueryData.commands.safeParse(outcome.data).data?.commands ?? []) : [];
        const isOurs = gatewayCommands(chat.view?.agent?.commands, theirs).some((command) => command.name === meant);
        if (!isOurs) return otherwise();
        const echo = sendContent(ports, chat.id, { type: 'text', text: `${words}\n` }, 'user');
        return [...echo, ...carryOut(chat, target, [meant, rest.trim()], finish)];
      });
    },
  };
}

const atWork = (done: string): string => `\n\nThe chat was not ${done}: the agent is at work. Stop it first.\n`;

/** Whether the agent itself reported the end of the compaction, so that the gateway need not. */
function hasCompacted({ items }: Transcript, since: number): boolean {
  const last = items.findLast((item) => item.kind === 'event' && item.logged.event.type === 'compaction-end');
  return last?.kind === 'event' && last.logged.seq > since;
}

function endOf(outcome: Outcome): EventOf<'compaction-end'> {
  if (outcome.ok) {
    const { tokensBefore } = OutcomeData.compact.safeParse(outcome.data).data ?? {};
    return { type: 'compaction-end', outcome: 'completed', tokensBefore };
  }
  const { code, message } = outcome.error;
  if (code === 'aborted') return { type: 'compaction-end', outcome: 'aborted' };
  return { type: 'compaction-end', outcome: 'failed', failure: { kind: 'agent', message } };
}

/** Uses the words of real servers. */
function costWords(data: unknown): string {
  const read = QueryData.statistics.safeParse(data).data;
  if (read === undefined) return '\n\nThe costs are not known.\n';
  const { usage, cost } = read;
  return [
    '',
    '',
    `Total input tokens: ${usage.input}`,
    ...(usage.cacheWrite > 0 ? [`Total input cache creation tokens: ${usage.cacheWrite}`] : []),
    ...(usage.cacheRead > 0 ? [`Total input cache read tokens: ${usage.cacheRead}`] : []),
    `Total output tokens: ${usage.output}`,
    cost === undefined ? 'Total cost: not known' : `Total cost: $${costWord(cost)}`,
    '',
  ].join('\n');
}
