// Sends the commands of clients to the server and settles them. Handles the commands that need state; the others are in
// commands.ts.

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Command, CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, without } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { Cut } from '../../pi/backend/decode/run.ts';
import type { MessageOrigins } from '../../pi/backend/message-origins.ts';
import { findModel } from '../../pi/backend/model-names.ts';
import { type EncodedContent, sayContent, sayPrompt } from '../../pi/backend/prompts/encode-prompt.ts';
import type { SessionTracker } from '../../pi/backend/session-tracker.ts';
import { piFields } from '../../pi/encode-values.ts';
import type { AgentAborts } from './aborts.ts';
import { outcomeOf } from './answers.ts';
import { encodeCommand, queries } from './commands.ts';
import { type AgentDialogs, cancelled } from './dialogs.ts';
import type { PromptLane } from './prompt-lane.ts';
import { type AgentRequests, type Answer, type Line, refusalOf } from './requests.ts';
import { type AgentRuns, cutFor } from './runs.ts';
import type { UnqueuedCommands } from './unqueued-commands.ts';

/** The parts of the backend that this file uses. */
export interface SessionCommandPorts {
  readonly out: Outbox;
  readonly lane: PromptLane;
  readonly requests: AgentRequests;
  readonly runs: AgentRuns;
  readonly beside: UnqueuedCommands;
  readonly aborts: AgentAborts;
  readonly dialogs: AgentDialogs;
  readonly tracker: SessionTracker;
  readonly origins: MessageOrigins;
}

