// How many commands are in flight, and how much memory their payloads take.
import { type LedgerLimits, maxBytesInFlight } from '../contract/ledger-limits.ts';
import type { Work } from './work.ts';

/** The commands in flight and the repetitions that wait for them. Weights in bytes. */
export interface Load {
  readonly commands: number;
  hasRoomForCommand(weight: number): boolean;
  hasRoomForRepetition(weight: number): boolean;
  addCommand(weight: number): void;
  addRepetition(weight: number): void;
  /** The command and its repetitions are over. */
  release(work: Work): void;
}

/** Nothing is in flight. */
export function createLoad(limits: LedgerLimits): Load {
  let commands = 0;
  let repetitions = 0;
  /** Of all payloads. */
  let bytes = 0;

  /** A single payload always has room: to be sent again would not make it smaller. */
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
