// What an agent of pi writes in a run, in pieces, so that a fault comes between two of them.
import { scenarioLines } from '../fixtures.ts';

const talk = scenarioLines('thinking-text', 'pi');
const tools = scenarioLines('tools-parallel', 'pi');

/** The lines before the first that has these words, and the rest. */
function cutBefore(lines: readonly string[], words: string): readonly [readonly string[], readonly string[]] {
  const at = lines.findIndex((line) => line.includes(words));
  if (at < 0) throw new Error(`no line has ${words}`);
  return [lines.slice(0, at), lines.slice(at)];
}

const [untilText, rest] = cutBefore(talk, '"delta":"are free."');
const [untilEnd] = cutBefore(talk, '"type":"message_end","message":{"role":"assistant"');
const [untilAgentEnd, ending] = cutBefore(talk, '"type":"agent_end"');
const [untilTool] = cutBefore(tools, '"type":"tool_execution_end"');

/** A whole run: thinking and text. */
export const wholeRun: readonly string[] = talk;
/** The same up to the middle of its text, and from there on. */
export const halfText: readonly string[] = untilText;
export const otherHalf: readonly string[] = rest;
/** All of the text, without the end of its message. */
export const allText: readonly string[] = untilEnd;
/** All but the end of the run, and that end. */
export const withoutEnd: readonly string[] = untilAgentEnd;
export const runEnd: readonly string[] = ending;
/** Two tools run. */
export const midTools: readonly string[] = untilTool;
/** Up to the start of the assistant's message. */
export const runStart: readonly string[] = talk.slice(0, 4);

const retries = scenarioLines('provider-error-with-retry', 'pi');
const secondRun = retries.findIndex((line) => line.includes('"agent_settled"')) + 1;
/** A run in which the provider was overloaded once, and one that failed. */
export const retriedRun: readonly string[] = retries.slice(0, secondRun);
export const failedRun: readonly string[] = retries.slice(secondRun);

/** A question of the agent's extension. */
export const question = (id: string): string =>
  JSON.stringify({ type: 'extension_ui_request', id, method: 'confirm', title: 'Allow probe?', message: 'row 1' });

/** Something that the agent's extension tells the user. */
export const notice = (message: string): string =>
  JSON.stringify({
    type: 'extension_ui_request',
    id: `notice-${message}`,
    method: 'notify',
    message,
    notifyType: 'info',
  });
