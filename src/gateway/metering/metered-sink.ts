// A client's sink that counts its frames, its refused commands and the limits that the client reaches.
import type { FrontendSide } from '../../core/contract/adapter.ts';
import type { CommandSink } from '../../core/link/frontend-driver.ts';
import type { Meter } from './meter.ts';

/** The sink with its counters. */
export function meteredSink(sink: CommandSink, meter: Meter, frontend: string, { key }: FrontendSide): CommandSink {
  return {
    ...sink,
    traffic: meter.ofClients(frontend, key),
    limited: meter.limited,
    submit(command, settle, session, ticket) {
      sink.submit(
        command,
        (outcome, receipt) => {
          if (!outcome.ok) meter.refusedCommands.add(outcome.error.code);
          settle(outcome, receipt);
        },
        session,
        ticket,
      );
    },
    fault(fault) {
      if (fault.code === 'too-large') meter.limited('clientFrameBytes');
      sink.fault?.(fault);
    },
  };
}
