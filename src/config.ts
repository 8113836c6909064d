// patchbay.json, checked: which agents there are and what the gateway may use. Commands come from here only (threat T8).
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { adapters } from './adapters/index.ts';
import { isDictionary } from './core/dictionary.ts';
import { GatewayError, messageOf } from './core/errors.ts';
import { realInside } from './stores/paths.ts';

/** An agent: a program to start or an address to connect to, and the protocol that it speaks. */
export const AgentConfig = z
  .strictObject({
    /** An adapter id with an agent side, e.g. `pi` or `demo`. */
    protocol: z.string(),
    /** The program and its arguments, never a shell line. */
    command: z.tuple([z.string().min(1)], z.string()).optional(),
    /** Address of an agent that runs elsewhere: of its WebSocket, or of its stream of server-sent events. */
    url: z
      .string()
      .regex(/^(?:ws|http)s?:\/\//u, 'must start with ws://, wss://, http:// or https://')
      .optional(),
    /** Where frames are posted to an agent whose `url` is a stream of server-sent events. */
    sendUrl: z
      .string()
      .regex(/^https?:\/\//u, 'must start with http:// or https://')
      .optional(),
    /** Name of the environment variable that holds the bearer token for `url` and `sendUrl`. */
    tokenVariable: z.string().optional(),
    /** Working directory of the program. */
    cwd: z.string().optional(),
    /** Added to the gateway's own environment for the program. */
    env: z.record(z.string(), z.string()).optional(),
    /** Options of the adapter. */
    options: z.record(z.string(), z.unknown()).optional(),
    title: z.string().optional(),
  })
  .refine(
    (agent) => agent.command === undefined || agent.url === undefined,
    'an agent has a command or a url, not both',
  )
  .refine(
    (agent) => (agent.sendUrl !== undefined) === (agent.url?.startsWith('http') ?? false),
    'an http:// or https:// url and a sendUrl belong together',
  );
export type AgentConfig = z.infer<typeof AgentConfig>;

/** The whole configuration. */
export const Config = z.strictObject({
  agents: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/u), AgentConfig).default({}),
  /** The agent for clients that name none. Default: the only one configured, else `demo`. */
  defaultAgent: z.string().optional(),
  /**
   * Directories inside which a client on the network may choose a session's working directory, and stored sessions for
   * the agent to open. Default: none.
   */
  roots: z.array(z.string()).default([]),
  /**
   * Where sessions are exported to, and the only place where clients on the network may write an export. Default: the
   * working directory for a client on stdio, a new private directory of the gateway for all others.
   */
  exportDirectory: z.string().min(1).optional(),
  /** Where sessions are kept for agents that keep none. Default: `patchbay/sessions` in the user's state directory. */
  sessionDirectory: z.string().min(1).optional(),
  /** Settings of a protocol for all its clients, by its id; the environment's go before (`PATCHBAY_` and the id in capitals). */
  frontends: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      /** 0: any free port. */
      port: z.int().min(0).max(65535).default(0),
      /** Web pages (scheme, host and port) that may connect from a browser. */
      allowedOrigins: z.array(z.string()).default([]),
    })
    .prefault({}),
  limits: z
    .strictObject({
      sessions: z.int().min(1).default(100),
      /** A session without clients and without a run is closed after this, ms. */
      idleSessionMs: z
        .int()
        .min(1000)
        .default(30 * 60_000),
      /** An open approval or dialog is denied or cancelled after this, ms. */
      questionMs: z
        .int()
        .min(10)
        .default(10 * 60_000),
      /** An agent that does not stop so long after an abort is ended, ms. */
      abortMs: z.int().min(10).default(10_000),
      /** An agent that is silent for so long inside a run is ended, ms; null: never. */
      silenceMs: z.int().min(10).nullable().default(null),
      /** Longest frame of an agent, bytes. */
      agentFrameBytes: z
        .int()
        .min(1024)
        .default(32 * 1024 * 1024),
      /** Longest frame of a client, bytes. */
      clientFrameBytes: z
        .int()
        .min(1024)
        .default(8 * 1024 * 1024),
    })
    .prefault({}),
});
export type Config = z.infer<typeof Config>;

/** The built-in agent that needs nothing. */
const demo: AgentConfig = { protocol: 'demo', title: 'built-in scripted agent' };

/** Checks a configuration and adds the demo agent. Throws `invalid` with the place of the mistake. */
export function parseConfig(value: unknown): Config {
  const parsed = Config.safeParse(value);
  if (!parsed.success) throw new GatewayError('invalid', z.prettifyError(parsed.error));
  const agents = { demo, ...parsed.data.agents };
  const [first, second] = Object.keys(parsed.data.agents);
  const fallback = first !== undefined && second === undefined ? first : 'demo';
  const defaultAgent = parsed.data.defaultAgent ?? fallback;
  if (!Object.hasOwn(agents, defaultAgent)) {
    throw new GatewayError('invalid', `defaultAgent ${defaultAgent} is not among the agents`);
  }
  return { ...parsed.data, agents, defaultAgent };
}

/**
 * Reads the configuration file: the given one, or `patchbay.json` here if there is one. Throws `invalid` when it
 * cannot be read or is wrong.
 */
export function loadConfig(path: string | undefined): Config {
  return withEnvironment(configIn(path), process.env);
}

/** With the settings that the environment holds, as JSON, of protocols that have any. Throws `invalid` where that is none. */
export function withEnvironment(config: Config, environment: Readonly<Record<string, string | undefined>>): Config {
  const frontends = { ...config.frontends };
  for (const { id, settings } of adapters.values()) {
    if (settings === undefined) continue;
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

function configIn(path: string | undefined): Config {
  let text: string;
  try {
    text = readFileSync(path ?? 'patchbay.json', 'utf8');
  } catch (thrown) {
    if (path === undefined) return parseConfig({});
    throw new GatewayError('invalid', `cannot read ${path}: ${messageOf(thrown)}`);
  }
  try {
    return parseConfig(JSON.parse(text));
  } catch (thrown) {
    throw new GatewayError('invalid', `${path ?? 'patchbay.json'}: ${messageOf(thrown)}`);
  }
}

/**
 * The real path of a directory that a client has chosen. Throws `invalid` unless it exists inside one of `roots`
 * (threats T8, T9).
 */
export function insideRoots(cwd: string, roots: readonly string[]): string {
  const real = realInside(cwd, roots);
  if (real !== null && statSync(real, { throwIfNoEntry: false })?.isDirectory() === true) return real;
  throw new GatewayError('invalid', 'cwd must be an existing directory inside one of the configured roots');
}
