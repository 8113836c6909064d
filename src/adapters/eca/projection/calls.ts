// Tool calls as ECA clients follow them: prepared, run or asked about, running, called or rejected. Each call has its
// own id (docs/protocols/eca.md 2.7, 3.3, 4.3 to 4.7; docs/faults.md 1.5). Approvals without a call, and dialogs that
// are answered with yes or no, are shown as calls too.
import type { Content, Dictionary } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import {
  argumentFrames,
  type ArgumentFrames,
  type Call,
  type CallPorts,
  createCallSayer,
  type Place,
  preparing,
  shownIn,
} from './encode-call.ts';
import { saidIn } from '../frontend/encode-values.ts';
import { toolCallId } from '../frontend/ids.ts';
import { words } from './chat.ts';

type Asking = EventOf<'tool-start' | 'approval-request'>;

/** Writes the calls of a chat and its sub-agents. */
export interface CallTeller {
  /** The call with that id, if it was shown and is not over. */
  open(id: string): Call | undefined;
  /** The model begins to write the call. Returns the writers of its arguments. */
  prepare(id: string, name: string, place: Place, said: Dictionary): ArgumentFrames;
  /** Whether the arguments of the call may still be sent. */
  isWriting(id: string): boolean;
  /** All arguments of the call are known. */
  written(id: string, input: Dictionary): void;
  ask(event: EventOf<'approval-request'>, place: Place, isPast: boolean): void;
  answered(event: EventOf<'approval-end'>): void;
  start(event: EventOf<'tool-start'>, place: Place, at: number): void;
  /** Without a `place`, only a call that was shown before is ended. */
  end(event: EventOf<'tool-end'>, place: Place | null, at: number): void;
  /** Shows a dialog that is answered with yes or no. */
  confirm(event: EventOf<'dialog-request'>, place: Place): void;
  confirmed(event: EventOf<'dialog-end'>, isRunning: boolean): void;
  /** Shows a call of the history or of the provider that no event will follow, up to its result. */
  tell(id: string, name: string, input: Dictionary, place: Place): void;
  /** Shows the result of such a call. */
  tellResult(id: string, content: readonly Content[], isError: boolean): void;
  /** Sends `toolCallRunning` again because the call's details changed. */
  again(id: string): void;
  /** The run goes on, so the calls that ended without running were not ended by the run's end. */
  goOn(): void;
  /** Whether a call in that chat is not over. */
  isBusy(place: Place): boolean;
  /** Ends all open calls. */
  endRun(event: EventOf<'run-end'>): void;
  /** The chat was cleared, so call ids may be used again. */
  clear(): void;
}

