// A small ECA server as somebody writes the first one, with the errors that people make. Each error can be mended.
import type { Channel } from '../../../src/core/contract/channel.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { memoryPair } from '../../../src/transports/memory.ts';

type Json = Readonly<Record<string, unknown>>;

const call = { id: 'call-1', name: 'list', origin: 'native', arguments: { path: '.' } };

/** Connects to a new server. `mended`: the errors that it does not make. */
export function beginnersEca(mended: ReadonlySet<string>): Channel {
  const errs = (name: string) => !mended.has(name);
  const [near, far] = memoryPair();
  let chats = 0;

  const tell = (message: Json) =>
    near.send(JSON.stringify(errs('no jsonrpc') ? message : { jsonrpc: '2.0', ...message }));
  const notify = (method: string, params: Json) => tell({ method, params });
  const answer = (id: unknown, more: Json) => tell({ id: errs('ids as words') ? String(id) : id, ...more });

  function play(chatId: string, words: string): void {
    const say = (role: string, content: Json) => notify('chat/contentReceived', { chatId, role, content });
    if (!errs('no echo')) say('user', { type: 'text', text: `${words}\n` });
    const ofServer = errs('progress of the assistant') ? 'assistant' : 'system';
    say(ofServer, { type: 'progress', state: 'running', text: 'Thinking' });
    if (words.includes('endless')) return;
    if (words.includes('tool')) {
      const { arguments: input, ...head } = call;
      if (!errs('call not prepared')) say('assistant', { type: 'toolCallPrepare', ...head, argumentsText: '' });
      if (!errs('call not prepared'))
        say('assistant', { type: 'toolCallPrepare', ...head, argumentsText: JSON.stringify(input) });
      say('assistant', { type: 'toolCallRun', ...call, manualApproval: false });
      const outputs = [{ type: 'text', text: 'two files', content: 'two files' }];
      if (!errs('call without end')) say('assistant', { type: 'toolCalled', ...call, error: false, outputs });
    }
    say('assistant', { type: 'text', text: `You said ${words}` });
    finish(chatId);
  }

  function finish(chatId: string): void {
    if (errs('no finished')) return;
    const role = errs('progress of the assistant') ? 'assistant' : 'system';
    const content = { type: 'progress', state: 'finished', text: '' };
    notify('chat/contentReceived', { chatId, role, content });
  }

  function prompted(id: unknown, { chatId: named, message = '' }: Json): void {
    if (named === undefined) chats += 1;
    const chatId = String(named ?? `chat-${chats}`);
    const result = { chatId, status: 'success', ...(errs('no model in the answer') ? {} : { model: 'm1' }) };
    answer(id, { result });
    play(chatId, String(message));
  }

  function hear({ id, method, params }: Json): void {
    switch (method) {
      case 'initialize':
        return answer(id, { result: { chatWelcomeMessage: 'Hello', models: ['m1'], chatDefaultModel: 'm1' } });
      case 'initialized':
        return notify('tool/serverUpdated', { type: 'native', name: 'ECA', status: 'running', tools: [] });
      case 'chat/prompt':
        return prompted(id, dictionaryOf(params));
      case 'chat/promptStop':
        if (!errs('stop ignored')) finish(String(dictionaryOf(params).chatId));
        return undefined;
      case 'chat/queryCommands':
        return answer(id, { result: { commands: [] } });
      case 'chat/queryContext':
        return answer(id, { result: { contexts: [] } });
      case 'shutdown':
        return answer(id, { result: errs('shutdown with a result') ? {} : null });
      default:
        if (id === undefined || errs('silent at unknown methods')) return undefined;
        return answer(id, { error: { code: -32601, message: 'no such method' } });
    }
  }

  near.open({
    frame({ text }) {
      try {
        hear(dictionaryOf(JSON.parse(text)));
      } catch {
        if (errs('dies of bad JSON')) near.close('error', 'the server exited (code 1)');
        else tell({ id: null, error: { code: -32700, message: 'no JSON' } });
      }
    },
    fault() {},
    end() {},
  });
  return far;
}
