// The frames of `canonical` as zod schemas: the model in small envelopes (docs/protocols/canonical.md 2, 3).
import { z } from 'zod';
import { Command } from '../../core/model/command.ts';
import type { ErrorCode } from '../../core/model/errors.ts';
import { Event } from '../../core/model/event.ts';

/** The client's own name for a request. */
export const RequestId = z.union([z.string().max(256), z.number()]);
export type RequestId = z.infer<typeof RequestId>;

/** A command of the model. */
export const CommandFrame = z.object({
  id: RequestId,
  /** Absent: the session of the connection, or no session. */
  session: z.string().optional(),
  command: Command,
});

/** Asks for the events of a session, on a connection without a session of its own. */
export const AttachFrame = z.object({ attach: z.string() });

/** Ends the events of a session. */
export const DetachFrame = z.object({ detach: z.string() });

/** Everything that a client sends. */
export const ClientFrame = z.union([CommandFrame, AttachFrame, DetachFrame]);
export type ClientFrame = z.infer<typeof ClientFrame>;

const codes = [
  'bad-frame',
  'too-large',
  'too-deep',
  'unknown-command',
  'invalid',
  'unsupported',
  'busy',
  'conflict',
  'stale',
  'not-found',
  'unauthorized',
  'limit',
  'timeout',
  'agent-down',
  'agent-refused',
  'aborted',
  'shutting-down',
  'internal',
] as const satisfies readonly ErrorCode[];

/** A refusal or failure: a code for programs and a sentence for people. */
export const Problem = z.object({ code: z.enum(codes), message: z.string() });

/** The answer to a command. */
export const Outcome = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), data: z.unknown().optional() }),
  z.object({ ok: z.literal(false), error: Problem }),
]);

/** Stands before the first event of a session, and before each replay: what was told of the session before is void. */
export const SnapshotFrame = z.object({
  session: z.string(),
  snapshot: z.object({
    epoch: z.string(),
    /** Wall clock, ms since 1970, when the session clock was 0. */
    timeOrigin: z.number(),
    /** The working directory of the agent, if known. */
    place: z.string().optional(),
    agent: z.object({ protocol: z.string(), commands: z.array(z.string()) }).optional(),
  }),
});

/** An event of a session. */
export const EventFrame = z.object({
  session: z.string(),
  /** Counts the events of the session from 1. */
  seq: z.number(),
  /** The session clock, ms. */
  at: z.number(),
  /** Set in a replay: the event is `past`, or belongs to what goes on at `present`. */
  replay: z.enum(['past', 'present']).optional(),
  event: Event,
});

/** Something of a session that a protocol in use could not say. */
export const LossFrame = z.object({
  session: z.string(),
  /** The newest event when the loss was noticed. */
  seq: z.number(),
  loss: z.object({
    /** The protocol that could not say it. */
    dialect: z.string(),
    /** What is lost: an event, a field, or a frame of that protocol. */
    field: z.string(),
  }),
});

/** The answer to a request. */
export const OutcomeFrame = z.object({ id: RequestId, outcome: Outcome });

/** A frame of the client without an id could not be taken. */
export const ErrorFrame = z.object({ error: Problem });

/** No more events of that session follow. */
export const EndedFrame = z.object({ ended: z.object({ session: z.string(), reason: z.string() }) });

/** Everything that the gateway sends. */
export const GatewayFrame = z.union([SnapshotFrame, EventFrame, LossFrame, OutcomeFrame, ErrorFrame, EndedFrame]);
export type GatewayFrame = z.infer<typeof GatewayFrame>;
