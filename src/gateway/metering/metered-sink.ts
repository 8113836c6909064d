// A client's sink that counts its frames, its refused commands and the limits that the client reaches.
import type { NoteLevel } from '../../core/contract/adapter/action.ts';
import type { FrontendSide } from '../../core/contract/adapter/frontend.ts';
import type { FrameFault } from '../../core/contract/channel.ts';
import type { Limited } from '../../core/contract/limits/limit-rule.ts';
import type { Traffic } from '../../core/contract/traffic.ts';
import type { CommandSink } from '../../core/link/frontend-driver.ts';
import type { Meter } from './meter.ts';

/** A class: each connection has one. */
export class MeteredSink implements CommandSink {
  readonly traffic: Traffic;
  readonly limited: Limited;
  readonly subscribe?: CommandSink['subscribe'];
  readonly closeUnused?: CommandSink['closeUnused'];
  readonly #sink: CommandSink;
  readonly #meter: Meter;

  constructor(sink: CommandSink, meter: Meter, frontend: string, { key }: FrontendSide) {
    this.traffic = meter.ofClients(frontend, key);
    this.limited = meter.limited;
    this.subscribe = sink.subscribe;
    this.closeUnused = sink.closeUnused;
    this.#sink = sink;
    this.#meter = meter;
  }

  submit(...[command, settle, session, ticket]: Parameters<CommandSink['submit']>): void {
    this.#sink.submit(
      command,
      (outcome, receipt) => {
        if (!outcome.ok) this.#meter.refusedCommands.add(outcome.error.code);
        settle(outcome, receipt);
      },
      session,
      ticket,
    );
  }

  note(level: NoteLevel, text: string): void {
    this.#sink.note(level, text);
  }

  fault(fault: FrameFault): void {
    if (fault.code === 'too-large') this.#meter.limited('clientFrameBytes');
    this.#sink.fault?.(fault);
  }
}
