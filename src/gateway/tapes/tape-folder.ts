// `serve --record`: a tape for each connection to an agent, in one folder.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Channel, Ending, Receiver } from '../../core/contract/channel.ts';
import type { Limited } from '../../core/contract/limits/limit-rule.ts';
import { openTapeFile } from '../../stores/tape-file.ts';
import { type Row, rowText, type SpokenRow, saidOf } from '../../tape/row.ts';
import { bytesOf } from '../../transports/framing/frame.ts';
import type { Log } from '../log.ts';

/** What is recorded. */
export interface Recorded {
  /** Name of the agent in the configuration. */
  readonly name: string;
  readonly protocol: string;
  readonly argv: readonly string[] | undefined;
  readonly cwd: string | undefined;
  /** How the frames are framed, as rows say it. */
  readonly frame: SpokenRow['frame'];
}

/** Records channels. */
export interface TapeFolder {
  /** The channel, with a tape of everything that passes. A tape that cannot be made is logged. */
  record(channel: Channel, recorded: Recorded): Channel;
}

/** The dependencies of a folder. */
export interface TapeFolderPorts {
  readonly folder: string;
  /** The longest tape, bytes. */
  readonly mostBytes: number;
  readonly log: Log;
  readonly limited: Limited;
}

/** Tapes in this folder, one file for each connection; only the user can read them. */
export function createTapeFolder({ folder, mostBytes, log, limited }: TapeFolderPorts): TapeFolder {
  return {
    record(channel, { name, protocol, argv, cwd, frame }) {
      const startedAt = new Date().toISOString();
      const file = path.join(folder, `${startedAt.replace(/[:.]/gu, '-')}-${name}-${randomUUID().slice(0, 8)}.jsonl`);
      try {
        const tape = openTapeFile(file, {
          mostBytes,
          failed(reason) {
            if (reason.type === 'full') limited('tapeBytes');
            const why = reason.type === 'full' ? `longer than ${mostBytes} bytes (tapeBytes)` : reason.code;
            log('error', 'a tape ends before its session', { agent: name, file, reason: why });
          },
        });
        const put = (row: Row) => tape.append(rowText(row));
        const command = argv === undefined ? {} : { argv: [...argv] };
        put({ dir: 'meta', v: 1, protocol, agent: name, ...command, ...(cwd === undefined ? {} : { cwd }), startedAt });
        return tapped(channel, frame, put, () => tape.close());
      } catch (thrown) {
        // The session matters more than its tape.
        log('error', 'a session is not recorded', { agent: name, reason: String(thrown) });
        return channel;
      }
    },
  };
}

/** The frames are those of the transport: line ends and headers of the wire are not in them. */
function tapped(channel: Channel, frame: SpokenRow['frame'], put: (row: Row) => void, close: () => void): Channel {
  const start = performance.now();
  const at = () => Math.round((performance.now() - start) * 1000) / 1000;
  const framed = frame === undefined ? {} : { frame };
  const said = (dir: 'in' | 'out', bytes: Uint8Array) => put({ dir, ...saidOf(bytes), ...framed, at: at() });
  return {
    label: channel.label,
    open(receiver) {
      // Without the fast path: a tape needs each frame whole.
      const tap: Receiver = {
        ...(receiver.work === undefined ? {} : { work: receiver.work }),
        frame(one) {
          said('out', one.bytes);
          receiver.frame(one);
        },
        fault(fault) {
          put({ dir: 'note', line: fault.message, at: at() });
          receiver.fault(fault);
        },
        end(ending) {
          put({ dir: 'note', line: ending.reason, at: at() });
          put({ dir: 'exit', ...exitIn(ending), at: at() });
          close();
          receiver.end(ending);
        },
        ...(receiver.inputEnded === undefined ? {} : { inputEnded: () => receiver.inputEnded?.() }),
        drained: () => receiver.drained?.(),
      };
      channel.open(tap);
    },
    send(out) {
      said('in', bytesOf(out));
      channel.send(out);
    },
    get buffered() {
      return channel.buffered;
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close(code, reason) {
      // We leave first: a player of this tape waits for the end of its input too.
      put({ dir: 'end', of: 'in', at: at() });
      channel.close(code, reason);
    },
  };
}

/** The exit in the words of transports/child/child-process.ts; unknown for other ends. */
function exitIn({ reason }: Ending): { readonly code: number | null; readonly signal: string | null } {
  const code = /\(code (\d+)\)/u.exec(reason)?.[1];
  return { code: code === undefined ? null : Number(code), signal: /\(signal (\w+)\)/u.exec(reason)?.[1] ?? null };
}
