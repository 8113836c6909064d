// Faults of the life of agents, F1 to F5: they exit, do not start, hang.
import * as lines from './pi-lines.ts';
import { faultsOf } from './rig.ts';
import { type FaultRow, must, withRig } from './row.ts';
import { dies, isEnded, nextRuns, onStage, type Stage, speak, tellsWhy } from './stage.ts';

const exits: readonly FaultRow[] = [
  { fault: 'F1', what: 'exit 0 in a text', run: dies(lines.halfText, 'Five sockets', (one) => one.exit(0)) },
  { fault: 'F1', what: 'exit 3 in a text', run: dies(lines.halfText, 'Five sockets', (one) => one.exit(3)) },
  {
    fault: 'F1',
    what: 'SIGKILL in two tools',
    run: dies(lines.midTools, 'call-row-2', (one) => one.signal('SIGKILL')),
  },
  {
    fault: 'F1',
    what: 'SIGKILL with an open question',
    run: () =>
      onStage(async (stage) => {
        await speak(stage, lines.midTools, 'call-row-2');
        stage.puppet.say(lines.question('q'));
        const asked = stage.rig.observers.filter(({ frontend }) => frontend === 'pi');
        await Promise.all(asked.map((one) => one.waitFor('the question', (frame) => /extension_ui/u.test(frame))));
        stage.rig.cause();
        stage.puppet.signal('SIGKILL');
        const toldMs = await stage.rig.told();
        await nextRuns(stage);
        return [toldMs, 'the question ends with the run, the next prompt ran'];
      }),
  },
  {
    fault: 'F1',
    what: 'exit 0, a grandchild holds stdout for 2 s',
    run: dies(lines.halfText, 'Five sockets', (one) => one.bequeath(2000)),
  },
  {
    fault: 'F2',
    what: 'SIGKILL between runs',
    run: () =>
      onStage(async (stage) => {
        const { rig, puppet } = stage;
        puppet.say(...lines.wholeRun);
        await rig.told();
        const heard = rig.observers.map(({ frames }) => frames.length);
        puppet.signal('SIGKILL');
        await rig.hasState('down');
        await nextRuns(stage);
        // All that was heard since then belongs to the next run.
        for (const [at, one] of rig.observers.entries()) {
          const since = one.frames.slice(heard[at]);
          must(!one.dialect.isEnding(since[0] ?? ''), `${one.name} was told the end of a run that had ended`);
        }
        return [null, 'nothing of a run is told, the next prompt ran'];
      }),
  },
];

/** An agent that never says a word: each client prompts once, and is told why there is no run. */
const cannotStart =
  (command: readonly string[], words: string, verdict: string, limits = {}): FaultRow['run'] =>
  () =>
    withRig({ config: { limits, agents: { bad: { protocol: 'pi', command } } } }, async (rig) => {
      let toldMs = 0;
      for (const one of rig.observers) {
        const from = one.frames.length;
        rig.cause();
        one.say(one.dialect.role.prompt('one', one.frames));
        await one.waitFor(words, (frame) => frame.includes(words), from);
        toldMs = Math.max(toldMs, rig.since([one.times.at(-1) ?? 0]));
      }
      // Claude's protocol has a result as the only word for it, without a turn around it.
      const isExpected = /^claude \w+: claude\/own\/turn at \d+: result outside a turn/u;
      const wrong = rig.observers.flatMap(faultsOf).filter((words) => !isExpected.test(words));
      must(wrong.length === 0, wrong.join('\n'));
      return { clients: rig.observers, toldMs, lost: null, repeated: null, verdict };
    });

const dying = "process.stderr.write('\\x1b[31mno key'); process.exit(3)";
const starts: readonly FaultRow[] = [
  {
    fault: 'F3',
    what: 'a program that is not there',
    run: cannotStart(['/nowhere/agent'], 'could not be started', 'each prompt fails with the reason, no run'),
  },
  {
    fault: 'F3',
    what: 'exit 3 before its first frame, with words on stderr',
    run: cannotStart(
      [process.execPath, '-e', dying],
      'no key',
      'each prompt fails with code and words, made printable',
    ),
  },
];

const silent = { limits: { silenceMs: 300 } };
const abort = ({ rig }: Stage): void => {
  const [speaker] = rig.observers;
  speaker?.say(speaker.dialect.role.interrupt(speaker.frames));
};

const hangs: readonly FaultRow[] = [
  {
    fault: 'F4',
    what: 'reads, and says nothing from its start (startMs 100)',
    run: cannotStart(
      [process.execPath, '-e', 'process.stdin.resume()'],
      'has said nothing for 0.1 s',
      'each prompt fails with the reason, no run',
      { startMs: 100 },
    ),
  },
  {
    fault: 'F4',
    what: 'silent in a text (silenceMs 300)',
    run: isEnded('agent unresponsive', 'ended as unresponsive, the next prompt ran', () => {}, silent),
  },
  {
    fault: 'F4',
    what: 'deaf to an abort (abortMs 100)',
    run: isEnded('did not stop', 'told at the decision, SIGTERM, the next prompt ran', abort, {
      limits: { abortMs: 100 },
      isDeaf: (type) => type === 'abort',
    }),
  },
  {
    fault: 'F4',
    what: 'stopped by SIGSTOP, then aborted (abortMs 100)',
    run: isEnded(
      'did not stop',
      'told at the decision, SIGKILL 5 s after SIGTERM, the next prompt ran',
      (stage) => {
        stage.puppet.signal('SIGSTOP');
        abort(stage);
      },
      { limits: { abortMs: 100 } },
    ),
  },
  {
    fault: 'F5',
    what: 'all but the end of the run (silenceMs 300)',
    run: () =>
      onStage(async (stage) => {
        await speak(stage, lines.withoutEnd, 'are free.');
        stage.rig.cause();
        const toldMs = await stage.rig.told();
        tellsWhy(stage.rig, 'agent unresponsive');
        await nextRuns(stage);
        return [toldMs, 'the text stays, ended as unresponsive, the next prompt ran'];
      }, silent),
  },
];

export const agentFaults: readonly FaultRow[] = [...exits, ...starts, ...hangs];
