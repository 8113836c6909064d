// A whole run: from the prompt until nothing is left to do, and its end when cut short.
import { type Cause, closeRun } from '../../core/log/close-run.ts';
import type { Event, EventOf } from '../../core/model/event.ts';
import { laneOf } from '../../core/model/transcript.ts';
import { type Play, say } from './play.ts';
import { type PlayState, queueChanged, takeWaiting, userMessage } from './play-state.ts';
import { wordsOf } from './prompt.ts';
import { parseScript } from './script.ts';
import { endMessage, freshTurn, sayText, takeSteering } from './speech.ts';
import { steps } from './steps/index.ts';
import { figuresOf } from './token-meter.ts';
import { resultMessage } from './tool-calls.ts';

/** Plays a prompt, and every follow-up that came meanwhile, each in turns of its own. Returns no actions. */
export function* playRun(stage: PlayState, origin: EventOf<'message-added'>['origin']): Play<never[]> {
  yield say({ type: 'run-start' }, { type: 'turn-start' }, userMessage(stage, stage.prompt, origin));
  const { inbox, settings } = stage;
  const pace = { ...stage.pace };
  yield* playScript(stage);
  while (inbox.followUps.length > 0) {
    const prompts = takeWaiting(inbox.followUps, settings.followUpMode);
    yield* freshTurn(stage);
    yield say(queueChanged(inbox), ...prompts.map((prompt) => userMessage(stage, prompt, 'follow-up')));
    for (const prompt of prompts) yield* playScript({ ...stage, prompt, pace: { ...pace } });
  }
  yield* endMessage(stage, 'end');
  yield say({ type: 'turn-end' }, { type: 'run-end', outcome: 'completed' });
  return [];
}

function* playScript(stage: PlayState): Play {
  for (const { verb, amount } of parseScript(wordsOf(stage.prompt))) {
    yield* steps[verb](stage, amount);
    yield* takeSteering(stage);
  }
  const lastBlock = stage.transcript.open.get('')?.blocks.at(-1);
  if (lastBlock?.head.kind === 'text') return;
  yield* sayText(stage, 'That is all.');
  yield* takeSteering(stage);
}

/**
 * The events that end a run early. closeRun decides their order; the demo agent adds its figures and delivers the
 * events as its own.
 */
export function endEarly(stage: PlayState, cause: Cause): Event[] {
  const { inbox, transcript } = stage;
  const queued = inbox.steering.length + inbox.followUps.length;
  inbox.steering.length = 0;
  inbox.followUps.length = 0;
  const emptied = queued === 0 ? [] : [queueChanged(inbox)];
  return [...emptied, ...closeRun(transcript, cause).flatMap((event) => inOwnWords(stage, event))];
}

function inOwnWords(stage: PlayState, { synthetic: _, ...event }: Event): Event[] {
  if (event.type === 'message-end') {
    const message = stage.transcript.open.get(laneOf(event));
    return message === undefined ? [event] : [{ ...event, ...figuresOf(message) }];
  }
  if (event.type !== 'tool-end') return [event];
  const isTask = event.name === 'delegate' && event.skipped === undefined;
  const stopped: Event = { type: 'task-changed', id: event.call, call: event.call, status: 'stopped' };
  return [...(isTask ? [stopped] : []), event, resultMessage(event)];
}
