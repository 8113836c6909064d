// The handshake with an ECA server: `initialize`, its answer, `initialized`. Also decides how long queries for models
// wait (docs/protocols/eca.md 4.15, 6.1 to 6.3).

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Problem } from '../../../core/model/errors.ts';
import { InitializeResult } from '../wire/server.ts';
import type { AgentInfo } from './agent-info.ts';
import { workspaceFolder } from './encode-prompt.ts';
import type { Requests } from './requests.ts';

/** The handshake of one connection. */
export interface Handshake {
  start(): void;
  /** Calls back when the server accepts requests, or has failed to start. */
  whenReady(then: (problem: Problem | null) => void): void;
  /** Calls back when the server has reported its models, or will not. */
  whenKnown(then: () => void): void;
  /** Progress of a start-up task (`$/progress`, since 0.118). */
  progress(params: { readonly type?: unknown; readonly taskId?: unknown }): void;
  /** Must be called when the server may have reported its models. */
  infoArrived(): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
}

/** The dependencies of the handshake. */
export interface HandshakePorts {
  readonly out: Outbox;
  readonly requests: Requests;
  readonly info: AgentInfo;
  readonly folders: readonly string[];
  readonly modelsTimeoutMs: number;
  /** See AgentInfo. */
  resume(): string | undefined;
  /** Opens the stored chat. Absent: the first prompt begins a chat. */
  readonly open: ((done: (problem: Problem | null) => void) => void) | undefined;
}

const timer = 'models';

export function createHandshake(ports: HandshakePorts): Handshake {
  const { out, requests, info, folders, modelsTimeoutMs, open } = ports;
  /** Undefined until the server has answered. */
  let problem: Problem | null | undefined;
  let isKnown = false;
  const ready: ((problem: Problem | null) => void)[] = [];
  const known: (() => void)[] = [];

  function settleKnown(): void {
    if (isKnown) return;
    isKnown = true;
    out.timer(timer, null);
    for (const then of known.splice(0)) then();
  }

  function answered(found: Problem | null): void {
    problem = found;
    for (const then of ready.splice(0)) then(found);
    if (found !== null) settleKnown();
    else infoArrived();
  }

  function infoArrived(): void {
    if (problem === null && (info.known.models?.length ?? 0) > 0) settleKnown();
  }

  return {
    start() {
      const params = {
        // A pid that the server cannot see makes the server exit at once (docs/protocols/eca.md 6.1).
        processId: null,
        clientInfo: { name: 'patchbay' },
        initializationOptions: {},
        capabilities: { codeAssistant: { chat: true } },
        workspaceFolders: folders.map(workspaceFolder),
      };
      requests.ask('initialize', params, (answer) => {
        if ('error' in answer) {
          return answered({ code: answer.code, message: `the agent did not start: ${answer.error}` });
        }
        const { data } = InitializeResult.safeParse(answer.result ?? {});
        if (data === undefined) out.note('violation', 'initialize: a malformed result');
        info.initialized(data ?? {}, ports.resume());
        requests.tell('initialized', {});
        out.timer(timer, modelsTimeoutMs);
        if (open === undefined) answered(null);
        else open(answered);
      });
    },
    whenReady(then) {
      if (problem === undefined) ready.push(then);
      else then(problem);
    },
    whenKnown(then) {
      if (isKnown) then();
      else known.push(then);
    },
    progress({ type, taskId }) {
      if (type === 'finish' && taskId === 'models') settleKnown();
    },
    infoArrived,
    onTimer(name) {
      if (name !== timer) return false;
      settleKnown();
      return true;
    },
  };
}
