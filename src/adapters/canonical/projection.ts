// Writes the events of a session as they are, and what other protocols could not say of them
// (docs/protocols/canonical.md 3, 5).
import type { DialectLoss, Projection, SessionView } from '../../core/contract/adapter/projection.ts';
import { createBursts } from './bursts.ts';

/** Losses that are remembered so that each is told once for an event (docs/limits.md 5.10). */
const mostLosses = 64;

/** One projection of one session, for all its clients. */
export function createProjection(session: SessionView): Projection {
  const head = `{"session":${JSON.stringify(session.id)}`;
  let isOpen = false;
  /** The losses of the newest event that were told. Several streams may lose the same, and each loss is told once. */
  const lost = { seq: -1, told: new Set<string>() };

  function snapshot(): string {
    const { epoch, timeOrigin, place, agent } = session;
    const kind = agent && { protocol: agent.protocol, commands: [...agent.commands].sort() };
    return `${head},"snapshot":${JSON.stringify({ epoch, timeOrigin, place, agent: kind })}}`;
  }

  return {
    bursts: createBursts(head, () => isOpen),
    event({ seq, at, replay, event }) {
      const mark = replay === undefined ? '' : `,"replay":"${replay}"`;
      const frame = `${head},"seq":${seq},"at":${at}${mark},"event":${JSON.stringify(event)}}`;
      if (isOpen) return [frame];
      isOpen = true;
      return [snapshot(), frame];
    },
    loss({ dialect, text }: DialectLoss) {
      const seq = session.transcript.lastSeq;
      const loss = JSON.stringify({ dialect, field: text });
      if (lost.seq === seq && lost.told.has(loss)) return [];
      if (lost.seq !== seq || lost.told.size === mostLosses) lost.told.clear();
      lost.seq = seq;
      lost.told.add(loss);
      return [`${head},"seq":${seq},"loss":${loss}}`];
    },
  };
}
