// Tool calls as ECA clients follow them: prepared, run or asked about, running, called or rejected. Each call has its
// own id (docs/protocols/eca.md 2.7, 3.3, 4.3 to 4.7; docs/faults.md 1.5). Approvals without a call, and dialogs that
// are answered with yes or no, are shown as calls too.
import type { Content, Dictionary } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import { NewestMap } from '../../../core/model/newest.ts';
import { ecaExtraIn } from '../frontend/encode-values.ts';
import { toolCallId } from '../frontend/question-ids.ts';
import { progressTexts } from './chat-writer.ts';
import {
  type ArgumentFrames,
  argumentFrames,
  type Call,
  type CallPorts,
  type ContentWriter,
  createCallContents,
  preparing,
  shownIn,
} from './encode-call.ts';

type Asking = EventOf<'tool-start' | 'approval-request'>;

/** Writes the calls of a chat and its sub-agents. */
export interface CallWriter {
  /** The call with this id, if it was shown and is not over. */
  open(id: string): Call | undefined;
  /** The model begins to write the call. Returns the writers of its arguments. */
  prepare(id: string, name: string, writer: ContentWriter, fields: Dictionary): ArgumentFrames;
  /** Whether the arguments of the call may still be sent. */
  isWriting(id: string): boolean;
  /** Must be called when all arguments of the call are known. */
  written(id: string, input: Dictionary): void;
  ask(event: EventOf<'approval-request'>, writer: ContentWriter, isPast: boolean): void;
  answered(event: EventOf<'approval-end'>): void;
  start(event: EventOf<'tool-start'>, writer: ContentWriter, at: number): void;
  /** Ends a call. Without a `writer`, only a call that was shown before is ended. */
  end(event: EventOf<'tool-end'>, writer: ContentWriter | null, at: number): void;
  /** Shows a yes-or-no dialog as a call that waits for approval. */
  confirm(event: EventOf<'dialog-request'>, writer: ContentWriter): void;
  confirmed(event: EventOf<'dialog-end'>, isRunning: boolean): void;
  /** Shows a call of the history or of the provider that no event will follow, up to its result. */
  addWhole(id: string, name: string, input: Dictionary, writer: ContentWriter): void;
  /** Shows the result of a call that `addWhole` showed. */
  addResult(id: string, content: readonly Content[], isError: boolean): void;
  /** Sends `toolCallRunning` again because the call's details changed. */
  repeatRunning(id: string): void;
  /** Must be called when the run goes on: calls that ended without running were not ended by the end of the run. */
  runGoesOn(): void;
  /** Whether the writer's chat has a call that is not over. */
  isBusy(writer: ContentWriter): boolean;
  /** Ends all open calls. */
  endRun(event: EventOf<'run-end'>): void;
  /** Forgets all calls after the chat was cleared: call ids may be used again. */
  clear(): void;
}

/** Ids whose uses are counted. A dialog of which nothing is kept has one too. */
const mostCounted = 65_536;

