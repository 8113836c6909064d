// What is kept of a session beside its log: who opened it, where, and which numbers and times it counts from.
import { z } from 'zod';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Principal } from '../../core/contract/principal.ts';
import type { StoredHead } from '../../core/contract/store/session-store.ts';
import type { Session } from '../../core/session/session.ts';
import type { CheckedRequest } from '../sessions/session-request.ts';
import { SessionTitle } from './session-title.ts';

/** The head of a stored session. */
export const SessionHead = z.object({
  session: z.string(),
  agent: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  /** The name of the principal that opened the session. */
  principal: z.string(),
  isOurs: z.boolean(),
  cwd: z.string().optional(),
  place: z.string(),
  folders: z.array(z.string()).readonly(),
  questionMs: z.number().optional(),
  /** Names that clients have given to the session. */
  names: z.array(z.string()).readonly().optional(),
  ...SessionTitle.shape,
  /** Its conversation is also written to a file (decision 0019). */
  keep: z.boolean().optional(),
  epoch: z.string().regex(/^[0-9a-f]{12}$/u),
  /** Ms since 1970 when the session clock was 0. */
  timeOrigin: z.number(),
});
export type SessionHead = z.infer<typeof SessionHead>;

/** The head of a new session. */
export function headOf(
  { id, agentName, createdAt, isOurs, cwd, place, folders, request }: CheckedRequest,
  principal: Principal,
  { epoch, timeOrigin }: Pick<Session, 'epoch' | 'timeOrigin'>,
): StoredHead & SessionHead {
  const { questionMs, keep } = request;
  const plain = { session: id, agent: agentName, createdAt, principal: principal.name, isOurs, cwd, place, folders };
  return { ...plain, questionMs, keep, epoch, timeOrigin } satisfies SessionHead;
}

/** The request of the session, as it was checked when the session was opened. Tool servers are secret and not kept. */
export function requestIn(head: SessionHead, agent: AgentConfig): CheckedRequest {
  const { session: id, agent: agentName, createdAt, isOurs, cwd, place, folders, questionMs, keep } = head;
  const checked = { id, agentName, agent, createdAt, isOurs, cwd, place, folders, toolServers: [], problems: [] };
  return { ...checked, request: { questionMs, keep, isBack: true } };
}
