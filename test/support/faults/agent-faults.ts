// Faults of agents, F1 to F12 and F28: an agent without a will commits them, clients of every dialect look on.
import * as lines from './pi-lines.ts';
import { type Puppet, type Puppets, startPuppets } from './puppets.ts';
import type { FaultRig } from './rig.ts';
import { type FaultRow, must, type Outcome, outcomeOf, withRig } from './row.ts';

/** A fault in the middle of a run of an agent. */
interface Stage {
  readonly rig: FaultRig;
  readonly puppets: Puppets;
  /** It was prompted and has said nothing. */
  readonly puppet: Puppet;
}

interface StageOptions {
  readonly limits?: object;
  /** Commands that the agent does not answer. */
  isDeaf?(type: string): boolean;
  /** What the judges may complain of: the verdict says it. */
  readonly except?: RegExp;
}

/** Opens a session whose agent was prompted, and judges everything in the end. `act` gives the time and the verdict. */
async function onStage(
  act: (stage: Stage) => Promise<readonly [toldMs: number | null, verdict: string]>,
  { limits = {}, isDeaf, except }: StageOptions = {},
): Promise<Outcome> {
  const puppets = await startPuppets(isDeaf);
  const config = { agents: { puppet: { protocol: 'pi', command: puppets.command } }, limits };
  try {
    const outcome = await withRig({ config }, async (rig) => {
      const puppet = await prompted(rig, puppets);
      const [toldMs, verdict] = await act({ rig, puppets, puppet });
      return outcomeOf(rig, toldMs, verdict, { except });
    });
    await puppets.allGone();
    return outcome;
  } finally {
    puppets.close();
  }
}

/** Prompts the session; its next agent, as soon as the prompt is there. */
async function prompted(rig: FaultRig, puppets: Puppets): Promise<Puppet> {
  rig.prompt('one');
  const puppet = await puppets.next();
  await puppet.told('prompt');
  return puppet;
}

/** The agent speaks, and everybody has heard that. */
async function speak({ rig, puppet }: Stage, said: readonly string[], words: string): Promise<void> {
  puppet.say(...said);
  await rig.allSee(words);
}

/** The next prompt is a run like any other, with a new agent. */
async function nextRuns({ rig, puppets }: Stage): Promise<void> {
  const next = await prompted(rig, puppets);
  next.say(...lines.wholeRun);
  await rig.told();
}

/** The same with the same agent. */
async function sameGoesOn({ rig, puppet }: Stage): Promise<void> {
  rig.prompt('two');
  await puppet.told('prompt', 2);
  puppet.say(...lines.wholeRun);
  await rig.told();
}

/** The agent ends in the middle; everybody is told, and the next prompt runs. */
const dies =
  (said: readonly string[], words: string, end: (puppet: Puppet) => void): FaultRow['run'] =>
  () =>
    onStage(async (stage) => {
      await speak(stage, said, words);
      stage.rig.cause();
      end(stage.puppet);
      const toldMs = await stage.rig.told();
      await nextRuns(stage);
      return [toldMs, 'one ending each, the next prompt ran'];
    });

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

/** Runs that go on although the agent is at fault: everybody hears one whole run, and the same agent goes on. */
const goesOn =
  (verdict: string, act: (stage: Stage) => void, options: StageOptions = {}): FaultRow['run'] =>
  () =>
    onStage(async (stage) => {
      stage.rig.cause();
      act(stage);
      const toldMs = await stage.rig.told();
      await sameGoesOn(stage);
      return [toldMs, verdict];
    }, options);

/** The gateway ends the agent; everybody is told, and the next prompt runs. */
const isEnded =
  (words: string, verdict: string, act: (stage: Stage) => void, options: StageOptions = {}): FaultRow['run'] =>
  () =>
    onStage(async (stage) => {
      await speak(stage, lines.halfText, 'Five sockets');
      stage.rig.cause();
      act(stage);
      const toldMs = await stage.rig.told();
      tellsWhy(stage.rig, words);
      await nextRuns(stage);
      return [toldMs, verdict];
    }, options);

/** Every client was told these words. */
function tellsWhy({ observers }: FaultRig, words: string): void {
  for (const { name, frames } of observers) {
    must(
      frames.some((frame) => frame.includes(words)),
      `${name} was not told: ${words}`,
    );
  }
}

const silent = { limits: { silenceMs: 300 } };
const half = (line: string): string => line.slice(0, line.length / 2);
const abort = ({ rig }: Stage): void => {
  const [speaker] = rig.observers;
  speaker?.say(speaker.dialect.role.interrupt(speaker.frames));
};

const hangs: readonly FaultRow[] = [
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
      { except: /^pi-legacy \w+: line \d+: no message called nobody$/u },
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

export const agentFaults: readonly FaultRow[] = [...exits, ...hangs, ...broken, ...disordered];
