// Why a gateway should get no new clients.

/** A part that knows such a reason. */
export interface ObstacleSource {
  /** Sentences for the operator, without paths or secrets; empty if nothing stands in the way. */
  obstacles(): readonly string[];
}
