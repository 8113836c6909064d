// Turns what passes between a client and an agent into the text of a tape, in the order in which frames are whole.
import { type CutFraming, createCutter, type WireFrame } from './cutter.ts';
import { type ExitRow, type MetaRow, type Row, rowText, type SpokenRow, spokenOf } from './row.ts';

/** Takes the bytes of one conversation. */
export interface Recorder {
  /** Some bytes of one direction, cut anywhere. The bytes must not change. */
  heard(dir: SpokenRow['dir'], chunk: Uint8Array): void;
  /** The client has closed the agent's input. */
  inputEnded(): void;
  /** The agent is gone: the unfinished rests and the last row are written. */
  ended(exit: Pick<ExitRow, 'code' | 'signal'>): void;
}

/** What a recorder needs. */
export interface RecorderPorts {
  readonly meta: Omit<MetaRow, 'dir' | 'v'>;
  readonly framing: CutFraming;
  /** ms, by a clock that never goes back. */
  now(): number;
  /** Takes whole lines of the tape. */
  write(text: string): void;
}

/** A recorder that has written the first row. */
export function createRecorder({ meta, framing, now, write }: RecorderPorts): Recorder {
  const start = now();
  const at = () => Math.round((now() - start) * 1000) / 1000;
  const put = (row: Row) => write(rowText(row));
  const heardOn = (dir: SpokenRow['dir']) => (frame: WireFrame) => put({ dir, ...spokenOf(frame), at: at() });
  const cutters = {
    in: createCutter(framing, heardOn('in')),
    out: createCutter(framing, heardOn('out')),
    err: createCutter('lines', heardOn('err')),
  };
  put({ dir: 'meta', v: 1, ...meta });
  return {
    heard: (dir, chunk) => cutters[dir].push(chunk),
    inputEnded() {
      cutters.in.end();
      put({ dir: 'end', of: 'in', at: at() });
    },
    ended({ code, signal }) {
      for (const cutter of Object.values(cutters)) cutter.end();
      put({ dir: 'exit', code, signal, at: at() });
    },
  };
}
