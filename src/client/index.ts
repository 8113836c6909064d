// The client library, `agent-patchbay/client`: for browsers and Node.

export type { Command } from '../core/model/command.ts';
export type { Content, Message, Usage } from '../core/model/content.ts';
export type { Event } from '../core/model/event.ts';
export type { BackoffOptions } from './backoff.ts';
export { type Client, type ClientOptions, type ClientState, connect } from './client.ts';
export type {
  CanonicalClientFrame,
  CanonicalFrame,
  ClaudeClientFrame,
  ClaudeFrame,
  ClientFrameOf,
  FrameOf,
} from './frames.ts';
export { SendRefused, type WebSocketConstructor, type WebSocketLike } from './line.ts';
export {
  connectMany,
  type ManyClient,
  type ManyOptions,
  type ManyState,
  type SessionLine,
  type SessionListener,
} from './many.ts';
