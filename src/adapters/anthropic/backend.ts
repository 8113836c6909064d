// The Messages API as a chat agent: a prompt becomes a request, and the stream of events becomes a run. Keeps the
// conversation, because the API is stateless. api.ts sends the requests.
import type { Env } from '../../core/contract/adapter/action.ts';
import type { Backend } from '../../core/contract/adapter/backend.ts';
import { createHeldBack } from '../../core/contract/adapter/held-back.ts';
import { createOutbox } from '../../core/contract/adapter/outbox.ts';
import type { Command, CommandOf } from '../../core/model/command.ts';
import type { Failure } from '../../core/model/content.ts';
import { GatewayError, refused } from '../../core/model/errors.ts';
import { type Answer, createAnswer } from './answer.ts';
import { sayPrompt } from './content.ts';
import { exchangesOf } from './exchanges.ts';
import { createHistory } from './history.ts';
import { createModels, shownModel } from './known-models.ts';
import type { AnthropicOptions } from './options.ts';
import { requestBody } from './request.ts';
import { delayBefore, failureOfEvent, shownFailure } from './retry.ts';
import { createSettings } from './session-settings.ts';
import { type RequestEnd, type RequestFailure, readFrame, type StreamEvent } from './wire.ts';

/** A run. */
interface Run {
  /** `waiting`: before a retry. `asking`: no event has come yet. */
  phase: 'asking' | 'waiting' | 'answering';
  answer: Answer | null;
  /** The model of the request. */
  model: string;
  /** Retries of the current request. */
  attempt: number;
  /** Requests that continued after a pause of the model. */
  continued: number;
  isAborting: boolean;
  /** Why the request failed that will be retried. */
  failure: Failure;
}

/** The longest note, in characters. */
const longestNote = 400;

/** The most continuations of a model that pauses repeatedly. */
const mostContinuations = 8;

const retryTimer = 'retry';
const noTools = 'the model called a tool, and it was offered none';
const aborted: Failure = { kind: 'aborted', message: 'the run was aborted' };

/**
 * Creates the backend of one conversation. Throws a GatewayError `invalid` for options that the first model does not
 * accept.
 */
