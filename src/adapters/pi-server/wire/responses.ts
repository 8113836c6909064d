// The answers of a server (docs/protocols/pi-server.md 5) and their `data` by command (docs/protocols/pi-server.md 17.4
// to 17.9). Loose.
import { z } from 'zod';
import { dataSchemas as pi } from '../../pi/wire/responses.ts';
import { AnyMessage, WireModel } from '../../pi/wire/values.ts';
import { SessionInfo, StoredSessionInfo } from './sessions.ts';

/** The envelope. `id` is the id of the command, if it had one. */
export const Response = z.looseObject({
  type: z.literal('response'),
  id: z.unknown().optional(),
  command: z.string(),
  success: z.boolean(),
  data: z.unknown().optional(),
  error: z.string().optional(),
  sessionVersion: z.int().nonnegative().optional(),
  replayed: z.literal(true).optional(),
  timedOut: z.literal(true).optional(),
});
export type Response = z.infer<typeof Response>;

const count = z.number().nonnegative();
const cancelled = z.looseObject({ cancelled: z.boolean() });
const opened = z.looseObject({ sessionId: z.string(), sessionInfo: SessionInfo });
const tokens = z.looseObject({ input: count, output: count, cacheRead: count, cacheWrite: count, total: count });

const Circuit = z.looseObject({
  providerName: z.string(),
  state: z.enum(['closed', 'open', 'half_open']),
  failureCount: count,
  /** Ms since 1970; null before the first failure. */
  lastFailureTime: count.nullable(),
  lastStateChange: count.nullable(),
  lastAccessTime: count.nullable(),
  totalCalls: count,
  totalRejected: count,
  totalSlowCalls: count,
  totalSuccesses: count,
  totalFailures: count,
  avgLatencyMs: count,
  halfOpenCalls: count,
});

const Metrics = z.looseObject({
  sessionCount: count,
  connectionCount: count,
  totalCommandsExecuted: count,
  commandsRejected: z.looseObject({
    sessionLimit: count,
    messageSize: count,
    rateLimit: count,
    globalRateLimit: count,
    connectionLimit: count,
    extensionUIResponseRateLimit: count,
  }),
  zombieSessionsDetected: count,
  zombieSessionsCleaned: count,
  doubleUnregisterErrors: count,
  rateLimitUsage: z.looseObject({ globalCount: count, globalLimit: count }),
  stores: z.looseObject({
    replay: z.looseObject({
      inFlightCount: count,
      outcomeCount: count,
      idempotencyCacheSize: count,
      maxInFlightCommands: count,
      maxCommandOutcomes: count,
      inFlightRejections: count,
    }),
    version: z.looseObject({ sessionCount: count }),
    execution: z.looseObject({ laneCount: count }),
    lock: z.looseObject({ activeLocks: count, timeoutCount: count, waitingCount: count, queueFullRejections: count }),
    extensionUI: z.looseObject({ pendingCount: count, maxPendingRequests: count, rejectedCount: count }),
    sessionStore: z.looseObject({ metadataResetCount: count }),
  }),
  circuitBreakers: z.array(Circuit),
  bashCircuitBreaker: z.looseObject({
    enabled: z.boolean(),
    globalState: z.enum(['closed', 'open', 'half_open']),
    globalFailureCount: count,
    sessionCount: count,
    openSessionCount: count,
    totalCalls: count,
    totalTimeouts: count,
    totalRejected: count,
  }),
});

/** `data` of a successful response. Commands not listed answer without data. */
export const dataSchemas = {
  list_sessions: z.looseObject({ sessions: z.array(SessionInfo) }),
  create_session: opened,
  delete_session: z.looseObject({ deleted: z.literal(true) }),
  switch_session: z.looseObject({ sessionInfo: SessionInfo }),
  get_metrics: Metrics,
  health_check: z.looseObject({
    healthy: z.boolean(),
    issues: z.array(z.string()),
    hasOpenCircuit: z.boolean(),
    hasOpenBashCircuit: z.boolean(),
  }),
  list_stored_sessions: z.looseObject({ sessions: z.array(StoredSessionInfo) }),
  load_session: opened,
  get_available_models: z.looseObject({ models: z.array(WireModel) }),
  get_commands: z.looseObject({
    commands: z.array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        source: z.string(),
        path: z.string().optional(),
      }),
    ),
  }),
  get_skills: z.looseObject({
    skills: z.array(
      z.looseObject({ name: z.string(), description: z.string(), filePath: z.string(), source: z.string() }),
    ),
  }),
  get_tools: z.looseObject({ tools: z.array(z.looseObject({ name: z.string(), description: z.string() })) }),
  list_session_files: z.looseObject({
    files: z.array(z.looseObject({ path: z.string(), name: z.string(), modifiedAt: z.string().optional() })),
  }),
  get_state: SessionInfo,
  get_messages: z.looseObject({ messages: z.array(AnyMessage) }),
  set_model: z.looseObject({ model: WireModel }),
  cycle_model: z.looseObject({ model: WireModel, thinkingLevel: z.string(), isScoped: z.boolean() }).nullable(),
  cycle_thinking_level: pi.cycle_thinking_level,
  compact: z.looseObject({
    summary: z.string(),
    firstKeptEntryId: z.string(),
    tokensBefore: count,
    details: z.looseObject({ readFiles: z.array(z.string()), modifiedFiles: z.array(z.string()) }),
  }),
  bash: z.looseObject({ exitCode: z.number(), output: z.string(), cancelled: z.boolean() }),
  get_session_stats: z.looseObject({
    sessionFile: z.string().optional(),
    sessionId: z.string(),
    userMessages: count,
    assistantMessages: count,
    toolCalls: count,
    toolResults: count,
    totalMessages: count,
    tokens,
    cost: count,
  }),
  export_html: z.looseObject({ path: z.string() }),
  new_session: cancelled,
  switch_session_file: cancelled,
  fork: z.looseObject({ text: z.string(), cancelled: z.boolean() }),
  get_fork_messages: pi.get_fork_messages,
  get_last_assistant_text: z.looseObject({ text: z.string().nullable() }),
  get_context_usage: z.looseObject({
    tokens: count.nullable(),
    contextWindow: count.nullable(),
    percent: count.nullable(),
  }),
} as const;
