// Doubles for rules: greeting, frames, responses, and the course of each command (docs/protocols/pi-server.md 2 to 7.2).
import { without } from '../../../../src/core/model/dictionary.ts';
import { type Double, dataOf, hides, isResponse, phaseOf, says, withData } from './double.ts';
import { delays, isFailure, isStep, puts } from './tamper-rules.ts';

/** Sections 2 to 6, 12 and 16.1. */
export const frameDoubles: readonly Double[] = [
  {
    fault: 'something is said before server_ready',
    caught: ['ready-first'],
    make: puts(
      ({ type }) => type === 'server_ready',
      (frame) => [{ type: 'startup_recovery_summary', data: {} }, frame],
    ),
  },
  {
    fault: 'server_ready has no transports',
    caught: ['ready-data'],
    make: says((frame) =>
      frame.type === 'server_ready' ? { ...frame, data: without(dataOf(frame), 'transports') } : frame,
    ),
  },
  {
    fault: 'the protocol has half a version',
    caught: ['ready-version'],
    make: says((frame) => (frame.type === 'server_ready' ? withData(frame, { protocolVersion: '1' }) : frame)),
  },
  {
    fault: 'what it logs is between its frames',
    caught: ['frame-object'],
    make: () => ({
      out(frame, link) {
        if (isResponse(frame)) link.say('INFO [server] answered');
        return [frame];
      },
    }),
  },
  {
    fault: 'a frame has no type',
    caught: ['frame-type'],
    make: puts(
      (frame) => isResponse(frame, 'health_check'),
      (frame) => [frame, { data: {} }],
    ),
  },
  {
    fault: 'success is a word',
    caught: ['response-shape'],
    kin: ['response-error'],
    make: says((frame) =>
      isResponse(frame, 'health_check') && frame.success === true ? { ...frame, success: 'true' } : frame,
    ),
  },
  {
    fault: 'sessionVersion is a word',
    caught: ['response-optional'],
    kin: ['response-outcome'],
    make: says((frame) => (isResponse(frame, 'get_last_assistant_text') ? { ...frame, sessionVersion: '1' } : frame)),
  },
  {
    fault: 'a success has an error',
    caught: ['response-error'],
    kin: ['response-outcome'],
    make: says((frame) => (isResponse(frame, 'get_metrics') ? { ...frame, error: 'none' } : frame)),
  },
  {
    fault: 'a failure has data',
    caught: ['failure-bare'],
    make: says((frame) => (isFailure(frame) ? { ...frame, data: {} } : frame)),
  },
  {
    fault: 'a repetition without an id has a stale one',
    caught: ['response-id'],
    kin: ['response-finished'],
    make: says((frame) => (frame.replayed === true && frame.id === undefined ? { ...frame, id: 'stale' } : frame)),
  },
  {
    fault: 'a response names another command',
    caught: ['response-command'],
    kin: ['response-outcome', 'server-data'],
    make: says((frame) => (isResponse(frame, 'get_metrics') ? { ...frame, command: 'metrics' } : frame)),
  },
  {
    fault: 'a command is answered twice',
    caught: ['answered'],
    kin: ['finished-before-response'],
    make: puts(
      (frame) => isResponse(frame, 'get_metrics'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'a command is never answered',
    caught: ['answered'],
    make: hides((frame) => isResponse(frame, 'get_metrics')),
  },
];

/** Sections 4.2 to 7.2. */
export const courseDoubles: readonly Double[] = [
  {
    fault: 'an ending does not say of what',
    caught: ['lifecycle-names'],
    kin: ['lifecycle-identity', 'response-outcome'],
    make: says((frame) =>
      isStep(frame, 'finished', 'get_metrics') ? { ...frame, data: without(dataOf(frame), 'commandType') } : frame,
    ),
  },
  {
    fault: 'no step says what its command depends on',
    caught: ['lifecycle-depends-on'],
    make: says((frame) => (phaseOf(frame) === '' ? frame : { ...frame, data: without(dataOf(frame), 'dependsOn') })),
  },
  {
    fault: 'a command is finished as failed, without a reason',
    caught: ['finished-outcome'],
    kin: ['response-outcome'],
    make: says((frame) => (isStep(frame, 'finished') ? { ...frame, data: without(dataOf(frame), 'error') } : frame)),
  },
  {
    fault: 'a command is started for another session',
    caught: ['lifecycle-identity'],
    make: says((frame) => (isStep(frame, 'started') ? withData(frame, { sessionId: 'another' }) : frame)),
  },
  {
    fault: 'a command is not accepted',
    caught: ['accepted-first'],
    make: hides((frame) => isStep(frame, 'accepted', 'get_metrics')),
  },
  {
    fault: 'a command is not started',
    caught: ['started-first'],
    make: hides((frame) => isStep(frame, 'started', 'get_metrics')),
  },
  {
    fault: 'a command is finished twice',
    caught: ['started-first'],
    make: puts(
      (frame) => isStep(frame, 'finished', 'get_metrics'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'a command is accepted twice, and finished once',
    caught: ['accepted-finished'],
    make: puts(
      (frame) => isStep(frame, 'accepted', 'get_metrics'),
      (frame) => [frame, frame],
    ),
  },
  {
    fault: 'a command is finished behind its response',
    caught: ['finished-before-response'],
    make: delays(
      (frame) => isStep(frame, 'finished', 'get_metrics'),
      (frame) => isResponse(frame, 'get_metrics'),
    ),
  },
  {
    fault: 'a command is answered and never finished',
    caught: ['response-finished'],
    kin: ['accepted-finished'],
    make: hides((frame) => isStep(frame, 'finished', 'get_metrics')),
  },
  {
    fault: 'a response tells another error',
    caught: ['response-outcome'],
    make: says((frame) => (isFailure(frame) ? { ...frame, error: `${String(frame.error)}, sorry` } : frame)),
  },
  {
    fault: 'what is not valid is accepted before it is refused',
    caught: ['rejected-silent'],
    kin: ['accepted-finished'],
    make: puts(
      ({ error }) => /^Validation failed/u.test(String(error)),
      (frame) => {
        const data = { commandId: frame.id, commandType: frame.command, dependsOn: [] };
        return [{ type: 'command_accepted', data }, frame];
      },
    ),
  },
];
