// `patchbay conformance --trace`: judges recordings.
import { readFileSync } from 'node:fs';
import type { CheckSet } from '../../conformance/check/sets.ts';
import { agentSetOf, clientSetOf } from '../../conformance/index.ts';
import { judgeTrace, type RecordedTrace, readTraceFile, TraceFileError } from '../../conformance/trace/trace-file.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import type { ConformanceOptions } from './options.ts';
import { conclude, type ExitCode, type Terminal, tell } from './outcome.ts';
import { chosen, setOf } from './sets.ts';

/** Judges the requested side, by default both, each with a separate report. */
export function judgeFiles(protocol: string, options: ConformanceOptions, terminal: Terminal): ExitCode {
  const wanted = setsFor(protocol, options);
  const only = chosen(wanted, options);
  const { json, junit, tap, html, markdown } = options;
  if (wanted.length > 1 && [json, junit, tap, html, markdown].some((file) => file !== undefined))
    throw new GatewayError('invalid', 'a report covers one side: add --as agent or --as client');
  const startedAt = new Date();
  const traces = options.trace.flatMap((file) => tracesIn(file, options));
  for (const { name, remarks } of traces) for (const remark of remarks) tell(terminal.stderr, `${name}: ${remark}`);
  const target = options.trace.join(', ');
  // By default skip a side without frames in the recording. A requested side is always reported.
  const shownSides = wanted.filter(({ side }) => wanted.length === 1 || traces.some((trace) => holds(trace, side)));
  const codes = judgeTrace(shownSides, traces).flatMap(({ set, results }) => {
    const asked = results.filter((result) => only(result));
    return asked.length === 0
      ? []
      : [conclude({ set, results: asked, target, startedAt, isRecorded: true }, options, terminal)];
  });
  // Active checks cannot be judged from a recording.
  if (codes.length === 0) throw new GatewayError('invalid', 'none of these checks can be seen in a recording');
  // A certain failure outweighs an unclear result.
  if (codes.includes(1)) return 1;
  return codes.includes(2) ? 2 : 0;
}

function setsFor(protocol: string, options: ConformanceOptions): readonly CheckSet[] {
  const side = options.as ?? options.by;
  const [agent, client] = [agentSetOf(protocol), clientSetOf(protocol)];
  if (side !== undefined) return [setOf<CheckSet>(side === 'agent' ? agent : client, protocol, side, options)];
  const withClient = client !== undefined && options.asOf === undefined;
  return [
    setOf(agent, protocol, 'agent', options),
    ...(withClient ? [setOf(client, protocol, 'client', options)] : []),
  ];
}

function holds({ frames }: RecordedTrace, side: CheckSet['side']): boolean {
  return frames.some(({ by }) => by === side);
}

function tracesIn(file: string, { whole, by }: ConformanceOptions): readonly RecordedTrace[] {
  try {
    const traces = readTraceFile(readFileSync(file, 'utf8'), {
      isComplete: whole === true,
      ...(by === undefined ? {} : { by }),
    });
    return traces.map((trace) => ({ ...trace, name: trace.name === '' ? file : `${file}, ${trace.name}` }));
  } catch (thrown) {
    const known = thrown instanceof TraceFileError ? '' : 'cannot read ';
    throw new GatewayError('invalid', `${known}${file}: ${messageOf(thrown)}`, { cause: thrown });
  }
}
