// The user's shell commands. No command runs: the output repeats the command text. A hanging command ends when it is
// aborted.
import type { Action } from '../../core/contract/adapter/action.ts';
import type { Event } from '../../core/model/event.ts';

/** A simulated shell. */
export interface Shell {
  run(command: string, id: string): Action<Event>[];
  /** Cancels hanging commands. */
  abort(): Action<Event>[];
}

/** Creates a shell without hanging commands. */
export function createShell(): Shell {
  /** Ids of the unsettled commands, with their output. */
  const hanging = new Map<string, string>();

  return {
    run(command, id) {
      const hangs = /^\s*hang\b/iu.test(command);
      const output = `the demo agent does not ${hangs ? 'end' : 'run'}: ${command}\n`;
      const deliverOutput: Action<Event> = { do: 'deliver', message: { type: 'bash-output', command, delta: output } };
      if (hangs) {
        hanging.set(id, output);
        return [deliverOutput];
      }
      const data = { output, exitCode: 0, cancelled: false, truncated: false };
      return [deliverOutput, { do: 'settle', id, outcome: { ok: true, data } }];
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
