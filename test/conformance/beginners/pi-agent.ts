// A small agent of pi as somebody writes the first one, with the errors that people make. Each error can be mended.
import type { Channel } from '../../../src/core/contract/channel.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { memoryPair } from '../../../src/transports/memory.ts';

type Json = Readonly<Record<string, unknown>>;

const usage = {
  ...{ input: 3, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 8 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const model = { id: 'm1', name: 'M1', provider: 'mine', api: 'mine', reasoning: false };

/** Connects to a new agent. `mended`: the errors that it does not make. */
export function beginnersPi(mended: ReadonlySet<string>): Channel {
  const errs = (name: string) => !mended.has(name);
  const [near, far] = memoryPair();
  let messages: Json[] = [];
  let name: string | undefined;
  /** A prompt that has no end until it is aborted. */
  let running: { readonly id: unknown; readonly from: number } | null = null;

  const tell = (line: Json) => near.send(JSON.stringify(line));
  const stamped = (message: Json): Json => (errs('no timestamp') ? message : { ...message, timestamp: 1 });
  const respond = (id: unknown, command: string, data?: Json | readonly Json[]) =>
    tell({ id, type: 'response', command, success: true, ...(data === undefined ? {} : { data }) });

  function said(message: Json): Json {
    tell({ type: 'message_end', message });
    messages.push(message);
    return message;
  }

  function assistant(content: Json, stopReason: string): Json {
    const head = {
      role: 'assistant',
      api: 'mine',
      provider: 'mine',
      model: 'm1',
      ...(errs('no usage') ? {} : { usage }),
    };
    return stamped({ ...head, content: [content], stopReason });
  }

  type Kind = 'text' | 'toolcall';
  const update = (kind: Kind, type: string, more: Json = {}) => {
    const contentIndex = errs('blocks from 1') ? 1 : 0;
    tell({ type: 'message_update', assistantMessageEvent: { type: `${kind}_${type}`, contentIndex, ...more } });
  };

  /** The beginning of a message of one block. */
  function begins(kind: Kind, delta: string): void {
    tell({ type: 'message_start', message: { ...assistant({}, 'stop'), content: [] } });
    update(kind, 'start');
    update(kind, 'delta', { delta });
  }

  function speaks(content: Json, kind: Kind, delta: string, end: Json, stopReason: string): Json {
    begins(kind, delta);
    update(kind, 'end', end);
    return said(assistant(content, stopReason));
  }

  const endOf = (text: string) => (errs('text_end without content') ? {} : { content: text });

  function words(text: string): Json {
    return speaks({ type: 'text', text }, 'text', text, endOf(text), errs('end_turn') ? 'end_turn' : 'stop');
  }

  function toolTurn(): void {
    const [toolCallId, toolName, args] = ['call-1', 'list', { path: '.' }];
    const toolCall = { type: 'toolCall', id: toolCallId, name: toolName, arguments: args };
    const message = speaks(toolCall, 'toolcall', JSON.stringify(args), { toolCall }, 'toolUse');
    const result = { content: [{ type: 'text', text: 'two files' }] };
    tell({ type: 'tool_execution_start', toolCallId, toolName, args });
    tell({ type: 'tool_execution_end', toolCallId, toolName, result, isError: false });
    const told = stamped({ role: 'toolResult', toolCallId, toolName, ...result, isError: false });
    tell({ type: 'message_start', message: told });
    turnEnds(message, [said(told)]);
    tell({ type: 'turn_start' });
  }

  function turnEnds(message: Json, toolResults: readonly Json[]): void {
    tell({ type: 'turn_end', message, ...(errs('no toolResults') ? {} : { toolResults }) });
  }

  function prompted(id: unknown, text: string): void {
    const from = messages.length;
    if (!errs('answer behind the run')) respond(id, 'prompt');
    for (const type of ['agent_start', 'turn_start']) tell({ type });
    const user = stamped({ role: 'user', content: [{ type: 'text', text }] });
    tell({ type: 'message_start', message: user });
    said(user);
    if (text.includes('tool')) toolTurn();
    if (text.includes('endless')) {
      begins('text', 'On and on');
      running = { id, from };
      return;
    }
    ends(words(`You said: ${text}`), { id, from });
  }

  function ends(last: Json, { id, from }: NonNullable<typeof running>): void {
    running = null;
    turnEnds(last, []);
    tell({ type: 'agent_end', ...(errs('agent_end without messages') ? {} : { messages: messages.slice(from) }) });
    if (errs('answer behind the run')) respond(id, 'prompt');
  }

  function state(): Json {
    const own = { isStreaming: running !== null, isCompacting: false, sessionId: 's1', messageCount: messages.length };
    const named = errs('name not told') ? {} : { sessionName: name };
    if (errs('state without its fields')) return { ...own, ...named, model };
    const modes = { steeringMode: 'all', followUpMode: 'all', autoCompactionEnabled: true };
    return { ...own, ...named, ...modes, model, thinkingLevel: 'off', pendingMessageCount: 0 };
  }

  function obey({ id, type, ...command }: Json): void {
    switch (type) {
      case 'prompt':
        return prompted(id, String(command.message));
      case 'abort':
        if (running !== null) {
          update('text', 'end', endOf('On and on'));
          ends(said(assistant({ type: 'text', text: 'On and on' }, 'aborted')), running);
        }
        return errs('abort unanswered') ? undefined : respond(id, 'abort');
      case 'get_state':
        return respond(id, type, state());
      case 'get_messages':
        return respond(id, type, errs('messages as the data') ? messages : { messages });
      case 'set_session_name':
        name = String(command.name);
        return respond(id, type);
      case 'new_session':
        messages = [];
        return respond(id, type, { cancelled: false });
      default:
        if (errs('unknown command')) return tell({ type: 'error', message: `unknown command ${String(type)}` });
        return tell({ id, type: 'response', command: type, success: false, error: 'unknown command' });
    }
  }

  if (errs('chatter')) near.send('Agent is ready.');
  near.open({
    frame({ text }) {
      // Some libraries that read lines end one at these characters as well.
      const lines = errs('lines end at U+2028') ? text.split(/[\u2028\u2029\u0085]/u) : [text];
      try {
        for (const line of lines) obey(dictionaryOf(JSON.parse(line)));
      } catch {
        if (errs('dies of bad JSON')) near.close('error', 'agent exited (code 1)');
        else tell({ type: 'response', command: 'parse', success: false, error: 'no JSON' });
      }
    },
    fault() {},
    end() {},
  });
  return far;
}