/** Begins without calls. */
export function createCallTeller(ports: CallPorts): CallTeller {
  const { say, called, rejected } = createCallSayer(ports);
  /** Calls of the run, and approvals without a call, by canonical id. */
  const calls = new Map<string, Call>();
  /** Calls of the history that have no result yet. */
  const told = new Map<string, Call>();
  /** Open approvals, by their id. */
  const asked = new Map<string, { readonly key: string; readonly hasCall: boolean; readonly isPast: boolean }>();
  const dialogs = new Map<string, Call>();
  /** Calls that started while their approval was open. They are shown as running once the user allows them. */
  const begun = new Set<string>();
  /** Calls whose approval ended without an answer. */
  const unanswered = new Set<string>();
  /** Calls that the user rejected. An agent may still report that they start and end. */
  const denied = new Set<string>();
  /** How often each id was used in the chat. */
  const lives = new Map<string, number>();

  function nameOf(key: string): string {
    const life = (lives.get(key) ?? 0) + 1;
    lives.set(key, life);
    return toolCallId(key, life);
  }

  function live(key: string, name: string, place: Place): Call {
    return { key, id: nameOf(key), name, place, shown: {}, input: {}, stage: 'prepared', isWritten: false };
  }

  function open(id: string): Call | undefined {
    const call = calls.get(id);
    return call?.stage === 'over' ? undefined : call;
  }

  function begin(call: Call, argumentsText: string, said: Dictionary = {}): void {
    call.shown = { ...call.shown, ...shownIn(said) };
    call.preparing = said;
    call.place.content('assistant', { ...preparing(call), argumentsText });
  }

  /**
   * The open call with that id. Shows it as prepared first if needed: clients cannot show an unprepared call
   * (docs/protocols/eca.md 2.7).
   */
  function ensure(id: string, event: Asking | EventOf<'tool-end'>, place: Place): Call {
    return open(id) ?? tell(id, live(id, event.name, place), event);
  }

  function tell(key: string, call: Call, event: Asking | EventOf<'tool-end'>): Call {
    calls.set(key, call);
    const { origin, server } = event;
    call.shown = shownIn({ origin, server });
    call.input = event.type === 'tool-end' ? {} : event.input;
    call.isWritten = true;
    call.place.generating();
    begin(call, JSON.stringify(call.input));
    return call;
  }

  /** Shows what the run is doing after a separate question has ended. */
  function resume(place: Place): void {
    const isCalling = [...calls.values()].some(({ stage }) => stage === 'running');
    place.progress(isCalling ? words.calling : words.generating);
  }

  /** Updates the title and the change. `origin` and `server` stay as they were first sent. */
  function learn(call: Call, event: Asking | EventOf<'tool-end'>): void {
    const { title, change } = event;
    call.shown = { ...call.shown, ...shownIn({ title, change }) };
  }

  /**
   * Shows the call as run. Sends the arguments first if they were not sent yet, so that readers of the prepared
   * arguments get the same value.
   */
  function run(call: Call, manualApproval: boolean, said: Dictionary): void {
    if (!call.isWritten && Object.keys(call.input).length > 0) {
      call.place.content('assistant', { ...preparing(call), argumentsText: JSON.stringify(call.input) });
    }
    call.isWritten = true;
    call.stage = 'run';
    say(call, 'toolCallRun', { manualApproval }, said);
  }

  function running(call: Call, said: Dictionary): void {
    call.stage = 'running';
    say(call, 'toolCallRunning', {}, said);
    call.place.progress(words.calling);
  }

  function forgetQuestions(): void {
    asked.clear();
    begun.clear();
    unanswered.clear();
    denied.clear();
  }

  /**
   * Ends a call that did not finish. A rejection is reserved for a stop by the user (docs/protocols/eca.md 8.4). In all
   * other cases the call has failed.
   */
  function close(call: Call, isByUser: boolean, why: string): void {
    const { ending } = call;
    const said = ending === undefined ? {} : saidIn(ending);
    if (isByUser) return rejected(call, said);
    const content = ending?.content ?? [{ type: 'text', text: `interrupted: ${why}` }];
    called(call, { content, isError: true, totalTimeMs: ending?.durationMs }, said);
  }

  return {
    open,
    prepare(id, name, place, said) {
      const known = open(id);
      if (known !== undefined) return argumentFrames(known);
      const call = live(id, name, place);
      calls.set(id, call);
      place.generating();
      begin(call, '', said);
      return argumentFrames(call);
    },
    isWriting: (id) => open(id)?.stage === 'prepared',
    written(id, input) {
      const call = open(id);
      if (call?.stage !== 'prepared') return;
      call.isWritten = true;
      call.input = input;
    },
    ask(event, place, isPast) {
      const { id } = event;
      const wanted = event.call ?? id;
      // A second question about the same call is shown as a separate call.
      const isSecond = open(wanted)?.isAsked === true;
      const key = isSecond ? `second ${id}` : wanted;
      asked.set(id, { key, hasCall: event.call !== undefined && !isSecond, isPast });
      const call = isSecond ? tell(key, live(wanted, event.name, place), event) : ensure(wanted, event, place);
      const isRunning = call.stage === 'running';
      learn(call, event);
      call.isAsked = true;
      call.input = event.input;
      // A late client need not learn that an answered call was asked about.
      if (!isPast || call.stage === 'prepared') run(call, !isPast, saidIn(event));
      if (isRunning) call.stage = 'running';
      if (!isPast) call.place.progress(words.asking);
    },
    answered(event) {
      const { id, outcome, reason } = event;
      const { key, hasCall, isPast } = asked.get(id) ?? { key: id, hasCall: true, isPast: false };
      asked.delete(id);
      const call = open(key);
      if (call === undefined) return;
      const isBegun = begun.delete(key) || call.stage === 'running';
      if (hasCall && (outcome === 'cancelled' || outcome === 'expired')) unanswered.add(key);
      if (outcome === 'denied') {
        denied.add(key);
        rejected(call, saidIn(event));
      }
      // Some agents ask just before the tool runs, and send no later event when the tool starts.
      else if (outcome === 'allowed' && isBegun) {
        // A late client was told that the call runs, not that it was asked about.
        return isPast && call.stage === 'running' ? undefined : running(call, saidIn(event));
      } else if (hasCall || (outcome === 'cancelled' && event.synthetic === true)) return;
      else {
        // It is unknown which call the approval was about.
        const text = outcome === 'allowed' ? 'allowed' : (reason ?? `nobody answered: ${outcome}`);
        called(call, { content: [{ type: 'text', text }], isError: outcome !== 'allowed' });
      }
      resume(call.place);
    },
    start(event, place, at) {
      if (denied.has(event.call) && calls.get(event.call)?.stage === 'over') return;
      const call = ensure(event.call, event, place);
      learn(call, event);
      call.startedAt = at;
      const said = saidIn(event);
      // Arguments that the user or the agent changed are shown when the call is running.
      if (!call.isWritten) call.input = event.input;
      if (call.stage === 'prepared') run(call, false, said);
      call.input = event.input;
      if ([...asked.values()].some(({ key }) => key === event.call)) begun.add(event.call);
      else if (!unanswered.has(event.call)) running(call, said);
    },
    end(event, place, at) {
      const known = calls.get(event.call);
      // Nobody waits for the result of a rejected call.
      if (known?.stage === 'over') return;
      const call = known ?? (place === null ? undefined : ensure(event.call, event, place));
      if (call === undefined) return;
      learn(call, event);
      const { skipped, content, isError, durationMs: totalTimeMs = at - (call.startedAt ?? at) } = event;
      const hasNotRun = skipped === 'aborted' || (skipped === undefined && unanswered.has(event.call));
      if (hasNotRun && call.stage !== 'running') {
        // The end of the run decides whether the user stopped the call or it failed.
        call.ending = event;
        return;
      }
      if (skipped === 'denied') rejected(call, saidIn(event));
      else {
        called(call, { content, isError, totalTimeMs }, saidIn(event));
      }
      // A synthetic end comes with the end of the run, so no progress follows.
      if (event.synthetic !== true) call.place.progress(words.generating);
    },
    confirm({ id, title, message }, place) {
      const call = live(id, 'confirm', place);
      call.shown = { title };
      call.input = message === undefined ? {} : { message };
      call.isWritten = true;
      dialogs.set(id, call);
      begin(call, JSON.stringify(call.input));
      run(call, true, {});
      place.progress(words.asking);
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
      resume(call.place);
    },
    tell(id, name, input, place) {
      const call = live(id, name, place);
      told.set(id, call);
      place.generating();
      begin(call, JSON.stringify(input));
      call.input = input;
      call.isWritten = true;
      run(call, false, {});
    },
    tellResult(id, content, isError) {
      const call = told.get(id);
      told.delete(id);
      if (call !== undefined) called(call, { content, isError });
    },
    again(id) {
      const call = open(id);
      if (call?.stage === 'running') say(call, 'toolCallRunning', {});
    },
    goOn() {
      for (const call of calls.values()) if (call.ending !== undefined && call.stage !== 'over') close(call, false, '');
    },
    isBusy: (at) => [...calls.values()].some(({ place, stage }) => place === at && stage !== 'over'),
    endRun({ outcome, failure }) {
      for (const call of calls.values()) {
        if (call.stage !== 'over') close(call, outcome === 'aborted', failure?.message ?? 'the run is over');
      }
      calls.clear();
      forgetQuestions();
    },
    clear() {
      calls.clear();
      told.clear();
      forgetQuestions();
      lives.clear();
    },
  };
}
