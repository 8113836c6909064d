// The steps of talks with Claude Code alone: prompts, questions, interrupts, an in-process tool server.
import { interruptFrame, isResult, promptFrame } from '../support/claude-turn.ts';
import type { Frame } from '../support/inbox.ts';
import type { DirectAgent } from './direct-agent.ts';

/** Sends a prompt and waits for its result. */
export async function turn(agent: DirectAgent, text: string, during?: (from: number) => Promise<void>): Promise<void> {
  const from = agent.frames.length;
  agent.send(promptFrame(text));
  await during?.(from);
  await agent.waitFor(isResult, `the result of ${text}`, from);
}

/** Matches what Claude Code asks, of that kind. */
export const isRequest =
  (subtype: string) =>
  (frame: Frame): boolean =>
    frame.type === 'control_request' && Object(frame.request).subtype === subtype;

const responseTo =
  (id: string) =>
  (frame: Frame): boolean =>
    frame.type === 'control_response' && Object(frame.response).request_id === id;

/** Answers what it asked. */
export function respond(agent: DirectAgent, asked: Frame, response: object): void {
  agent.send({ type: 'control_response', response: { subtype: 'success', request_id: asked.request_id, response } });
}

/** Answers the next request of that kind from frame `from` on; gives the place behind it. */
export async function answer(
  agent: DirectAgent,
  from: number,
  response: (asked: { input: object }) => object,
  subtype = 'can_use_tool',
): Promise<number> {
  const asked = await agent.waitFor(isRequest(subtype), `a ${subtype}`, from);
  respond(agent, asked, response(Object(asked.request)));
  return agent.frames.indexOf(asked, from) + 1;
}

/** The user says yes. */
export const allow = ({ input }: { input: object }) => ({ behavior: 'allow', updatedInput: input });
/** The user says no. */
export const deny = () => ({ behavior: 'deny', message: 'Not today.' });

/** Asks for something and waits for the answer. */
export async function ask(agent: DirectAgent, id: string, request: object): Promise<Frame> {
  const from = agent.frames.length;
  agent.send({ type: 'control_request', request_id: id, request });
  return agent.waitFor(responseTo(id), `the answer to ${id}`, from);
}

/** Interrupts once a frame fits, and waits until that is acknowledged. */
export async function interruptAt(agent: DirectAgent, from: number, fits: (frame: Frame) => boolean): Promise<void> {
  await agent.waitFor(fits, 'the moment of the interrupt', from);
  agent.send(interruptFrame(`stop-${from}`));
  await agent.waitFor(responseTo(`stop-${from}`), 'the answer to the interrupt', from);
}

/** One prompt, one result. */
export const single = (name: string) => async (agent: DirectAgent) => turn(agent, `[[${name}]] please`);

/** The prompt of that scenario with something during it, and a plain one behind it, which must not suffer. */
export const andThenText =
  (name: string, during?: (agent: DirectAgent, from: number) => Promise<void>) => async (agent: DirectAgent) => {
    await turn(agent, `[[${name}]] please`, async (from) => during?.(agent, from));
    await turn(agent, '[[text]] after it');
  };

const number = { type: 'number' };
const add = { name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: number, b: number } } };
const serverInfo = { name: 'calc', version: '1' };
/** What a server with one tool answers, by method. */
const served: ReadonlyMap<unknown, object> = new Map<unknown, object>([
  ['initialize', { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }],
  ['tools/list', { tools: [add] }],
  ['tools/call', { content: [{ type: 'text', text: '5' }] }],
]);

/** Plays an in-process tool server until it has been called; JSON-RPC rides in control messages. */
export async function serveTools(agent: DirectAgent): Promise<void> {
  for (let from = 0; ; ) {
    const asked = await agent.waitFor(isRequest('mcp_message'), 'a message for the tool server', from);
    from = agent.frames.indexOf(asked, from) + 1;
    const { id, method } = Object(Object(asked.request).message);
    const result = served.get(method) ?? {};
    respond(agent, asked, { mcp_response: { jsonrpc: '2.0', id: id ?? 0, result } });
    if (method === 'tools/call') return;
  }
}
