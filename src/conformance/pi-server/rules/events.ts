// Rules on session events: docs/protocols/pi-server.md 6.1, 7.2, 18.1 and 19.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import { textOf } from '../view/frames.ts';
import type { Event, ServerRows, View } from '../view/view.ts';

const runs = ['prompt', 'tool', 'retry', 'compaction'];

/**
 * Runs a state machine over the events of each session. `walk` returns what is wrong with an event, or undefined where
 * the rule does not apply.
 */
function* walked(
  { eventsBySession, lifeOf }: View,
  start: () => (event: Event) => string | null | undefined,
): Generator<Finding> {
  for (const [session, events] of eventsBySession) {
    let step = start();
    let life: number | null = null;
    for (const event of events) {
      const now = lifeOf(session, event.frame);
      if (life !== null && now !== life) step = start();
      life = now;
      const wrong = step(event);
      if (wrong !== undefined) yield { frame: event.frame, wrong };
    }
  }
}

/** Begin and end events must alternate. Whatever was open when the connection subscribed is not judged. */
function alternating(begin: string, end: string) {
  let isOpen: boolean | null = null;
  return {
    get isOpen() {
      return isOpen;
    },
    step(type: unknown): string | null | undefined {
      if (type !== begin && type !== end) return undefined;
      const wasOpen = isOpen;
      isOpen = type === begin;
      if (wasOpen === null) return null;
      return wasOpen === isOpen ? `${type} where none is ${isOpen ? 'expected' : 'open'}` : null;
    },
    close() {
      isOpen = false;
    },
  };
}

