// Opens a session on a server: greeting, creation of the session, subscription (docs/protocols/pi-server.md 2.1, 16.1,
// 17.1).
import { z } from 'zod';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import { beginsAnew, type Resumption } from '../../../core/contract/adapter/stored-conversations.ts';
import { Opened } from './answers.ts';
import { ServerReady } from './frames.ts';
import type { AgentRequests, Answer } from './requests.ts';

/** The functions and values that the greeting needs. */
export interface OpenSessionPorts {
  readonly out: Outbox;
  readonly requests: AgentRequests;
  readonly timeoutMs: number;
  /** The working folder of the session, if it must be sent. */
  readonly cwd: string | undefined;
  /** The session file to load instead of creating a session. */
  readonly resume: Resumption | undefined;
  /** Called when a session was loaded whose history nobody knows. */
  loaded(): void;
  /** Called when the server has described the session. */
  described(sessionInfo: unknown): void;
  /** Called when the session cannot be opened. */
  fail(reason: string): void;
}

/** The opening of a session. */
export interface SessionOpening {
  /** True if the server may have created the session, so that the session must be closed on the server. */
  readonly isAsked: boolean;
  start(): void;
  /** Handles a `server_ready`. */
  ready(line: unknown): void;
  /** Calls back once the session can be used, and never if the opening fails. */
  whenOpen(then: () => void): void;
  /** Handles a timer. Returns whether the timer was the deadline of the opening. */
  onTimer(timer: string): boolean;
  /** Stops waiting. */
  stop(): void;
}

const Emptied = z.looseObject({ sessionInfo: z.looseObject({ messageCount: z.literal(0) }) });
const Listed = z.looseObject({
  sessions: z.array(z.looseObject({ sessionId: z.string(), sessionFile: z.string().optional() })),
});

/** The supported major version (docs/protocols/pi-server.md 2.1). */
const ourMajor = '1';
const timer = 'ready';

export function createSessionOpening(ports: OpenSessionPorts): SessionOpening {
  const { out, requests } = ports;
  let step: 'greeting' | 'list_sessions' | 'load_session' | 'create_session' | 'switch_session' | 'open' | 'over' =
    'greeting';
  let isAsked = false;
  let waiting: (() => void)[] = [];

  function stop(): void {
    step = 'over';
    waiting = [];
    out.timer(timer, null);
  }

  function goOnAfter(answer: Answer, next: () => void): void {
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
    // Send only once for each name: 2.2.1 answers a second request with this name by removing the first session
    // (docs/protocols/pi-server.md 17.14).
    requests.send(line, { isShort: false, done: (answer) => goOnAfter(answer, () => subscribe()) });
  }

  /**
   * The server may still have the session open, under the name of a connection that was cut. Two sessions must not write
   * into one file.
   */
  function resume({ name, isKnown }: Resumption): void {
    step = 'list_sessions';
    requests.send(
      { type: step },
      {
        session: null,
        done(answer) {
          if (step === 'over') return;
          const { sessions = [] } = (answer.kind === 'data' ? Listed.safeParse(answer.data).data : undefined) ?? {};
          const [open] = sessions.filter(({ sessionFile }) => sessionFile === name);
          if (open === undefined) return load(name, isKnown);
          if (!isKnown) return ports.fail('the session is open on the pi-server already');
          requests.send({ type: 'delete_session' }, { session: open.sessionId, done: () => load(name, isKnown) });
        },
      },
    );
  }

  function load(sessionPath: string, isKnown: boolean): void {
    if (step === 'over') return;
    step = 'load_session';
    isAsked = true;
    requests.send(
      { type: step, sessionPath },
      {
        isShort: false,
        done(answer) {
          if (answer.kind === 'data' || !isKnown) {
            // Some servers load files that do not exist (docs/protocols/pi-server.md 20.2).
            const isEmpty = answer.kind === 'data' && Emptied.safeParse(answer.data).success;
            if (isKnown && isEmpty) tellNew();
            return goOnAfter(answer, () => subscribe(isKnown ? () => {} : ports.loaded));
          }
          if (step === 'over') return;
          tellNew();
          create();
        },
      },
    );
  }

  const tellNew = () => out.deliver({ type: 'notice', level: 'warning', source: 'gateway', text: beginsAnew });

  function subscribe(then: () => void = () => {}): void {
    step = 'switch_session';
    const opened = () => {
      then();
      open();
    };
    requests.send({ type: step }, { isShort: false, done: (answer) => goOnAfter(answer, opened) });
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
      if (version.split('.')[0] === ourMajor) return ports.resume === undefined ? create() : resume(ports.resume);
      ports.fail(`the agent speaks ${version} of the pi-server protocol, and we speak ${ourMajor}.x`);
    },
    whenOpen(then) {
      if (step === 'open') then();
      else if (step !== 'over') waiting.push(then);
    },
    onTimer(name) {
      if (name !== timer) return false;
      if (step === 'open' || step === 'over') return true;
      ports.fail(`the pi-server did not answer in time (${step === 'greeting' ? 'it has not greeted us' : step})`);
      return true;
    },
    stop,
  };
}
