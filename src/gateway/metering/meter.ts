// Counts what happens in a gateway: one place for all counters, plain numbers that a scrape reads.
import type { Limited } from '../../core/contract/limits/limit-rule.ts';
import { Traffic } from '../../core/contract/traffic.ts';
import type { ErrorCode } from '../../core/model/errors.ts';

/** A count for each value of a label. The values come from closed sets: no peer can add to them. */
export class Counter<Label extends string> {
  readonly counts = new Map<Label, number>();

  add(label: Label, by = 1): void {
    this.counts.set(label, (this.counts.get(label) ?? 0) + by);
  }
}

/** The counters of one gateway. */
export class Meter {
  readonly clientTraffic = new Map<string, Traffic>();
  readonly agentTraffic = new Map<string, Traffic>();
  /** Started agents, by protocol. */
  readonly starts = new Counter<string>();
  /** Those among them that replaced an agent that had ended. */
  readonly restarts = new Counter<string>();
  readonly refusedCommands = new Counter<ErrorCode>();
  readonly refusedRequests = new Counter<ErrorCode>();
  readonly limits = new Counter<Parameters<Limited>[0]>();
  /** A function, because many parts get it by name. */
  readonly limited: Limited = (rule) => this.limits.add(rule);

  /** The traffic of one dialect of clients: the protocol, and the key of the options if the protocol has dialects. */
  ofClients(frontend: string, key: string): Traffic {
    return trafficOf(this.clientTraffic, key === '' || key === frontend ? frontend : `${frontend} ${key}`);
  }

  /** The traffic of all agents of a protocol. */
  ofAgents(protocol: string): Traffic {
    return trafficOf(this.agentTraffic, protocol);
  }
}

function trafficOf(all: Map<string, Traffic>, dialect: string): Traffic {
  const known = all.get(dialect);
  if (known !== undefined) return known;
  const created = new Traffic();
  all.set(dialect, created);
  return created;
}
