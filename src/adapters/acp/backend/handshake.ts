// From a fresh connection to a session: `initialize`, then session/new, or the way back to a stored session
// (docs/protocols/acp.md 2, 3.14 to 3.17).

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import { beginsAnew, type Resumption } from '../../../core/contract/adapter/stored-conversations.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Outcome, Problem } from '../../../core/model/errors.ts';
import type { BroughtServer } from '../../../core/model/session-info.ts';
import { rpcCodes } from '../json-rpc.ts';
import { type AgentCapabilities, InitializeResult, NewSessionResult, SessionSetup } from '../wire/agent.ts';
import { protocolVersion } from '../wire/version.ts';
import type { AgentInfo } from './agent-info.ts';
import type { AgentLogin } from './login.ts';
import { type Answer, outcomeOf, type Requests } from './requests.ts';
import { serversFor } from './tool-servers.ts';

/** What the gateway can do as a client (docs/protocols/acp.md 9.60). */
const clientCapabilities = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  elicitation: { form: {}, url: {} },
  _meta: { terminal_output: true },
};

/** The beginning of one session. */
export interface Handshake {
  /** The session; empty until there is one. */
  readonly session: string;
  /** The agent tells the past of the session. */
  readonly isTelling: boolean;
  /** The agent repeats the past, which is known already. */
  readonly isRepeating: boolean;
  readonly can: AgentCapabilities;
  start(): void;
  /** Calls back when there is a session, or none can be had. */
  whenReady(then: (problem: Problem | null) => void): void;
  /** Begins another session on the same connection. */
  renew(done: (outcome: Outcome) => void): void;
}

/** The dependencies of the handshake. */
export interface HandshakePorts {
  readonly out: Outbox;
  readonly requests: Requests;
  readonly info: AgentInfo;
  readonly login: AgentLogin;
  /** Absolute paths; the first is the working directory. */
  readonly folders: readonly string[];
  readonly toolServers: readonly BroughtServer[];
  readonly resume: Resumption | undefined;
  /** The agent has told the past of the session. */
  told(): void;
  /** There is a session: plays what came for it too early. */
  begun(session: string): void;
}

export function createHandshake(ports: HandshakePorts): Handshake {
  const { out, requests, info, login, folders, toolServers, resume } = ports;
  /** Undefined until it is known. */
  let problem: Problem | null | undefined;
  let session = '';
  let can: AgentCapabilities = {};
  let state: 'beginning' | 'telling' | 'repeating' | 'live' = 'beginning';
  const waiting: ((problem: Problem | null) => void)[] = [];

  function settle(found: Problem | null): void {
    problem = found;
    state = 'live';
    for (const then of waiting.splice(0)) then(found);
  }

  function failed(answer: Extract<Answer, { error: string }>): void {
    const outcome = outcomeOf(answer);
    if (outcome.ok) return;
    const hint = answer.code === rpcCodes.loginNeeded ? login.hint() : null;
    if (hint !== null) out.deliver({ type: 'notice', level: 'error', text: hint, source: 'gateway' });
    const { code, message } = outcome.error;
    settle({ code, message: hint === null ? message : `${message}. ${hint}` });
  }

  function place(): object {
    const { servers, problems } = serversFor(toolServers, can);
    for (const text of problems) out.deliver({ type: 'notice', level: 'warning', text, source: 'gateway' });
    const [cwd = '/', ...others] = folders;
    const takesMore = dictionaryOf(can.sessionCapabilities).additionalDirectories;
    const more = takesMore && others.length > 0 ? { additionalDirectories: others } : {};
    return { cwd, mcpServers: servers, ...more };
  }

  function begun(id: string, setup: SessionSetup): void {
    session = id;
    const canReturn = can.loadSession === true || Boolean(can.sessionCapabilities?.resume);
    info.learn({ agentSessionId: id, ...(canReturn ? { resume: id } : {}) });
    info.setup(setup);
    settle(null);
    ports.begun(id);
  }

  function create(isAnew: boolean): void {
    requests.ask('session/new', place(), (answer) => {
      if ('error' in answer) return failed(answer);
      const { data } = NewSessionResult.safeParse(answer.result);
      if (data === undefined) return settle({ code: 'agent-refused', message: 'the agent answered session/new oddly' });
      begun(data.sessionId, data);
      if (isAnew) out.deliver({ type: 'notice', level: 'warning', source: 'gateway', text: beginsAnew });
    });
  }

  /** Whatever the error is, a known conversation begins anew (docs/protocols/acp.md 1.8). */
  function reopen({ name, isKnown }: Resumption): void {
    const resumes = Boolean(can.sessionCapabilities?.resume);
    const loads = can.loadSession === true;
    if (!resumes && !loads) {
      if (isKnown) return create(true);
      return settle({ code: 'unsupported', message: 'the agent cannot open a stored session' });
    }
    const method = resumes && (isKnown || !loads) ? 'session/resume' : 'session/load';
    session = name;
    state = isKnown ? 'repeating' : 'telling';
    requests.ask(method, { sessionId: name, ...place() }, (answer) => {
      state = 'live';
      if ('error' in answer) {
        session = '';
        if (isKnown) return create(true);
        return settle({ code: 'not-found', message: answer.error });
      }
      if (!isKnown) ports.told();
      begun(name, SessionSetup.catch({}).parse(dictionaryOf(answer.result)));
    });
  }

  return {
    get session() {
      return session;
    },
    get isTelling() {
      return state === 'telling';
    },
    get isRepeating() {
      return state === 'repeating';
    },
    get can() {
      return can;
    },
    start() {
      const clientInfo = { name: 'patchbay', title: 'Patchbay', version: '1' };
      requests.ask('initialize', { protocolVersion, clientCapabilities, clientInfo }, (answer) => {
        if ('error' in answer) return failed(answer);
        const { data } = InitializeResult.safeParse(answer.result);
        if (data === undefined)
          return settle({ code: 'agent-refused', message: 'the agent answered initialize oddly' });
        if (data.protocolVersion !== protocolVersion) {
          const message = `the agent speaks version ${data.protocolVersion} of ACP alone`;
          return settle({ code: 'unsupported', message });
        }
        can = data.agentCapabilities ?? {};
        login.learn(data.authMethods ?? []);
        if (resume === undefined) create(false);
        else reopen(resume);
      });
    },
    whenReady(then) {
      if (problem === undefined) waiting.push(then);
      else then(problem);
    },
    renew(done) {
      const former = session;
      requests.ask('session/new', place(), (answer) => {
        if ('error' in answer) return done(outcomeOf(answer));
        const { data } = NewSessionResult.safeParse(answer.result);
        if (data === undefined) {
          return done({ ok: false, error: { code: 'agent-refused', message: 'the agent answered session/new oddly' } });
        }
        if (can.sessionCapabilities?.close) requests.ask('session/close', { sessionId: former }, () => {});
        out.deliver({ type: 'history-reset', reason: 'new' });
        begun(data.sessionId, data);
        done({ ok: true, data: { cancelled: false } });
      });
    },
  };
}
