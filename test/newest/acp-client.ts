// pi-acp as an editor of the Agent Client Protocol starts it, with a program of ours as its pi.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { within } from '../../src/conformance/bounded-wait.ts';

const program = fileURLToPath(new URL('../../node_modules/pi-acp/dist/index.js', import.meta.url));
/** A start of pi on a machine that has other work. */
const patienceMs = 45_000;

const Message = z.looseObject({ id: z.unknown().optional(), method: z.string().optional() });
const Update = z.looseObject({ sessionUpdate: z.string() });
/** One thing that an agent tells an editor. */
export type Update = z.infer<typeof Update>;

/** An editor with one pi-acp. */
export interface AcpEditor {
  /** Everything told by updates, from the start on. */
  readonly updates: readonly Update[];
  /** What was asked for, by the words that stood above. */
  readonly asked: string[];
  /** The option that the user takes, out of those shown. */
  choose: (names: readonly string[]) => number;
  /** Asks; throws what is answered as an error. */
  ask(method: string, params: object): Promise<Record<string, unknown>>;
  notify(method: string, params: object): void;
  hear(label: string, fits: (update: Update) => boolean, from?: number): Promise<Update>;
  close(): Promise<void>;
}

/** Starts pi-acp with that program for its pi. */
export function startAcp(piProgram: string, cwd: string, home: string): AcpEditor {
  // Without npm on the PATH it cannot ask for a newer pi, which would take seconds.
  const env = { HOME: home, PATH: '/nowhere', PI_CODING_AGENT_DIR: home, PI_ACP_PI_COMMAND: piProgram };
  const child = spawn(process.execPath, [program], { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const gone = once(child, 'exit');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const waiting = new Map<unknown, (message: Record<string, unknown>) => void>();
  const updates: Update[] = [];
  const asked: string[] = [];
  const watchers = new Set<() => void>();
  let ids = 0;
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(Message.parse(JSON.parse(line)));
    for (const watcher of watchers) watcher();
  });
  function hear(message: z.infer<typeof Message>): void {
    const params = Object(message.params);
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else if (message.method === 'session/update') updates.push(Update.parse(params.update));
    else if (message.method === 'session/request_permission') {
      asked.push(String(Object(params.toolCall).title));
      const options = z.array(z.looseObject({ optionId: z.string(), name: z.string() })).parse(params.options);
      const option = options[editor.choose(options.map(({ name }) => name))];
      write({ id: message.id, result: { outcome: { outcome: 'selected', optionId: option?.optionId } } });
    }
  }
  const explain = () =>
    `; last updates: ${JSON.stringify(updates.slice(-3)).slice(0, 600)}; stderr: ${stderr.slice(-500)}`;
  const editor: AcpEditor = {
    updates,
    asked,
    choose: () => 0,
    async ask(method, params) {
      ids += 1;
      const id = ids;
      let answer: Record<string, unknown> | undefined;
      waiting.set(id, (message) => {
        answer = message;
      });
      write({ id, method, params });
      const { error, result } = await within(`the answer to ${method}`, watchers, () => answer, explain, patienceMs);
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return Object(result);
    },
    notify: (method, params) => void write({ method, params }),
    hear: (label, fits, from = 0) => within(label, watchers, () => updates.slice(from).find(fits), explain, patienceMs),
    async close() {
      child.stdin.end();
      child.kill();
      await gone;
    },
  };
  return editor;
}
