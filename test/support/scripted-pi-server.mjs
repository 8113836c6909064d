// A tiny pi-server, on stdin and stdout or with `--port` on a WebSocket: any prompt is answered with thinking, a tool and
// text; one with the word `hang` goes on only when it is aborted, `stick` never ends its tool, `retry` fails once, `ask` asks, `who` tells who is there,
// `huge` says a frame of 2 MB and then goes on like `hang`, one that begins with `/` starts no agent. It is as the protocol's document wants it, unless a fault is switched on:
//   --patient      a question waits for ever
//   --lanes        everything waits behind the prompt of its session (real 2.0.1 and 2.2.1)
//   --early-start  a command starts before the one before it is said to be finished (2.0.1)
//   --finished-only  a replay is not said to be accepted (2.2.1)
//   --log-lines    stdout carries a log as well (2.0.1)
//   --ahead        snapshots know more than the deltas, and carry a stray index
//   --removing     a create_session on a name that is taken removes what is there (2.2.1)
//   --summary      a second frame of greeting (2.2.1)
//   --other-version  it speaks another protocol
//   --mute         it says nothing at all
// Needs no model and no network.
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';
import { base, usage } from './scripted-lines.mjs';

const argv = process.argv.slice(2);
const has = (name) => argv.includes(`--${name}`);
const port = argv.indexOf('--port');
/** Its name tells which process speaks. */
const model = { id: 'scripted-1', name: `Scripted by ${process.pid}`, provider: 'scripted' };

/** Where frames go: one function for each connection, and the sessions that it watches. */
const connections = new Set();
const sessions = new Map();
const outcomes = new Map();
const tails = new Map();
let messages = 0;

const all = (frame) => {
  for (const { say } of connections) say(frame);
};
const beside = new Set([
  'abort',
  'abort_retry',
  'abort_bash',
  'abort_compaction',
  'steer',
  'follow_up',
  'extension_ui_response',
]);
const making = new Set(['create_session', 'load_session']);
const reading = new Set(['get_state', 'get_messages', 'get_available_models', 'get_commands', 'switch_session']);

const infoOf = ({ id, name, running, count, cwd, file }) => ({
  sessionId: id,
  sessionName: name,
  sessionFile: file ?? `${cwd}/${id}.jsonl`,
  model,
  thinkingLevel: 'medium',
  isStreaming: running,
  messageCount: count,
  createdAt: '2026-03-01T00:00:00.000Z',
});

function tell({ id }, event) {
  for (const { say, watched } of connections) if (watched.has(id)) say({ type: 'event', sessionId: id, event });
}

function message(session, blocks, stopReason, more = {}) {
  messages += 1;
  const content = [];
  const snapshot = () => ({
    ...base,
    content: structuredClone(content),
    usage: usage(1),
    stopReason: 'stop',
    timestamp: 1,
  });
  tell(session, { type: 'message_start', message: { ...snapshot(), content: [] } });
  for (const [contentIndex, { kind, pieces, block }] of blocks.entries()) {
    const growing = kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' };
    if (has('ahead')) growing.index = contentIndex;
    content[contentIndex] = kind === 'toolcall' ? { ...block, arguments: {}, partialJson: '' } : growing;
    const update = (event) => {
      const partial = snapshot();
      tell(session, {
        type: 'message_update',
        assistantMessageEvent: { ...event, contentIndex, partial },
        message: partial,
      });
    };
    const grow = (delta) => {
      if (delta === undefined) return;
      if (kind === 'toolcall') content[contentIndex].partialJson += delta;
      else growing[kind] += delta;
    };
    if (has('ahead')) grow(pieces[0]);
    update({ type: `${kind}_start` });
    for (const [at, delta] of pieces.entries()) {
      grow(has('ahead') ? pieces[at + 1] : delta);
      update({ type: `${kind}_delta`, delta });
    }
    if (kind === 'toolcall') content[contentIndex] = block;
    else delete growing.index;
    if (more.isCut !== true) {
      update({ type: `${kind}_end`, ...(kind === 'toolcall' ? { toolCall: block } : { content: pieces.join('') }) });
    }
  }
  return (reason = stopReason, errorMessage) => {
    const whole = { ...snapshot(), stopReason: reason, ...(errorMessage === undefined ? {} : { errorMessage }) };
    tell(session, { type: 'message_end', message: whole });
    session.count += 1;
    return whole;
  };
}

const text = (...pieces) => ({ kind: 'text', pieces });

function begin(session, words) {
  session.running = true;
  const user = { role: 'user', content: [{ type: 'text', text: words }], timestamp: 1 };
  tell(session, { type: 'agent_start' });
  tell(session, { type: 'turn_start' });
  tell(session, { type: 'message_start', message: user });
  tell(session, { type: 'message_end', message: user });
  session.count += 1;
}