/** Creates the writer of a chat's tool calls, none at first. */
export function createCallWriter(ports: CallPorts): CallWriter {
  const { write, called, rejected } = createCallContents(ports);
  /** Calls of the run, and approvals without a call, by canonical id. */
  const calls = new Map<string, Call>();
  /** Calls of the history that have no result yet. */
  const historyCalls = new Map<string, Call>();
  /** Open approvals, by their id. */
  const openApprovals = new Map<
    string,
    { readonly key: string; readonly hasCall: boolean; readonly isPast: boolean }
  >();
  const dialogs = new Map<string, Call>();
  /** Calls that started while their approval was open. They are shown as running once the user allows them. */
  const startedWhileAsked = new Set<string>();
  /** Calls whose approval ended without an answer. */
  const unanswered = new Set<string>();
  /** Calls that the user rejected. An agent may still report that they start and end. */
  const denied = new Set<string>();
  /** How often each id was used in the chat. */
  const useCounts = new NewestMap<string, number>(mostCounted);

  function nextWireId(key: string): string {
    const life = (useCounts.get(key) ?? 0) + 1;
    useCounts.set(key, life);
    return toolCallId(key, life);
  }

  function newCall(key: string, name: string, writer: ContentWriter): Call {
    return { key, id: nextWireId(key), name, writer, shown: {}, input: {}, stage: 'prepared', isWritten: false };
  }

  function open(id: string): Call | undefined {
    const call = calls.get(id);
    return call?.stage === 'over' ? undefined : call;
  }

  function begin(call: Call, argumentsText: string, fields: Dictionary = {}): void {
    call.shown = { ...call.shown, ...shownIn(fields) };
    call.preparing = fields;
    call.writer.content('assistant', { ...preparing(call), argumentsText });
  }

  /**
   * The open call with that id. Shows it as prepared first if needed: clients cannot show an unprepared call
   * (docs/protocols/eca.md 2.7).
   */
  function ensurePrepared(id: string, event: Asking | EventOf<'tool-end'>, writer: ContentWriter): Call {
    return open(id) ?? addPrepared(id, newCall(id, event.name, writer), event);
  }

  function addPrepared(key: string, call: Call, event: Asking | EventOf<'tool-end'>): Call {
    calls.set(key, call);
    const { origin, server } = event;
    call.shown = shownIn({ origin, server });
    call.input = event.type === 'tool-end' ? {} : event.input;
    call.isWritten = true;
    call.writer.generating();
    begin(call, JSON.stringify(call.input));
    return call;
  }

  /** Shows what the run is doing after a separate question has ended. */
  function showRunProgress(writer: ContentWriter): void {
    const isCalling = [...calls.values()].some(({ stage }) => stage === 'running');
    writer.progress(isCalling ? progressTexts.calling : progressTexts.generating);
  }

  /** Updates the title and the change. `origin` and `server` stay as they were first sent. */
  function updateShown(call: Call, event: Asking | EventOf<'tool-end'>): void {
    const { title, change } = event;
    call.shown = { ...call.shown, ...shownIn({ title, change }) };
  }

  /**
   * Shows the call as run. Sends the arguments first if they were not sent yet, so that readers of the prepared
   * arguments get the same value.
   */
  function run(call: Call, manualApproval: boolean, fields: Dictionary): void {
    if (!call.isWritten && Object.keys(call.input).length > 0) {
      call.writer.content('assistant', { ...preparing(call), argumentsText: JSON.stringify(call.input) });
    }
    call.isWritten = true;
    call.stage = 'run';
    write(call, 'toolCallRun', { manualApproval }, fields);
  }

  function running(call: Call, fields: Dictionary): void {
    call.stage = 'running';
    write(call, 'toolCallRunning', {}, fields);
    call.writer.progress(progressTexts.calling);
  }

  function forgetQuestions(): void {
    openApprovals.clear();
    startedWhileAsked.clear();
    unanswered.clear();
    denied.clear();
  }

  /**
   * Ends a call that did not finish. A rejection is reserved for a stop by the user (docs/protocols/eca.md 8.4). In all
   * other cases the call has failed.
   */
  function close(call: Call, isByUser: boolean, why: string): void {
    const { ending } = call;
    const agentFields = ending === undefined ? {} : ecaExtraIn(ending);
    if (isByUser) return rejected(call, agentFields);
    const content = ending?.content ?? [{ type: 'text', text: `interrupted: ${why}` }];
    called(call, { content, isError: true, totalTimeMs: ending?.durationMs }, agentFields);
  }

  return {
    open,
    prepare(id, name, writer, fields) {
      const known = open(id);
      if (known !== undefined) return argumentFrames(known);
      const call = newCall(id, name, writer);
      calls.set(id, call);
      writer.generating();
      begin(call, '', fields);
      return argumentFrames(call);
    },
    isWriting: (id) => open(id)?.stage === 'prepared',
    written(id, input) {
      const call = open(id);
      if (call?.stage !== 'prepared') return;
      call.isWritten = true;
      call.input = input;
    },
    ask(event, writer, isPast) {
      const { id } = event;
      const wanted = event.call ?? id;
      // A second question about the same call is shown as a separate call.
      const isSecond = open(wanted)?.isAsked === true;
      const key = isSecond ? `second ${id}` : wanted;
      openApprovals.set(id, { key, hasCall: event.call !== undefined && !isSecond, isPast });
      const call = isSecond
        ? addPrepared(key, newCall(wanted, event.name, writer), event)
        : ensurePrepared(wanted, event, writer);
      const isRunning = call.stage === 'running';
      updateShown(call, event);
      call.isAsked = true;
      call.input = event.input;
      // A late client need not learn that an answered call was asked about.
      if (!isPast || call.stage === 'prepared') run(call, !isPast, ecaExtraIn(event));
      if (isRunning) call.stage = 'running';
      if (!isPast) call.writer.progress(progressTexts.asking);
    },
    answered(event) {
      const { id, outcome, reason } = event;
      const { key, hasCall, isPast } = openApprovals.get(id) ?? { key: id, hasCall: true, isPast: false };
      openApprovals.delete(id);
      const call = open(key);
      if (call === undefined) return;
      const isBegun = startedWhileAsked.delete(key) || call.stage === 'running';
      if (hasCall && (outcome === 'cancelled' || outcome === 'expired')) unanswered.add(key);
      if (outcome === 'denied') {
        denied.add(key);
        rejected(call, ecaExtraIn(event));
      }
      // Some agents ask just before the tool runs, and send no later event when the tool starts.
      else if (outcome === 'allowed' && isBegun) {
        // A late client has seen the call as running, without its question.
        return isPast && call.stage === 'running' ? undefined : running(call, ecaExtraIn(event));
      } else if (hasCall || (outcome === 'cancelled' && event.synthetic === true)) return;
      else {
        // It is unknown which call the approval was about.
        const text = outcome === 'allowed' ? 'allowed' : (reason ?? `nobody answered: ${outcome}`);
        called(call, { content: [{ type: 'text', text }], isError: outcome !== 'allowed' });
      }
      showRunProgress(call.writer);
    },
    start(event, writer, at) {
      if (denied.has(event.call) && calls.get(event.call)?.stage === 'over') return;
      const call = ensurePrepared(event.call, event, writer);
      updateShown(call, event);
      call.startedAt = at;
      const agentFields = ecaExtraIn(event);
      // Arguments that the user or the agent changed are shown when the call is running.
      if (!call.isWritten) call.input = event.input;
      if (call.stage === 'prepared') run(call, false, agentFields);
      call.input = event.input;
      if ([...openApprovals.values()].some(({ key }) => key === event.call)) startedWhileAsked.add(event.call);
      else if (!unanswered.has(event.call)) running(call, agentFields);
    },
    end(event, writer, at) {
      const known = calls.get(event.call);
      // A rejected call has no result.
      if (known?.stage === 'over') return;
      const call = known ?? (writer === null ? undefined : ensurePrepared(event.call, event, writer));
      if (call === undefined) return;
      updateShown(call, event);
      const { skipped, content, isError, durationMs: totalTimeMs = at - (call.startedAt ?? at) } = event;
      const hasNotRun = skipped === 'aborted' || (skipped === undefined && unanswered.has(event.call));
      if (hasNotRun && call.stage !== 'running') {
        // The end of the run decides whether the user stopped the call or it failed.
        call.ending = event;
        return;
      }
      if (skipped === 'denied') rejected(call, ecaExtraIn(event));
      else {
        called(call, { content, isError, totalTimeMs }, ecaExtraIn(event));
      }
      // A synthetic end comes with the end of the run, so no progress follows.
      if (event.synthetic !== true) call.writer.progress(progressTexts.generating);
    },
    confirm({ id, title, message }, writer) {
      const call = newCall(id, 'confirm', writer);
      call.shown = { title };
      call.input = message === undefined ? {} : { message };
      call.isWritten = true;
      dialogs.set(id, call);
      begin(call, JSON.stringify(call.input));
      run(call, true, {});
      writer.progress(progressTexts.asking);
    },
    confirmed({ id, outcome, synthetic }, isRunning) {
      const call = dialogs.get(id);
      dialogs.delete(id);
      if (call === undefined) return;
      // The end of the run decides whether the user stopped the call or the agent is gone.
      if (outcome === 'cancelled' && synthetic === true && isRunning) {
        calls.set(`dialog ${id}`, call);
        return;
      }
      if (outcome === 'cancelled') rejected(call);
      else if (outcome === 'answered') called(call, { content: [], isError: false });
      else called(call, { content: [{ type: 'text', text: 'nobody answered' }], isError: true });
      showRunProgress(call.writer);
    },
    addWhole(id, name, input, writer) {
      const call = newCall(id, name, writer);
      historyCalls.set(id, call);
      writer.generating();
      begin(call, JSON.stringify(input));
      call.input = input;
      call.isWritten = true;
      run(call, false, {});
    },
    addResult(id, content, isError) {
      const call = historyCalls.get(id);
      historyCalls.delete(id);
      if (call !== undefined) called(call, { content, isError });
    },
    repeatRunning(id) {
      const call = open(id);
      if (call?.stage === 'running') write(call, 'toolCallRunning', {});
    },
    runGoesOn() {
      for (const call of calls.values()) if (call.ending !== undefined && call.stage !== 'over') close(call, false, '');
    },
    isBusy: (at) => [...calls.values()].some(({ writer, stage }) => writer === at && stage !== 'over'),
    endRun({ outcome, failure }) {
      for (const call of calls.values()) {
        if (call.stage !== 'over') close(call, outcome === 'aborted', failure?.message ?? 'the run is over');
      }
      calls.clear();
      forgetQuestions();
    },
    clear() {
      calls.clear();
      historyCalls.clear();
      forgetQuestions();
      useCounts.clear();
    },
  };
}
