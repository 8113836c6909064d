// The gateway's metrics under pi-server's names (docs/protocols/pi-server.md 17.10, 21.3).
import type { Dictionary } from '../../../core/model/content.ts';
import type { GatewayFigures } from '../../../core/model/gateway-figures.ts';
import { mostOpen } from '../../../core/session/questions/expiry.ts';

type Circuit = GatewayFigures['circuits'][number];

/** The `data` of get_metrics. Figures that the gateway does not have (zombies, locks, metadata files) are 0. */
export function encodeMetrics({ ledger, refused, circuits, shell, ...figures }: GatewayFigures): Dictionary {
  return {
    sessionCount: figures.sessions,
    connectionCount: figures.clients,
    totalCommandsExecuted: ledger.executed,
    commandsRejected: {
      sessionLimit: refused.sessionLimit,
      messageSize: refused.frameSize,
      rateLimit: refused.rate,
      globalRateLimit: refused.allRate,
      connectionLimit: 0,
      extensionUIResponseRateLimit: refused.answers,
    },
    zombieSessionsDetected: 0,
    zombieSessionsCleaned: 0,
    doubleUnregisterErrors: 0,
    rateLimitUsage: { globalCount: ledger.lastMinute, globalLimit: ledger.maxPerMinute },
    stores: {
      replay: {
        inFlightCount: ledger.inFlight,
        outcomeCount: ledger.outcomes,
        idempotencyCacheSize: ledger.keys,
        maxInFlightCommands: ledger.maxInFlight,
        maxCommandOutcomes: ledger.maxOutcomes,
        inFlightRejections: refused.busy,
      },
      version: { sessionCount: figures.sessions },
      execution: { laneCount: ledger.lanes },
      lock: { activeLocks: 0, timeoutCount: 0, waitingCount: 0, queueFullRejections: 0 },
      // The count is of all sessions, but the limit is of each session, so the count may exceed the limit.
      extensionUI: { pendingCount: figures.questions, maxPendingRequests: mostOpen, rejectedCount: 0 },
      sessionStore: { metadataResetCount: 0 },
    },
    circuitBreakers: circuits.map(encodeCircuit),
    bashCircuitBreaker: encodeShells(shell),
  };
}

function encodeCircuit(circuit: Circuit): Dictionary {
  return {
    providerName: circuit.name,
    state: stateOf(circuit),
    failureCount: circuit.failureCount,
    // null until the first failure: the only nullable field of the wire (docs/protocols/pi-server.md 5.3).
    lastFailureTime: circuit.lastFailureAt,
    lastStateChange: circuit.lastChangeAt,
    lastAccessTime: circuit.lastUsedAt,
    totalCalls: circuit.calls,
    totalRejected: circuit.rejected,
    totalSlowCalls: circuit.slow,
    totalSuccesses: circuit.successes,
    totalFailures: circuit.failures,
    avgLatencyMs: Math.round(circuit.averageLatencyMs),
    halfOpenCalls: circuit.probes,
  };
}

function encodeShells({ all, sessions }: GatewayFigures['shell']): Dictionary {
  const rejected = sessions.reduce((sum, circuit) => sum + circuit.rejected, all.rejected);
  return {
    enabled: true,
    globalState: stateOf(all),
    globalFailureCount: all.failureCount,
    sessionCount: sessions.length,
    openSessionCount: sessions.filter(({ state }) => state === 'open').length,
    totalCalls: all.calls,
    totalTimeouts: all.failures,
    totalRejected: rejected,
  };
}

function stateOf({ state }: Circuit): string {
  return state === 'half-open' ? 'half_open' : state;
}
