// Every family of rows, in the order of the table.
import type { Family } from '../report.ts';
import { manyAgents } from './a1-agents.ts';
import { agentEnds } from './a9-ends.ts';
import { claudeStream } from './c1-claude-stream.ts';
import { acpProgram, claudeProgram } from './c7-programs.ts';
import { inspecting } from './i1-inspector.ts';
import { deltaOnly } from './p1-delta-only.ts';
import { snapshots } from './p2-snapshots.ts';
import { reading } from './p5-read.ts';
import { growing } from './p6-growing.ts';
import { peer } from './p7-peer.ts';
import { burstToMany } from './p8-burst.ts';
import { latency } from './p9-latency.ts';
import { manySessions } from './p10-sessions.ts';
import { memory } from './p11-memory.ts';
import { stalledClients } from './p12-stalled.ts';
import { claudeEquality, equality } from './p13-equal.ts';
import { startUp } from './s1-start.ts';

export const families: readonly Family[] = [
  deltaOnly,
  snapshots,
  reading,
  growing,
  peer,
  burstToMany,
  latency,
  manySessions,
  memory,
  stalledClients,
  equality,
  claudeStream,
  claudeProgram,
  claudeEquality,
  manyAgents,
  acpProgram,
  agentEnds,
  startUp,
  inspecting,
];
