// The public library: named exports only. Types that were renamed are exported under their old name too.
import type { SubscriptionRequest } from './core/contract/adapter/action.ts';
import type { Multiplexing } from './core/contract/adapter/adapter.ts';
import type { RecognisedEvent } from './core/contract/adapter/backend.ts';
import type { Frames } from './core/contract/adapter/frontend.ts';
import type { AgentLaunch } from './core/contract/adapter/launch.ts';
import type { Peek, RecognisedFrame, Splice } from './core/contract/channel.ts';

export { adapters } from './adapters/index.ts';
export type { AgentConfig } from './config/agent-config.ts';
export { type Config, loadConfig, parseConfig } from './config/config.ts';
export type { Action, Env, NoteLevel, SubscriptionRequest } from './core/contract/adapter/action.ts';
export type {
  Adapter,
  AgentAdapter,
  Capabilities,
  ClientAdapter,
  FramingName,
  Multiplexing,
  WirePorts,
} from './core/contract/adapter/adapter.ts';
export type { Backend, RecognisedBurst, RecognisedEvent } from './core/contract/adapter/backend.ts';
export type { EventEnvelope, EventReader } from './core/contract/adapter/event-envelope.ts';
export type { Frames, Frontend, FrontendLimits, FrontendSide } from './core/contract/adapter/frontend.ts';
export type { AgentLaunch, Options } from './core/contract/adapter/launch.ts';
export type { AgentKind, BurstProjection, Projection, SessionView } from './core/contract/adapter/projection.ts';
export type { StoredFormat } from './core/contract/adapter/stored-conversations.ts';
export type {
  Channel,
  CloseCode,
  Ending,
  Frame,
  FrameFault,
  Out,
  Peek,
  Receiver,
  RecognisedFrame,
  Splice,
} from './core/contract/channel.ts';
export { owner, type Principal } from './core/contract/principal.ts';
export type { Stretch, StretchPart } from './core/contract/stretch.ts';
export { createTranslator, type Translator } from './core/link/translator.ts';
export { emptyTranscript, fold } from './core/log/fold.ts';
export { check, type Fault, verify } from './core/log/grammar.ts';
export type { Burst } from './core/model/burst.ts';
export { Command } from './core/model/command.ts';
export { Content, Cost, Failure, Message, Model, Stop, Usage } from './core/model/content.ts';
export { type ErrorCode, GatewayError, type Outcome } from './core/model/errors.ts';
export { Event, type Logged } from './core/model/event.ts';
export type { Transcript } from './core/model/transcript.ts';
export { createGateway, type Gateway } from './gateway/full-gateway.ts';
export type { OpenSpan, SpanFacts, Tracer } from './gateway/tracing/tracer.ts';

/** @deprecated Use {@link RecognisedFrame}. */
export type Glance = RecognisedFrame;
/** @deprecated Use {@link Peek}. */
export type Glimpse = Peek;
/** @deprecated Use {@link RecognisedEvent}. */
export type Recognised = RecognisedEvent;
/** @deprecated Use {@link Splice}. */
export type Seam = Splice;
/** @deprecated Use {@link Frames}. */
export type Several = Frames;
/** @deprecated Use {@link AgentLaunch}. */
export type Start = AgentLaunch;
/** @deprecated Use {@link Multiplexing}. */
export type Trunk = Multiplexing;
/** @deprecated Use {@link SubscriptionRequest}. */
export type Watch = SubscriptionRequest;
