// All checks that act on a pi-server: the rows of docs/protocols/pi-server.md 23, by section of the document. Row 3 is
// a duty of clients, so the client rules cover it.
import { type AgentSet, withContext } from '../../check/sets.ts';
import { createContext } from '../context.ts';
import { commandLaneChecks } from './command-lanes.ts';
import { runningChecks } from './commands-during-runs.ts';
import { dependencyChecks } from './dependencies.ts';
import { dialogChecks } from './dialogs.ts';
import { envelopeChecks } from './envelope.ts';
import { eventChecks } from './events.ts';
import { framingChecks } from './framing.ts';
import { keyChecks } from './idempotency-keys.ts';
import { limitChecks } from './limits.ts';
import { replayChecks } from './replay.ts';
import { answerChecks } from './responses.ts';
import { versionChecks } from './session-versions.ts';
import { shutdownChecks } from './shutdown.ts';
import { storedChecks } from './stored-sessions.ts';
import { validationChecks } from './validation.ts';

/** Checks of pi-servers of protocol 1.0.0. */
export const piServerChecks: AgentSet = {
  protocol: 'pi-server',
  side: 'agent',
  version: '1',
  // All checks share one peer and would soon use up what real servers allow in a minute.
  usual: { commandsPerMinute: 1_000_000 },
  excuse: /Rate limit exceeded/u,
  ...withContext(createContext, {
    checks: [
      ...framingChecks,
      ...validationChecks,
      ...envelopeChecks,
      ...commandLaneChecks,
      ...replayChecks,
      ...keyChecks,
      ...dependencyChecks,
      ...versionChecks,
      ...limitChecks,
      ...shutdownChecks,
      ...answerChecks,
      ...runningChecks,
      ...dialogChecks,
      ...eventChecks,
      ...storedChecks,
    ],
  }),
  rules: [],
};
