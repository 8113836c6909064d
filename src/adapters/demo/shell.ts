// The shell commands of the user. Nothing is run: the output repeats the command. A command that hangs ends by an
// abort.
import type { Action } from '../../core/contract/adapter.ts';
import type { Event } from '../../core/model/event.ts';

/** A simulated shell. */
export interface Shell {
  run(command: string, id: string): Action<Event>[];
  /** Cancels hanging commands. */
  abort(): Action<Event>[];
}

/** A shell without hanging commands. */
export function createShell(): Shell {
  /** Ids of the unsettled commands, with their output. */
  const hanging = new Map<string, string>();

  return {
    run(command, id) {
      const hangs = /^\s*hang\b/iu.test(command);
      const output = `the demo agent does not ${hangs ? 'end' : 'run'}: ${command}\n`;
      const told: Action<Event> = { do: 'deliver', message: { type: 'bash-output', command, delta: output } };
      if (hangs) {
        hanging.set(id, output);
        return [told];
      }
      const data = { output, exitCode: 0, cancelled: false, truncated: false };
      return [told, { do: 'settle', id, outcome: { ok: true, data } }];
    },
    abort() {
      const cancelled = [...hanging].map(([id, output]): Action<Event> => {
        const data = { output, cancelled: true, truncated: false };
        return { do: 'settle', id, outcome: { ok: true, data } };
      });
      hanging.clear();
      return cancelled;
    },
  };
}
