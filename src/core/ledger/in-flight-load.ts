// Counts the commands in flight and the memory of their payloads.
import { type LedgerLimits, maxBytesInFlight } from '../contract/limits/ledger-limits.ts';
import type { AdmittedCommand } from './admitted-command.ts';

/** The load of commands in flight and their waiting repetitions. Weights in bytes. */
export interface InFlightLoad {
  readonly commands: number;
  hasRoomForCommand(weight: number): boolean;
  hasRoomForRepetition(weight: number): boolean;
  addCommand(weight: number): void;
  addRepetition(weight: number): void;
  /** Frees the load of a command and its repetitions. */
  release(work: AdmittedCommand): void;
}

/** Creates counters at zero. */
export function createInFlightLoad(limits: LedgerLimits): InFlightLoad {
  let commands = 0;
  let repetitions = 0;
  /** Payload bytes of all commands in flight. */
  let bytes = 0;

  /** A single payload is always admitted, whatever its size: sending it again would not make it smaller. */
  function hasBytes(weight: number): boolean {
    return bytes === 0 || bytes + weight <= maxBytesInFlight;
  }

  return {
    get commands() {
      return commands;
    },
    hasRoomForCommand: (weight) => commands < limits.maxInFlight && hasBytes(weight),
    hasRoomForRepetition: (weight) => repetitions < limits.maxInFlight && hasBytes(weight),
    addCommand(weight) {
      commands += 1;
      bytes += weight;
    },
    addRepetition(weight) {
      repetitions += 1;
      bytes += weight;
    },
    release(work) {
      commands -= 1;
      repetitions -= work.repetitions.length;
      for (const { weight } of [work, ...work.repetitions]) bytes -= weight;
    },
  };
}
