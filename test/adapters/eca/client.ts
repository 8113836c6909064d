// An ECA client on a table: messages as plain objects in and out, sessions that answer as the test says. No I/O.
import { adapters } from '../../../src/adapters/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Frontend } from '../../../src/core/contract/adapter/frontend.ts';
import type { SessionView } from '../../../src/core/contract/adapter/projection.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { stillEnv } from '../../support/decoding.ts';
import { epoch, textOf } from '../../support/telling.ts';

/** A message that we sent. */
export interface Sent {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A command on its way, and to which session. */
export interface Delivered {
  readonly command: Command;
  readonly session: string | undefined;
}

/** How the sessions answer; undefined: not yet. */
export type Answering = (command: Command, session: string | undefined) => Outcome | undefined;

const ok: Outcome = { ok: true };
const models = [
  { id: 'small', provider: 'acme' },
  { id: 'large', provider: 'acme' },
];

/** What a well-behaved agent says of itself. */
export const facts = {
  models,
  info: {
    model: models[0],
    modes: [{ id: 'default' }, { id: 'plan' }],
    mode: 'default',
    welcome: 'Welcome.',
    thinkingLevel: 'low',
  },
  levels: ['low', 'high'],
} as const;

/** Answers everything at once and well, as an agent does that has started. */
export function answerAll(command: Command): Outcome {
  switch (command.type) {
    case 'query':
      return queryAnswer(command.subject);
    default:
      return ok;
  }
}

function queryAnswer(subject: string): Outcome {
  switch (subject) {
    case 'models':
      return { ok: true, data: { models: facts.models } };
    case 'state':
      return { ok: true, data: { changes: facts.info, running: false } };
    case 'thinking-levels':
      return { ok: true, data: { levels: facts.levels } };
    case 'tools':
      return { ok: true, data: { tools: [{ name: 'read', description: 'Reads.' }] } };
    case 'tool-servers':
      return {
        ok: true,
        data: { servers: [{ name: 'git', kind: 'mcp', status: 'running', command: ['git-mcp', '-v'] }] },
      };
    case 'commands':
      return {
        ok: true,
        data: {
          commands: [
            { name: 'fix', description: 'Fixes.', kind: 'skill' },
            { name: 'git:log', kind: 'mcp-prompt' },
          ],
        },
      };
    case 'contexts':
      return {
        ok: true,
        data: {
          contexts: [{ type: 'file', path: '/ws/a.ts' }, { type: 'directory', path: '/ws/src' }, { type: 'repo-map' }],
        },
      };
    default:
      return refused('unsupported', 'no');
  }
}

interface Setting {
  /** The connection belongs to a session of that id. */
  readonly bound?: string;
  readonly answering?: Answering;
  /** Sessions of earlier connections, by the names that their clients gave them. */
  readonly sessions?: readonly string[];
}

/** A connection; what it asks is answered in the same call, unless the answering says nothing. */
export function connect({ bound, answering = answerAll, sessions = [] }: Setting = {}) {
  const views = new Map<string, SessionView>(sessions.map((name) => [name, newView(`real-${name}`)]));
  const delivered: Delivered[] = [];
  const sent: Sent[] = [];
  const notes: string[] = [];
  const others: Action<Command>[] = [];
  const open: Delivered[] = [];
  let count = 0;

  const side = adapters.get('eca')?.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error('eca has no client side');
  const own = bound === undefined ? undefined : newView(bound);
  if (own !== undefined) views.set(own.id, own);
  const machine: Frontend = side.connection(own);

  function outcomeOf({ command, session }: Delivered): Outcome | undefined {
    const said = answering(command, session);
    if (command.type === 'create-session') {
      if (said === undefined || !said.ok) return said;
      count += 1;
      const id = `session-${count}`;
      views.set(id, newView(id));
      return { ok: true, data: { ...dictionaryOf(said.data), session: { id } } };
    }
    // What is asked of no session.
    if (['list-sessions', 'list-stored-sessions', 'load-session'].includes(command.type) && session === undefined) {
      return said;
    }
    const view = session === undefined ? own : views.get(session);
    if (view === undefined) return refused('not-found', `session ${session} not found`);
    if (said?.ok === true && command.type === 'delete-session') forget(view);
    return said;
  }

  function forget(view: SessionView): void {
    for (const [name, known] of views) if (known === view) views.delete(name);
  }

  function perform(actions: readonly Action<Command>[]): void {
    for (const action of actions) {
      switch (action.do) {
        case 'deliver': {
          const one = { command: action.message, session: action.session };
          delivered.push(one);
          const outcome = outcomeOf(one);
          if (outcome === undefined) open.push(one);
          else perform(machine.reply(one.command, outcome));
          break;
        }
        case 'subscribe': {
          others.push(action);
          const view = views.get(action.session);
          if (view === undefined) perform(machine.sessionEnded?.(action.session, 'gone') ?? []);
          else {
            for (const name of [view.id, action.as ?? view.id]) views.set(name, view);
            machine.subscribed?.(view);
          }
          break;
        }
        case 'send':
          sent.push(JSON.parse(textOf(action.frame)));
          break;
        case 'note':
          notes.push(`${action.level}: ${action.text}`);
          break;
        default:
          others.push(action);
      }
    }
  }

  /** Everything that has happened since the last look. */
  const take = () => ({
    sent: sent.splice(0),
    delivered: delivered.splice(0),
    notes: notes.splice(0),
    others: others.splice(0),
  });
  const raw = (json: unknown) => {
    perform(machine.decode(createFrame(Buffer.from(JSON.stringify(json)))));
    return take();
  };

  return {
    raw,
    bytes: (bytes: Uint8Array) => {
      perform(machine.decode(createFrame(bytes)));
      return take();
    },
    request: (method: string, params?: unknown, id: unknown = 1) => raw({ jsonrpc: '2.0', id, method, params }),
    notify: (method: string, params?: unknown) => raw({ jsonrpc: '2.0', method, params }),
    /** Answers what is still open: the first command of that type. */
    settle(type: Command['type'], outcome: Outcome, subject?: string) {
      const at = open.findIndex(
        ({ command }) => command.type === type && (!subject || ('subject' in command && command.subject === subject)),
      );
      const [one] = open.splice(at, at < 0 ? 0 : 1);
      if (one === undefined) throw new Error(`no ${type} is open`);
      perform(machine.reply(one.command, outcome));
      return take();
    },
    wake(timer: string) {
      perform(machine.onTimer?.(timer) ?? []);
      return take();
    },
    fault(code: 'too-large' | 'bad-frame') {
      perform(machine.fault({ code, message: 'it was bad' }));
      return take();
    },
    over(session: string) {
      const view = views.get(session);
      if (view !== undefined) forget(view);
      perform(machine.sessionEnded?.(session, 'it was idle') ?? []);
      return take();
    },
    /** Something happens in a session. */
    happen(session: string, ...events: readonly Event[]) {
      const view = views.get(session);
      if (view === undefined) throw new Error(`no session ${session}`);
      for (const event of events) fold(view.transcript, { seq: view.transcript.lastSeq + 1, at: 0, event });
    },
    /** A session that nobody watches is closed. */
    sweep(session: string) {
      const view = views.get(session);
      if (view !== undefined) forget(view);
    },
    take,
  };
}

function newView(id: string): SessionView {
  const agent = { protocol: 'scripted', commands: new Set(['fork', 'compact', 'new-session'] as const) };
  return { id, epoch, timeOrigin: 0, agent, transcript: emptyTranscript() };
}

/** What clients of three ages say in `initialize`. */
export const eras = {
  first: {
    processId: 1,
    capabilities: { codeAssistant: { chat: true } },
    workspaceFolders: [{ uri: 'file:///ws', name: 'ws' }],
  },
  modern: {
    processId: 1,
    capabilities: {
      codeAssistant: { chat: true, chatCapabilities: { askQuestion: true }, editor: { diagnostics: true } },
    },
    initializationOptions: { chatAgent: null },
    workspaceFolders: [
      { uri: 'file:///my%20ws', name: 'ws' },
      { uri: 'file:///b', name: 'b' },
    ],
  },
} as const;

/** A client that has been greeted. */
export function greeted(era: keyof typeof eras = 'modern', setting: Setting = {}) {
  const client = connect(setting);
  client.request('initialize', eras[era], 'init');
  client.notify('initialized');
  return client;
}

/** The methods of what was sent; `answer` for answers. */
export const methodsOf = (sent: readonly Sent[]) =>
  sent.map(({ method, params }) => {
    const content = params?.content;
    const inner =
      typeof content === 'object' && content !== null && 'type' in content ? ` ${String(content.type)}` : '';
    const state =
      typeof content === 'object' && content !== null && 'state' in content ? ` ${String(content.state)}` : '';
    return method === undefined ? 'answer' : `${method}${inner}${state}`;
  });

/** The types of what was asked. */
export const typesOf = (delivered: readonly Delivered[]) =>
  delivered.map(({ command }) => ('subject' in command ? `${command.type} ${command.subject}` : command.type));
