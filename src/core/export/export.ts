// Exports a session as an HTML page, for agents that have no export of their own.
import type { SessionView } from '../contract/adapter.ts';
import { figuresOf, messagesOf } from '../log/messages.ts';
import type { CommandOf } from '../model/command.ts';
import { GatewayError, messageOf, type Outcome, refused } from '../model/errors.ts';
import { htmlPage } from './html.ts';

/** Writes exports. */
export interface ExportPort {
  /** True if the client owns the process and may therefore name any path to the agent (docs/threats.md T9). */
  readonly pathsForAgent: boolean;
  /**
   * Writes a page and returns its absolute path. `path` comes from a client and is unchecked. Throws a GatewayError:
   * `invalid` for a forbidden path, `internal` if writing fails.
   */
  write(html: string, path: string | undefined): string;
}

/** Writes the transcript as a page. `now` is the session clock, ms. */
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
