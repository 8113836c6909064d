// Reads and checks patchbay.json: the agents and the gateway's limits. Agent commands come from here only
// (docs/threats.md T8).
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { noProtocol, protocols, protocolsOf } from '../adapters/protocols.ts';
import { isDictionary } from '../core/model/dictionary.ts';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import { didYouMean } from '../core/model/similar-names.ts';
import { parseFault } from '../faults/grammar.ts';
import { tapeIn } from '../gateway/tapes/tape-input.ts';
import { realInside } from '../stores/paths.ts';
import { type JsonPositions, lineAt, type Path, readPositions } from './json-positions.ts';
import { mistakesIn } from './mistakes.ts';
import { TokenConfig } from './token-config.ts';

/** The protocol of an agent that is a tape. Whatever protocol the tape holds takes its place. */
const replay = 'replay';

function isFault(text: string, context: z.RefinementCtx): void {
  try {
    parseFault(text);
  } catch (thrown) {
    context.addIssue({ code: 'custom', message: messageOf(thrown), input: text });
  }
}

/** An agent: its protocol, and a program to start or an address to connect to. */
export const AgentConfig = z
  .strictObject({
    protocol: z
      .string()
      .refine((id) => id === replay || protocols.get(id)?.agent !== undefined, {
        error: ({ input }) => noProtocol(String(input), 'agent'),
      })
      .meta({
        description: 'The protocol that the agent speaks, e.g. pi or claude.',
        enum: [...protocolsOf('agent'), replay],
      }),
    command: z
      .tuple([z.string().min(1)], z.string())
      .optional()
      .describe('The program and its arguments, one word each; no shell reads them.'),
    url: z
      .string()
      .regex(/^(?:ws|http)s?:\/\//u, 'must start with ws://, wss://, http:// or https://')
      .optional()
      .describe(
        'The address of an agent that runs elsewhere: of its WebSocket, or of its stream of server-sent events. An agent has a command or a url.',
      ),
    sendUrl: z
      .string()
      .regex(/^https?:\/\//u, 'must start with http:// or https://')
      .optional()
      .describe('Where frames are posted to an agent whose url is a stream of server-sent events.'),
    tokenVariable: z
      .string()
      .optional()
      .describe('The environment variable that holds the bearer token for url and sendUrl.'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe('The tape of an agent with the protocol replay, which speaks the protocol of its tape.'),
    speed: z
      .union([z.number().positive(), z.literal('max')])
      .optional()
      .describe('How many times faster the tape is played than it was recorded. Default 1.'),
    faults: z
      .array(z.string().superRefine(isFault))
      .optional()
      .describe('What goes wrong between the gateway and the tape, e.g. "drop p0.01": docs/guides/chaos.md.'),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1)
      .optional()
      .describe('What chance in faults depends on. Each session of the agent has chances of its own. Default 0.'),
    cwd: z.string().optional().describe('The working directory of the program.'),
    env: z
      .record(z.string(), z.string())
      .optional()
      .describe("Variables for the program, added to the gateway's own environment."),
    options: z.record(z.string(), z.unknown()).optional().describe('Options of the protocol.'),
    title: z.string().optional().describe('What lists call the agent.'),
  })
  .refine(
    (agent) => agent.command === undefined || agent.url === undefined,
    'an agent has a command or a url, not both',
  )
  .refine(
    ({ protocol, file, command, url }) =>
      (protocol === replay) === (file !== undefined) && (file === undefined || (command ?? url) === undefined),
    'the protocol replay and a file belong together, without a command and a url',
  )
  .refine(
    ({ protocol, faults, seed }) => protocol === replay || (faults === undefined && seed === undefined),
    'faults and seed belong to the protocol replay; for a program, put patchbay chaos in front of its command',
  )
  .refine(
    (agent) => (agent.sendUrl !== undefined) === (agent.url?.startsWith('http') ?? false),
    'an http:// or https:// url and a sendUrl belong together',
  );
export type AgentConfig = z.infer<typeof AgentConfig>;

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

const minute = 60_000;
const mebibyte = 1024 * 1024;
const PerToken = z.strictObject({
  connections: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Streams and WebSockets; null: as many as there may be.'),
  sessions: z.int().min(1).nullable().default(null).describe('Open sessions; null: as many as there may be.'),
  agents: z.int().min(1).default(100).describe('Agents that run at the same time.'),
  questions: z.int().min(1).default(256).describe('Open approvals and dialogs; further ones are denied.'),
});
const Limits = z.strictObject({
  sessions: z.int().min(1).default(1000).describe('How many sessions may be open.'),
  connections: z
    .int()
    .min(1)
    .optional()
    .describe('How many streams and WebSockets may be open. Default 4096 on loopback, 512 beyond.'),
  perToken: PerToken.prefault({}).describe('What all clients with the same token may use together.'),
  leaseMs: z
    .int()
    .min(500)
    .default(10_000)
    .describe('How long sessions in Redis stay with a gateway that is not heard of, ms.'),
  segmentBytes: z
    .int()
    .min(4096)
    .default(64 * 1024 * 1024)
    .describe('Records of a session in the journal after which a snapshot replaces them, bytes.'),
  idleSessionMs: z
    .int()
    .min(1000)
    .default(30 * minute)
    .describe('A session without clients and without a run is closed after this, ms.'),
  questionMs: z
    .int()
    .min(10)
    .default(10 * minute)
    .describe('An open approval or dialog is denied or cancelled after this, ms.'),
  abortMs: z.int().min(10).default(5000).describe('An agent that does not stop so long after an abort is ended, ms.'),
  silenceMs: z
    .int()
    .min(10)
    .nullable()
    .default(null)
    .describe('An agent that is silent for so long inside a run is ended, ms; null: never.'),
  startMs: z
    .int()
    .min(10)
    .nullable()
    .default(minute)
    .describe('An agent that says nothing for so long after its start is ended, ms; null: never.'),
  drainMs: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(10_000)
    .describe('How long open runs may go on after the gateway on the network was told to stop, ms.'),
  agentFrameBytes: z
    .int()
    .min(1024)
    .default(32 * mebibyte)
    .describe('The longest frame of an agent, bytes.'),
  clientFrameBytes: z
    .int()
    .min(1024)
    .default(8 * mebibyte)
    .describe('The longest frame of a client, bytes.'),
  tapeBytes: z
    .int()
    .min(1024)
    .default(256 * mebibyte)
    .describe('The longest tape of `serve --record`, bytes. A longer one ends early, and the log says so.'),
  wireBytes: z
    .int()
    .min(64 * 1024)
    .default(4 * mebibyte)
    .describe('How much of the wire of a session the inspector keeps, bytes. Beyond it, the oldest rows go.'),
  transcriptBytes: z
    .int()
    .min(64 * 1024)
    .default(64 * mebibyte)
    .describe('How much conversation a session may keep, bytes. Beyond it, its run fails and its agent is ended.'),
  allTranscriptBytes: z
    .int()
    .min(64 * 1024)
    .nullable()
    .default(null)
    .describe(
      'How much conversation all sessions may keep together, bytes; null: a quarter of the memory that Node may use. Beyond it, the session that keeps the most is closed.',
    ),
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
  limits: Limits.prefault({}).describe('What the gateway allows and how long it waits.'),
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
