// What is otherwise with an agent that is no pi, or with the gateway before one, as data: each with its reason.
import { z } from 'zod';
import type { Declared } from './cell.ts';
import type { PiName } from './pis.ts';

const refused = (words: RegExp, why: string): Declared => ({ is: 'refused', words, why });
const nothing = (command: string) =>
  refused(
    new RegExp(`^a Claude agent has nothing for ${command}$`, 'u'),
    'Claude Code has no such command on its wire',
  );
const steer = nothing('steer');
const newerPi = refused(/^Unknown command: \w+$/u, 'the session as a tree is kept by pi alone, which has the command');

/** What an agent refuses, or does in another way, by step. */
const declared: ReadonlyMap<string, ReadonlyMap<string, Declared>> = new Map([
  [
    'demo',
    new Map([
      ['back to the old session', refused(/must be an absolute path/u, 'sessions of the demo agent are no files')],
      ['the tree', newerPi],
      ['entries, all and since the last but one', newerPi],
      ['a copy of the session', newerPi],
    ]),
  ],
  [
    'Claude Code',
    new Map([
      ['steering and a follow-up', steer],
      ['what became of steering', steer],
      [
        'a model that is not there',
        { is: 'differs', words: /^pi says: Model not found/u, why: 'Claude Code takes any name of a model' },
      ],
      ['next thinking level', nothing('cycle-thinking')],
      ['next model', nothing('cycle-model')],
      ['shell command', nothing('bash')],
      ['shell command, aborted', nothing('bash')],
      ['fork', nothing('fork')],
      ['new session', nothing('new-session')],
      ['back to the old session', nothing('switch-session')],
      ['the tree', newerPi],
      ['entries, all and since the last but one', newerPi],
      ['a copy of the session', newerPi],
    ]),
  ],
]);

/** These classes drop the refusal of a steer, as of all that answers nothing. */
const deafToRefusals: ReadonlySet<PiName> = new Set(['pi-0.87', 'pi-0.73']);

/** What is declared of that step with that agent and client. */
export function declaredOf(agent: string, client: PiName, step: string): Declared | undefined {
  const found = declared.get(agent)?.get(step);
  return deafToRefusals.has(client) && found === steer ? undefined : found;
}

/** A part of pi's answers that is not in those of another agent. */
export interface Lack {
  /** The end of a line of `shapeDifferences`. */
  readonly line: RegExp;
  /** Only there. */
  readonly step?: string;
  /** Not each time, or not with each client: whether it is needed is not looked at. */
  readonly isRare?: true;
  readonly why: string;
}
export const lacks: readonly Lack[] = [
  { line: /: no \S*system$/u, why: 'only pi tells its own instructions as a message' },
  {
    line: /\.(?:cacheWrite1h|totalFromProvider|durationMs|rawStopReason|thinkingLevel) is missing$/u,
    why: "figures that pi's own types call optional, and other agents do not tell",
  },
  { line: /\.(?:sessionFile|contextUsage|model) is missing$/u, why: 'optional: not known, or no file' },
  { line: /^\.(?:estimatedTokensAfter|usage|details) is missing$/u, why: 'optional in the answer to compact' },
  { line: /: no (?:compactionSummary|bashExecution)$/u, why: 'messages that only pi keeps' },
  { line: /\.baseDir is missing$/u, isRare: true, why: 'optional: a command that lies in no folder' },
  {
    line: /\.errorMessage is missing$/u,
    isRare: true,
    why: 'optional: an agent that was stopped need not say why',
  },
  {
    line: /toolcall_start\]\.assistantMessageEvent\.(?:id|toolName) is missing$/u,
    why: 'the growing dialect has them in the message so far',
  },
  {
    line: /: no (?:message_update|tool_execution|queue_update|\S*toolResult)/u,
    step: 'steering and a follow-up',
    why: 'the run that is steered has no tool there',
  },
];

const Event = z.looseObject({ type: z.string() });

/**
 * What the gateway adds to a pi that has not got it: programs of today wait for `agent_settled`, those of then pass it over. Takes
 * what was added out of a value, and only where the pi has none.
 */
export function withoutSettled(own: unknown, due: unknown): unknown {
  if (Array.isArray(own) && Array.isArray(due)) {
    const isSettled = (item: unknown) => Event.safeParse(item).data?.type === 'agent_settled';
    const rest = due.some(isSettled) ? own : own.filter((item) => !isSettled(item));
    return rest.map((item, at) => withoutSettled(item, due[at]));
  }
  if (typeof own !== 'object' || own === null || typeof due !== 'object' || due === null) return own;
  const kept = Object.entries(own).filter(([key]) => key !== 'willRetry' || key in due);
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutSettled(value, Object(due)[key])]));
}
