// Writes the events of a session for ECA clients of both eras, in the order of a real turn, whatever the agent is
// (docs/protocols/eca.md 3, 4). This file decides which event is shown; the other files of the folder write the frames.
import type { NoteLevel } from '../../../core/contract/adapter/action.ts';
import type { BurstProjection, Projection, SessionView } from '../../../core/contract/adapter/projection.ts';
import { createUnshownPlans } from '../../../core/contract/adapter/unshown-plans.ts';
import { writeStretch } from '../../../core/fast-path/stretch-writer.ts';
import { withoutContexts } from '../../../core/log/context-text.ts';
import type { Burst } from '../../../core/model/burst.ts';
import type { Content, Dictionary } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import type { EventOf, Logged } from '../../../core/model/event.ts';
import { laneOf } from '../../../core/model/transcript.ts';
import { lateProjection } from '../../../core/stream/late-projection.ts';
import type { Dialect } from '../frontend/dialect.ts';
import { ecaExtraIn } from '../frontend/encode-values.ts';
import { contentIdOf, dialogFormOf } from '../frontend/question-ids.ts';
import { compactionWords, createSystemTexts } from '../frontend/system-texts.ts';
import { titleFrom } from '../frontend/titles.ts';
import { inChat } from '../frontend/user-notices.ts';
import { notificationFrame } from '../json-rpc.ts';
import { type BlockWriter, createBlockWriter } from './block-writer.ts';
import { createCallWriter } from './call-writer.ts';
import { createChatWriter } from './chat-writer.ts';
import type { ContentWriter } from './encode-call.ts';
import { textFrames } from './encode-frame.ts';
import {
  changedSettings,
  chatSettings,
  foreignFrame,
  messageFrame,
  questionFrame,
  serverFrame,
  withdrawnFrame,
} from './encode-settings.ts';
import { createSubAgents } from './sub-agents.ts';
import { createUsageWriter } from './usage-writer.ts';
import { type ModelWriter, writeWhole } from './whole-content.ts';

/**
 * One projection of one session, shared by all clients of the dialect. Created with the first event: most sessions are
 * only opened.
 */
export function createProjection(session: SessionView, dialect: Dialect): Projection {
  return lateProjection(() => startProjection(session, dialect));
}

