// The demo agent as a backend: takes commands and delivers the events of plays. There is no peer, so nothing is ever
// sent.
import type { Action, Env } from '../../core/contract/adapter/action.ts';
import type { Backend } from '../../core/contract/adapter/backend.ts';
import { emptyTranscript, fold } from '../../core/log/fold.ts';
import type { CommandOf } from '../../core/model/command.ts';
import type { Content } from '../../core/model/content.ts';
import { type Outcome, refused } from '../../core/model/errors.ts';
import type { Event, EventOf } from '../../core/model/event.ts';
import type { SessionInfo } from '../../core/model/session-info.ts';
import { replayedMessages } from '../../core/session/forks.ts';
import { compaction } from './compaction.ts';
import { cutAt } from './cut-conversation.ts';
import { answerQuery, currentInfo, fixedInfo, type Now } from './info.ts';
import type { Play } from './play.ts';
import { type Inbox, type PlayState, queueChanged } from './play-state.ts';
import { createPlayer, timer } from './player.ts';
import { playRun } from './run.ts';
import { change, newSettings, type SettingCommand } from './session-settings.ts';
import { createShell } from './shell.ts';
import { createMeter, textOf } from './token-meter.ts';

type Actions = Action<Event>[];

/** The most deltas in one batch, unless the prompt asks for `slow`. */
const largestBatch = 250;

const busy = refused('busy', 'the demo agent is busy');
const dead = refused('agent-down', 'the demo agent is dead');

function settle(id: string, outcome: Outcome): Actions {
  return [{ do: 'settle', id, outcome }];
}

function deliver(message: Event): Actions {
  return [{ do: 'deliver', message }];
}

function tell(changes: SessionInfo | null): Actions {
  return changes === null ? [] : deliver({ type: 'session-changed', changes });
}

