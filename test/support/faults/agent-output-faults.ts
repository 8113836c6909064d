// Faults of what agents say, F6 to F12 and F28: broken, too long, repeated, out of order, refused by their provider.
import * as lines from './pi-lines.ts';
import { type FaultRow, must } from './row.ts';
import { dies, goesOn, isEnded, nextRuns, onStage, sameGoesOn, speak } from './stage.ts';

const half = (line: string): string => line.slice(0, line.length / 2);
const [nextLine = ''] = lines.otherHalf;
const broken: readonly FaultRow[] = [
  {
    fault: 'F6',
    what: 'half a line, then SIGKILL',
    run: dies(lines.halfText, 'Five sockets', (one) => {
      one.write(half(nextLine));
      one.die('SIGKILL');
    }),
  },
  {
    fault: 'F6',
    what: 'a whole run, its last line without its end, then SIGKILL',
    run: () =>
      onStage(async (stage) => {
        const { rig, puppet } = stage;
        await speak(stage, lines.halfText, 'Five sockets');
        rig.cause();
        puppet.write([...lines.otherHalf.slice(0, -1)].join('\n'));
        puppet.die('SIGKILL');
        const toldMs = await rig.told();
        for (const { dialect, endings, frames, name } of rig.observers) {
          const end = frames[endings[0] ?? 0] ?? '';
          must(!dialect.role.isCutShort(end, frames), `${name} was told that the run failed`);
        }
        await nextRuns(stage);
        return [toldMs, 'the last line counts, the run ended well, the next prompt ran'];
      }),
  },
  {
    fault: 'F7',
    what: 'a line of 16 MiB (agentFrameBytes 1 MiB)',
    run: isEnded(
      'the agent sent a line of more than 1048576 bytes',
      'the agent is ended, the next prompt ran',
      ({ puppet }) => puppet.flood('x', 16 * 1024 * 1024),
      { limits: { agentFrameBytes: 1024 * 1024 } },
    ),
  },
  {
    fault: 'F8',
    what: '64 MiB to stderr in a text',
    run: goesOn('the run is whole, the agent goes on', ({ puppet }) => {
      puppet.say(...lines.halfText);
      puppet.complain('x'.repeat(64 * 1024), 1024);
      puppet.say(...lines.otherHalf);
    }),
  },
  {
    fault: 'F9',
    what: '99 lines that are no JSON, an unknown event',
    run: goesOn('skipped, the run is whole, the agent goes on', ({ puppet }) => {
      puppet.say(...lines.halfText);
      puppet.say(...Array.from({ length: 99 }, (_, n) => `junk ${n}`), '{"type":"nobody_knows","n":1}');
      puppet.say(...lines.otherHalf);
    }),
  },
  {
    fault: 'F9',
    what: '100 lines in a row that are no JSON',
    run: isEnded('none of its protocol', 'the agent is ended, the next prompt ran', ({ puppet }) =>
      puppet.say(...Array.from({ length: 100 }, (_, n) => `junk ${n}`)),
    ),
  },
];

const disordered: readonly FaultRow[] = [
  {
    fault: 'F10',
    what: 'starts and ends said twice',
    run: goesOn('one start and one end of each, the agent goes on', ({ puppet }) =>
      puppet.say(
        ...lines.wholeRun.flatMap((line) =>
          /"type":"(?:agent_start|turn_start|thinking_end|text_end|turn_end|agent_end)"/u.test(line)
            ? [line, line]
            : [line],
        ),
      ),
    ),
  },
  {
    fault: 'F11',
    what: 'text before its message, a message in a message, a text in a run that did not begin',
    run: goesOn('put in order, one run, the agent goes on', ({ puppet }) => {
      const [start, turn, user, userEnd, message, ...rest] = lines.wholeRun;
      const early = rest.slice(0, 2);
      // Without the start of the run and of the turn; then two texts that nobody began, and everything in order.
      puppet.say(...early, start ?? '', turn ?? '', user ?? '', userEnd ?? '', ...early, message ?? '', ...rest);
    }),
  },
  {
    fault: 'F12',
    what: 'a result for a call that nobody made',
    run: goesOn(
      'a call is added before it; no message announces the call to pi 0.13',
      ({ puppet }) => {
        const unknown = { toolCallId: 'nobody', toolName: 'probe', result: { content: [] }, isError: false };
        puppet.say(...lines.runStart, JSON.stringify({ type: 'tool_execution_end', ...unknown }));
        puppet.say(...lines.wholeRun.slice(lines.runStart.length));
      },
      { except: /^pi-legacy \w+: pi-legacy\/tool-called at \d+: no message has called nobody/u },
    ),
  },
  {
    fault: 'F28',
    what: 'overloaded once, retried by the agent',
    run: () =>
      onStage(async (stage) => {
        stage.rig.cause();
        await speak(stage, lines.retriedRun, 'I am here.');
        const toldMs = await stage.rig.told();
        await sameGoesOn(stage);
        return [toldMs, 'retried inside one run, the agent goes on'];
      }),
  },
  {
    fault: 'F28',
    what: 'the provider fails for good',
    run: goesOn('the run failed, the agent goes on', ({ puppet }) => puppet.say(...lines.failedRun)),
  },
];

export const agentOutputFaults: readonly FaultRow[] = [...broken, ...disordered];
