// A recorded ACP agent speaks again, to our backend: what it said, in its order, under the ids that our backend gives. What the
// recorded client said drives the session. Nothing answers but the recording.
import { acp } from '../../src/adapters/acp/index.ts';
import type { Action } from '../../src/core/contract/adapter/action.ts';
import type { Backend } from '../../src/core/contract/adapter/backend.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { Event, Logged } from '../../src/core/model/event.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { type AcpRow, at, isJson, type Json, rowOf } from './acp-traces.ts';
import { stillEnv } from './decoding.ts';
import { createLog, type Log, textOf } from './telling.ts';

/** What came out of a recorded connection. */
export interface PlayedAcp {
  readonly log: Log;
  readonly logged: readonly Logged[];
  /** Notes of the backend and of the repair, but for losses. */
  readonly faults: readonly string[];
  /** The connection between our backend and the recorded agent. */
  readonly rows: readonly AcpRow[];
  /** Commands that were refused. */
  readonly refused: readonly string[];
  /** Permissions that were answered otherwise than the recorded client answered them. */
  readonly otherAnswers: readonly string[];
}

/** Plays it. */
export function playAcp(connection: readonly AcpRow[]): PlayedAcp {
  const loaded = connection.find(({ dir, json }) => dir === 'in' && isSessionStart(at(json, 'method')))?.json;
  const method = at(loaded, 'method');
  const isStored = method === 'session/load' || method === 'session/resume';
  const resume = isStored ? { name: String(at(loaded, 'params', 'sessionId')), isKnown: false } : undefined;
  const backend = acp.agent?.backend(stillEnv(), {}, ['/home/user/project'], undefined, resume);
  if (backend === undefined) throw new Error('the adapter lacks a side');
  return play(backend, connection, resume?.name);
}

function isSessionStart(method: unknown): boolean {
  return method === 'session/new' || method === 'session/load' || method === 'session/resume';
}

