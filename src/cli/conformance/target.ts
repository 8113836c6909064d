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
import type { Address, Program, Server, Target } from '../../conformance/runner/target.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { streamFraming } from '../../transports/framing/framings.ts';
import { webSocketChannel } from '../../transports/websocket/dial.ts';
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
  const [word, ...rest] = command;
  const program = word === undefined ? null : programOf([word, ...rest], options, model);
  const ways = waysOf(options, program);
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
    label: program === null ? options.url.map(withoutSecrets).join(', ') : command.join(' '),
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

type Ways = Pick<Target, 'websocket' | 'sse' | 'stdio'>;

/** The program speaks on stdio, unless it is a server with a ready line. */
function waysOf({ url: urls, ready, token }: ConformanceOptions, program: Program | null): Ways {
  if (program !== null && ready === undefined) return { stdio: program };
  let ways: Ways = {};
  for (const url of urls.length === 0 && ready !== undefined ? ['{ready}'] : urls) {
    const isServer = program !== null && ready !== undefined;
    const way = isServer ? serverOf({ url, ready, token }, program) : addressOf(url, token);
    ways = { ...ways, [transportOf(url)]: way };
  }
  return ways;
}

/** A ready line alone names a WebSocket. */
function transportOf(url: string): 'websocket' | 'sse' {
  if (/^(?:wss?:|\{ready\})/u.test(url)) return 'websocket';
  if (/^https?:/u.test(url)) return 'sse';
  throw unusable(url);
}

const unusable = (url: string) =>
  new GatewayError('invalid', `--url must begin with ws://, wss://, http:// or https://: ${url}`);

interface ServerWords {
  readonly url: string;
  readonly ready: RegExp;
  readonly token: string | undefined;
}

function serverOf({ url, ready, token }: ServerWords, program: Program): Server {
  return {
    ...program,
    ready({ text }, port) {
      const found = ready.exec(text);
      if (found === null) return null;
      const filled = url.replaceAll('{ready}', found[1] ?? found[0]).replaceAll('{port}', port);
      if (transportOf(filled) !== transportOf(url))
        throw new GatewayError('invalid', `--ready finds no WebSocket, add --url 'ws:…' or 'http:…': ${filled}`);
      return addressOf(filled, found.groups?.token ?? token);
    },
  };
}

function addressOf(url: string, token: string | undefined): Address {
  if (!URL.canParse(url)) throw unusable(url);
  return withSessions({ url, ...(token === undefined ? {} : { token }) });
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
