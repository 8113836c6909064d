// An export of a session that the gateway makes itself, for agents that make none. Knows no protocol and no file system.
import type { SessionView } from '../contract/adapter.ts';
import type { CommandOf } from '../model/command.ts';
import { GatewayError, messageOf, type Outcome, refused } from '../model/errors.ts';
import { htmlPage } from './html.ts';
import { figuresOf, messagesOf } from '../log/messages.ts';

/** Where exports go. */
export interface ExportPort {
  /** Whether a client may name any path to the agent: it owns the process, and could write there itself (docs/threats.md T9). */
  readonly pathsForAgent: boolean;
  /**
   * Writes a page and returns its absolute path. `path` is a client's wish, unchecked. Throws a GatewayError: `invalid`
   * for a path that is not allowed, `internal` when writing fails.
   */
  write(html: string, path: string | undefined): string;
}

/** Writes the transcript as a page of its own. `now` is the session clock, ms. */
export function exportSession(view: SessionView, command: CommandOf<'export'>, port: ExportPort, now: number): Outcome {
  const messages = messagesOf(view.transcript, view.timeOrigin);
  const html = htmlPage({
    title: view.transcript.info.name ?? `Session ${view.id}`,
    exportedAt: view.timeOrigin + now,
    messages,
    figures: figuresOf(messages),
  });
  try {
    return { ok: true, data: { path: port.write(html, command.path) } };
  } catch (thrown) {
    return refused(thrown instanceof GatewayError ? thrown.code : 'internal', messageOf(thrown));
  }
}