function finish(session, whole) {
  session.running = false;
  tell(session, { type: 'turn_end', message: whole, toolResults: [] });
  tell(session, { type: 'agent_end', messages: [whole] });
}

async function prompt(session, words) {
  if (words.startsWith('/')) {
    if (words.includes('ask')) await ask(session);
    return;
  }
  begin(session, words);
  if (words.includes('huge')) tell(session, { type: 'huge', text: 'x'.repeat(2_000_000) });
  if (words.includes('hang') || words.includes('huge')) return hang(session);
  if (words.includes('who')) {
    const who = `${sessions.size} sessions on ${connections.size} connections`;
    return finish(session, message(session, [text(who)], 'stop')());
  }
  if (words.includes('ask')) await ask(session);
  if (words.includes('retry')) {
    finish(session, message(session, [], 'error')('error', '503 busy'));
    tell(session, { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: '503 busy' });
    tell(session, { type: 'agent_start' });
    tell(session, { type: 'turn_start' });
  }
  const block = { type: 'toolCall', id: `call-${messages}`, name: 'look', arguments: { where: 'drawer' } };
  const asking = message(
    session,
    [
      { kind: 'thinking', pieces: ['A drawer ', 'comes to mind.'] },
      { kind: 'toolcall', pieces: ['{"where":', '"drawer"}'], block },
    ],
    'toolUse',
  )();
  if (words.includes('retry')) tell(session, { type: 'auto_retry_end', success: true, attempt: 1 });
  const tool = { toolCallId: block.id, toolName: block.name };
  const content = [{ type: 'text', text: 'three cables lie in it' }];
  tell(session, { type: 'tool_execution_start', ...tool, args: block.arguments });
  if (words.includes('stick')) return new Promise(() => {});
  tell(session, { type: 'tool_execution_end', ...tool, result: { content, details: {} }, isError: false });
  const result = { role: 'toolResult', ...tool, content, details: {}, isError: false, timestamp: 1 };
  tell(session, { type: 'message_start', message: result });
  tell(session, { type: 'message_end', message: result });
  tell(session, { type: 'turn_end', message: asking, toolResults: [result] });
  tell(session, { type: 'turn_start' });
  finish(session, message(session, [text('There are ', 'three cables.')], 'stop')());
}

/** Until it is aborted; where no abort can reach it, until `release` comes as the name of any session. */
function hang(session) {
  const end = message(session, [text('I was about to')], 'aborted', { isCut: true });
  return new Promise((resolve) => {
    session.stop = (isAborted = true) => {
      session.stop = null;
      finish(session, isAborted ? end('aborted', 'Request was aborted.') : end('stop'));
      resolve();
    };
  });
}

function ask(session) {
  messages += 1;
  const requestId = `${session.id}:${messages}:q`;
  tell(session, {
    type: 'extension_ui_request',
    requestId,
    method: 'select',
    title: 'Which?',
    options: ['a', 'b'],
    ...(has('patient') ? {} : { timeout: 2_000 }),
  });
  return new Promise((resolve) => {
    const answered = (value) => {
      clearTimeout(timer);
      session.questions.delete(requestId);
      tell(session, {
        type: 'extension_ui_request',
        requestId: `notify-${messages}`,
        method: 'notify',
        message: `answer=${value}`,
        notifyType: 'info',
      });
      resolve();
    };
    const timer = has('patient') ? undefined : setTimeout(answered, has('lanes') ? 300 : 2_000, 'none');
    session.questions.set(requestId, answered);
  });
}

class Refusal extends Error {}
const refuse = (words) => {
  throw new Refusal(words);
};

const handlers = {
  list_sessions: () => ({ sessions: [...sessions.values()].map(infoOf) }),
  create_session({ sessionId = `made-${sessions.size}`, cwd = process.cwd() }) {
    if (sessions.has(sessionId)) {
      if (has('removing')) sessions.delete(sessionId);
      refuse(`Session ${sessionId} already exists`);
    }
    if (cwd.includes('no such')) refuse('CWD must point to an existing directory');
    const session = { id: sessionId, cwd, running: false, count: 0, version: 0, stop: null, questions: new Map() };
    sessions.set(sessionId, session);
    return { sessionId, sessionInfo: infoOf(session) };
  },
  /** Knows the files whose names do not say `missing`; each holds one message. */
  load_session({ sessionId = `made-${sessions.size}`, sessionPath }) {
    if (sessionPath.includes('missing')) refuse('sessionPath must point to an existing session file');
    const cwd = process.cwd();
    const rest = { running: false, version: 0, stop: null, questions: new Map() };
    const session = { id: sessionId, cwd, file: sessionPath, count: 1, ...rest };
    sessions.set(sessionId, session);
    return { sessionId, sessionInfo: infoOf(session) };
  },
  delete_session({ sessionId }) {
    sessions.delete(sessionId);
    return { deleted: true };
  },
  switch_session({ sessionId }, _, connection) {
    queueMicrotask(() => connection.watched.add(sessionId));
    return { sessionInfo: infoOf(sessions.get(sessionId)) };
  },
  prompt: ({ message: words }, session) => prompt(session, words),
  abort: (_, session) => session.stop?.(),
  steer: (_, session) => void (session.running || refuse('nothing to steer')),
  get_state: (_, session) => infoOf(session),
  get_messages: (_, { file }) => ({
    messages: file === undefined ? [] : [{ role: 'user', content: `from ${file}`, timestamp: 1 }],
  }),
  get_available_models: () => ({ models: [model] }),
  get_commands: () => ({ commands: [{ name: 'ask', description: 'asks', source: 'extension', path: '/ask.ts' }] }),
  set_session_name(command, session) {
    session.name = command.name;
    if (command.name === 'release') for (const one of sessions.values()) one.stop?.(false);
  },
  extension_ui_response({ requestId, response }, session) {
    const answered = session.questions.get(requestId) ?? refuse(`No pending UI request with id ${requestId}`);
    answered(response.value ?? response.method);
  },
};