export function createBackend(env: Env, options: AnthropicOptions): Backend {
  const models = createModels(options);
  const { settings, objection } = createSettings(options, models);
  if (objection !== null) throw new GatewayError('invalid', `anthropic: ${objection}`);
  const history = createHistory();
  let agentSessionId = env.id('session');
  let run: Run | null = null;
  let requests = 0;
  const out = createOutbox();
  /** The count of the bytes that the current answer holds back. */
  let held = createHeldBack(out);
  const { deliver, deliverChanges, settle } = out;
  const violation = (text: string) => out.note('violation', text.slice(0, longestNote));

  function ask(current: Run): void {
    requests += 1;
    current.phase = 'asking';
    current.answer = null;
    current.model = settings.model.id;
    out.send({ type: 'request', request: requests, body: requestBody(options, settings, history) });
  }

  function prompt(command: CommandOf<'prompt'>, id: string): void {
    if (run !== null) {
      const isJoining = command.whenBusy === 'steer' || command.whenBusy === 'follow-up';
      settle(
        id,
        isJoining ? refused('unsupported', 'nothing can join a request') : refused('busy', 'the model answers'),
      );
      return;
    }
    const { blocks, losses } = sayPrompt(command);
    if (blocks.length === 0) {
      settle(id, refused('invalid', ['the prompt says nothing to the model', ...losses].join('; ')));
      return;
    }
    if (command.model !== undefined && command.model !== settings.model.id) {
      const { outcome, changes } = settings.change({ type: 'set-model', model: command.model });
      if (!outcome.ok) {
        settle(id, outcome);
        return;
      }
      deliverChanges(changes);
    }
    for (const text of losses) out.note('loss', text);
    settle(id, { ok: true });
    deliver({ type: 'run-start' }, { type: 'turn-start' });
    deliver({ type: 'message-added', id: env.id('message'), role: 'user', origin: 'prompt', content: command.content });
    history.begin(blocks);
    run = {
      phase: 'asking',
      answer: null,
      model: '',
      attempt: 0,
      continued: 0,
      isAborting: false,
      failure: aborted,
    };
    ask(run);
  }

  /** Ends the run. Keeps the text so far if it contains an answer. */
  function close(outcome: 'completed' | 'failed' | 'aborted', failure?: Failure): void {
    run = null;
    history.end();
    deliver({ type: 'turn-end' }, { type: 'run-end', outcome, ...(failure === undefined ? {} : { failure }) });
  }

  /** Ends the run before its answer is complete. */
  function cut(current: Run, outcome: 'failed' | 'aborted', failure: Failure): void {
    const { answer, phase, attempt } = current;
    if (answer !== null) {
      deliver(...answer.cut(outcome === 'aborted' ? 'aborted' : 'error', failure));
      skipCalls(answer, 'aborted', failure.message);
      history.answer(current.model, answer.kept());
    } else if (attempt > 0) {
      const why = phase === 'waiting' && outcome === 'aborted' ? current.failure : failure;
      deliver({ type: 'retry-end', attempt, success: false, failure: why });
    }
    close(outcome, failure);
  }

  function fail(current: Run, failure: RequestFailure): void {
    if (current.isAborting) return cut(current, 'aborted', aborted);
    const shown = shownFailure(failure);
    const attempts = settings.autoRetry ? options.retries : 0;
    // Once the model has begun to answer, a retry would repeat the answer from the start.
    const delayMs = current.answer === null ? delayBefore(current.attempt + 1, attempts, failure) : null;
    if (delayMs === null) return cut(current, 'failed', shown);
    if (current.attempt > 0) {
      deliver({ type: 'retry-end', attempt: current.attempt, success: false, failure: shown });
    }
    current.attempt += 1;
    current.phase = 'waiting';
    current.failure = shown;
    deliver({ type: 'retry-start', attempt: current.attempt, maxAttempts: attempts, delayMs, failure: shown });
    out.timer(retryTimer, delayMs);
  }

  /** Ends the calls without running them, because no tools were offered. */
  function skipCalls(answer: Answer, skipped: 'aborted' | 'denied', why: string): void {
    for (const { id: call, name } of answer.calls) {
      deliver({ type: 'tool-end', call, name, content: [{ type: 'text', text: why }], isError: true, skipped });
    }
  }

  function answered(current: Run, answer: Answer): void {
    deliver(...answer.end());
    skipCalls(answer, 'denied', noTools);
    if (answer.stop.reason === 'refusal') {
      // A refused exchange would be refused again in each later request (the API's own advice).
      history.drop();
      const text = 'The model refused. It will not be shown this prompt and what it had said to it again.';
      deliver({ type: 'notice', level: 'warning', source: 'gateway', text });
      return close('completed');
    }
    history.answer(current.model, answer.kept());
    if (answer.calls.length > 0) return close('failed', { kind: 'agent', message: noTools });
    if (answer.stop.reason !== 'pause' || answer.kept().length === 0) return close('completed');
    if (current.isAborting) return close('aborted', aborted);
    if (current.continued >= mostContinuations) return close('completed');
    current.continued += 1;
    current.attempt = 0;
    deliver({ type: 'turn-end' }, { type: 'turn-start' });
    ask(current);
  }

  function streamed(event: StreamEvent): void {
    if (event.type === 'ping') return;
    if (run === null || run.phase === 'waiting') {
      violation(`a ${event.type} that answers no request`);
      return;
    }
    const { answer } = run;
    if (event.type === 'message_start') {
      if (answer !== null) return void violation('a second message_start');
      if (run.attempt > 0) deliver({ type: 'retry-end', attempt: run.attempt, success: true });
      const { model } = run;
      run.phase = 'answering';
      held = createHeldBack(out);
      run.answer = createAnswer(event, (answering, usage) => models.costOf(model, answering, usage));
      deliver(...run.answer.start());
      return;
    }
    if (event.type === 'error') return fail(run, failureOfEvent(event.error));
    if (answer === null) return void violation(`a ${event.type} before message_start`);
    if (event.type === 'message_delta') return answer.delta(event);
    if (event.type === 'message_stop') return answered(run, answer);
    const result = answer.block(event);
    if (result.violation !== undefined) violation(result.violation);
    else if (result.events.length === 0) held.add(event);
    deliver(...result.events);
  }

  function ended(end: RequestEnd): void {
    // The run of a complete message ends before its request does.
    if (run === null || run.phase === 'waiting' || end.request !== requests) return;
    switch (end.how) {
      case 'aborted':
        return cut(run, 'aborted', aborted);
      case 'failed':
        return fail(run, end.failure);
      case 'finished':
        return fail(run, { message: 'the stream of the API ended before its message did', mayRetry: true });
      default:
        return end satisfies never;
    }
  }

  function abort(target: CommandOf<'abort'>['target'], id: string): void {
    if (target === 'compaction' || target === 'bash') {
      settle(id, refused('unsupported', `this agent has no ${target}`));
      return;
    }
    settle(id, { ok: true });
    if (run === null) return;
    if (run.phase === 'waiting') {
      out.timer(retryTimer, null);
      if (target === 'run') cut(run, 'aborted', aborted);
      else cut(run, 'failed', run.failure);
    } else if (target === 'run' && !run.isAborting) {
      run.isAborting = true;
      out.send({ type: 'abort', request: requests });
    }
  }

  function newSession(id: string): void {
    if (run !== null) {
      settle(id, refused('busy', 'the model answers'));
      return;
    }
    history.clear();
    agentSessionId = env.id('session');
    deliver({ type: 'history-reset', reason: 'new' });
    deliverChanges({ agentSessionId });
    settle(id, { ok: true, data: { cancelled: false } });
  }

  function query({ subject }: CommandOf<'query'>, id: string): void {
    if (subject === 'models') settle(id, { ok: true, data: { models: models.offered.map(shownModel) } });
    else if (subject === 'thinking-levels') settle(id, { ok: true, data: { levels: [...settings.levels()] } });
    // The session itself knows the answers to the other subjects.
    else settle(id, refused('unsupported', `this agent does not tell ${subject}`));
  }

  function carryOut(command: Command, id: string): void {
    switch (command.type) {
      case 'prompt':
        return prompt(command, id);
      case 'abort':
        return abort(command.target, id);
      case 'set-model':
      case 'cycle-model':
      case 'set-thinking':
      case 'cycle-thinking':
      case 'set-auto': {
        const { outcome, changes } = settings.change(command);
        deliverChanges(changes);
        settle(id, outcome);
        return;
      }
      case 'new-session':
        return newSession(id);
      case 'query':
        return query(command, id);
      default:
        settle(id, refused('unsupported', `the Messages API has no ${command.type}`));
    }
  }

  return {
    start() {
      deliverChanges({ agentSessionId, ...settings.info(), autoCompaction: false, tools: [], commands: [] });
      return out.take();
    },
    decode(frame) {
      const read = readFrame(frame);
      switch (read.kind) {
        case 'event':
          streamed(read.event);
          break;
        case 'end':
          ended(read.end);
          break;
        case 'foreign':
          deliver({ type: 'unknown', protocol: 'anthropic', payload: read.payload });
          break;
        case 'bad':
          violation(read.problem);
          break;
        default:
          read satisfies never;
      }
      return out.take();
    },
    encode(command, id) {
      carryOut(command, id);
      return out.take();
    },
    restoreHistory: (messages) => history.recall(exchangesOf(messages)),
    onTimer(timer) {
      if (timer === retryTimer && run?.phase === 'waiting') ask(run);
      return out.take();
    },
  };
}
