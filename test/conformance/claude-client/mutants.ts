// Broken Claude clients, each made from our own backend.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import type { Interceptor, Link } from '../support/intercept.ts';
import { changesOutput, dropsOutput, type Mutant } from '../support/mutant.ts';

const isPrompt = ({ type }: Dictionary) => type === 'user';
const requestOf = (frame: Dictionary) => (frame.type === 'control_request' ? dictionaryOf(frame.request) : {});
const isRequest = (frame: Dictionary, subtype: string) => requestOf(frame).subtype === subtype;
const isAnswer = ({ type }: Dictionary) => type === 'control_response';

/** Sends more before its prompt. */
const besides =
  (...more: readonly Dictionary[]) =>
  (): Interceptor => ({
    out: (frame) => (isPrompt(frame) ? [...more, frame] : [frame]),
  });
/** Changes its prompts. */
const prompts = (change: (frame: Dictionary) => Dictionary) =>
  changesOutput((frame) => (isPrompt(frame) ? change(frame) : frame));
/** Adds a block to its prompts. */
const withBlock = (block: Dictionary) =>
  prompts((frame) => {
    const message = dictionaryOf(frame.message);
    const content: readonly unknown[] = Array.isArray(message.content)
      ? message.content
      : [{ type: 'text', text: message.content }];
    return { ...frame, message: { ...message, content: [...content, block] } };
  });
/** Changes its answers. */
const answers = (change: (response: Dictionary) => Dictionary) =>
  changesOutput((frame) => (isAnswer(frame) ? { ...frame, response: change(dictionaryOf(frame.response)) } : frame));
const decides = (change: (decision: Dictionary) => Dictionary) =>
  answers((response) => ({ ...response, response: change(dictionaryOf(response.response)) }));

/** Registers something, and answers the agent's requests to it by itself. */
const registered = (registers: Dictionary, subtype: string, response: Dictionary) => (): Interceptor => ({
  out: (frame) =>
    isRequest(frame, 'initialize') ? [{ ...frame, request: { ...requestOf(frame), ...registers } }] : [frame],
  in(frame, link) {
    if (!isRequest(frame, subtype)) return [frame];
    const answer = { subtype: 'success', request_id: frame.request_id, response };
    queueMicrotask(() => link.toClient({ type: 'control_response', response: answer }));
    return [];
  },
});

/** Allows a cancelled request after the end of the turn. */
function belated(): Interceptor {
  const asked = new Map<Link, unknown>();
  return {
    out: (frame) => (isAnswer(frame) ? [] : [frame]),
    in(frame, link) {
      if (isRequest(frame, 'can_use_tool')) asked.set(link, frame.request_id);
      const response = { subtype: 'success', request_id: asked.get(link), response: { behavior: 'allow' } };
      if (frame.type === 'result') queueMicrotask(() => link.toClient({ type: 'control_response', response }));
      return [frame];
    },
  };
}

/** Receives nothing more from there on. */
function deaf(): Interceptor {
  const links = new Set<Link>();
  return {
    in(frame, link) {
      if (frame.type === 'weather_report') links.add(link);
      return links.has(link) ? [] : [frame];
    },
  };
}

const status = (id: string): Dictionary => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'mcp_status' },
});

/** All mutants. */
export const clientMutants: readonly Mutant[] = [
  {
    fault: 'it sends a list',
    caughtBy: ['message-object'],
    make: () => ({
      out(frame, link) {
        if (isPrompt(frame)) link.say('[]');
        return [frame];
      },
    }),
  },
  { fault: 'it sends a result', caughtBy: ['message-type'], make: besides({ type: 'result', subtype: 'success' }) },
  { fault: 'it sends the weather', caughtBy: ['message-known'], make: besides({ type: 'weather_report' }) },
  {
    fault: 'a prompt says nothing',
    caughtBy: ['prompt-content'],
    make: besides({ type: 'user', message: { role: 'user', content: '' }, parent_tool_use_id: null, session_id: '' }),
  },
  { fault: 'a block that nobody knows', caughtBy: ['block-known'], make: withBlock({ type: 'smell' }) },
  {
    fault: 'two prompts have one uuid',
    caughtBy: ['prompt-uuid'],
    make: () => ({
      out: (frame) => (isPrompt(frame) ? [1, 2].map(() => ({ ...frame, uuid: 'one' })) : [frame]),
    }),
  },
  {
    fault: 'it asks for the tool servers before it introduces itself',
    caughtBy: ['initialize-first'],
    make: () => ({ out: (frame) => (isRequest(frame, 'initialize') ? [status('early'), frame] : [frame]) }),
  },
  { fault: 'two requests have one id', caughtBy: ['request-unique'], make: besides(status('same'), status('same')) },
  {
    fault: 'it never answers',
    caughtBy: ['ask-answered'],
    alsoCaughtBy: ['unknown-ignored'],
    make: dropsOutput(isAnswer),
  },
  {
    fault: 'it answers twice',
    caughtBy: ['answer-once'],
    make: () => ({ out: (frame) => (isAnswer(frame) ? [frame, frame] : [frame]) }),
  },
  {
    fault: 'it answers what nobody asked',
    caughtBy: ['answer-asked'],
    alsoCaughtBy: ['ask-answered'],
    make: answers((response) => ({ ...response, request_id: 'another' })),
  },
  {
    fault: 'a permission is for another call',
    caughtBy: ['permission-call'],
    make: decides((decision) => ({ ...decision, toolUseID: 'another' })),
  },
  { fault: 'what was withdrawn is allowed', caughtBy: ['withdrawn-left'], make: belated },
  {
    fault: 'a tool server answers under another id',
    caughtBy: ['server-answer'],
    make: registered({ sdkMcpServers: ['calc'] }, 'mcp_message', {
      mcp_response: { jsonrpc: '2.0', id: 99, result: {} },
    }),
  },
  {
    fault: 'it goes silent when it hears something new',
    caughtBy: ['unknown-ignored'],
    alsoCaughtBy: ['ask-answered'],
    make: deaf,
  },
];
