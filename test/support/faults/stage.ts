// A session whose agent has no will, in the middle of a run: an agent commits a fault, clients of every dialect look on.
import * as lines from './pi-lines.ts';
import { type Puppet, type Puppets, startPuppets } from './puppets.ts';
import type { FaultRig } from './rig.ts';
import { type FaultRow, must, type Outcome, outcomeOf, withRig } from './row.ts';

/** A fault in the middle of a run of an agent. */
export interface Stage {
  readonly rig: FaultRig;
  readonly puppets: Puppets;
  /** It was prompted and has said nothing. */
  readonly puppet: Puppet;
}

export interface StageOptions {
  readonly limits?: object;
  /** Commands that the agent does not answer. */
  isDeaf?(type: string): boolean;
  /** What the judges may complain of: the verdict says it. */
  readonly except?: RegExp;
}

/** Opens a session whose agent was prompted, and judges everything in the end. `act` gives the time and the verdict. */
export async function onStage(
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
export async function speak({ rig, puppet }: Stage, said: readonly string[], words: string): Promise<void> {
  puppet.say(...said);
  await rig.allSee(words);
}

/** The next prompt is a run like any other, with a new agent. */
export async function nextRuns({ rig, puppets }: Stage): Promise<void> {
  const next = await prompted(rig, puppets);
  next.say(...lines.wholeRun);
  await rig.told();
}

/** The same with the same agent. */
export async function sameGoesOn({ rig, puppet }: Stage): Promise<void> {
  rig.prompt('two');
  await puppet.told('prompt', 2);
  puppet.say(...lines.wholeRun);
  await rig.told();
}

/** The agent ends in the middle; everybody is told, and the next prompt runs. */
export const dies =
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

/** Runs that go on although the agent is at fault: everybody hears one whole run, and the same agent goes on. */
export const goesOn =
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
export const isEnded =
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
export function tellsWhy({ observers }: FaultRig, words: string): void {
  for (const { name, frames } of observers) {
    must(
      frames.some((frame) => frame.includes(words)),
      `${name} was not told: ${words}`,
    );
  }
}