function play(backend: Backend, connection: readonly AcpRow[], loadedSession: string | undefined): PlayedAcp {
  const faults: string[] = [];
  const refused: string[] = [];
  const otherAnswers: string[] = [];
  const rows: AcpRow[] = [];
  const logged: Logged[] = [];
  const log = createLog((one) => void logged.push(one));
  /** Ids of the recorded client's requests -> ours. */
  const names = new Map<unknown, unknown>();
  /** Our requests that the recorded client made as well and that wait for their place in the recording. */
  const unmatched: Json[] = [];
  const theirs: Json[] = [];
  const commands = new Map<string, Command>();
  const prompts: Json[] = [];
  /** Recorded answers to permissions, by the id of the question. */
  const permissions = new Map<unknown, Json>();
  let asked = 0;

  function match(): void {
    for (const our of [...unmatched]) {
      const their = theirs.find(({ method }) => method === our.method);
      if (their === undefined) continue;
      theirs.splice(theirs.indexOf(their), 1);
      unmatched.splice(unmatched.indexOf(our), 1);
      names.set(their.id, our.id);
    }
  }

  function sent(message: Json): void {
    rows.push(rowOf('in', message));
    if (message.method !== undefined && message.id !== undefined) unmatched.push(message);
    if (message.method === undefined) {
      const chosen = at(message.result, 'outcome', 'optionId');
      if (chosen !== undefined) answered(message.id, chosen);
    }
    match();
  }

  function answered(id: unknown, chosen: unknown): void {
    const theirAnswer = at(permissions.get(id), 'result', 'outcome', 'optionId');
    if (theirAnswer !== chosen) otherAnswers.push(`${String(chosen)} for ${String(theirAnswer)}`);
  }

  function admit(event: Event): void {
    const mended = log.notes.length;
    log.admit(event);
    for (const { level, text } of log.notes.slice(mended)) faults.push(`${level}: ${text}`);
  }

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'deliver') admit(action.message);
      else if (action.do === 'send') sent(JSON.parse(textOf(action.frame)));
      else if (action.do === 'note' && action.level !== 'loss') faults.push(`${action.level}: ${action.text}`);
      else if (action.do === 'timer' && action.id === 'outside' && action.ms !== null) {
        perform(backend.onTimer?.('outside') ?? []);
      } else if (action.do === 'settle') {
        const command = commands.get(action.id);
        if (command === undefined) throw new Error(`${action.id} was settled twice`);
        commands.delete(action.id);
        if (!action.outcome.ok) refused.push(`${command.type}: ${action.outcome.error.message}`);
      }
    }
    const [next] = prompts;
    if (next !== undefined && log.transcript.run === null && !isPrompting()) {
      prompts.shift();
      prompt(next);
    }
  }

  const isPrompting = () => [...commands.values()].some(({ type }) => type === 'prompt');

  function ask(command: Command): void {
    asked += 1;
    commands.set(`c${asked}`, command);
    perform(backend.encode(command, `c${asked}`));
  }

  function prompt(params: Json): void {
    const blocks = Array.isArray(params.prompt) ? params.prompt : [];
    const text = blocks.map((block) => (typeof at(block, 'text') === 'string' ? at(block, 'text') : '')).join('');
    ask({ type: 'prompt', content: [{ type: 'text', text }] });
  }

  function answer(message: Json): void {
    const question = [...log.transcript.approvals.values()].find(({ id }) => id === openQuestion(message.id));
    const offered = at(question?.extra, 'acp', 'options');
    const chosen = at(message.result, 'outcome', 'optionId');
    if (question === undefined || !Array.isArray(offered)) return;
    permissions.set(message.id, message);
    const kind = offered.map((one) => (at(one, 'optionId') === chosen ? at(one, 'kind') : '')).join('');
    const decision = kind.startsWith('allow') ? 'allow' : 'deny';
    const remember = question.suggestions?.filter((one) => at(one, 'optionId') === chosen) ?? [];
    if (chosen === undefined) return;
    ask({ type: 'answer-approval', id: question.id, decision, remember });
  }

  /** The canonical id of the agent's open question with that id. */
  const questions = new Map<unknown, string>();
  const openQuestion = (id: unknown) => questions.get(id);

  /** The first session of the connection; our backend has one. */
  let session: unknown;

  function clientSays(message: Json): void {
    const { method, id } = message;
    const params = isJson(message.params) ? message.params : {};
    if (method === undefined) return answer(message);
    if (params.sessionId !== undefined && params.sessionId !== (session ?? params.sessionId)) return;
    if (method === 'session/prompt' && (session === undefined || !Array.isArray(params.prompt))) return;
    if (id !== undefined) theirs.push(message);
    match();
    switch (method) {
      case 'initialize':
        return perform(backend.start?.() ?? []);
      case 'session/prompt':
        prompts.push(params);
        return perform([]);
      case 'session/cancel':
      case '$/cancel_request':
        if (log.transcript.run !== null) ask({ type: 'abort', target: 'run' });
        return;
      case 'session/set_mode':
        return ask({ type: 'set-mode', mode: String(params.modeId) });
      case 'session/set_config_option':
        if (params.configId === 'model') return ask({ type: 'set-model', model: String(params.value) });
        if (params.configId === 'thought_level') return ask({ type: 'set-thinking', level: String(params.value) });
        return ask({ type: 'set-option', id: String(params.configId), value: String(params.value) });
      default:
    }
  }

  function agentSays(row: AcpRow): void {
    let message = row.json;
    if (isJson(message) && message.method === undefined) {
      if (!names.has(message.id)) return;
      message = { ...message, id: names.get(message.id) };
    }
    const before = new Set(log.transcript.approvals.keys());
    const line = isJson(message) ? JSON.stringify(message) : row.line;
    session ??= at(message, 'result', 'sessionId') ?? (names.size > 1 ? loadedSession : undefined);
    if (isJson(message)) rows.push(rowOf('out', message));
    perform(backend.decode(createFrame(new TextEncoder().encode(line))));
    for (const id of log.transcript.approvals.keys()) {
      if (!before.has(id)) questions.set(at(message, 'id'), id);
    }
  }

  for (const row of connection) {
    if (row.dir === 'out') agentSays(row);
    else if (isJson(row.json)) clientSays(row.json);
  }
  perform(backend.end?.() ?? []);
  return { log, logged, faults, rows, refused, otherAnswers };
}
