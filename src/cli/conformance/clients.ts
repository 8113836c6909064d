// Judges clients: plays the agent for clients on stdio, over the network, or started by us, until they have left.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { loadAdapter, protocolOf } from '../../adapters/protocols.ts';
import type { Result } from '../../conformance/check/check.ts';
import { chooserOfAny } from '../../conformance/check/pattern.ts';
import type { ClientSet } from '../../conformance/check/sets.ts';
import { visible } from '../../conformance/report/safe-text.ts';
import { type ClientRun, createClientRun } from '../../conformance/runner/client-runner.ts';
import { createJudgingGateway } from '../../conformance/runner/judging-gateway.ts';
import { createRelay } from '../../conformance/runner/relay.ts';
import type { Channel } from '../../core/contract/channel.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { followStderr } from '../../transports/child/last-words.ts';
import { adoptGroup } from '../../transports/child/process-group.ts';
import { streamFraming } from '../../transports/framing/framings.ts';
import { stdioChannel } from '../../transports/stdio.ts';
import type { ConformanceOptions } from './options.ts';
import type { Terminal, TextStream } from './outcome.ts';
import type { ProgressLine } from './progress.ts';

/** The checks, the client's command line and the output of one run. */
export interface ClientsOptions {
  readonly set: ClientSet;
  readonly command: readonly string[];
  readonly options: ConformanceOptions;
  readonly progress: ProgressLine;
  readonly terminal: Terminal;
}

/** The results of a run. */
export interface JudgedClients {
  readonly results: readonly Result[];
  /** The judged client, in words. */
  readonly target: string;
  /** The reason if the run ended before the clients left. */
  readonly givenUp?: string;
}

/** The run ends when no client has been connected for this long, ms. */
const quietMs = 2000;
/** A client program may be silent for this many times the patience, because it may be compiled first. */
const mostPatience = 12;

/** Tracks the connected clients. */
interface Visitors {
  readonly run: ClientRun;
  take(channel: Channel): void;
  /** Resolves when a client has prompted and no client has been connected for a moment. */
  readonly left: Promise<void>;
  /** Resolves when no client is connected. */
  gone(): Promise<void>;
}

/** Judges all clients until they have left or the signal is aborted. */
export async function judgeClients(given: ClientsOptions): Promise<JudgedClients> {
  const { set, options, progress, command } = given;
  const only = chooserOfAny(options.only);
  const read = new Set(set.rules.filter(({ id }) => only(id)).flatMap(({ scenarios }) => scenarios));
  const run = createClientRun(set, {
    patienceMs: options.patience,
    only: ({ id }) => only(id),
    progress: (behaviour) => progress.say(`behaviour ${behaviour} (${run.behaviours.size} of ${read.size})`),
  });
  const visitors = createVisitors(run);
  const givenUp = await (options.stdio === true ? onStdio : overNetwork)(given, visitors);
  const target =
    command.length > 0
      ? command.join(' ')
      : options.stdio === true
        ? 'the program that started us'
        : 'the clients that connected';
  return { results: run.results(), target, ...(givenUp === undefined ? {} : { givenUp }) };
}

function createVisitors(run: ClientRun): Visitors {
  const here = new Set<Promise<void>>();
  let leave = (): void => {};
  let quiet: NodeJS.Timeout | undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  return {
    run,
    left,
    take(channel) {
      clearTimeout(quiet);
      const visit = run.serve(channel);
      here.add(visit);
      const over = () => {
        here.delete(visit);
        if (here.size === 0 && run.behaviours.size > 0) quiet = setTimeout(leave, quietMs);
      };
      visit.then(over, over);
    },
    async gone() {
      while (here.size > 0) await Promise.allSettled([...here]);
    },
  };
}

/** Judges the client on our own stdin and stdout. */
async function onStdio({ set, terminal: { signal } }: ClientsOptions, visitors: Visitors): Promise<undefined> {
  const framing = streamFraming(protocolOf(set.protocol).framing.stdio);
  visitors.take(stdioChannel({ input: process.stdin, output: process.stdout, label: 'stdio', framing }));
  await Promise.race([visitors.gone(), aborted(signal)]);
}

/** Judges clients over the network. Returns the reason if the run was given up. */
async function overNetwork(given: ClientsOptions, visitors: Visitors): Promise<string | undefined> {
  const { set, command, options, progress, terminal } = given;
  // Imported here only: the rest of this command does not serve and starts faster without the HTTP packages.
  const { listen, generateToken } = await import('../../transports/http/server.ts');
  const { title, framing, envelope } = await loadAdapter(set.protocol, 'client');
  const { take } = visitors;
  const board = createJudgingGateway({ protocol: set.protocol, title, messages: framing.websocket, envelope, take });
  const token = options.token ?? generateToken();
  const server = await listen({
    board,
    port: typeof options.listen === 'number' ? options.listen : 0,
    token,
  });
  const address = {
    url: `${server.url.replace('http', 'ws')}/v1/${set.protocol}/ws`,
    http: server.url,
    token,
  };
  try {
    if (command.length > 0) return await withProgram(given, visitors, address);
    for (const line of welcome(set, address)) progress.say(line);
    await Promise.race([visitors.left, aborted(terminal.signal)]);
    return undefined;
  } finally {
    // Do not delay the report for idle connections that a client keeps open.
    await atMost(500, server.close());
  }
}

