// Reads and checks patchbay.json: the agents and the gateway's limits. Agent commands come from here only
// (docs/threats.md T8).
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { protocols } from '../adapters/protocols.ts';
import { isDictionary } from '../core/model/dictionary.ts';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import { didYouMean } from '../core/model/similar-names.ts';
import { tapeIn } from '../gateway/tapes/tape-input.ts';
import { realInside } from '../stores/paths.ts';
import { AgentConfig } from './agent-config.ts';
import { type JsonPositions, lineAt, type Path, readPositions } from './json-positions.ts';
import { LimitsConfig } from './limits-config.ts';
import { mistakesIn } from './mistakes.ts';
import { TokenConfig } from './token-config.ts';

const ServerConfig = z.strictObject({
  host: z.string().default('127.0.0.1').describe('The address to listen on.'),
  port: z.int().min(0).max(65535).default(0).describe('The port to listen on; 0 is any free one.'),
  allowedOrigins: z
    .array(z.string())
    .default([])
    .describe('Web pages (scheme, host and port) that may connect from a browser.'),
  allowedHosts: z
    .array(z.string())
    .default([])
    .describe('Further names by which clients reach the gateway, as behind a load balancer: a host, or host:port.'),
  inspector: z.boolean().default(true).describe('Whether the page at / shows sessions and their wire.'),
});

const nodeAddress = /^https?:\/\/[^/?#@]+$/u;
const nodeAddressWords = 'is http://host:port or https://host:port, without a path';

/** The whole configuration. */
export const Config = z.strictObject({
  $schema: z.string().optional().describe('Where editors find the description of this file.'),
  agents: z
    .record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u, 'has 1 to 64 letters, digits, - and _'), AgentConfig)
    .default({})
    .describe('The agents by their names.'),
  defaultAgent: z
    .string()
    .optional()
    .describe('The agent for clients that name none. Default: the only one configured, else demo.'),
  roots: z
    .array(z.string())
    .default([])
    .describe(
      "Directories inside which a client on the network may choose a session's working directory, and stored sessions for the agent to open. Default: none.",
    ),
  exportDirectory: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where sessions are exported to, and the only place where clients on the network may write an export. Default: the working directory for a client on stdio, a new private directory of the gateway for all others.',
    ),
  sessionDirectory: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Where sessions are kept for agents that keep none. Default: patchbay/sessions in the user's state directory.",
    ),
  journal: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The folder in which `patchbay serve` keeps all sessions, so that they are there after a restart. For one gateway at a time. Default: none, and sessions end with the process.',
    ),
  store: z
    .string()
    .regex(
      /^rediss?:\/\/[^@]*$/u,
      'is redis://host:port or rediss://host:port, and a password belongs into the variable PATCHBAY_STORE',
    )
    .optional()
    .describe(
      'The Redis in which several gateways keep their sessions together, redis://host:port/database?prefix=, in the place of a journal. PATCHBAY_STORE holds an address with a password. Default: none.',
    ),
  advertise: z
    .string()
    .regex(nodeAddress, nodeAddressWords)
    .optional()
    .describe('Where the other gateways of the store reach this one, http://host:port. Needs PATCHBAY_NODE_SECRET.'),
  node: z
    .string()
    .regex(/^[A-Za-z0-9]{1,16}$/u, 'has 1 to 16 letters and digits')
    .optional()
    .describe(
      'The name of this gateway among nodes: ids of its new sessions begin with it. Needs PATCHBAY_NODE_SECRET.',
    ),
  nodes: z
    .record(
      z.string().regex(/^[A-Za-z0-9]{1,16}$/u, 'has 1 to 16 letters and digits'),
      z.string().regex(nodeAddress, nodeAddressWords),
    )
    .default({})
    .describe(
      'Gateways without a common store, and where they reach each other, http://host:port. A request for a session of another one is forwarded. Default: none.',
    ),
  frontends: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .default({})
    .describe(
      "Settings of a protocol for all its clients, by its name; the environment's go before (PATCHBAY_ and the name in capitals).",
    ),
  tokens: z
    .array(TokenConfig)
    .default([])
    .describe('Further tokens of clients on the network, each with its own rights. Default: the single token only.'),
  server: ServerConfig.prefault({}).describe('How clients on the network are served.'),
  limits: LimitsConfig.prefault({}).describe('What the gateway allows and how long it waits.'),
});
export type Config = z.infer<typeof Config>;

/** The JSON schema of the file, for editors. */
export function configSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(Config, { io: 'input', target: 'draft-07' });
}

/** The built-in agent that needs nothing. */
const demo: AgentConfig = { protocol: 'demo', title: 'built-in scripted agent' };

