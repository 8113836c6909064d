// Mutants for rules: greeting, frames, responses, and the lifecycle of commands (docs/protocols/pi-server.md 2 to 7.2).
import { changesOutput, dropsOutput, isResponse, type Mutant, withData } from './mutant.ts';
import { delays, isFailure, isStep, puts } from './rule-changes.ts';

/** Sections 2 to 6, 12 and 16.1. */
export const frameMutants: readonly Mutant[] = [
  {
    fault: 'something is said before server_ready',
    caughtBy: ['ready-first'],
    make: puts(
      ({ type }) => type === 'server_ready',
      (frame) => [{ type: 'startup_recovery_summary', data: {} }, frame],
    ),
  },
  {
    fault: 'what it logs is between its frames',
    caughtBy: ['frame-object'],
    make: () => ({
      out(frame, link) {
        if (isResponse(frame)) link.say('INFO [server] answered');
        return [frame];
      },
    }),
  },
  {
    fault: 'a repetition without an id has a stale one',
    caughtBy: ['response-id'],
    alsoCaughtBy: ['response-finished'],
    make: changesOutput((frame) =>
      frame.replayed === true && frame.id === undefined ? { ...frame, id: 'stale' } : frame,
    ),
  },
  {
    fault: 'a response names another command',
    caughtBy: ['response-command'],
    alsoCaughtBy: ['response-outcome', 'server-data'],
    make: changesOutput((frame) => (isResponse(frame, 'get_metrics') ? { ...frame, command: 'metrics' } : frame)),
  },
  {
    fault: 'a command is answered twice',
    caughtBy: ['answered'],
    alsoCaughtBy: ['finished-before-response'],
    make: puts(
      (frame) => isResponse(frame, 'get_metrics'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'a command is never answered',
    caughtBy: ['answered'],
    make: dropsOutput((frame) => isResponse(frame, 'get_metrics')),
  },
];

/** Sections 4.2 to 7.2. */
export const lifecycleMutants: readonly Mutant[] = [
  {
    fault: 'a command is started for another session',
    caughtBy: ['lifecycle-identity'],
    make: changesOutput((frame) => (isStep(frame, 'started') ? withData(frame, { sessionId: 'another' }) : frame)),
  },
  {
    fault: 'a command is not accepted',
    caughtBy: ['accepted-first'],
    make: dropsOutput((frame) => isStep(frame, 'accepted', 'get_metrics')),
  },
  {
    fault: 'a command is not started',
    caughtBy: ['started-first'],
    make: dropsOutput((frame) => isStep(frame, 'started', 'get_metrics')),
  },
  {
    fault: 'a command is finished twice',
    caughtBy: ['started-first'],
    make: puts(
      (frame) => isStep(frame, 'finished', 'get_metrics'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'a command is accepted twice, and finished once',
    caughtBy: ['accepted-finished'],
    make: puts(
      (frame) => isStep(frame, 'accepted', 'get_metrics'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'a command is finished behind its response',
    caughtBy: ['finished-before-response'],
    make: delays(
      (frame) => isStep(frame, 'finished', 'get_metrics'),
      (frame) => isResponse(frame, 'get_metrics'),
    ),
  },
  {
    fault: 'a command is answered and never finished',
    caughtBy: ['response-finished'],
    alsoCaughtBy: ['accepted-finished'],
    make: dropsOutput((frame) => isStep(frame, 'finished', 'get_metrics')),
  },
  {
    fault: 'a response tells another error',
    caughtBy: ['response-outcome'],
    make: changesOutput((frame) => (isFailure(frame) ? { ...frame, error: `${String(frame.error)}, sorry` } : frame)),
  },
  {
    fault: 'what is not valid is accepted before it is refused',
    caughtBy: ['rejected-silent'],
    alsoCaughtBy: ['accepted-finished'],
    make: puts(
      ({ error }) => /^Validation failed/u.test(String(error)),
      (frame) => {
        const data = { commandId: frame.id, commandType: frame.command, dependsOn: [] };
        return [{ type: 'command_accepted', data }, frame];
      },
    ),
  },
];