async function carryOut(command, connection) {
  const handler = Object.hasOwn(handlers, command.type) ? handlers[command.type] : null;
  const session = sessions.get(command.sessionId);
  if (session === undefined && command.sessionId !== undefined && !making.has(command.type)) {
    refuse(`Session ${command.sessionId} not found`);
  }
  if (command.ifSessionVersion !== undefined && command.ifSessionVersion !== session.version) {
    refuse(`Session version mismatch: expected ${command.ifSessionVersion}, got ${session.version}`);
  }
  const data = await handler(command, session, connection);
  if (session !== undefined && command.type !== 'delete_session' && !reading.has(command.type)) session.version += 1;
  return { success: true, data, sessionVersion: sessions.get(command.sessionId)?.version };
}

async function run(command, connection) {
  const { id, type, sessionId, dependsOn = [] } = command;
  const data = { commandId: id, commandType: type, sessionId, dependsOn };
  const finished = ({ success, error, sessionVersion, replayed }) =>
    all({ type: 'command_finished', data: { ...data, success, error, sessionVersion, replayed } });
  const answer = (outcome) => connection.say({ id, type: 'response', command: type, ...outcome });
  if (!Object.hasOwn(handlers, type)) {
    return answer({ success: false, error: `Validation failed: type: Unknown command type '${type}'` });
  }
  const before = outcomes.get(id);
  if (before !== undefined) {
    if (!has('finished-only')) all({ type: 'command_accepted', data });
    finished({ ...before, replayed: true });
    return answer({ ...before, replayed: true });
  }
  all({ type: 'command_accepted', data });
  const lane = sessionId ?? '';
  const mayGoBeside = beside.has(type) && !has('lanes');
  const ahead = tails.get(lane) ?? Promise.resolve();
  let release;
  const tail = new Promise((resolve) => {
    release = resolve;
  });
  if (!mayGoBeside) {
    tails.set(lane, tail);
    await ahead;
  }
  all({ type: 'command_started', data });
  const outcome = await carryOut(command, connection).catch((thrown) => {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { success: false, error: thrown.message };
  });
  outcomes.set(id, outcome);
  if (has('early-start')) {
    release();
    await new Promise(setImmediate);
  }
  finished(outcome);
  answer(outcome);
  if (outcome.success && type === 'create_session') all({ type: 'session_created', data: outcome.data });
  if (outcome.success && type === 'delete_session') all({ type: 'session_deleted', data: { sessionId } });
  release();
}

function connect(say) {
  const connection = { say, watched: new Set() };
  connections.add(connection);
  say({
    type: 'server_ready',
    data: { serverVersion: '0.0.0', protocolVersion: has('other-version') ? '2.0.0' : '1.0.0', transports: ['stdio'] },
  });
  if (has('summary')) say({ type: 'startup_recovery_summary', data: { enabled: false } });
  return {
    take: (line) => void run(JSON.parse(line), connection),
    leave: () => connections.delete(connection),
  };
}

if (has('mute')) {
  process.stdin.resume();
} else if (port === -1) {
  const log = () => process.stdout.write('2026-03-01T00:00:00.000Z INFO [scripted] {"type":"event"}\n');
  const { take } = connect((frame) => {
    if (has('log-lines')) log();
    process.stdout.write(`${JSON.stringify(frame)}\n`);
  });
  createInterface({ input: process.stdin }).on('line', take);
} else {
  const server = new WebSocketServer({ host: '127.0.0.1', port: Number(argv[port + 1]) });
  server.on('listening', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
  server.on('connection', (socket) => {
    const { take, leave } = connect((frame) => socket.send(JSON.stringify(frame)));
    socket.on('message', (data) => take(data.toString()));
    socket.on('close', leave);
  });
}