/**
 * Checks a configuration and adds the demo agent. Throws `invalid` with a line for each mistake; `place` gives the
 * prefix of the line.
 */
export function parseConfig(value: unknown, place: (path: Path) => string = () => ''): Config {
  // Without the compiled parser of zod: compiling costs more than one call saves.
  const parsed = Config.safeParse(value, { jitless: true });
  if (!parsed.success) {
    const mistakes = mistakesIn(value, parsed.error.issues, configSchema());
    throw new GatewayError('invalid', mistakes.map(({ path, words }) => `${place(path)}${words}`).join('\n'));
  }
  const agents: Config['agents'] = { demo };
  for (const [name, agent] of Object.entries(parsed.data.agents)) {
    agents[name] = agent.file === undefined ? agent : taped(agent, agent.file, place(['agents', name, 'file']));
  }
  const [first, second] = Object.keys(parsed.data.agents);
  const fallback = first !== undefined && second === undefined ? first : 'demo';
  const defaultAgent = parsed.data.defaultAgent ?? fallback;
  if (!Object.hasOwn(agents, defaultAgent)) {
    const words = `defaultAgent ${defaultAgent} is not among the agents; ${didYouMean(defaultAgent, Object.keys(agents))}`;
    throw new GatewayError('invalid', `${place(['defaultAgent'])}${words}`);
  }
  return { ...parsed.data, agents, defaultAgent };
}

/** The agent with the protocol of its tape. */
function taped(agent: AgentConfig, file: string, place: string): AgentConfig {
  try {
    const { protocol } = tapeIn(file);
    const isSpoken = protocol !== null && protocols.get(protocol)?.agent !== undefined;
    if (!isSpoken) throw new GatewayError('invalid', `nobody knows the protocol of ${file}`);
    return { ...agent, protocol };
  } catch (thrown) {
    throw new GatewayError('invalid', `${place}${messageOf(thrown)}`);
  }
}

/**
 * Reads the given configuration file, or `patchbay.json` in the working directory if it exists. Throws `invalid` if the
 * file cannot be read or has a mistake.
 */
export function loadConfig(path: string | undefined): Config {
  return withEnvironment(configIn(path), process.env);
}

/** Adds protocol settings from environment variables, as JSON objects. Throws `invalid` for any other value. */
export function withEnvironment(config: Config, environment: Readonly<Record<string, string | undefined>>): Config {
  const frontends = { ...config.frontends };
  for (const [id, { protocol }] of protocols) {
    if (protocol.client?.hasSettings !== true) continue;
    const name = `PATCHBAY_${id.replaceAll('-', '_').toUpperCase()}`;
    const text = environment[name];
    if (text === undefined || text === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (thrown) {
      throw new GatewayError('invalid', `${name}: ${messageOf(thrown)}`);
    }
    if (!isDictionary(value)) throw new GatewayError('invalid', `${name}: must be a JSON object`);
    frontends[id] = { ...frontends[id], ...value };
  }
  return { ...config, frontends };
}

/** The absolute path of the file that {@link loadConfig} reads; null if it reads none. */
export function configFileOf(path: string | undefined): string | null {
  return path === undefined && !existsSync(inDirectory) ? null : resolve(path ?? inDirectory);
}

const inDirectory = 'patchbay.json';

function configIn(path: string | undefined): Config {
  const file = path ?? inDirectory;
  let text: string;
  try {
    // Some editors begin a file with a byte order mark, which is not JSON.
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/u, '');
  } catch (thrown) {
    if (path === undefined) return parseConfig({});
    throw new GatewayError('invalid', `cannot read ${path}: ${messageOf(thrown)}`);
  }
  const places = readPositions(text);
  if (places.mistake !== null) {
    const { offset, words } = places.mistake;
    throw new GatewayError('invalid', `${file}:${lineAt(text, offset)}: ${words}`);
  }
  return parseConfig(JSON.parse(text), (part) => `${file}:${lineAt(text, nearest(places, part))}: `);
}

/** The offset of a part; for a missing part, the offset of the nearest existing parent. */
function nearest(places: JsonPositions, path: Path): number {
  return places.at(path) ?? (path.length === 0 ? 0 : nearest(places, path.slice(0, -1)));
}

/**
 * The real path of a directory chosen by a client. Throws `invalid` unless it exists inside one of `roots`
 * (docs/threats.md T8, T9).
 */
export function insideRoots(cwd: string, roots: readonly string[]): string {
  const real = realInside(cwd, roots);
  if (real !== null && statSync(real, { throwIfNoEntry: false })?.isDirectory() === true) return real;
  throw new GatewayError('invalid', 'cwd must be an existing directory inside one of the configured roots');
}
