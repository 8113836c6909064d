// The lines of a pi as they can be compared: without ids and times, and without what depends on how fast a machine is.
import type { Frame } from '../support/inbox.ts';
import { inCallOrder, normaliser } from './normal.ts';

/** Deltas of one block in a row, joined: where the model repeats itself until it is stopped, their number is a matter of time. */
function joined(lines: readonly Frame[]): Frame[] {
  const out: Frame[] = [];
  for (const line of lines) {
    const event = Object(line.assistantMessageEvent);
    const before = out.at(-1);
    const last = Object(before?.assistantMessageEvent);
    const isSame = /_delta$/u.test(event.type) && last.type === event.type && last.contentIndex === event.contentIndex;
    if (isSame && before !== undefined)
      out[out.length - 1] = { ...before, assistantMessageEvent: { ...last, delta: `${last.delta}${event.delta}` } };
    else out.push(line);
  }
  return out;
}

/** How often a running tool tells how far it got, and in which pieces a command's output comes, is a matter of time. */
const isProgress = ({ type }: Frame) => type === 'tool_execution_update' || type === 'bash_execution_update';

/** The figures that an update carries depend on how many pieces of the answer pi had read by then. */
function withoutFigures(line: Frame): Frame {
  if (line.type !== 'message_update') return line;
  const { usage: _usage, ...rest } = line;
  return { ...rest, type: line.type };
}

/** These lines, comparable. */
export function comparableLines(lines: readonly Frame[], dir: string): readonly unknown[] {
  const kept = joined(lines.filter((line) => !isProgress(line)).map(withoutFigures));
  const value = normaliser(dir)(inCallOrder(kept));
  return Array.isArray(value) ? value : [];
}

/** Throws where these lines are not those, with the lines that only one side has, or that they come in another order. */
export function isSame(own: readonly unknown[], due: readonly unknown[]): void {
  const [mine, theirs] = [own, due].map((lines) => lines.map((line) => JSON.stringify(line)));
  if (mine === undefined || theirs === undefined || mine.join('\n') === theirs.join('\n')) return;
  const without = (some: readonly string[], others: readonly string[]) => {
    const left = [...others];
    return some.filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  const [lost, added] = [without(theirs, mine), without(mine, theirs)];
  const moved = theirs.find((line, at) => line !== mine[at]);
  const lines = [...lost.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  const cut = (line: string) => (line.length > 600 ? `${line.slice(0, 300)} … ${line.slice(-300)}` : line);
  if (lines.length === 0) lines.push(`in another order, from ${moved} on`);
  throw new Error(lines.map(cut).join('\n'));
}
