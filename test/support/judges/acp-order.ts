// The judge of order: the rules 3.20, 4.27, 4.31, 4.35, 4.42, 4.44 and 4.48 of docs/protocols/acp.md over a whole connection,
// and that each request is answered once. It knows the wire and shares no code with those who write the frames.
import { type AcpRow, at, isJson, type Json } from '../acp-traces.ts';

/** Updates that a turn consists of. All others may come at any time. */
const ofTurns: ReadonlySet<unknown> = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
]);

interface Turn {
  readonly prompt: string;
  isCancelled: boolean;
}

interface SessionState {
  /** The client loads the session: its history comes as updates. */
  isLoading: boolean;
  readonly turns: Turn[];
  /** Calls and their last status. */
  readonly calls: Map<unknown, unknown>;
}

interface Asked {
  readonly method: unknown;
  readonly params: unknown;
  /** The turn was cancelled while the question was open. */
  isCancelled: boolean;
}

/** Which side is judged: the other one may break rules. Without it, both are. */
export interface Judged {
  readonly only?: AcpRow['dir'];
}

/** Departures from the rules, a line each, beginning with the rule. */
export function acpOrderFaults(rows: readonly AcpRow[], { only }: Judged = {}): string[] {
  const faults: string[] = [];
  const sessions = new Map<unknown, SessionState>();
  const asked = new Map<string, Asked>();
  let place = 0;
  let dir: AcpRow['dir'] = 'in';

  function fault(rule: string, words: string): void {
    if (only === undefined || only === dir) faults.push(`${rule} at ${place}: ${words}`);
  }

  function open(id: unknown, isLoading = false): SessionState {
    const known = sessions.get(id);
    if (known !== undefined) {
      known.isLoading = isLoading;
      return known;
    }
    const state: SessionState = { isLoading, turns: [], calls: new Map() };
    sessions.set(id, state);
    return state;
  }

  function request(id: unknown, method: unknown, params: unknown): void {
    const key = `${dir} ${JSON.stringify(id)}`;
    if (asked.has(key)) fault('1.2', `the id ${JSON.stringify(id)} is in use`);
    asked.set(key, { method, params, isCancelled: false });
    const session = at(params, 'sessionId');
    if (method === 'session/load') open(session, true);
    if (method === 'session/resume') open(session);
    if (method === 'session/request_permission' && !sessions.has(session)) fault('3.20', 'a question of no session');
    if (method !== 'session/prompt') return;
    const state = sessions.get(session);
    if (state === undefined) return;
    if (state.turns.length > 0) fault('4.31', 'a prompt while one runs');
    state.turns.push({ prompt: key, isCancelled: false });
  }

  function answer(message: Json): void {
    const asker = dir === 'in' ? 'out' : 'in';
    const key = `${asker} ${JSON.stringify(message.id)}`;
    const question = asked.get(key);
    if (question === undefined) {
      if (message.id !== null) fault('1.2', `an answer to ${JSON.stringify(message.id)}, which nobody asked`);
      return;
    }
    asked.delete(key);
    const { method, params } = question;
    const session = at(params, 'sessionId');
    if (method === 'session/new' && isJson(message.result)) open(message.result.sessionId);
    if (method === 'session/load') open(session);
    if (method === 'session/prompt') prompted(session, key, message);
    if (method === 'session/request_permission') permitted(question, message);
  }

  function prompted(session: unknown, key: string, message: Json): void {
    const state = sessions.get(session);
    const turn = state?.turns.find(({ prompt }) => prompt === key);
    if (state === undefined || turn === undefined) return;
    state.turns.splice(state.turns.indexOf(turn), 1);
    if (turn.isCancelled && at(message.result, 'stopReason') !== 'cancelled') {
      fault('4.48', `a cancelled prompt was answered ${JSON.stringify(message.result ?? message.error).slice(0, 80)}`);
    }
    if (state.turns.length > 0) return;
    for (const [call, status] of state.calls) {
      if (status !== 'completed' && status !== 'failed') fault('4.42', `the call ${String(call)} never ended`);
    }
    state.calls.clear();
  }

  function permitted({ params, isCancelled }: Asked, { result }: Json): void {
    const outcome = at(result, 'outcome', 'outcome');
    const chosen = at(result, 'outcome', 'optionId');
    const options = at(params, 'options');
    const offered = Array.isArray(options) ? options.map((option) => at(option, 'optionId')) : [];
    if (outcome === 'selected' && !offered.includes(chosen)) fault('4.44', `nobody offered ${String(chosen)}`);
    if (isCancelled && outcome !== 'cancelled') fault('4.48', 'an open question outlived the cancelling of its turn');
  }

  function cancelled(session: unknown): void {
    for (const turn of sessions.get(session)?.turns ?? []) turn.isCancelled = true;
    for (const question of asked.values()) {
      const isOf = question.method === 'session/request_permission' && at(question.params, 'sessionId') === session;
      if (isOf) question.isCancelled = true;
    }
  }

  function update(session: unknown, content: unknown): void {
    const kind = at(content, 'sessionUpdate');
    const state = sessions.get(session);
    if (state === undefined) return fault('3.20', `${String(kind)} of a session that nobody knows`);
    const isHistory = state.isLoading || state.turns.length === 0;
    if (ofTurns.has(kind) && !state.isLoading && state.turns.length === 0)
      fault('4.27', `${String(kind)} outside a turn`);
    const call = at(content, 'toolCallId');
    if (kind === 'tool_call') {
      if (state.calls.has(call)) fault('4.35', `the call ${String(call)} was created twice`);
      if (!isHistory) state.calls.set(call, at(content, 'status') ?? 'pending');
    }
    if (kind === 'tool_call_update' && !isHistory) {
      if (!state.calls.has(call)) fault('4.35', `the call ${String(call)} was not created`);
      state.calls.set(call, at(content, 'status') ?? state.calls.get(call));
    }
  }

  for (const row of rows) {
    dir = row.dir;
    const { json } = row;
    if (isJson(json)) {
      const { id, method, params } = json;
      if (method === undefined) answer(json);
      else if ('id' in json) request(id, method, params);
      else if (method === 'session/cancel') cancelled(at(params, 'sessionId'));
      else if (method === 'session/update') update(at(params, 'sessionId'), at(params, 'update'));
    }
    place += 1;
  }
  for (const [key, { method, isCancelled }] of asked) {
    dir = key.startsWith('in') ? 'out' : 'in';
    const rule = isCancelled ? '4.48' : '1.2';
    if (method !== 'session/close') fault(rule, `${String(method)} was never answered`);
  }
  return faults;
}
