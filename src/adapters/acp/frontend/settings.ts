// Settings that a client changes (docs/protocols/acp.md 3.21 to 3.25).
import { type ConfigOption, configOptions } from '../config-options.ts';
import type { RpcId } from '../json-rpc.ts';
import type { Category } from '../wire/content.ts';
import { type Chat, infoOf } from './chats.ts';
import { type Actions, type ConnectionPorts, noSession } from './connection.ts';

/** The settings of one connection's sessions. */
export interface Settings {
  setOption(id: RpcId, sessionId: string, configId: string, value: string | boolean): Actions;
  setMode(id: RpcId, sessionId: string, modeId: string): Actions;
  /** A removed draft that clients still send (docs/protocols/acp.md 3.24). */
  setModel(id: RpcId, sessionId: string, modelId: string): Actions;
  /** The options on the wire, as the client has set them. */
  options(chat: Chat): readonly object[];
}

/** `chats`: by id. */
export function createSettings(ports: ConnectionPorts, chats: ReadonlyMap<string, Chat>): Settings {
  const all = (chat: Chat): ConfigOption[] => configOptions(infoOf(chat), ports.dialect().switches);

  function options(chat: Chat): readonly object[] {
    return all(chat).map(({ wire }) => {
      const chosen = chat.chosen.get(wire.id);
      // Some agents do not report a change that was requested.
      const isUnreported = chosen !== undefined && chosen.before === wire.currentValue;
      return isUnreported ? { ...wire, currentValue: chosen.value } : wire;
    });
  }

  function set(
    id: RpcId,
    sessionId: string,
    { id: named, about }: { readonly id: string; readonly about?: Category },
    value: string | boolean,
    answer: (chat: Chat) => object,
  ): Actions {
    const chat = chats.get(sessionId);
    if (chat === undefined) return ports.refuse(id, noSession(sessionId));
    const option = all(chat).find((one) => (about === undefined ? one.wire.id === named : one.about === about));
    const fits = option?.values === null ? typeof value === 'boolean' : option?.values.includes(String(value));
    if (option === undefined || fits !== true) {
      const what = option === undefined ? `there is no option ${JSON.stringify(named.slice(0, 64))}` : notOffered;
      return ports.refuse(id, { code: 'invalid', message: what });
    }
    return ports.ask(chat.target, option.command(value), (outcome) => {
      if (!outcome.ok) return ports.refuse(id, outcome.error);
      chat.chosen.set(option.wire.id, { value, before: option.wire.currentValue });
      // Some agents tell the change only after their answer; it is in when they have answered once more.
      return ports.ask(chat.target, { type: 'query', subject: 'state' }, () => ports.answer(id, answer(chat)));
    });
  }

  return {
    options,
    setOption: (id, sessionId, configId, value) =>
      set(id, sessionId, { id: configId }, value, (chat) => ({ configOptions: options(chat) })),
    setMode: (id, sessionId, modeId) => set(id, sessionId, { id: 'mode', about: 'mode' }, modeId, () => ({})),
    setModel: (id, sessionId, modelId) => set(id, sessionId, { id: 'model', about: 'model' }, modelId, () => ({})),
  };
}

const notOffered = 'the value is none that the option offers';
