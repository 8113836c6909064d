// Summaries of open sessions for answers and lists.
import type { OpenSession } from '../../core/contract/gateway/gateway-api.ts';
import { firstWordsIn, messagesOf } from '../../core/log/messages.ts';
import type { SessionSummary } from '../../core/model/outcome-data.ts';
import type { HubEntry } from '../../core/session/hub.ts';

/** The session for clients of a protocol. */
export function summaryOf({ session, createdAt }: HubEntry): SessionSummary {
  const { transcript } = session;
  const { name, file, model, thinkingLevel } = transcript.info;
  const messages = messagesOf(transcript);
  return {
    id: session.id,
    name,
    file,
    model,
    thinkingLevel,
    createdAt,
    modifiedAt: new Date(Math.round(session.timeOrigin + transcript.lastAt)).toISOString(),
    firstWords: firstWordsIn(messages),
    messageCount: messages.length,
    running: session.state === 'running',
  };
}

/** The answer to a client that has opened the session. */
export function openedData(entry: HubEntry) {
  const { session, problems } = entry;
  const can = session.agent === undefined ? {} : { can: [...session.agent.commands] };
  return { session: summaryOf(entry), problems, ...can };
}

/** The session for the REST routes. */
export function restSummaryOf({ session, agent, createdAt }: HubEntry): OpenSession {
  return { id: session.id, agent, state: session.state, createdAt, clients: session.readers };
}
