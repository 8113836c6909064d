// All checks that act on a pi-server: the rows of docs/protocols/pi-server.md 23, by section of the document. Row 3 is
// a duty of clients, so the client rules cover it.
import { checksIn } from '../../check/rule-rows.ts';
import { type AgentSet, withContext } from '../../check/sets.ts';
import { createContext } from '../context.ts';
import { commandLaneRows } from './command-lanes.ts';
import { runningRows } from './commands-during-runs.ts';
import { dependencyRows } from './dependencies.ts';
import { dialogRows } from './dialogs.ts';
import { envelopeRows } from './envelope.ts';
import { eventRows } from './events.ts';
import { framingRows } from './framing.ts';
import { keyRows } from './idempotency-keys.ts';
import { limitRows } from './limits.ts';
import { replayRows } from './replay.ts';
import { answerRows } from './responses.ts';
import { versionRows } from './session-versions.ts';
import { shutdownRows } from './shutdown.ts';
import { storedRows } from './stored-sessions.ts';
import { validationRows } from './validation.ts';

/** Checks of pi-servers of protocol 1.0.0. */
export const piServerChecks: AgentSet = {
  protocol: 'pi-server',
  side: 'agent',
  version: '1',
  // All checks share one peer and would soon use up what real servers allow in a minute.
  usual: { commandsPerMinute: 1_000_000 },
  excuse: /Rate limit exceeded/u,
  ...withContext(createContext, {
    checks: checksIn('pi-server', {
      ...framingRows,
      ...validationRows,
      ...envelopeRows,
      ...commandLaneRows,
      ...replayRows,
      ...keyRows,
      ...dependencyRows,
      ...versionRows,
      ...limitRows,
      ...shutdownRows,
      ...answerRows,
      ...runningRows,
      ...dialogRows,
      ...eventRows,
      ...storedRows,
    }),
  }),
  rules: [],
};
