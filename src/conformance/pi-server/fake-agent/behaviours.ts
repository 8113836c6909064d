// The behaviours of our fake pi-server: the events of one prompt.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Behaviour } from '../../check/sets.ts';

/** Behaviours that a prompt can request by name. */
export const behaviours: readonly Behaviour[] = [
  { name: 'text', title: 'An answer of text, in pieces.' },
  { name: 'tool', title: 'A tool that runs and tells of its progress, then text.' },
  { name: 'questions', title: 'Extensions that ask with select, confirm, input and editor, and tell without asking.' },
  { name: 'withdrawn', title: 'A question whose time is over before anybody can answer.' },
  { name: 'endless', title: 'An answer that goes on until it is aborted.' },
  { name: 'fail', title: 'A model that fails.' },
  { name: 'timeout', title: 'A prompt whose time is over.' },
  { name: 'conflict', title: 'A prompt whose id somebody else has used.' },
  { name: 'newer', title: 'Frames, events and fields of a later version, and a question behind them.' },
  { name: 'crowd', title: 'Commands and sessions of other clients between the events of the prompt.' },
  { name: 'farewell', title: 'A server that is told to end while it answers.' },
  { name: 'incompatible', title: 'Text; the next connection of this run is greeted with protocol version 2.0.0.' },
];

/** How a prompt ends. */
export interface Ending {
  readonly error?: string;
  readonly timedOut?: true;
}

/** The actions that a behaviour can use. */
export interface BehaviourPorts {
  readonly prompt: string;
  readonly session: string;
  /** Id of the prompt. */
  readonly id: string;
  event(event: Dictionary): void;
  /** Sends a frame as it is. */
  send(frame: Dictionary): void;
  /** Asks the user; returns the answer, or null without one in time. */
  ask(question: Dictionary, timeoutMs?: number): Promise<Dictionary | null>;
  pause(ms: number): Promise<void>;
  /** Resolves when the client aborts the prompt or disconnects. */
  aborted(): Promise<void>;
  /** Accepts no more commands, and shuts down after this prompt. */
  shutDown(): void;
  /** Reports that another client has renamed this session. */
  renamed(commandId: string): void;
  greetNextAs(protocolVersion: string): void;
  mint(word: string): string;
}

