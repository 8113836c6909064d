// The rows of the wire, as the gateway tells them: one for each event, each native frame that gave none, each command.
import type { Event } from '../../core/model/event.ts';

/** A frame; `cut`: its whole length, if the text is not all of it. */
export interface Cell {
  readonly text: string;
  readonly cut?: number | undefined;
}

export interface NativeFrame extends Cell {
  readonly n: number;
  readonly at: number;
  readonly bytes: number;
}

export interface Mark {
  readonly kind: 'loss' | 'repair' | 'violation' | 'ignored';
  readonly dialect?: string;
  readonly text: string;
  readonly rule?: string;
}

export interface WireRow {
  readonly row: number;
  readonly at: number;
  readonly seq: number | null;
  readonly event?: Event;
  readonly from: readonly NativeFrame[];
  readonly to: readonly NativeFrame[];
  readonly frames: Readonly<Record<string, readonly Cell[]>>;
  readonly command?: { readonly client: string; readonly id: string; readonly command: unknown };
  readonly marks: readonly Mark[];
  readonly count?: number;
}
