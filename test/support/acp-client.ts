// An ACP client as a program has it: the client of the protocol's own library, in front of patchbay-acp or of any stream. All that
// is said in both directions is kept for the judges.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type ClientContext, client, methods, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { type AcpRow, at, type Json, rowOf } from './acp-traces.ts';

const patchbayAcp = fileURLToPath(new URL('../../dist/cli/patchbay-acp.js', import.meta.url));
/** Nothing of the tester's own surroundings chooses the agent. */
const plain = { PATCHBAY_AGENT: 'demo', PATCHBAY_CONFIG: '', PATCHBAY_CHAIN: '', PATCHBAY_VERBOSE: '' };

/** What the user of the client does when the agent asks. */
export interface User {
  /** The kind of the option that is chosen; null: the question stays open until it is withdrawn or the turn is stopped. */
  permission?: ((params: Json) => string | null) | undefined;
  /** The content of a form. */
  form?: ((params: Json) => unknown) | undefined;
}

/** A client that is connected. */
export interface ConnectedAcp {
  readonly agent: ClientContext;
  readonly rows: readonly AcpRow[];
  readonly user: User;
  /** The updates of a session so far, of one kind or of all. */
  updates(session: string, kind?: string): Json[];
  /** Resolves when a message from the agent fits, now or later. */
  until(fits: (message: unknown) => boolean): Promise<unknown>;
  /** Says that the turn is to be stopped, and what follows for open questions (docs/protocols/acp.md 4.48). */
  cancel(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** A client in front of a process of its own. */
export interface AcpClient extends ConnectedAcp {
  readonly pid: number;
  /** What the process wrote to stderr. */
  log(): string;
}

const capabilities = {
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  elicitation: { form: {} },
};

/** How the agent is started; by default patchbay-acp with the demo agent. */
export interface Started {
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts patchbay-acp and says hello. */
export async function startAcpClient(
  user: User = {},
  clientCapabilities: object = capabilities,
  { words = [], env = {}, cwd }: Started = {},
): Promise<AcpClient> {
  const child = spawn(process.execPath, [patchbayAcp, ...words], {
    stdio: 'pipe',
    cwd,
    env: { ...process.env, ...plain, ...env },
  });
  const gone = once(child, 'close');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  if (child.stdin === null || child.stdout === null) throw new Error('no pipes');
  const wire = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
  const connected = await connectAcpClient(wire, user, clientCapabilities);
  return {
    ...connected,
    pid: child.pid ?? Number.NaN,
    log: () => log,
    async close() {
      // What is said at the end of the input is still heard.
      child.stdin.end();
      await gone;
      await connected.close();
    },
  };
}

/** Says hello over a stream. */
export async function connectAcpClient(
  wire: Stream,
  user: User = {},
  clientCapabilities: object = capabilities,
): Promise<ConnectedAcp> {
  const rows: AcpRow[] = [];
  const waiting = new Set<() => void>();
  const open: { readonly session: unknown; cancel(): void }[] = [];
  const keep = (row: AcpRow) => {
    rows.push(row);
    for (const look of [...waiting]) look();
  };

  const app = client({ name: 'test' })
    .onNotification(methods.client.session.update, () => {})
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      const kind = user.permission === undefined ? 'allow_once' : user.permission(params);
      const chosen = params.options.find((option) => option.kind === kind || option.optionId === kind);
      if (chosen !== undefined) return { outcome: { outcome: 'selected', optionId: chosen.optionId } };
      return new Promise((resolve) => {
        const cancel = () => resolve({ outcome: { outcome: 'cancelled' } });
        open.push({ session: params.sessionId, cancel });
        signal.addEventListener('abort', cancel);
      });
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      const content = user.form?.(params as Json);
      return content === undefined
        ? { action: 'cancel' }
        : { action: 'accept', content: content as Record<string, string> };
    });
  const connection = app.connect(tapped(wire, keep));
  await connection.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities });

  return {
    agent: connection.agent,
    rows,
    user,
    updates: (session, kind) =>
      rows.flatMap(({ dir, json }) => {
        const update = at(json, 'params', 'update');
        const isOf = dir === 'out' && at(json, 'params', 'sessionId') === session;
        return isOf && update !== undefined && (kind === undefined || at(update, 'sessionUpdate') === kind)
          ? [update as Json]
          : [];
      }),
    until: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = rows.find(({ dir, json }) => dir === 'out' && fits(json));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found.json);
        };
        waiting.add(look);
        look();
      }),
    async cancel(sessionId) {
      await connection.agent.notify(methods.agent.session.cancel, { sessionId });
      for (const question of open.splice(0)) if (question.session === sessionId) question.cancel();
    },
    close: async () => connection.close(),
  };
}

function tapped(wire: Stream, keep: (row: AcpRow) => void): Stream {
  const tap = (dir: AcpRow['dir']) =>
    new TransformStream({
      transform(message, controller) {
        keep(rowOf(dir, message));
        controller.enqueue(message);
      },
    });
  const out = tap('in');
  void out.readable.pipeTo(wire.writable).catch(() => {});
  return { writable: out.writable, readable: wire.readable.pipeThrough(tap('out')) };
}
