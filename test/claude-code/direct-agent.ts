// Claude Code with nothing in front of it: a script talks to it over stdio, and a tap keeps both sides of the talk.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClaudeHome, type ClaudeStart, claudeCommand } from '../support/claude-code-rig.ts';
import { createInbox, type Inbox } from '../support/inbox.ts';
import { readRecord } from '../support/pi-rig.ts';
import type { TraceRow } from '../support/translate.ts';

/** A running Claude Code. */
export interface DirectAgent extends Pick<Inbox, 'frames' | 'waitFor'> {
  /** Its working directory. */
  readonly project: string;
  send(frame: unknown): void;
  /** A line as it is. */
  sendRaw(line: string): void;
  /** Closes its input, waits for its end; the exit code, and the trace in the corpus form. */
  finish(): Promise<{ code: number | null; rows: TraceRow[] }>;
}

/** Starts one. */
export function startDirect(home: ClaudeHome, start: ClaudeStart): DirectAgent {
  const [program, ...words] = claudeCommand(home, start);
  const child: ChildProcessWithoutNullStreams = spawn(program, words, { cwd: home.project });
  const inbox = createInbox();
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-2_000);
  });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) inbox.line(line);
  });
  child.stdin.on('error', () => {});
  const gone = once(child, 'close');
  child.on('close', (code) => inbox.cut(`Claude Code exited (${code}) ${log}`));
  const sendRaw = (line: string) => void child.stdin.write(`${line}\n`);
  return {
    ...inbox,
    project: home.project,
    sendRaw,
    send: (frame) => sendRaw(JSON.stringify(frame)),
    async finish() {
      child.stdin.end();
      await gone;
      const rows = readRecord(`${home.records}/${child.pid}.jsonl`);
      const lines = rows.flatMap(({ dir, line }) => (dir === 'in' || dir === 'out' ? [{ dir, line }] : []));
      return { code: child.exitCode, rows: lines };
    },
  };
}
