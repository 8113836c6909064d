// The gateway as a client of Claude Code, or of another program with its format. Joins the parts, and handles what
// needs both directions. The files in decode read frames, the encode-*.ts files write commands.
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Backend } from '../../../core/contract/adapter/backend.ts';
import { createOutbox } from '../../../core/contract/adapter/outbox.ts';
import { createCallChanges } from '../../../core/log/call-changes.ts';
import type { Command, CommandOf } from '../../../core/model/command.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { messageOf, type Outcome, refused } from '../../../core/model/errors.ts';
import type { BroughtServer } from '../../../core/model/session-info.ts';
import {
  AgentCancelFrame,
  type AgentFrame,
  AgentRequestFrame,
  AgentResponseFrame,
  faultIn,
  InitializeAnswer,
  type ResultFrame,
} from '../wire/agent.ts';
import { errorAnswer, NamedRequest } from '../wire/client.ts';
import { createAgentDecoder, objectIn } from './decode/agent.ts';
import { encodeSetting, refusalOf } from './encode-command.ts';
import { encodePrompt, promptFrame, textBlock } from './encode-prompt.ts';
import { changeOf } from './file-changes.ts';
import { createLineRecogniser } from './line-recogniser.ts';
import type { AgentOptions } from './options.ts';
import { createAgentQueries } from './queries.ts';
import { createQuestions } from './questions.ts';
import { type Answer, type ControlRequest, createRequests, outcomeOf } from './requests.ts';
import { createToolServers } from './tool-servers.ts';

