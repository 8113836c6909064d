// A trace of Claude Code told again to a client of each protocol, and whether that client may rely on what it hears.
import { adapters, createTranslator } from '../../src/index.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { clientRoles } from '../support/client-roles.ts';
import { decodeLines } from '../support/decoding.ts';
import { textOf } from '../support/telling.ts';
import type { TraceRow } from '../support/translate.ts';

/** What became of a trace. */
export interface Retold {
  readonly frames: readonly string[];
  /** In what Claude Code said: where it broke its protocol. */
  readonly violations: readonly string[];
  /** In what the client heard. */
  readonly faults: readonly string[];
}

/** Tells it to a client of that protocol. */
export function retell(rows: readonly TraceRow[], to: string): Retold {
  let ids = 0;
  const env = { now: () => 0, id: (kind: string) => `${kind}-${++ids}` };
  const backend = adapters.get('claude')?.agent?.backend(env, {});
  const side = adapters.get(to)?.client?.frontend(env, {});
  const role = clientRoles.get(to);
  if (backend === undefined || side === undefined || role === undefined) throw new Error(`nothing to tell ${to} with`);
  const violations: string[] = [];
  const translator = createTranslator({
    id: 'trace',
    epoch: '000000000000',
    backend,
    projection: side.projection,
    note: (level, text) => void (level === 'violation' && violations.push(text)),
  });
  const said = rows.filter(({ dir }) => dir === 'out').map(({ line }) => createFrame(Buffer.from(line)));
  const frames = [...said.flatMap((frame) => translator.frame(frame)), ...translator.end()].map(textOf);
  return { frames, violations, faults: role.judge(frames).filter((fault) => !isOwnNews(fault)) };
}

/** How many of its runs did not end well. */
export function runsThatWentWrong(rows: readonly TraceRow[]): number {
  const claude = adapters.get('claude');
  if (claude === undefined) throw new Error('no adapter claude');
  const said = rows.filter(({ dir }) => dir === 'out').map(({ line }) => line);
  const { logged } = decodeLines(claude, said);
  return logged.filter(({ event }) => event.type === 'run-end' && event.outcome !== 'completed').length;
}

/** What a gateway says between two messages and not inside one. */
const ourSubtypes = ['init', 'status', 'compact_boundary', 'api_retry', 'notice'];

/** News of Claude Code's own pass where they came, also inside a message and between turns (docs/protocols/claude.md 5.2). */
export function isOwnNews(fault: string): boolean {
  if (!/^claude\/own\/(?:alone|turn) at \d+: system/u.test(fault)) return false;
  const subtype = /"subtype":"(\w+)"/u.exec(fault)?.[1];
  // It tells a new permission mode in a status; ours never names one.
  if (subtype === 'status') return fault.includes('"permissionMode"');
  return subtype !== undefined && !ourSubtypes.includes(subtype);
}

/**
 * A sub-agent in the background goes on behind the result of its turn, as Claude Code tells it and so do we: its frames
 * come when they come, and a call of its own is answered there.
 */
export function isOfBackground(fault: string): boolean {
  const isItsFrame = /^claude\/own\/turn at \d+: (?:user|assistant) outside a turn \| .*"parent_tool_use_id":"/u;
  const isItsCall = /^claude\/tool-answered at \d+: /u;
  return isItsFrame.test(fault) || isItsCall.test(fault);
}
