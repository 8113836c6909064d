// Guesses the protocol of a tape, and refuses requests in this protocol.
import { dictionaryOf } from '../core/model/dictionary.ts';
import { type KnownFrame, knownFrame } from './frame-kind.ts';
import type { Tape } from './reader.ts';

/** Frames that occur in one protocol only, by their type. `agent_start` alone is pi's first protocol. */
const telling = new Map([
  ['server_ready', 'pi-server'],
  ['command_accepted', 'pi-server'],
  ['create_session', 'pi-server'],
  ['control_request', 'claude'],
  ['control_response', 'claude'],
  ['stream_event', 'claude'],
  ['assistant', 'claude'],
  ['extension_ui_request', 'pi'],
]);

/** How many frames are looked at. */
const looks = 1000;

/** The protocol of the agent, as the tape says or as its frames look; null if they look like none. */
export function protocolOfTape({ meta, frames }: Pick<Tape, 'meta' | 'frames'>): string | null {
  if (meta?.protocol !== undefined) return meta.protocol;
  let fallback: string | null = null;
  for (const { text, dir } of frames.slice(0, looks)) {
    if (dir === 'err') continue;
    const { json } = knownFrame(text);
    if (json === null) continue;
    if (isAcp(json)) return 'acp';
    if (json.jsonrpc === '2.0') fallback ??= 'eca';
    const type = String(json.type ?? '');
    const told = telling.get(type);
    if (told !== undefined) return told;
    if (type === 'response' && typeof json.command === 'string') fallback = 'pi';
    if (type === 'agent_start') fallback ??= 'pi-legacy';
  }
  return fallback;
}

/** ACP and ECA share JSON-RPC and the method `initialize`: only ACP names its version in a number, and has sessions. */
function isAcp({ jsonrpc, method, params, result }: Readonly<Record<string, unknown>>): boolean {
  if (jsonrpc !== '2.0') return false;
  const isGreeting = [params, result].some((body) => typeof dictionaryOf(body).protocolVersion === 'number');
  return isGreeting || (typeof method === 'string' && method.startsWith('session/'));
}

/** The answer of the protocol to a request that cannot be answered; null if the frame asks for no answer. */
export function refusalOf(protocol: string | null, { json, isAnswer }: KnownFrame, message: string): string | null {
  if (json === null || isAnswer) return null;
  const { id, type } = json;
  switch (protocol) {
    case 'acp':
    case 'eca':
      return id === undefined ? null : JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message } });
    case 'claude': {
      if (type !== 'control_request') return null;
      const response = { subtype: 'error', request_id: json.request_id, error: message };
      return JSON.stringify({ type: 'control_response', response });
    }
    case 'pi':
    case 'pi-server':
      return JSON.stringify({
        ...(id === undefined ? {} : { id }),
        type: 'response',
        command: type,
        success: false,
        error: message,
      });
    case 'pi-legacy':
      return JSON.stringify({ type: 'error', error: message });
    default:
      return null;
  }
}
