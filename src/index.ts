// The public library: named exports only.
export { adapters } from './adapters/index.ts';
export { type AgentConfig, type Config, loadConfig, parseConfig } from './config/config.ts';
export type * from './core/contract/adapter.ts';
export type * from './core/contract/channel.ts';
export { Command } from './core/model/command.ts';
export { Content, Cost, Failure, Message, Model, Stop, Usage } from './core/model/content.ts';
export { type ErrorCode, GatewayError, type Outcome } from './core/model/errors.ts';
export { Event, type Logged } from './core/model/event.ts';
export { check, type Fault, verify } from './core/log/grammar.ts';
export type { Transcript } from './core/model/transcript.ts';
export { emptyTranscript, fold } from './core/log/fold.ts';
export { createTranslator, type Translator } from './core/link/translator.ts';
export { createGateway, type Gateway } from './gateway/gateway.ts';
