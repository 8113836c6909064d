// The types of what clients hear and say. Types alone: the library loads no schema.
import type { z } from 'zod';
import type { CommandFrame, GatewayFrame } from '../adapters/canonical/wire.ts';
import type {
  AgentCancelFrame,
  AgentRequestFrame,
  AgentResponseFrame,
  AgentUserFrame,
  AssistantFrame,
  ErrorFrame,
  ResultFrame,
  StreamEventFrame,
} from '../adapters/claude/wire/agent.ts';
import type { ControlRequestFrame, ControlResponseFrame, UserFrame } from '../adapters/claude/wire/client.ts';

/** A frame that a client of `claude` hears, by `type`. There are further types, and further fields. */
export type ClaudeFrame =
  | AssistantFrame
  | AgentUserFrame
  | ResultFrame
  | AgentRequestFrame
  | AgentResponseFrame
  | z.infer<typeof StreamEventFrame>
  | z.infer<typeof AgentCancelFrame>
  | z.infer<typeof ErrorFrame>
  | { readonly type: 'system'; readonly subtype: string; readonly [field: string]: unknown };

/** A frame that a client of `claude` sends. */
export type ClaudeClientFrame = UserFrame | ControlRequestFrame | ControlResponseFrame;

/** A frame that a client of `canonical` hears: the model itself. There may be further ones. */
export type CanonicalFrame = z.infer<typeof GatewayFrame>;

/** A frame that a client of `canonical` sends about its session. */
export type CanonicalClientFrame = z.infer<typeof CommandFrame>;

/** The frames that clients of a frontend hear. */
export type FrameOf<Frontend extends string> = Frontend extends 'claude'
  ? ClaudeFrame
  : Frontend extends 'canonical'
    ? CanonicalFrame
    : unknown;

/** The frames that clients of a frontend send. */
export type ClientFrameOf<Frontend extends string> = Frontend extends 'claude'
  ? ClaudeClientFrame
  : Frontend extends 'canonical'
    ? CanonicalClientFrame
    : unknown;