/** Creates a demo agent. `paceMs` is the delay between two batches of deltas, ms. */
export function createBackend(env: Env, { paceMs }: { readonly paceMs: number }): Backend {
  const player = createPlayer();
  const inbox: Inbox = { steering: [], followUps: [] };
  const settings = newSettings();
  const shell = createShell();
  let meter = createMeter();
  let transcript = emptyTranscript();
  let agentSessionId = env.id('session');

  function stageFor(prompt: readonly Content[]): PlayState {
    return { env, settings, inbox, meter, transcript, pace: { ms: paceMs, largestBatch }, prompt };
  }

  function now(): Now {
    const running = player.state === 'run';
    const compacting = player.state === 'compaction';
    return { info: currentInfo(agentSessionId, settings), running, compacting, context: meter.context };
  }

  function startRun(content: readonly Content[], origin: EventOf<'message-added'>['origin'], id: string): Actions {
    const stage = stageFor(content);
    return [...settle(id, { ok: true }), ...player.perform(stage, playRun(stage, origin))];
  }

  function prompt({ content, model, whenBusy }: CommandOf<'prompt'>, id: string): Actions {
    if (player.state !== 'idle') {
      return whenBusy === 'steer' || whenBusy === 'follow-up' ? join(whenBusy, content, id) : settle(id, busy);
    }
    if (model === undefined || model === settings.model.id) return startRun(content, 'prompt', id);
    const { outcome, changes } = change(settings, { type: 'set-model', model });
    return outcome.ok ? [...tell(changes), ...startRun(content, 'prompt', id)] : settle(id, outcome);
  }

  /**
   * Adds a message to the open run. Without a run it starts one, so that no message is lost if the run has just ended.
   */
  function join(kind: 'steer' | 'follow-up', content: readonly Content[], id: string): Actions {
    if (player.state === 'idle') return startRun(content, kind, id);
    if (player.state !== 'run') return settle(id, busy);
    inbox[kind === 'steer' ? 'steering' : 'followUps'].push(content);
    return [...settle(id, { ok: true }), ...deliver(queueChanged(inbox))];
  }

  function clearQueue(id: string): Actions {
    const isEmpty = inbox.steering.length + inbox.followUps.length === 0;
    inbox.steering.length = 0;
    inbox.followUps.length = 0;
    return [...settle(id, { ok: true }), ...(isEmpty ? [] : deliver(queueChanged(inbox)))];
  }

  function set(command: SettingCommand, id: string): Actions {
    const { outcome, changes } = change(settings, command);
    return [...tell(changes), ...settle(id, outcome)];
  }

  function compact(instructions: string | undefined, id: string): Actions {
    if (player.state !== 'idle') return settle(id, busy);
    const stage = stageFor([]);
    return player.perform(stage, compactAndSettle(stage, instructions, id));
  }

  /** Replaces the history by these messages. */
  function remember(messages: readonly EventOf<'message-added'>[]): void {
    meter = createMeter();
    transcript = emptyTranscript();
    for (const event of messages) {
      fold(transcript, { seq: transcript.lastSeq + 1, at: env.now(), event });
      meter.watch(event);
    }
  }

  /** Replaces the conversation by these messages. Keeps the settings except the name. */
  function restart(reason: EventOf<'history-reset'>['reason'], messages: readonly EventOf<'message-added'>[]): Actions {
    delete settings.name;
    agentSessionId = env.id('session');
    remember(messages);
    const reset: Event = { type: 'history-reset', reason };
    return [...deliver(reset), ...messages.flatMap((event) => deliver(event)), ...tell({ agentSessionId, name: '' })];
  }

  function newSession(id: string): Actions {
    if (player.state !== 'idle') return settle(id, busy);
    return [...restart('new', []), ...settle(id, { ok: true, data: { cancelled: false } })];
  }

  /** Goes back to the moment before one of the user's messages. */
  function fork(entry: string, id: string): Actions {
    if (player.state !== 'idle') return settle(id, busy);
    const cut = cutAt(transcript, entry);
    if (cut === null) return settle(id, refused('not-found', `there is no message ${entry}`));
    const data = { text: textOf(cut.content), cancelled: false };
    return [...restart('forked', cut.before), ...settle(id, { ok: true, data })];
  }

  function abort(target: CommandOf<'abort'>['target']): Actions {
    return target === 'bash' ? shell.abort() : player.abort(target);
  }

  return {
    start() {
      return tell({ ...currentInfo(agentSessionId, settings), ...fixedInfo });
    },
    decode() {
      return [{ do: 'note', level: 'violation', text: 'a frame came for the demo agent, which has no peer' }];
    },
    encode(command, id) {
      if (player.state === 'dead') return settle(id, dead);
      switch (command.type) {
        case 'prompt':
          return prompt(command, id);
        case 'steer':
        case 'follow-up':
          return join(command.type, command.content, id);
        case 'abort':
          return [...abort(command.target), ...settle(id, { ok: true })];
        case 'clear-queue':
          return clearQueue(id);
        case 'answer-approval':
        case 'answer-dialog':
          return player.answer(command, id);
        case 'compact':
          return compact(command.instructions, id);
        case 'bash':
          return shell.run(command.command, id);
        case 'set-model':
        case 'cycle-model':
        case 'set-thinking':
        case 'cycle-thinking':
        case 'set-mode':
        case 'set-queue-mode':
        case 'set-auto':
        case 'set-name':
          return set(command, id);
        case 'new-session':
          return newSession(id);
        case 'fork':
          return fork(command.entry, id);
        case 'query':
          return settle(id, answerQuery(command.subject, now()));
        default:
          return settle(id, refused('unsupported', `the demo agent has no command ${command.type}`));
      }
    },
    restoreHistory(messages) {
      // The name belongs to the previous conversation.
      delete settings.name;
      remember(replayedMessages(messages));
    },
    onTimer(id) {
      return id === timer ? player.onTimer() : [];
    },
  };
}

function* compactAndSettle(stage: PlayState, instructions: string | undefined, id: string): Play<Actions> {
  const summary = yield* compaction(stage, 'manual', instructions);
  const outcome =
    summary === null ? refused('aborted', 'the compaction was aborted') : { ok: true as const, data: summary };
  return settle(id, outcome);
}
