// The schema of the limits in patchbay.json.
import { z } from 'zod';

const minute = 60_000;
const mebibyte = 1024 * 1024;

const PerToken = z.strictObject({
  connections: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Streams and WebSockets; null: as many as there may be.'),
  sessions: z.int().min(1).nullable().default(null).describe('Open sessions; null: as many as there may be.'),
  agents: z.int().min(1).default(100).describe('Agents that run at the same time.'),
  questions: z.int().min(1).default(256).describe('Open approvals and dialogs; further ones are denied.'),
});

/** The bounds and the waiting times of the gateway. docs/limits.md says of each bound why the bound is there. */
export const LimitsConfig = z.strictObject({
  sessions: z.int().min(1).default(1000).describe('How many sessions may be open.'),
  connections: z
    .int()
    .min(1)
    .optional()
    .describe('How many streams and WebSockets may be open. Default 4096 on loopback, 512 beyond.'),
  perToken: PerToken.prefault({}).describe('What all clients with the same token may use together.'),
  leaseMs: z
    .int()
    .min(500)
    .default(10_000)
    .describe('How long sessions in Redis stay with a gateway that is not heard of, ms.'),
  segmentBytes: z
    .int()
    .min(4096)
    .default(64 * 1024 * 1024)
    .describe('Records of a session in the journal after which a snapshot replaces them, bytes.'),
  idleSessionMs: z
    .int()
    .min(1000)
    .default(30 * minute)
    .describe('A session without clients and without a run is closed after this, ms.'),
  questionMs: z
    .int()
    .min(10)
    .default(10 * minute)
    .describe('An open approval or dialog is denied or cancelled after this, ms.'),
  abortMs: z.int().min(10).default(5000).describe('An agent that does not stop so long after an abort is ended, ms.'),
  silenceMs: z
    .int()
    .min(10)
    .nullable()
    .default(null)
    .describe('An agent that is silent for so long inside a run is ended, ms; null: never.'),
  startMs: z
    .int()
    .min(10)
    .nullable()
    .default(minute)
    .describe('An agent that says nothing for so long after its start is ended, ms; null: never.'),
  drainMs: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(10_000)
    .describe('How long open runs may go on after the gateway on the network was told to stop, ms.'),
  agentFrameBytes: z
    .int()
    .min(1024)
    .default(32 * mebibyte)
    .describe('The longest frame of an agent, bytes.'),
  clientFrameBytes: z
    .int()
    .min(1024)
    .default(8 * mebibyte)
    .describe('The longest frame of a client, bytes.'),
  tapeBytes: z
    .int()
    .min(1024)
    .default(256 * mebibyte)
    .describe('The longest tape of `serve --record`, bytes. A longer one ends early, and the log says so.'),
  wireBytes: z
    .int()
    .min(64 * 1024)
    .default(4 * mebibyte)
    .describe('How much of the wire of a session the inspector keeps, bytes. Beyond it, the oldest rows go.'),
  transcriptBytes: z
    .int()
    .min(64 * 1024)
    .default(64 * mebibyte)
    .describe('How much conversation a session may keep, bytes. Beyond it, its run fails and its agent is ended.'),
  allTranscriptBytes: z
    .int()
    .min(64 * 1024)
    .nullable()
    .default(null)
    .describe(
      'How much conversation all sessions may keep together, bytes; null: a quarter of the memory that Node may use. Beyond it, the session that keeps the most is closed.',
    ),
});