function startProjection(session: SessionView, dialect: Dialect): Projection {
  /**
   * Only clients known to be of the second era follow arguments as they are written, and sub-agents in chats of their
   * own.
   */
  const isModern = dialect.streamsArguments;
  const chatRef = { chatId: session.id };
  let outs: string[] = [];
  let notes: { level: NoteLevel; text: string }[] = [];
  const plans = createUnshownPlans();
  let isReplay = false;
  /** The title that was sent last: the session's name, or the first words of the user. */
  let title: string | undefined;
  /** The settings that clients know. */
  let settings: Dictionary = {};

  const say = (frame: string) => {
    outs.push(frame);
  };
  const loss = (text: string) => {
    notes.push({ level: 'loss', text });
  };

  /**
   * The frames before the first frame of a chat. A late client gets the chat from its beginning, as when a chat is
   * opened (docs/protocols/eca.md 4.14).
   */
  function opening(): string[] {
    const { chatId } = chatRef;
    const cleared = isReplay ? [notificationFrame('chat/cleared', { chatId, messages: true })] : [];
    return [...cleared, notificationFrame('chat/opened', { chatId, title }), ...newSettings()];
  }

  /** The settings that changed since the chat was first subscribed to. The connection sent the earlier ones. */
  function newSettings(): string[] {
    const known = settings;
    settings = chatSettings(session.transcript.info);
    const changed = changedSettings(known, settings);
    if (Object.keys(changed).length === 0) return [];
    return [notificationFrame('config/updated', { chatId: session.id, chat: changed })];
  }

  const chat = createChatWriter(chatRef, say, opening);
  const main: ModelWriter = {
    chatRef,
    text: textFrames(chatRef, 'assistant', { type: 'text' }, 'text'),
    content: chat.content,
    progress: chat.progress,
    generating: chat.generating,
    model(frames) {
      chat.generating();
      for (const frame of frames) chat.send(frame);
    },
  };
  const calls = createCallWriter({
    detailsOf: (call) => subAgents.detailsOf(call),
    cwd: () => session.transcript.info.cwd,
  });
  const subAgents = createSubAgents(session, chat, () => calls);
  const usage = createUsageWriter(session, isModern);
  const remarks = createSystemTexts(session);
  /** Open messages by lane. */
  const openMessages = new Map<string, BlockWriter>();
  /** Dialogs that clients were asked as `chat/askQuestion`. */
  const questions = new Set<string>();

  /** Where the contents of a lane are written; null if they are not shown. */
  function writerOf(parent: string | undefined): ModelWriter | null {
    if (parent === undefined) return main;
    return isModern ? subAgents.writer(parent) : null;
  }

  function startMessage(event: EventOf<'message-start'>, seq: number): void {
    const { parent, model } = event;
    const writer = writerOf(parent);
    if (writer === null) return loss('message of a sub-agent');
    if (parent === undefined) remark(remarks.messageStart());
    else subAgents.step(parent, model);
    const ports = { writer, calls, loss, streamsArguments: dialect.streamsArguments };
    openMessages.set(laneOf(event), createBlockWriter(ports, `${session.epoch}-${seq}`));
  }

  function endMessage(event: EventOf<'message-end'>): void {
    openMessages.delete(laneOf(event));
    if (event.parent === undefined) remarks.messageEnd(event);
    // An ECA server sends its figures before the end of the message. They were already passed on.
    const isReported = event.parent !== undefined || ecaExtraIn(event).usage === 'told';
    const content = isReported ? null : usage.message(event);
    if (content !== null) chat.content('system', content);
  }

  function streamedText(event: EventOf<'block-end'>): string {
    const { blocks = [] } = session.transcript.open.get(laneOf(event)) ?? {};
    return blocks.findLast(({ index }) => index === event.index)?.text ?? '';
  }

  function addMessage(event: EventOf<'message-added'>, seq: number): void {
    const { role, origin, parent, content } = event;
    // Results are shown where the tool ends, except those of the history.
    if (role === 'tool') return calls.addResult(event.call ?? '', content, event.isError === true);
    const writer = parent === undefined || chat.isRunning ? writerOf(parent) : null;
    if (writer === null) return loss('message of a sub-agent');
    const id = `${session.epoch}-${seq}`;
    if (role === 'user' && (origin !== 'agent' || parent !== undefined)) {
      const words = wordsOf(content);
      writer.content('user', { type: 'text', ...placeOf(event, seq), text: `${words}\n` });
      if (parent === undefined) remarks.userMessage();
      if (parent === undefined && origin !== 'replay') chat.userTextSent();
      if (parent === undefined && title === undefined) entitle(titleFrom(words));
    } else if (role === 'assistant') {
      for (const [at, part] of content.entries()) writeWhole(part, writer, `${id}-${at}`, { calls, loss });
    } else loss(role === 'user' ? 'message of the agent in the user’s name' : `message of role ${role}`);
  }

  /**
   * The id of a message to which the chat can go back. Newer clients draw buttons for each id, so it is left out if the
   * agent cannot go back.
   */
  function placeOf(event: EventOf<'message-added'>, seq: number): { contentId?: string } {
    const isPlace = event.parent === undefined && session.agent?.commands.has('fork') === true;
    const agentContentId = ecaExtraIn(event).contentId;
    return isPlace || typeof agentContentId === 'string' ? { contentId: contentIdOf(session.epoch, event, seq) } : {};
  }

  /** The text without the contexts that were inserted for an agent that takes none. They are in the first text part. */
  function wordsOf(content: readonly Content[]): string {
    for (const { type } of content) if (type !== 'text') loss(`${type} in a prompt`);
    const [first = '', ...others] = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return [withoutContexts(first), ...others].join('');
  }

  function startTool(event: EventOf<'tool-start'>, at: number): void {
    const writer: ContentWriter | null = calls.open(event.call)?.writer ?? writerOf(laneOfTool(event));
    if (writer === null) return loss('tool of a sub-agent');
    calls.start(event, writer, at);
  }

  /** Some agents name a call as its own parent. */
  const laneOfTool = ({ call, parent }: EventOf<'tool-start' | 'tool-end'>) => (parent === call ? undefined : parent);

  /** An approval must be visible to the user, also for a sub-agent that is not shown. */
  function askApproval(event: EventOf<'approval-request'>, isPast: boolean): void {
    const writer = event.call === undefined ? main : writerOf(event.parent);
    calls.ask(event, writer ?? main, isPast);
  }

  function ask(event: EventOf<'dialog-request'>): void {
    const way = dialogFormOf(event, dialect);
    if (way === 'tool-call') return calls.confirm(event, main);
    if (way === 'question') {
      if (event.prefill !== undefined) loss('the text that a dialog begins with');
      questions.add(event.id);
      return say(questionFrame(session.id, event));
    }
    loss(`dialog ${event.kind}`);
    tellUser('warning', `The agent asks what this editor cannot show: ${event.title}`);
  }

  function endDialog(event: EventOf<'dialog-end'>): void {
    if (!questions.delete(event.id)) return calls.confirmed(event, chat.isRunning);
    if (event.outcome !== 'answered') say(withdrawnFrame(session.id, event.id));
  }

  function changeSession({ changes }: EventOf<'session-changed'>): void {
    // Some agents describe themselves with their first run, before anything of the chat was sent.
    if (chat.isOpened) for (const frame of newSettings()) say(frame);
    // The connection already sent the choices to a late client, but not the trust of the chat.
    else if (isReplay) settings = without(chatSettings(session.transcript.info), 'selectTrust');
    if (changes.name !== '') entitle(changes.name);
  }

  function entitle(name: string | undefined): void {
    if (name === undefined || name === title) return;
    title = name;
    if (chat.isOpened) chat.title(name);
  }

  /** A system text of an ECA server belongs into the chat itself. */
  function notify(event: EventOf<'notice'>): void {
    const agentFields = ecaExtraIn(event);
    if (typeof agentFields.text === 'string') chat.systemText(agentFields.text);
    else tellUser(event.level, event.text, agentFields);
  }

  /** Clients that do not show messages get the text in the chat. */
  function tellUser(level: EventOf<'notice'>['level'], text: string, fields?: Dictionary): void {
    if (dialect.saysInChat) chat.systemText(inChat(text));
    else say(messageFrame(level, text, fields));
  }

  function remark(text: string | null): void {
    if (text !== null) chat.systemText(text);
  }

  function startRetry(event: EventOf<'retry-start'>): void {
    remark(remarks.retry(event, isReplay));
    chat.temporaryProgress(`Retrying (${event.attempt}/${event.maxAttempts})…`);
  }

  function endCompaction(event: EventOf<'compaction-end'>): void {
    chat.temporaryProgress(null);
    chat.systemText(compactionWords(event));
    tellUsage(usage.compacted(event));
  }

  /** Figures outside a run are sent with the next run, because no content of a run may follow its end. */
  function tellUsage(content: Dictionary | null): void {
    if (content !== null && chat.isRunning) chat.content('system', content);
  }

  function take({ event, seq, at, replay }: Logged): void {
    switch (event.type) {
      case 'run-start':
        return chat.startRun();
      case 'run-end':
        calls.endRun(event);
        subAgents.clear();
        return chat.endRun(event, remarks.runEnd(event));
      case 'message-start':
        return startMessage(event, seq);
      case 'block-start':
        // Wait for a block: an empty message may only report that the run was stopped.
        if (event.parent === undefined) calls.runGoesOn();
        return openMessages.get(laneOf(event))?.start(event, at);
      case 'block-delta':
        return openMessages.get(laneOf(event))?.delta(event.index, event.delta);
      case 'block-end':
        return openMessages.get(laneOf(event))?.end(event, () => streamedText(event), at);
      case 'message-end':
        return endMessage(event);
      case 'message-added':
        return addMessage(event, seq);
      case 'history-reset':
        calls.clear();
        return chat.clear();
      case 'tool-start':
        return startTool(event, at);
      case 'tool-end':
        if (!openMessages.has(event.call)) subAgents.end(event.call);
        return calls.end(event, writerOf(laneOfTool(event)), at);
      case 'approval-request':
        // A question that the session answers itself is shown as a call that runs without a question.
        return askApproval(event, replay === 'past' || event.standing !== undefined);
      case 'approval-end':
        return calls.answered(event);
      case 'dialog-request':
        return ask(event);
      case 'dialog-end':
        return endDialog(event);
      case 'usage-changed':
        return tellUsage(usage.changed(event));
      case 'session-changed':
        return changeSession(event);
      case 'tool-server-changed': {
        const frame = serverFrame(event);
        return frame === null ? undefined : say(frame);
      }
      case 'activity':
        return chat.temporaryProgress(event.text);
      case 'retry-start':
        return startRetry(event);
      case 'compaction-start':
        return chat.temporaryProgress('Compacting…');
      case 'retry-end':
        return chat.temporaryProgress(null);
      case 'compaction-end':
        return endCompaction(event);
      case 'notice':
        return notify(event);
      case 'error':
        return tellUser('error', event.message);
      case 'unknown': {
        const frame = event.protocol === 'eca' ? foreignFrame(session.id, event.payload) : null;
        return frame === null ? loss(`event of ${event.protocol}`) : chat.send(frame);
      }
      case 'turn-start':
      case 'turn-end':
      case 'agent-changed':
        return;
      case 'plan-changed':
        return plans.loses(event) ? loss(event.type) : undefined;
      case 'tool-update':
      case 'display':
      case 'queue-changed':
      case 'task-changed':
      case 'bash-output':
        return loss(event.type);
      default:
        return event satisfies never;
    }
  }

  const mouldOf = (burst: Burst) => (chat.isGenerating ? (openMessages.get('')?.mould(burst) ?? null) : null);

  const bursts: BurstProjection = {
    takes: (burst) => mouldOf(burst) !== null,
    write(burst, seq, from, to) {
      const mould = mouldOf(burst);
      if (mould === null) throw new Error('a burst that was not taken');
      return writeStretch(burst, seq, [from, to], () => mould);
    },
  };

  return {
    bursts,
    event(logged) {
      outs = [];
      isReplay = logged.replay !== undefined;
      take(logged);
      return outs;
    },
    notes() {
      const all = notes;
      if (all.length > 0) notes = [];
      return all;
    },
  };
}
