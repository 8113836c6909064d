// A client of pi that says lines and keeps all lines that it hears. Knows no class and no gateway.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInbox, type Frame, type Inbox } from '../support/inbox.ts';

/** A start of pi on a machine that has other work. */
const patienceMs = 45_000;

/** A program that speaks pi's lines. */
export interface Lines extends Pick<Inbox, 'frames'> {
  send(line: object): void;
  /** A line as it stands. */
  raw(text: string): void;
  hear(label: string, fits: (line: Frame) => boolean, from?: number): Promise<Frame>;
  /** Sends a command under an id of its own; its answer. */
  ask(command: { readonly type: string; readonly [field: string]: unknown }): Promise<Frame>;
  /** Sends a prompt and hears the run out. `during`: what is done meanwhile, told where the run begins. */
  run(message: string, during?: (from: number) => Promise<unknown>, more?: object): Promise<void>;
  close(): Promise<void>;
}

/** Starts that command line. */
export function startLines(argv: readonly string[], settings: { cwd: string; env: Record<string, string> }): Lines {
  const [program = '', ...words] = argv;
  const child = spawn(program, words, { cwd: settings.cwd, env: { ...process.env, ...settings.env } });
  const gone = once(child, 'exit');
  const inbox = createInbox();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) inbox.line(line);
  });
  child.stdin.on('error', () => {});
  child.on('close', (code) => inbox.cut(`it has exited (${code}): ${stderr.slice(-500)}`));
  let ids = 0;
  const raw = (text: string) => void child.stdin.write(`${text}\n`);
  const send = (line: object) => raw(JSON.stringify(line));
  const hear: Lines['hear'] = async (label, fits, from = 0) => {
    await inbox.until(() => inbox.frames.slice(from).some(fits), label, patienceMs);
    return inbox.waitFor(fits, label, from);
  };
  const lines: Lines = {
    frames: inbox.frames,
    send,
    raw,
    hear,
    ask(command) {
      ids += 1;
      const id = `c${ids}`;
      const from = inbox.frames.length;
      send({ id, ...command });
      return hear(`the answer to ${command.type}`, (line) => line.type === 'response' && line.id === id, from);
    },
    async run(message, during = async () => {}, more = {}) {
      const from = inbox.frames.length;
      const answered = lines.ask({ type: 'prompt', message, ...more });
      await Promise.all([answered, during(from)]);
      await hear(`the end of ${message}`, ({ type }) => type === 'agent_settled', from);
    },
    async close() {
      child.kill();
      await gone;
    },
  };
  return lines;
}
