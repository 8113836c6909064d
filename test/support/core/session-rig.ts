// A session in virtual time: its agents in the hand of the test, its log and its answers written down.

import type { Instructions } from '../../../src/core/contract/adapter/instructions.ts';
import type { Resumption } from '../../../src/core/contract/adapter/stored-conversations.ts';
import type { WorkspacePort } from '../../../src/core/contract/workspace.ts';
import type { ExportPort } from '../../../src/core/export/export.ts';
import type { Command, CommandOf } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createSession } from '../../../src/core/session/open-session.ts';
import type { Session } from '../../../src/core/session/session.ts';
import {
  defaultSessionLimits,
  type SessionLimits,
  type SessionPorts,
} from '../../../src/core/session/session-ports.ts';
import { createAgent, type Script, type ScriptedAgent } from './agent.ts';
import { outline } from './outline.ts';
import { heard, recordingProjection } from './recording.ts';
import { drain, framesOf } from './stream-rig.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export const question: Extract<Event, { type: 'approval-request' }> = {
  type: 'approval-request',
  id: 'x',
  call: 'a',
  name: 'look',
  input: {},
};

/** A prompt of text. */
export function promptOf(text: string, whenBusy?: CommandOf<'prompt'>['whenBusy']): CommandOf<'prompt'> {
  return { type: 'prompt', content: [{ type: 'text', text }], whenBusy };
}

/** A session and everything around it. */
export interface SessionRig {
  readonly clock: VirtualClock;
  readonly session: Session;
  /** All agents that were started. */
  readonly agents: ScriptedAgent[];
  /** The last of them. */
  readonly agent: ScriptedAgent;
  readonly notes: string[];
  /** The limits that were reached. */
  readonly limits: string[];
  /** What came back for each command, in order: `name: ok` or `name: code`. */
  readonly answers: string[];
  /** The sentences of the refusals among them. */
  readonly problems: string[];
  submit(command: Command, name?: string): void;
  /** A prompt, by its text. */
  prompt(text: string, whenBusy?: CommandOf<'prompt'>['whenBusy']): void;
  /** Prompts that the agents were given, by their text. */
  prompted(): string[];
  /** The agent starts a run, and the prompt is settled by it. */
  run(): void;
  endRun(): void;
  /** New events of the log, in short. */
  log(): string[];
  /** Its only client goes; the log is not written down any more. */
  leave(): void;
}

/** How the rig departs from a patient session with obedient agents. */
export interface RigOptions {
  readonly limits?: Partial<SessionLimits>;
  /** The script of each agent, counted from 0; an error when it cannot be started. */
  agent?(number: number): Script | Error;
  readonly exports?: ExportPort;
  readonly workspace?: WorkspacePort;
  readonly isConfined?: boolean;
  readonly history?: SessionPorts['history'];
  readonly readStored?: SessionPorts['readStored'];
  readonly sessionFiles?: SessionPorts['sessionFiles'];
  readonly logged?: SessionPorts['logged'];
  readonly info?: SessionPorts['info'];
  readonly budget?: SessionPorts['budget'];
  readonly work?: SessionPorts['work'];
  readonly takesInstructions?: boolean;
  /** Default: a clock of its own. */
  readonly clock?: VirtualClock;
  /** Hears what each agent is started with. */
  started?(instructions: Instructions | undefined, resume: Resumption | undefined): void;
  /** The conversation that its first agent opens. */
  readonly resume?: string;
  /** Its agents can open conversations of their own. */
  readonly resumes?: boolean;
}

/** A session that nobody has used yet. */
export function createSessionRig({
  limits,
  agent: scriptOf,
  started,
  clock = createVirtualClock(),
  resumes = false,
  ...ports
}: RigOptions = {}): SessionRig {
  const agents: ScriptedAgent[] = [];
  let connects = 0;
  const session = createSession({
    id: 's',
    epoch: '0123456789ab',
    clock,
    limits: { ...defaultSessionLimits, ...limits },
    ...ports,
    connect(instructions, resume) {
      started?.(instructions, resume);
      const script = scriptOf?.(connects) ?? {};
      connects += 1;
      if (script instanceof Error) throw script;
      const agent = createAgent(clock, script);
      agents.push(agent);
      return { ...agent, isResumed: resumes && resume !== undefined };
    },
    note: (level, text) => void rig.notes.push(`${level} ${text}`),
    limited: (rule) => void rig.limits.push(rule),
  });
  const reader = session.stream('recording', recordingProjection).attach(null);

  function answered(name: string, outcome: Outcome): void {
    rig.answers.push(`${name}: ${outcome.ok ? 'ok' : outcome.error.code}`);
    if (!outcome.ok) rig.problems.push(outcome.error.message);
  }

  const rig: SessionRig = {
    clock,
    session,
    agents,
    get agent() {
      const last = agents.at(-1);
      if (last === undefined) throw new Error('no agent was started');
      return last;
    },
    notes: [],
    limits: [],
    answers: [],
    problems: [],
    submit: (command, name = command.type) => session.submit(command, (outcome) => answered(name, outcome)),
    prompt: (text, whenBusy) => rig.submit(promptOf(text, whenBusy), text),
    prompted: () => agents.flatMap(({ received }) => received.flatMap(({ command }) => textOf(command))),
    run: () => rig.agent.say({ type: 'run-start' }),
    endRun: () => rig.agent.say({ type: 'run-end', outcome: 'completed' }),
    log: () => outline(heard(framesOf(drain(reader)))),
    leave: () => reader.close(),
  };
  return rig;
}

function textOf(command: Command): string[] {
  if (command.type !== 'prompt') return [];
  return command.content.map((content) => (content.type === 'text' ? content.text : content.type));
}