interface Place {
  readonly url: string;
  readonly http: string;
  readonly token: string;
}

function welcome(set: ClientSet, { url, http, token }: Place): readonly string[] {
  return [
    `A judging agent for ${set.protocol} clients listens on`,
    `  ${url}`,
    `  ${http}/v1/${set.protocol}/sessions/<name>/events and …/frames`,
    `  token ${token}`,
    'Prompts are answered with these behaviours in turn; a prompt that contains [[name]] requests that behaviour:',
    ...set.behaviours.map(({ name, title }) => `  [[${name}]]  ${title}`),
    'The report is printed when the client has left, or on Ctrl-C.',
  ];
}

/** Starts the client program and waits for its end. Returns the reason if the client was given up. */
async function withProgram(
  { set, command, options, terminal }: ClientsOptions,
  visitors: Visitors,
  place: Place,
): Promise<string | undefined> {
  const { signal, stderr } = terminal;
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-relay-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const { take } = visitors;
  const relay = await createRelay({ folder, framing: streamFraming(protocolOf(set.protocol).framing.stdio), take });
  const words = { ...place, agent: relay.path };
  const [program = '', ...rest] = command.map((word) => filled(word, words));
  const silence = silenceOf(visitors.run, options.patience);
  try {
    const child = spawn(program, rest, {
      cwd: options.cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATCHBAY_CONFORMANCE_URL: place.url,
        PATCHBAY_CONFORMANCE_HTTP: place.http,
        PATCHBAY_CONFORMANCE_TOKEN: place.token,
        PATCHBAY_CONFORMANCE_AGENT: relay.path,
      },
    });
    const group = child.pid === undefined ? undefined : adoptGroup(child.pid);
    const complaint = followStderr(child.stderr);
    if (options.verbose === true) {
      for (const output of [child.stdout, child.stderr]) show(output, stderr);
    } else {
      child.stdout.resume();
    }
    const ended = new Promise<string>((resolve) => {
      child.once('error', ({ message }) => resolve(`could not be started: ${message}`));
      const tell = (code: number | null, killer: string | null) =>
        resolve(code === null ? `ended by ${killer}` : `ended with code ${code}`);
      child.once('close', tell);
      // A surviving child of the client may hold the output open forever.
      child.once('exit', (code, killer) => setTimeout(tell, quietMs, code, killer));
    });
    const how = await Promise.race([ended, aborted(signal), silence.late]);
    group?.dissolve(1000);
    // The last frames of the client may still be on their way.
    await atMost(quietMs, visitors.gone(), aborted(signal));
    for (const output of [child.stdout, child.stderr]) output.destroy();
    if (visitors.run.behaviours.size > 0) return silence.isOver ? `the client ${how}` : undefined;
    if (signal.aborted) return undefined;
    const words = complaint();
    throw new GatewayError('invalid', `the client ${how} and never prompted${words === '' ? '' : `:\n${words}`}`);
  } finally {
    silence.stop();
    await relay.close();
    process.off('exit', remove);
    remove();
  }
}

/** Detects that no client has connected, or that nothing was sent, for too long. */
function silenceOf(run: ClientRun, patienceMs: number) {
  let [lastActivity, times, isOver] = [run.activity, 0, false];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      times = run.activity === lastActivity ? times + 1 : 0;
      lastActivity = run.activity;
      if (times < mostPatience) return;
      isOver = true;
      const what = lastActivity === 0 ? 'it has not connected' : 'nothing was said';
      resolve(`was given up because ${what} in ${(mostPatience * patienceMs) / 1000} s (--patience)`);
    }, patienceMs);
  });
  return {
    late,
    get isOver() {
      return isOver;
    },
    stop: () => clearInterval(timer),
  };
}

/** Copies the output with control characters escaped. */
function show(output: Readable, stream: TextStream): void {
  const decoder = new TextDecoder();
  output.on('data', (chunk: Uint8Array) => stream.write(visible(decoder.decode(chunk, { stream: true }))));
}

/** Replaces `{url}`, `{http}`, `{token}` and `{agent}` in an argument of the command line. */
function filled(word: string, values: Readonly<Record<'url' | 'http' | 'token' | 'agent', string>>): string {
  return word
    .replaceAll('{url}', values.url)
    .replaceAll('{http}', values.http)
    .replaceAll('{token}', values.token)
    .replaceAll('{agent}', values.agent);
}

/**
 * Resolves with the first of these, or after `ms`. No `AbortSignal.timeout`: Node 20 collects one that only an
 * `AbortSignal.any` refers to, and then the time never ends.
 */
async function atMost(ms: number, ...first: readonly Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([...first, late]);
  } finally {
    clearTimeout(timer);
  }
}

function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const stop = () => resolve('was stopped');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}