/** Rules on session events. */
export const eventRows: ServerRows = {
  'event-subscribed': {
    section: '6.1',
    sentence: 'Only who has switched to a session hears what it says.',
    covers: ['event:event', 'command:switch_session'],
    scenarios: runs,
    judge: (view) =>
      each(view.isLate ? [] : view.events, ({ session, frame }) =>
        (view.subscribedAt(session) ?? frame) < frame ? null : `this connection has not switched to ${session}`,
      ),
  },
  'run-order': {
    section: '19.1',
    sentence: 'Runs begin and end in turn; so do turns, inside a run.',
    covers: ['session:agent_start', 'session:agent_end', 'session:turn_start', 'session:turn_end'],
    scenarios: runs,
    judge: (view) =>
      walked(view, () => {
        const run = alternating('agent_start', 'agent_end');
        const turn = alternating('turn_start', 'turn_end');
        return ({ event: { type } }) => {
          if (type === 'turn_start' && run.isOpen === false) return 'a turn outside a run';
          if (type === 'agent_end' && turn.isOpen === true) {
            turn.close();
            return 'the run ends inside a turn';
          }
          return run.step(type) ?? turn.step(type);
        };
      }),
  },
  'message-order': {
    section: '19.2',
    sentence: 'A message starts, grows and ends; none starts inside another.',
    covers: ['session:message_start', 'session:message_update', 'session:message_end'],
    scenarios: runs,
    judge: (view) =>
      walked(view, () => {
        const message = alternating('message_start', 'message_end');
        return ({ event: { type } }) => {
          if (type === 'message_update') return message.isOpen === false ? 'no message is open' : null;
          return message.step(type);
        };
      }),
  },
  'message-text': {
    section: '19.2',
    sentence: 'The pieces of text in a message are together its text.',
    covers: ['session:message_update', 'session:message_end'],
    scenarios: runs,
    judge: (view) =>
      walked(view, () => {
        let lastState: string | null = null;
        return ({ event: { type, message, assistantMessageEvent } }) => {
          if (type === 'message_start') lastState = '';
          const update = dictionaryOf(assistantMessageEvent);
          if (type === 'message_update' && lastState !== null && update.type === 'text_delta')
            lastState += String(update.delta);
          if (type !== 'message_end' || lastState === null || dictionaryOf(message).role !== 'assistant')
            return undefined;
          const before = lastState;
          lastState = null;
          // Some models do not stream, and some answers come complete.
          return before === '' || before === textOf(message)
            ? null
            : `it was told as ${JSON.stringify(before).slice(0, 80)}`;
        };
      }),
  },
  'tool-order': {
    section: '19.3',
    sentence: 'A tool starts, goes on and ends under one id, once, before its turn is over.',
    covers: ['session:tool_execution_start', 'session:tool_execution_update', 'session:tool_execution_end'],
    scenarios: ['tool'],
    judge: (view) =>
      walked(view, () => {
        const running = new Set<unknown>();
        let isPrompted = false;
        return ({ event: { type, toolCallId } }) => {
          if (type === 'agent_start') isPrompted = true;
          const isLate = type === 'turn_end' && running.size > 0;
          if (isLate) running.clear();
          if (isLate) return 'a tool runs on when its turn is over';
          if (typeof type !== 'string' || !type.startsWith('tool_execution_') || !isPrompted) return undefined;
          if (type === 'tool_execution_start') {
            const isTwice = running.has(toolCallId);
            running.add(toolCallId);
            return isTwice ? 'it runs already' : null;
          }
          const isRunning = running.has(toolCallId);
          if (type === 'tool_execution_end') running.delete(toolCallId);
          return isRunning ? null : `${type} of a tool that does not run`;
        };
      }),
  },
  'compaction-told': {
    section: '19.4',
    sentence: 'A compaction that comes by itself says why it starts, and how it ends.',
    covers: ['session:auto_compaction_start', 'session:auto_compaction_end'],
    scenarios: ['compaction'],
    judge: (view) =>
      walked(view, () => {
        const compaction = alternating('auto_compaction_start', 'auto_compaction_end');
        return ({ event }) => {
          const wrong = compaction.step(event.type);
          if (wrong !== null) return wrong;
          const shape = event.type === 'auto_compaction_start' ? { reason: 'string' as const } : compactionEnd;
          return misfit(event, fields(shape), String(event.type));
        };
      }),
  },
  'retry-told': {
    section: '19.5',
    sentence: 'Retries are counted from 1, and their end says whether one succeeded.',
    covers: ['session:auto_retry_start', 'session:auto_retry_end'],
    scenarios: ['retry'],
    judge: (view) =>
      walked(view, () => {
        let attempts: number | null = null;
        return ({ event: { type, attempt, success } }) => {
          if (type === 'auto_retry_start') {
            const before = attempts;
            attempts = typeof attempt === 'number' ? attempt : null;
            if (attempts === null) return 'the attempt has no number';
            // A new answer starts counting anew, even if the end of the last retry was not reported.
            return attempts === 1 || before === null || attempts === before + 1 ? null : `${attempts} behind ${before}`;
          }
          if (type !== 'auto_retry_end') return undefined;
          attempts = 0;
          return typeof success === 'boolean' ? null : 'success must be a boolean';
        };
      }),
  },
  'prompt-last': {
    section: '7.2',
    isMeasured: true,
    sentence: 'A prompt is answered when its run is over.',
    covers: ['command:prompt', 'session:agent_end'],
    scenarios: runs,
    reads: 'both',
    *judge({ sent, eventsBySession, lifeOf, lifecycleOf, subscribedAt }) {
      for (const { frame, json, response } of sent) {
        if (json.type !== 'prompt' || json.streamingBehavior !== undefined) continue;
        if (response?.json.success !== true || response.json.replayed === true) continue;
        const session = String(json.sessionId);
        if ((subscribedAt(session) ?? frame) >= frame) continue;
        // Behind command_finished the next run may begin before the response is sent.
        const [end = response] = lifecycleOf(json.id).filter(
          (step) => step.phase === 'finished' && step.frame > frame && step.frame < response.frame,
        );
        const life = lifeOf(session, end.frame);
        const earlier = (eventsBySession.get(session) ?? []).filter(
          (event) => event.frame < end.frame && lifeOf(session, event.frame) === life,
        );
        const types = earlier.map(({ event }) => event.type);
        const isOver = types.lastIndexOf('agent_end') >= types.lastIndexOf('agent_start');
        yield { frame: response.frame, wrong: isOver ? null : 'its run goes on' };
      }
    },
  },
};

const compactionEnd = { aborted: 'boolean', willRetry: 'boolean' } as const;
