// The start of a connection: `initialize`, `initialized`, and the description of the agent that follows each
// (docs/protocols/eca.md 2.3 to 2.6, 3.1, 3.2).
import type { CommandOf } from '../../../core/model/command.ts';
import type { Outcome, Problem } from '../../../core/model/errors.ts';
import { QueryData } from '../../../core/model/outcome-data.ts';
import { clientOf } from '../client.ts';
import { type Actions, type ConnectionPorts, showMessage, type Target } from '../connection.ts';
import type { RpcId } from '../json-rpc.ts';
import type { InitializeParams } from '../wire/client.ts';
import { configParams, initializeResult, type Knowledge, nothingKnown, serverParams } from './config.ts';
import type { InitialSession } from './initial-session.ts';

/** The start of one connection. */
export interface StartUp {
  initialize(id: RpcId, params: InitializeParams): Actions;
  initialized(): Actions;
  onTimer(timer: string): Actions;
  knowledge(): Knowledge;
}

type Subject = CommandOf<'query'>['subject'];

const timer = 'start-up';
/** How long a client waits for a slow agent, ms. VS Code waits 60 s (docs/protocols/eca.md 2.5). */
const timeoutMs = 10_000;
/**
 * The timer of the early greeting. Newer clients read their settings in `config/updated`, and VS Code sends no prompt
 * before it was greeted and knows a behaviour. They wait only for what an agent inside the gateway answers in the same
 * tick.
 */
const greetTimer = 'greet';

/** The queries at the start, and how their answers are read. */
const questions: ReadonlyMap<Subject, (data: unknown) => Partial<Knowledge>> = new Map<
  Subject,
  (data: unknown) => Partial<Knowledge>
>([
  ['models', (data) => pick({ models: QueryData.models.safeParse(data).data?.models })],
  ['state', (data) => pick({ info: QueryData.state.safeParse(data).data?.changes })],
  ['thinking-levels', (data) => pick({ levels: QueryData['thinking-levels'].safeParse(data).data?.levels })],
  ['tools', (data) => pick({ tools: QueryData.tools.safeParse(data).data?.tools })],
  ['tool-servers', (data) => pick({ servers: QueryData['tool-servers'].safeParse(data).data?.servers })],
]);