const usage = {
  input: 3,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 8,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const model = { api: 'anthropic-messages', provider: 'conformance', model: 'conformance-1' };

/** Runs one prompt from its first to its last event. */
export async function runBehaviour(name: string, ports: BehaviourPorts): Promise<Ending> {
  const { event, prompt } = ports;
  const messages: Dictionary[] = [];
  const whole = (message: Dictionary) => {
    messages.push(message);
    event({ type: 'message_end', message });
  };
  const user = { role: 'user', content: [{ type: 'text', text: prompt }], timestamp: 1 };

  function begin(): Dictionary {
    const message = { role: 'assistant', content: [], ...model, usage, stopReason: 'stop', timestamp: 2 };
    event({ type: 'message_start', message });
    return message;
  }
  const update = (assistantMessageEvent: Dictionary, message: Dictionary) =>
    event({ type: 'message_update', assistantMessageEvent: { ...assistantMessageEvent, partial: message }, message });

  function text(words: string, more: Dictionary = {}): Dictionary {
    const blank = begin();
    let text = '';
    const grown = () => ({ ...blank, content: [{ type: 'text', text: text }] });
    update({ type: 'text_start', contentIndex: 0 }, grown());
    for (const delta of words.match(/\S+\s*/gu) ?? []) {
      text += delta;
      update({ type: 'text_delta', contentIndex: 0, delta }, grown());
    }
    update({ type: 'text_end', contentIndex: 0, content: text }, grown());
    const message = { ...grown(), ...more };
    whole(message);
    return message;
  }
  const turnEnd = (message: Dictionary, toolResults: readonly Dictionary[] = []) =>
    event({ type: 'turn_end', message, toolResults });

  async function tool(): Promise<void> {
    const call = { type: 'toolCall', id: ports.mint('call'), name: 'bash', arguments: { command: 'echo hello' } };
    const blank = begin();
    const grown = { ...blank, content: [call] };
    update({ type: 'toolcall_start', contentIndex: 0 }, grown);
    update({ type: 'toolcall_delta', contentIndex: 0, delta: JSON.stringify(call.arguments) }, grown);
    update({ type: 'toolcall_end', contentIndex: 0, toolCall: call }, grown);
    const message = { ...grown, stopReason: 'toolUse' };
    whole(message);
    const own = { toolCallId: call.id, toolName: call.name };
    event({ type: 'tool_execution_start', ...own, args: call.arguments });
    const result = { content: [{ type: 'text', text: 'hello\n' }], details: {} };
    event({ type: 'tool_execution_update', ...own, args: call.arguments, partialResult: result });
    event({ type: 'tool_execution_end', ...own, result, isError: false });
    const resultMessage = { role: 'toolResult', ...own, ...result, isError: false, timestamp: 3 };
    event({ type: 'message_start', message: resultMessage });
    whole(resultMessage);
    turnEnd(message, [resultMessage]);
    event({ type: 'turn_start' });
  }

  async function questions(): Promise<void> {
    await ports.ask({ method: 'select', title: 'Choose', options: ['Option A', 'Option B'] });
    await ports.ask({ method: 'confirm', title: 'Sure?', message: 'It cannot be undone.' });
    const notices: readonly Dictionary[] = [
      { method: 'notify', message: 'a note', notifyType: 'info' },
      { method: 'setStatus', key: 'k', text: 'busy' },
      { method: 'setTitle', title: 'a title' },
    ];
    for (const notice of notices) {
      event({ type: 'extension_ui_request', requestId: ports.mint(String(notice.method)), ...notice });
    }
    await ports.ask({ method: 'input', title: 'Name?', placeholder: 'a name' });
    await ports.ask({ method: 'editor', title: 'Text?', prefill: 'some text' });
  }

  async function newer(): Promise<void> {
    ports.send({ type: 'weather_report', data: { sky: 'clear' } });
    event({ type: 'constellation_changed', stars: [1, 2] });
    event({ type: 'extension_ui_request', requestId: ports.mint('new'), method: 'setMood', mood: 'fine', later: true });
    await ports.ask({ method: 'confirm', title: 'Still there?', message: 'After all that is new.', colour: 'blue' });
  }

  function crowd(): void {
    const commandId = ports.mint('someone');
    const data = { commandId, commandType: 'create_session', sessionId: ports.mint('another'), dependsOn: [] };
    ports.send({ type: 'command_accepted', data });
    ports.send({ type: 'command_started', data });
    ports.send({ type: 'command_finished', data: { ...data, success: true, sessionVersion: 0 } });
    const sessionInfo = { sessionId: data.sessionId, thinkingLevel: 'off', isStreaming: false, messageCount: 0 };
    ports.send({ type: 'session_created', data: { sessionId: data.sessionId, sessionInfo } });
    ports.send({ type: 'session_deleted', data: { sessionId: data.sessionId } });
    ports.renamed(ports.mint('someone'));
    // From 2.2 on a refused command gets no lifecycle but `finished`.
    const refused = { ...data, commandId: ports.mint('someone'), success: false, error: 'Rate limit exceeded' };
    ports.send({ type: 'command_finished', data: refused });
  }

  async function endless(): Promise<Ending> {
    const blank = begin();
    const grown = { ...blank, content: [{ type: 'text', text: 'and on' }] };
    update({ type: 'text_start', contentIndex: 0 }, grown);
    update({ type: 'text_delta', contentIndex: 0, delta: 'and on' }, grown);
    await ports.aborted();
    const message = { ...grown, stopReason: 'aborted', errorMessage: 'Operation aborted' };
    whole(message);
    turnEnd(message);
    event({ type: 'agent_end', messages });
    return {};
  }

  const refusals: ReadonlyMap<string, Ending> = new Map([
    ['conflict', { error: `Conflicting id '${ports.id}': previously used for 'get_state', now used for 'prompt'` }],
    ['timeout', { error: "Command 'prompt' timed out after 700ms", timedOut: true }],
  ]);
  if (name === 'conflict') return refusals.get(name) ?? {};

  event({ type: 'agent_start' });
  event({ type: 'turn_start' });
  event({ type: 'message_start', message: user });
  whole(user);
  if (name === 'endless') return endless();
  if (name === 'tool') await tool();
  if (name === 'questions') await questions();
  if (name === 'withdrawn') await ports.ask({ method: 'confirm', title: 'Quick?', message: 'Too late.' }, 1);
  if (name === 'newer') await newer();
  if (name === 'crowd') crowd();
  if (name === 'farewell') ports.shutDown();
  if (name === 'incompatible') ports.greetNextAs('2.0.0');
  const failed = { stopReason: 'error', errorMessage: 'the model has failed' };
  const cut = { stopReason: 'aborted', errorMessage: 'Operation aborted' };
  turnEnd(text('hello from conformance', name === 'fail' ? failed : name === 'timeout' ? cut : {}));
  event({ type: 'agent_end', messages });
  return refusals.get(name) ?? {};
}
