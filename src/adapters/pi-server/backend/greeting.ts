// The beginning of a session on a server: greeting, then a session of its own, then the subscription to it (docs/protocols/pi-server.md 2.1, 16.1, 17.1). Knows no prompt.
import type { Outbox } from '../../../core/contract/outbox.ts';
import { Opened } from './answers.ts';
import { ServerReady } from './frames.ts';
import type { AgentRequests, Answer } from './requests.ts';

/** What the greeting needs. */
export interface GreetingPorts {
  readonly out: Outbox;
  readonly requests: AgentRequests;
  readonly timeoutMs: number;
  /** Where the session is to work, if that is to be said. */
  readonly cwd: string | undefined;
  /** How the session is, as the server describes it. */
  described(sessionInfo: unknown): void;
  /** There will be no session. */
  fail(reason: string): void;
}

/** The way to a session. */
export interface AgentGreeting {
  /** Whether the session may be there, so that the server must be told to close it. */
  readonly isAsked: boolean;
  start(): void;
  /** A `server_ready`. */
  ready(line: unknown): void;
  /** Calls back once the session can be used; never, if it cannot. */
  whenOpen(then: () => void): void;
  /** Whether the timer was the one for all of this. */
  wake(timer: string): boolean;
  /** Nothing is waited for any more. */
  stop(): void;
}

/** The first part of the versions that we speak (docs/protocols/pi-server.md 2.1). */
const ourMajor = '1';
const timer = 'ready';

export function createAgentGreeting(ports: GreetingPorts): AgentGreeting {
  const { out, requests } = ports;
  let step: 'greeting' | 'create_session' | 'switch_session' | 'open' | 'over' = 'greeting';
  let isAsked = false;
  let waiting: (() => void)[] = [];

  function stop(): void {
    step = 'over';
    waiting = [];
    out.timer(timer, null);
  }

  function told(answer: Answer, next: () => void): void {
    if (step === 'over') return;
    if (answer.kind === 'refused') return ports.fail(answer.error);
    const opened = Opened.safeParse(answer.data);
    if (opened.success) ports.described(opened.data.sessionInfo);
    next();
  }

  function create(): void {
    step = 'create_session';
    isAsked = true;
    const { cwd } = ports;
    const line = { type: step, ...(cwd === undefined ? {} : { cwd }) };
    // Never twice on one name: a 2.2.1 answers the second by removing the first (docs/protocols/pi-server.md 17.14).
    requests.send(line, { isShort: false, done: (answer) => told(answer, subscribe) });
  }

  function subscribe(): void {
    step = 'switch_session';
    requests.send({ type: step }, { isShort: false, done: (answer) => told(answer, open) });
  }

  function open(): void {
    step = 'open';
    out.timer(timer, null);
    for (const then of waiting.splice(0)) then();
  }

  return {
    get isAsked() {
      return isAsked;
    },
    start: () => out.timer(timer, ports.timeoutMs),
    ready(line) {
      if (step !== 'greeting') return out.note('repair', 'server_ready: ignored a second greeting');
      const read = ServerReady.safeParse(line);
      const version = read.success ? read.data.data.protocolVersion.slice(0, 32) : 'an unknown version';
      if (version.split('.')[0] === ourMajor) return create();
      ports.fail(`the agent speaks ${version} of the pi-server protocol, and we speak ${ourMajor}.x`);
    },
    whenOpen(then) {
      if (step === 'open') then();
      else if (step !== 'over') waiting.push(then);
    },
    wake(name) {
      if (name !== timer) return false;
      if (step === 'open' || step === 'over') return true;
      ports.fail(`the pi-server did not answer in time (${step === 'greeting' ? 'it has not greeted us' : step})`);
      return true;
    },
    stop,
  };
}