/** Drops the values that were not read. */
function pick(read: { readonly [Key in keyof Knowledge]?: Knowledge[Key] | undefined }): Partial<Knowledge> {
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

/** The queries that the answer to `initialize` waits for. */
const requiredAtInitialize: readonly Subject[] = ['models', 'state'];

const silentAgentWarning =
  `The agent has not answered for ${timeoutMs / 1000} s. If it stays silent, look at its command in the configuration: ` +
  'is that an agent, and of the protocol that is named there?';

/** `initialize` requests that may wait for their answer. A real client sends one. */
const mostUnanswered = 16;
const tooMany: Problem = { code: 'limit', message: 'too many requests wait for the agent' };

const task = { taskId: 'models', title: 'Syncing models' };

/** Creates the start-up of a connection, before its first query. */
export function createStartUp(ports: ConnectionPorts, initialSession: InitialSession): StartUp {
  let knowledge = nothingKnown;
  let problem: Problem | null = null;
  /** The open queries; null before the agent was asked. */
  let outstanding: Set<Subject> | null = null;
  const unanswered: RpcId[] = [];
  let isInitialized = false;
  /** A client of the second era: greeted with what is known so far. */
  let greetsEarly = false;
  /** True once the time limit has passed. The client then gets the facts that are known so far. */
  let hasTimedOut = false;
  /** The agent had not answered any query when the time limit passed. */
  let isSilent = false;
  let isTaskOpen = false;
  /** The frames that the client got last. */
  let lastSent = { config: '', servers: '' };

  const waitsFor = (subjects: Iterable<Subject>) => [...subjects].some((subject) => outstanding?.has(subject) === true);

  function askAll(target: Target): Actions {
    const subjects = [...questions.keys()];
    const asking = new Set(subjects);
    outstanding = asking;
    return subjects.flatMap((subject) =>
      ports.ask(target, { type: 'query', subject }, (outcome) => {
        if (outstanding !== asking) return [];
        asking.delete(subject);
        isSilent = false;
        learn(subject, outcome);
        return goOn();
      }),
    );
  }

  function learn(subject: Subject, outcome: Outcome): void {
    if (outcome.ok) knowledge = { ...knowledge, ...questions.get(subject)?.(outcome.data) };
    // An unsupported query is no failure.
    else if (outcome.error.code !== 'unsupported' && requiredAtInitialize.includes(subject)) problem ??= outcome.error;
  }

  function begin(): Actions {
    if (outstanding !== null) return goOn();
    outstanding = new Set(questions.keys());
    isSilent = false;
    return [
      { do: 'timer', id: timer, ms: timeoutMs },
      ...initialSession.get((opened) => {
        if ('target' in opened) return askAll(opened.target);
        problem = opened.problem;
        outstanding = new Set();
        return goOn();
      }),
    ];
  }

  /** Sends what can be sent by now. */
  function goOn(): Actions {
    const answers =
      waitsFor(requiredAtInitialize) && !hasTimedOut && !greetsEarly
        ? []
        : unanswered.splice(0).flatMap((id) => ports.answer(id, initializeResult(knowledge)));
    return [...answers, ...announce()];
  }

  function tellConfig(): Actions {
    const params = configParams(knowledge);
    const config = JSON.stringify(params);
    if (lastSent.config === config) return [];
    lastSent = { ...lastSent, config };
    return ports.notify('config/updated', params);
  }

  function announce(): Actions {
    const waits = waitsFor(questions.keys());
    if (!isInitialized) return [];
    // Real servers also send a `config/updated` before they know their models (docs/protocols/eca.md 4.15).
    if (waits && !hasTimedOut) return greetsEarly && lastSent.config === '' ? tellConfig() : [];
    const actions: Actions = waits ? [] : [{ do: 'timer', id: timer, ms: null }];
    actions.push(...tellConfig());
    const servers = serverParams(knowledge);
    const serversText = JSON.stringify(servers);
    if (isTaskOpen) actions.push(...ports.notify('$/progress', { type: 'finish', ...task }));
    isTaskOpen = false;
    if (lastSent.servers !== serversText) {
      for (const server of servers) actions.push(...ports.notify('tool/serverUpdated', server));
    }
    lastSent = { ...lastSent, servers: serversText };
    if (isSilent) actions.push(...showMessage(ports, 'warning', silentAgentWarning));
    isSilent = false;
    if (problem === null) return actions;
    const { message } = problem;
    problem = null;
    return [...actions, ...showMessage(ports, 'error', message)];
  }

  return {
    initialize(id, params) {
      if (unanswered.length >= mostUnanswered) return ports.refuse(id, tooMany);
      const { client } = ports;
      const { problems, ...clientFields } = clientOf(params);
      Object.assign(client, clientFields);
      unanswered.push(id);
      // Drop a session that an earlier request opened before the client's folders were known.
      const left = initialSession.dropIfMoved();
      if (left.length > 0) outstanding = null;
      const hurry: Actions = client.isModern ? [{ do: 'timer', id: greetTimer, ms: 0 }] : [];
      return [...problems.flatMap(ports.warnOnce), ...left, ...begin(), ...hurry];
    },
    initialized() {
      isInitialized = true;
      isTaskOpen = true;
      return [...ports.markReady(), ...ports.notify('$/progress', { type: 'start', ...task }), ...begin()];
    },
    onTimer(name) {
      if (name === greetTimer) {
        greetsEarly = true;
        return goOn();
      }
      if (name !== timer) return [];
      hasTimedOut = true;
      isSilent = outstanding?.size === questions.size;
      return goOn();
    },
    knowledge: () => knowledge,
  };
}