/** Returns the function that takes a command once the session is open. */
export function createSessionCommands(ports: SessionCommandPorts): (command: Command, id: string) => void {
  const { out, lane, requests, runs, beside, aborts, dialogs, tracker, origins } = ports;
  const { run } = runs;
  /** Answers that seldom change, for use while the server is busy with a prompt. */
  const known = new Map<string, Outcome>();

  /** Sends a line and settles its command with the answer. */
  function perform(id: string, line: Line, isShort = true): void {
    requests.send(line, {
      isShort,
      done(answer) {
        const outcome = outcomeOf(line.type, answer);
        if (outcome.ok) known.set(line.type, outcome);
        out.settle(id, outcome);
        if (answer.kind === 'data') observe(line, answer.data);
      },
    });
  }

  function observe(line: Line, data: unknown): void {
    // pi-server's switch of the session file is pi's switch of the session.
    tracker.observe(line.type === 'switch_session_file' ? { type: 'switch_session' } : line, data);
  }

  function prompt(command: CommandOf<'prompt'>, id: string): void {
    const { whenBusy } = command;
    const encoded = sayPrompt(command, tracker.models.current?.id);
    const isBusy = run.isOpen() || lane.live().length > 0;
    if (isBusy && whenBusy === 'refuse') return out.settle(id, refused('busy', 'the pi-server is at work'));
    // Behind the prompt of another client, the server queues this one.
    if (!isBusy || (whenBusy !== 'steer' && whenBusy !== 'follow-up')) return startRun(command, encoded, id);
    origins.sent(encoded.message, whenBusy);
    const streamingBehavior = whenBusy === 'steer' ? 'steer' : 'followUp';
    sayBeside(id, { ...promptLine('prompt', command, encoded), streamingBehavior });
  }

  function startRun(command: CommandOf<'prompt'>, encoded: EncodedContent, id: string): void {
    origins.sent(encoded.message, 'prompt');
    const settle = (outcome: Outcome) => out.settle(id, outcome);
    const wire = requests.send(promptLine('prompt', command, encoded), {
      isShort: false,
      done(answer) {
        const own = lane.find(wire);
        runs.promptOver(wire, cutOf(answer));
        if (answer.kind === 'refused') own?.settle(refusalOf(answer));
      },
    });
    lane.sent(wire, settle);
  }

  function queue(command: CommandOf<'steer' | 'follow-up'>, id: string): void {
    const encoded = sayContent(command.content);
    origins.sent(encoded.message, command.type);
    sayBeside(id, promptLine(command.type === 'steer' ? 'steer' : 'follow_up', command, encoded));
  }

  /** Text for the open run. Once the run is over, the text would begin another run or wait for one. */
  function sayBeside(id: string, line: Line): void {
    beside.say(id, line, { isForNow: true, outcome: (answer) => outcomeOf(line.type, answer) });
  }

  function promptLine(type: 'prompt' | 'steer' | 'follow_up', command: Command, encoded: EncodedContent): Line {
    for (const loss of encoded.losses) out.note('loss', `${command.type}: a pi-server does not take ${loss}`);
    const images = encoded.images.length === 0 ? {} : { images: encoded.images };
    return { ...ownFields(command), type, message: encoded.message, ...images };
  }

  function abort({ target }: CommandOf<'abort'>, id: string): void {
    switch (target) {
      case 'run': {
        // pi does not abort past an open dialog.
        for (const requestId of dialogs.cancelAll()) {
          requests.send({ type: 'extension_ui_response', requestId, response: cancelled }, { done: () => {} });
        }
        // `abort` does not stop a compaction, so a compaction gets `abort_compaction` (docs/protocols/pi-server.md
        // 17.13).
        const isCompacting = runs.isCompacting() && !run.isOpen() && lane.live().length === 0;
        return isCompacting ? abortOther(id, 'abort_compaction') : aborts.abort(id);
      }
      case 'retry':
      case 'compaction':
      case 'bash':
        return abortOther(id, `abort_${target}`);
      default:
        return target satisfies never;
    }
  }

  function abortOther(id: string, type: string): void {
    beside.say(id, { type }, { isForNow: false, outcome: (answer) => outcomeOf(type, answer) });
  }

  function answerDialog(command: CommandOf<'answer-dialog'>, id: string): void {
    const answered = dialogs.answer(command.id, command.answer);
    if ('refusal' in answered) return out.settle(id, answered.refusal);
    const line = { type: 'extension_ui_response', requestId: command.id, response: answered.response };
    beside.say(id, line, {
      isForNow: false,
      // The answer was sent. The gateway cannot help if the server reads it too late.
      late: { ok: true },
      outcome(answer) {
        if (answer.kind === 'data') return { ok: true };
        // The server has expired the dialog without notice (docs/protocols/pi-server.md 18.3).
        out.deliver({ type: 'dialog-end', id: command.id, outcome: 'expired' });
        return refused('stale', answer.error);
      },
    });
  }

  function setModel(command: CommandOf<'set-model'>, model: string, id: string): void {
    findModel({ model, provider: command.provider }, tracker, (named) => {
      if (named === null) out.settle(id, refused('not-found', `the pi-server does not list a model ${model}`));
      else perform(id, { ...ownFields(command), type: 'set_model', ...named });
    });
  }

  /** During a prompt, the server answers no query about that session (docs/protocols/pi-server.md 7.3, 7.7). */
  function query({ subject }: CommandOf<'query'>, id: string): void {
    const query = queries.get(subject);
    if (query === undefined) return;
    if (!requests.isBlocked) return perform(id, { type: query.type });
    if (query.isKnownToSession) return out.settle(id, refused('unsupported', 'the pi-server is at work'));
    const before = known.get(query.type);
    if (before === undefined) perform(id, { type: query.type });
    else out.settle(id, before);
  }

  function encode(command: Command, id: string): void {
    switch (command.type) {
      case 'prompt':
        return prompt(command, id);
      case 'steer':
      case 'follow-up':
        return queue(command, id);
      case 'abort':
        return abort(command, id);
      case 'answer-dialog':
        return answerDialog(command, id);
      case 'set-model':
        return command.model === undefined ? undefined : setModel(command, command.model, id);
      case 'query':
        return query(command, id);
      default: {
        const encoded = encodeCommand(command);
        if ('refused' in encoded) return out.settle(id, { ok: false, error: encoded.refused });
        if (encoded.loss !== undefined) out.note('loss', `${command.type}: ${encoded.loss}`);
        perform(id, { ...ownFields(command), ...encoded.line }, encoded.isShort);
      }
    }
  }

  return encode;
}

/** Refuses commands that a pi-server can never carry out, whatever the session's state. */
export function refusalAtOnce(command: Command): Outcome | null {
  switch (command.type) {
    case 'query':
      if (queries.has(command.subject)) return null;
      return refused('unsupported', `a pi-server cannot be asked for ${command.subject}`);
    case 'set-model':
      if (command.model !== undefined) return null;
      return refused('unsupported', 'a pi-server has no default model to go back to');
    case 'prompt':
    case 'steer':
    case 'follow-up':
    case 'abort':
    case 'answer-dialog':
      return null;
    default: {
      const encoded = encodeCommand(command);
      return 'refused' in encoded ? { ok: false, error: encoded.refused } : null;
    }
  }
}

/** The fields that identify a command (docs/protocols/pi-server.md 4.1). The gateway's commands have their own. */
const identity = ['id', 'type', 'sessionId', 'dependsOn', 'ifSessionVersion', 'idempotencyKey'] as const;

/** The fields of a pi or pi-server client's command that only a pi or a pi-server understands. */
function ownFields({ extra }: Pick<Command, 'extra'>): Dictionary {
  return without({ ...piFields(extra), ...dictionaryOf(extra?.['pi-server']) }, ...identity);
}

/** The end of a run whose prompt got this answer. Undefined if the messages decide. */
function cutOf(answer: Answer): Cut | undefined {
  return answer.kind === 'data' ? undefined : cutFor(answer.error);
}
