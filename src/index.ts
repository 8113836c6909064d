// The public library: named exports only.
export { adapters } from './adapters/index.ts';
export { type AgentConfig, type Config, loadConfig, parseConfig } from './config.ts';
export type * from './core/adapter.ts';
export type * from './core/channel.ts';
export { Command } from './core/command.ts';
export { Content, Cost, Failure, Message, Model, Stop, Usage } from './core/content.ts';
export { type ErrorCode, GatewayError, type Outcome } from './core/errors.ts';
export { Event, type Logged } from './core/event.ts';
export { check, type Fault, verify } from './core/grammar.ts';
export { emptyTranscript, fold, type Transcript } from './core/transcript.ts';
export { createTranslator, type Translator } from './core/translator.ts';
export { createGateway, type Gateway } from './gateway.ts';
