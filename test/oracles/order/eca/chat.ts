// One chat as its client receives it: runs, reasoning, calls. The contents already have the fields of their type.
import { type ArgumentsReader, createCalls } from './calls.ts';
import type { EcaReport } from './rules.ts';
import { Output, type Received } from './shapes.ts';

/** Bytes that a client of the first era reads at once (docs/protocols/eca.md 2.12). */
const mostBytes = 4096;
/** Length of `Content-Length: 4095` and the empty line. */
const headerBytes = 24;

/** The checker of one chat. */
export interface Chat {
  /** `bytes`: size of the whole message as JSON. */
  content(received: Received, at: number, bytes: number): void;
  status(status: unknown, at: number): void;
  /** The chat was cleared: forget everything before. */
  clear(): void;
  deleted(): void;
  /** The client has prompted, which recreates a deleted chat. */
  prompted(): void;
  /** The echoed texts of the user, each once. */
  readonly echoes: string[];
  /** The run that a new prompt would wait for, counted from 1; null when none is open. */
  readonly openRun: number | null;
  /** How many runs have begun. */
  readonly runs: number;
  /** The chat was deleted at some time: a prompt that waited then never runs. */
  readonly wasDeleted: boolean;
  /** `complete`: no run may be open. */
  end(at: number, complete: boolean): void;
}

/** A new chat. */
export function createChat(report: EcaReport, readers: readonly ArgumentsReader[]): Chat {
  const calls = createCalls(report, readers);
  const echoes: string[] = [];
  const thoughts = new Map<unknown, 'open' | 'closed'>();
  let run: { readonly from: number } | null = null;
  let runs = 0;
  let status: unknown = 'idle';
  let isDeleted = false;
  let wasDeleted = false;

  function open(at: number): void {
    if (run !== null) return;
    // Calls left by the last run may end until now (docs/protocols/eca.md 4.6: a stop while an approval waits).
    calls.settle(at);
    run = { from: at };
    runs += 1;
  }

  function finish(at: number): void {
    if (run === null) return report('finished-twice', at, `finished ${runs === 0 ? 'before any run' : 'again'}`);
    if (status === 'running') report('status', at, 'finished while the status is running');
    closeThoughts(at);
    run = null;
  }

  function closeThoughts(at: number): void {
    for (const [id, state] of thoughts) {
      if (state === 'open') report('reason-unclosed', at, `${String(id)} is open`);
      thoughts.set(id, 'closed');
    }
  }

  function progress(content: Readonly<Record<string, unknown>>, at: number): void {
    const isRunning = content.state === 'running';
    if (typeof content.text !== 'string') report('progress', at, `${String(content.state)} without text`);
    else if (isRunning && content.text === '') report('progress', at, 'running with an empty text');
    if (isRunning) open(at);
    else finish(at);
  }

  function thought(content: Readonly<Record<string, unknown>>, at: number): void {
    const state = thoughts.get(content.id);
    if (content.type === 'reasonStarted') {
      if (state !== undefined) report('reason-id', at, `${String(content.id)} again`);
      thoughts.set(content.id, 'open');
      return;
    }
    if (state !== 'open') report('reason-open', at, `${String(content.type)} of ${String(content.id)}`);
    if (content.type === 'reasonFinished') thoughts.set(content.id, 'closed');
  }

  function assistant(content: Readonly<Record<string, unknown>>, at: number, bytes: number): void {
    const isLate = content.type === 'toolCallRejected' && calls.isOpen(content.id);
    if (run === null && !isLate) report('outside-run', at, `${String(content.type)} outside a run`);
    switch (content.type) {
      case 'text':
      case 'reasonText':
        if (bytes + headerBytes >= mostBytes) report('size', at, `${bytes + headerBytes} bytes`);
        if (content.type === 'reasonText') thought(content, at);
        break;
      case 'reasonStarted':
      case 'reasonFinished':
        thought(content, at);
        break;
      case 'toolCallPrepare':
      case 'toolCallRun':
      case 'toolCallRunning':
      case 'toolCallRejected':
        calls.content(content, at);
        break;
      case 'toolCalled':
        checkOutputs(content.outputs, at);
        calls.content(content, at);
        break;
      default:
    }
  }

  function checkOutputs(outputs: unknown, at: number): void {
    const bad = Array.isArray(outputs) && outputs.find((output) => !Output.safeParse(output).success);
    if (bad) report('outputs', at, JSON.stringify(bad));
  }

  return {
    echoes,
    get openRun() {
      return run === null ? null : runs;
    },
    get runs() {
      return runs;
    },
    get wasDeleted() {
      return wasDeleted;
    },
    content({ role, content }, at, bytes) {
      if (isDeleted) return report('deleted', at, `${content.type} of a chat that is deleted`);
      if (role === 'assistant') return assistant(content, at, bytes);
      if (role === 'user') {
        echoes.push(String(content.text));
        open(at);
      } else if (content.type === 'progress') progress(content, at);
      else if (content.type === 'usage' && run === null) report('outside-run', at, 'usage outside a run');
    },
    status(now, at) {
      if (isDeleted) return report('deleted', at, 'a status of a chat that is deleted');
      if (now === 'running') open(at);
      if (now === status || (now === 'stopping' && status === 'idle')) {
        report('status', at, `${String(now)} while it is ${String(status)}`);
      }
      status = now;
    },
    clear() {
      calls.forget();
      thoughts.clear();
    },
    deleted() {
      isDeleted = true;
      wasDeleted = true;
      run = null;
    },
    prompted() {
      if (isDeleted) calls.forget();
      if (isDeleted) status = 'idle';
      isDeleted = false;
    },
    end(at, complete) {
      if (isDeleted || !complete) return;
      if (run !== null) report('finished-missing', at, `the run of message ${run.from} is not finished`);
      calls.settle(at);
    },
  };
}
