// Builds the target of `patchbay conformance`: how the agent is reached, its prompts, and its model.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { loadAdapter } from '../../adapters/protocols.ts';
import type { Settings } from '../../conformance/check/check.ts';
import { agentSetOf } from '../../conformance/index.ts';
import type { ModelHome } from '../../conformance/model/environment.ts';
import { claudeScript, demoScript, modelScript } from '../../conformance/runner/scripts.ts';
import type { Address, Program, Target } from '../../conformance/runner/target.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { streamFraming } from '../../transports/framing/framings.ts';
import { webSocketChannel } from '../../transports/websocket.ts';
import type { ConformanceOptions } from './options.ts';

/** Protocols whose known agents accept any Messages API (conformance/model/environment.ts). */
const withModel: ReadonlySet<string> = new Set(['pi', 'pi-legacy', 'claude', 'acp']);

/** Whether the agent gets our fake model. */
export function bringsModel(protocol: string, command: readonly string[], options: ConformanceOptions): boolean {
  if (options.model !== undefined) return options.model && command.length > 0;
  const isElse = options.prompts === 'demo' || isOwnDemo(command);
  return withModel.has(protocol) && command.length > 0 && !isElse;
}

/** Whether the command is our own program with our demo agent, which needs no model. */
function isOwnDemo(command: readonly string[]): boolean {
  return command.some((word, at) => word === '--agent=demo' || (word === '--agent' && command[at + 1] === 'demo'));
}

/** Throws `invalid` if neither a program nor an address is given. */
export async function targetOf(
  protocol: string,
  command: readonly string[],
  options: ConformanceOptions,
  model: ModelHome | null,
): Promise<Target> {
  const { framing, envelope } = await loadAdapter(protocol, 'agent');
  const [program, ...rest] = command;
  const addresses = addressesOf(options);
  const ways = {
    ...addresses,
    ...(program === undefined ? {} : { stdio: programOf([program, ...rest], options, model) }),
  };
  const names = Object.keys(ways);
  if (names.length === 0) {
    throw new GatewayError('invalid', 'where is the agent? add `-- <program> <arguments…>` or --url <url>');
  }
  const { transport, bounds } = options;
  if (transport !== undefined && !names.includes(transport)) {
    throw new GatewayError('invalid', `there is no way to reach it over ${transport}, only over ${names.join(', ')}`);
  }
  return {
    ...ways,
    ...(options.cwd === undefined ? {} : { folder: path.resolve(options.cwd) }),
    label: program === undefined ? options.url.map(withoutSecrets).join(', ') : command.join(' '),
    framing: streamFraming(framing.stdio),
    messages: framing.websocket,
    envelope: envelope?.({}),
    script: scriptOf(protocol, options, model !== null),
    connectBinary,
    ...(bounds === undefined ? {} : { settings: (wanted: Settings) => ({ [bounds]: JSON.stringify(wanted) }) }),
  };
}

function programOf(
  [program, ...rest]: Program['command'],
  { cwd }: ConformanceOptions,
  model: ModelHome | null,
): Program {
  return {
    command: [found(program), ...rest.map(foundArgument)],
    ...(cwd === undefined ? {} : { cwd }),
    ...(model === null ? {} : { env: model.settle }),
  };
}

/** Makes a relative path absolute, because the program runs in another directory. */
function found(word: string): string {
  const isPath = word.includes('/') && !path.isAbsolute(word) && existsSync(word);
  return isPath ? path.resolve(word) : word;
}

/**
 * An argument may also be the plain name of a file here. Without an extension it is more likely a word, as in `--mode
 * rpc`.
 */
function foundArgument(word: string): string {
  const isFile = path.extname(word) !== '' && existsSync(word) && statSync(word).isFile();
  return isFile ? path.resolve(word) : found(word);
}

function addressesOf({ url: urls, token }: ConformanceOptions): Pick<Target, 'websocket' | 'sse'> {
  let ways: Pick<Target, 'websocket' | 'sse'> = {};
  for (const text of urls) {
    const protocol = URL.canParse(text) ? new URL(text).protocol : '';
    const address: Address = { url: text, ...(token === undefined ? {} : { token }) };
    if (protocol === 'ws:' || protocol === 'wss:') ways = { ...ways, websocket: withSessions(address) };
    else if (protocol === 'http:' || protocol === 'https:') ways = { ...ways, sse: withSessions(address) };
    else throw new GatewayError('invalid', `--url must begin with ws://, wss://, http:// or https://: ${text}`);
  }
  return ways;
}

/** On a server with our URL paths, a session must be created before the first connection. */
function withSessions(address: Address): Address {
  const socket = /^ws(s?:.*)\/v1\/[^/]+\/ws\?(?:.*&)?session=\{session\}(?:&.*)?$/u.exec(address.url);
  if (socket !== null) return { ...address, sessions: `http${socket[1]}/v1/sessions` };
  const ours = /^(.*)\/v1\/[^/]+\/sessions\/\{session\}\/?(\?.*)?$/u.exec(address.url);
  if (ours === null) return address;
  const [, base = '', query = ''] = ours;
  return { ...address, url: address.url.replace('{session}/', '{session}'), sessions: `${base}/v1/sessions${query}` };
}

function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${decodeURIComponent(pathname)}`;
}

const Script = z.record(z.string(), z.string());

function scriptOf(
  protocol: string,
  { prompts, script }: ConformanceOptions,
  isOurModel: boolean,
): ReadonlyMap<string, string> {
  const forModel = protocol === 'claude' ? claudeScript : modelScript;
  const words = prompts ?? (isOurModel ? 'model' : 'demo');
  const base = words === 'model' ? forModel : words === 'demo' ? demoScript : new Map<string, string>();
  if (script === undefined) return base;
  let given: [word: string, prompt: string][];
  try {
    given = Object.entries(Script.parse(JSON.parse(readFileSync(script, 'utf8'))));
  } catch (thrown) {
    const why = thrown instanceof z.ZodError ? z.prettifyError(thrown) : messageOf(thrown);
    throw new GatewayError('invalid', `cannot read ${script}: ${why}`, { cause: thrown });
  }
  const known = wordsOf(protocol);
  const unknown = given.flatMap(([word]) => (known.has(word) ? [] : [word]));
  if (unknown.length > 0) {
    const words = [...known].sort().join(', ');
    throw new GatewayError(
      'invalid',
      `${script}: no check of ${protocol} prompts ${unknown.join(', ')}; the words are ${words}`,
    );
  }
  return new Map([...base, ...given]);
}

/** The script words that checks and scenarios of the protocol need. */
function wordsOf(protocol: string): ReadonlySet<string> {
  const { checks = [], scenarios = [] } = agentSetOf(protocol) ?? {};
  return new Set([...checks, ...scenarios].flatMap(({ needs }) => needs?.script ?? []));
}

function connectBinary({ url, token }: Address): ReturnType<NonNullable<Target['connectBinary']>> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { headers });
  const channel = webSocketChannel(socket, { label: 'binary' });
  return { channel, sendBinary: (text) => socket.send(Buffer.from(text)) };
}