/** `brought`: tool servers of the client. */
export function createBackend(env: Env, options: AgentOptions, brought: readonly BroughtServer[] = []): Backend {
  const out = createOutbox();
  const requests = createRequests(env, out, options.requestTimeoutMs);
  const toolServers = createToolServers(out, requests, brought, sendHeldPrompt);
  /** The state of `initialize`. While `asked`, `waiting` has the callbacks for its answer. */
  let initializeState: 'none' | 'asked' | 'answered' = 'none';
  const waiting: (() => void)[] = [];
  /** The command that compacts the conversation, in a turn of its own. */
  let compacting: string | null = null;
  /** A prompt that waits for the end of a compaction's turn, or for the tool servers. */
  let heldPrompt: (() => void) | null = null;
  /** Aborts that came before their run began. */
  const earlyAborts: string[] = [];

  const changes = createCallChanges(changeOf);
  const decoder = createAgentDecoder(env, out, {
    changes,
    runStarted() {
      // An interrupt before the turn begins is answered but does nothing (docs/protocols/claude.md 8.5).
      for (const id of earlyAborts.splice(0)) interrupt(id);
    },
    runEnded() {
      questions.forget();
      changes.clear();
    },
    isCompacting: () => compacting !== null,
    compacted: endCompaction,
  });
  const { run, tools, info, compactions } = decoder;
  /** Whether a run is open or the agent has the prompt that will open one. */
  const hasTurn = () => run.open || run.waiting !== null;

  const questionPorts = { changes, asking: run.openForQuestion, asked: tools.asked, answered };
  const questions = createQuestions(out, questionPorts, options.passedTimeoutMs);

  function answered(...[call, approval, verdict, input]: Parameters<typeof tools.answered>): void {
    tools.answered(call, approval, verdict, input);
    run.endForQuestion();
  }

  /** Sends `initialize` before the first request or prompt, unless a client of this protocol already did. */
  function initialize(): void {
    if (initializeState === 'none') initializeWith({ subtype: 'initialize' }, () => {});
  }

  function initializeWith(request: ControlRequest, done: (answer: Answer) => void): void {
    if (initializeState === 'none') initializeState = 'asked';
    requests.ask(request, (answer) => {
      learnInitialized(answer);
      initializeState = 'answered';
      done(answer);
      for (const callback of waiting.splice(0)) callback();
    });
    toolServers.send();
  }

  function whenInitialized(done: () => void): void {
    initialize();
    if (initializeState === 'answered') done();
    else waiting.push(done);
  }

  function learnInitialized(answer: Answer): void {
    const read = 'response' in answer ? InitializeAnswer.safeParse(answer.response) : undefined;
    if (read?.success === true) info.initialized(read.data);
  }

  const ask = (request: ControlRequest, done: (answer: Answer) => void) => {
    initialize();
    requests.ask(request, done);
  };

  const query = createAgentQueries({
    info,
    ask,
    whenInitialized,
    // A prompt counts before its run begins: a client that asks between two queued prompts would else take the agent
    // for idle.
    isRunning: () => hasTurn() || heldPrompt !== null,
    isCompacting: () => compactions.open,
  });

  function prompt(command: CommandOf<'prompt'>, id: string): void {
    if (compacting !== null && !compactions.open && heldPrompt === null) {
      heldPrompt = () => prompt(command, id);
      return;
    }
    if (hasTurn() || compacting !== null || heldPrompt !== null) {
      const joins = command.whenBusy === 'steer' || command.whenBusy === 'follow-up';
      // A second prompt would join the run or begin another one, as the agent chooses (docs/protocols/claude.md 8.4).
      return out.settle(id, refused(joins ? 'unsupported' : 'busy', 'the agent is at work'));
    }
    initialize();
    if (toolServers.areDue) {
      heldPrompt = () => prompt(command, id);
      return;
    }
    if (command.model !== undefined && command.model !== info.known.model?.id) {
      set({ type: 'set-model', model: command.model }, null);
    }
    if (command.mode !== undefined && command.mode !== info.known.mode)
      set({ type: 'set-mode', mode: command.mode }, null);
    const { blocks, losses } = encodePrompt(command.content, command.contexts ?? []);
    for (const loss of losses) out.note('loss', `prompt: a Claude agent does not take ${loss}`);
    run.sent({ id, content: command.content });
    out.send(promptFrame(blocks, command.extra?.claude));
  }

  function set(command: CommandOf<'set-model' | 'set-mode' | 'set-thinking'>, id: string | null): void {
    const encoded = encodeSetting(command);
    if ('code' in encoded) {
      if (id !== null) out.settle(id, { ok: false, error: encoded });
      return;
    }
    if (encoded.loss !== undefined) out.note('loss', `${command.type}: ${encoded.loss}`);
    ask(encoded.request, (answer) => {
      const outcome = outcomeOf(answer, (response) => {
        const learned = encoded.learned?.(response) ?? {};
        const model = learned.model === undefined ? undefined : info.modelOf(learned.model.id);
        info.learn({ ...learned, ...(model && { model }) });
        return command.type === 'set-model' ? { ...(model && { model }) } : undefined;
      });
      if (id !== null) out.settle(id, outcome);
      else if (!outcome.ok) out.note('loss', `prompt: ${outcome.error.message}`);
    });
  }

  function interrupt(id: string): void {
    run.interrupted();
    ask({ subtype: 'interrupt' }, (answer) => out.settle(id, outcomeOf(answer)));
  }

  function abort({ target }: CommandOf<'abort'>, id: string): void {
    if (target !== 'run' && target !== 'compaction') {
      return out.settle(id, refused('unsupported', `a Claude agent cannot abort a ${target} alone`));
    }
    const isHeld = heldPrompt !== null && compacting === null;
    if (!run.open && (run.waiting !== null || isHeld)) earlyAborts.push(id);
    else interrupt(id);
  }

  function compact({ instructions }: CommandOf<'compact'>, id: string): void {
    if (hasTurn() || compacting !== null || heldPrompt !== null) {
      return out.settle(id, refused('busy', 'the agent is at work'));
    }
    initialize();
    compacting = id;
    compactions.forget();
    const words = instructions === undefined ? '/compact' : `/compact ${instructions}`;
    out.send(promptFrame([textBlock(words)], undefined));
  }

  function endCompaction(result: ResultFrame): void {
    compactions.flush();
    const id = compacting;
    compacting = null;
    run.end(result);
    if (id === null) return;
    const words = typeof result.result === 'string' && result.result !== '' ? result.result : 'nothing was compacted';
    const { last } = compactions;
    out.settle(id, last === null ? refused('agent-refused', words) : { ok: true, data: last });
    sendHeldPrompt();
  }

  function sendHeldPrompt(): void {
    const next = heldPrompt;
    heldPrompt = null;
    next?.();
  }

  /** Passes on what only clients of this protocol send. */
  function passOn({ protocol, payload }: CommandOf<'unknown'>, id: string): void {
    const settle = (outcome: Outcome) => out.settle(id, outcome);
    if (protocol !== 'claude') return settle(refused('unsupported', `a Claude agent does not speak ${protocol}`));
    if (!isDictionary(payload) || typeof payload.type !== 'string') {
      return settle(refused('invalid', 'a frame for a Claude agent is an object with a type'));
    }
    if (payload.type === 'control_response') return settle(questions.pass(payload));
    if (payload.type !== 'control_request')
      return settle(refused('unsupported', `no frame ${payload.type.slice(0, 64)} goes to the agent`));
    const { request } = payload;
    if (!isDictionary(request) || typeof request.subtype !== 'string') {
      return settle(refused('invalid', 'a control request has a subtype'));
    }
    const asked = { ...request, subtype: request.subtype };
    const done = (answer: Answer) => settle(outcomeOf(answer, (response) => response));
    if (asked.subtype !== 'initialize') return ask(asked, done);
    questions.declare(request);
    initializeWith(asked, done);
  }

  function encode(command: Command, id: string): void {
    switch (command.type) {
      case 'prompt':
        return prompt(command, id);
      case 'abort':
        return abort(command, id);
      case 'compact':
        return compact(command, id);
      case 'answer-approval':
        return out.settle(id, questions.approve(command));
      case 'answer-dialog':
        return out.settle(id, questions.reply(command.id, command.answer));
      case 'set-model':
      case 'set-mode':
      case 'set-thinking':
        return set(command, id);
      case 'query':
        return query(command, (outcome) => out.settle(id, outcome));
      case 'unknown':
        return passOn(command, id);
      default:
        return out.settle(id, { ok: false, error: refusalOf(command) });
    }
  }

  function control(frame: AgentFrame): boolean {
    switch (frame.type) {
      case 'control_response':
        take(AgentResponseFrame.safeParse(frame), requests.answer);
        return true;
      case 'control_request':
        if (!take(AgentRequestFrame.safeParse(frame), questions.request)) refuseUnread(frame);
        return true;
      case 'control_cancel_request':
        take(AgentCancelFrame.safeParse(frame), (cancel) => {
          questions.withdraw(cancel.request_id, cancel);
        });
        return true;
      case 'keep_alive':
        return true;
      default:
        return false;
    }

    function take<Value>(
      read: { success: true; data: Value } | { success: false; error: Parameters<typeof faultIn>[0] },
      handle: (value: Value) => void,
    ): boolean {
      if (read.success) handle(read.data);
      else out.note('violation', `${frame.type}: ${faultIn(read.error)}`);
      return read.success;
    }
  }

  /** The agent waits for the id of its request, however malformed the rest is (docs/protocols/claude.md 3.11). */
  function refuseUnread(frame: AgentFrame): void {
    const named = NamedRequest.safeParse(frame);
    if (named.success) out.send(errorAnswer(named.data.request_id, 'a malformed control request'));
  }

  const recogniser = createLineRecogniser(decoder.streaming);

  return {
    keepsPermissions: true,
    takesOtherAnswers: true,
    decode(frame) {
      let json: unknown;
      try {
        json = frame.json;
      } catch (thrown) {
        out.note('violation', messageOf(thrown).slice(0, 300));
        return out.take();
      }
      const object = objectIn(json);
      if (object === null) out.note('violation', 'a frame must be an object with a type');
      else if (!control(object)) decoder.frame(object);
      const actions = out.take();
      recogniser.learn(frame, actions);
      return actions;
    },
    recognise: recogniser.read,
    recogniseBurst: recogniser.readBurst,
    encode(command, id) {
      encode(command, id);
      return out.take();
    },
    onTimer(timer) {
      requests.onTimer(timer) || questions.onTimer(timer) || tools.onTimer(timer);
      return out.take();
    },
    end() {
      decoder.finish();
      return out.take();
    },
  };
}
