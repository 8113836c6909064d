// The gateway as a client of an ECA server of either era. Joins the parts, and handles what needs both directions
// (docs/protocols/eca.md 6). The files in decode read the messages.
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Backend } from '../../../core/contract/adapter/backend.ts';
import { createOutbox } from '../../../core/contract/adapter/outbox.ts';
import type { Resumption } from '../../../core/contract/adapter/stored-conversations.ts';
import type { Command, CommandOf } from '../../../core/model/command.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { messageOf, type Outcome, refused } from '../../../core/model/errors.ts';
import { rpcCodes } from '../json-rpc.ts';
import { PromptResult, readServerMessage } from '../wire/server.ts';
import { createChat } from './agent-chat.ts';
import { choicesIn, createInfo } from './agent-info.ts';
import { createContentDecoder } from './decode/content.ts';
import { createNotices } from './decode/notices.ts';
import type { SentPrompt } from './decode/run.ts';
import { createContentRecogniser } from './delta-template.ts';
import { encodePrompt } from './encode-prompt.ts';
import { createHandshake } from './handshake.ts';
import type { AgentOptions } from './options.ts';
import { createAgentQueries } from './queries.ts';
import { createReopening } from './reopening.ts';
import { type Answer, createRequests, outcomeOf } from './requests.ts';
import { createSettings } from './settings.ts';

/**
 * The state machine of one server connection. `folders`: the folders of the session, as absolute paths. `resume`: the
 * stored chat to open.
 */
export function createBackend(
  env: Env,
  options: AgentOptions,
  folders: readonly string[] = [],
  resume?: Resumption,
): Backend {
  const out = createOutbox();
  const requests = createRequests(out, options.requestTimeoutMs);
  const info = createInfo(out);
  const { modelsTimeoutMs, workspaceFolders = folders } = options;
  const chat = createChat(env, resume?.name);
  const reopening = resume === undefined ? undefined : createReopening(resume, { out, requests, info, chat });
  const handshake = createHandshake({
    out,
    requests,
    info,
    folders: workspaceFolders,
    modelsTimeoutMs,
    resume: () => (reopening === undefined ? chat.id : undefined),
    open: reopening?.open,
  });
  const settings = createSettings({ info, requests, chat: chat.named });
  /** The open prompt request, and the `requestId` that some servers repeat. */
  let asking: { readonly id: number; readonly name: string } | null = null;
  /** The prompt that waits for the handshake. */
  let waitingForHandshake: { readonly command: CommandOf<'prompt'>; readonly id: string } | null = null;
  /**
   * Steering texts that the server has not echoed yet. Texts that are left at the end of the run are sent as a prompt.
   */
  let unheardSteering: string[] = [];
  /** An abort came before its run began. */
  let isStopPending = false;

  const isModern = () => info.isFirstEra === false;

  const content = createContentDecoder(env, out, {
    info,
    isOurs: chat.adopt,
    requestId: () => asking?.name,
    tell: requests.tell,
    reportsRunning: isModern,
    savesApprovals: isModern,
    repeated(text) {
      // The server keeps one steering message, so its text may hold several of ours.
      unheardSteering = unheardSteering.filter((words) => !text.includes(words));
    },
    sendUnheard,
    started() {
      if (asking !== null) requests.dropDeadline(asking.id);
      // The server echoes a prompt before it works on it (docs/protocols/eca.md 4.17, 6.5). A stop between the two may
      // be lost.
      if (isStopPending) stop();
    },
    atWork() {
      if (!isStopPending) return;
      isStopPending = false;
      stop();
    },
    ended() {
      unheardSteering = [];
      isStopPending = false;
    },
  });
  const { run, calls } = content;

  const query = createAgentQueries({
    info,
    chat: chat.named,
    ask: (method, params, done) => whenReady(() => requests.ask(method, params, done), done),
    whenKnown: (done) => handshake.whenKnown(done),
    isRunning: () => run.open,
  });

  /** Calls `then` once the server is ready, else `or` with the reason. */
  function whenReady(then: () => void, or: (answer: Answer) => void): void {
    handshake.whenReady((problem) => {
      if (problem === null) then();
      else or({ code: problem.code, error: problem.message });
    });
  }

  function prompt(command: CommandOf<'prompt'>, id: string): void {
    const isBusy = run.open || run.waiting !== null || waitingForHandshake !== null;
    if (!isBusy) {
      waitingForHandshake = { command, id };
      return handshake.whenReady((problem) => {
        if (waitingForHandshake?.id !== id) return;
        waitingForHandshake = null;
        if (problem === null) send(command, id);
        else out.settle(id, { ok: false, error: problem });
      });
    }
    const { whenBusy } = command;
    if (whenBusy === 'steer') return steer(command.content, id);
    // Two prompts at once interleave, or the second replaces the first (docs/protocols/eca.md 4.10).
    out.settle(id, refused(whenBusy === 'follow-up' ? 'unsupported' : 'busy', 'the agent is at work'));
  }

  function send(command: CommandOf<'prompt'>, id: string): void {
    settings.choose(command);
    const { message, contexts, losses } = encodePrompt(command, isModern());
    for (const loss of losses) out.note('loss', `prompt: an ECA server does not take ${loss}`);
    content.live();
    ask({ id, content: command.content, words: message }, contexts);
  }

  function ask(sent: SentPrompt, contexts: readonly object[]): void {
    run.sent(sent);
    chat.begin();
    const name = env.id('request');
    const params = { chatId: chat.id, requestId: name, message: sent.words, ...choicesIn(info), contexts };
    const id = requests.ask('chat/prompt', params, (answer) => {
      if (asking?.id === id) asking = null;
      run.answered(sent, promptOutcome(answer));
      if (!run.open) isStopPending = false;
    });
    asking = { id, name };
  }

  function promptOutcome(answer: Answer): Outcome {
    if ('error' in answer) return refused(answer.code, answer.error);
    const { status, chatId, model } = PromptResult.safeParse(answer.result).data ?? {};
    if (status === 'error') return refused('agent-refused', 'the agent does not take that prompt');
    // A run that has begun reports itself that the user must log in.
    if (status === 'login' && !run.open) {
      return refused('agent-refused', 'the agent wants its user to log in first');
    }
    if (typeof chatId === 'string' && chatId !== '') chat.adopt(chatId);
    if (isModern()) info.learn({ resume: chat.id });
    if (typeof model === 'string' && model !== '') info.learn({ model: info.modelOf(model) });
    return { ok: true };
  }

  function steer(words: CommandOf<'steer'>['content'], id: string): void {
    if (!isModern()) return out.settle(id, refused('unsupported', 'an ECA server of that age cannot be steered'));
    if (!run.open) return out.settle(id, refused('unsupported', 'there is no run to steer'));
    const { message, losses } = encodePrompt({ content: words }, false);
    for (const loss of losses) out.note('loss', `steer: an ECA server does not take ${loss}`);
    unheardSteering.push(message);
    requests.tell('chat/promptSteer', { chatId: chat.id, message });
    out.settle(id, { ok: true });
  }

  /** Sends unheard steering texts as a prompt at the end of the run, as the protocol's document asks of clients. */
  function sendUnheard(): boolean {
    if (unheardSteering.length === 0) return false;
    const words = unheardSteering.join('\n');
    unheardSteering = [];
    requests.tell('chat/promptSteerRemove', { chatId: chat.id });
    ask({ id: null, content: [{ type: 'text', text: words }], words }, []);
    return true;
  }

  function stop(): void {
    unheardSteering = [];
    requests.tell('chat/promptStop', { chatId: chat.id });
    run.stopping();
  }

  function abort({ target }: CommandOf<'abort'>, id: string): void {
    if (target !== 'run') return out.settle(id, refused('unsupported', `an ECA server cannot abort a ${target} alone`));
    out.settle(id, { ok: true });
    if (waitingForHandshake !== null) {
      const prompting = waitingForHandshake.id;
      waitingForHandshake = null;
      return out.settle(prompting, refused('aborted', 'aborted before it began'));
    }
    // A server that does not work on the prompt yet ignores a stop.
    isStopPending = run.waiting !== null;
    if (run.open) stop();
  }

  /** Deletes the chat. The next prompt begins another one. Servers of both eras support this. */
  function newSession(id: string, isOver: boolean): void {
    if (run.waiting !== null || waitingForHandshake !== null)
      return out.settle(id, refused('busy', 'the agent is at work'));
    if (run.open) {
      stop();
      run.end('aborted');
    }
    const done = (outcome: Outcome) => {
      if (!outcome.ok || isOver) return out.settle(id, outcome);
      out.deliver({ type: 'history-reset', reason: 'new' });
      if (isModern()) info.learn({ resume: chat.id });
      out.settle(id, { ok: true, data: { cancelled: false } });
    };
    const { chatId } = chat.named();
    if (chatId === undefined) return done({ ok: true });
    chat.renew();
    content.forget();
    requests.ask('chat/delete', { chatId }, (answer) => done(outcomeOf(answer)));
  }

  function encode(command: Command, id: string): void {
    const settle = (outcome: Outcome) => out.settle(id, outcome);
    switch (command.type) {
      case 'prompt':
        return prompt(command, id);
      case 'steer':
        return steer(command.content, id);
      case 'abort':
        return abort(command, id);
      case 'answer-approval':
        return settle(calls.answer(command));
      case 'set-model':
      case 'set-mode':
      case 'set-thinking':
      case 'set-name':
      case 'set-tool-server':
        return handshake.whenReady((problem) => {
          if (problem === null) settings.set(command, settle);
          else settle({ ok: false, error: problem });
        });
      case 'new-session':
      case 'delete-session':
        return newSession(id, command.type === 'delete-session');
      case 'query':
        if (command.subject !== 'state' || resume?.isKnown !== false) return query(command, settle);
        // The first question of a session that is a stored chat: without the chat there is no session.
        return handshake.whenReady((problem) => {
          if (problem !== null) return settle({ ok: false, error: problem });
          query(command, settle);
        });
      default:
        return settle(refused('unsupported', `an ECA server has nothing for ${command.type}`));
    }
  }

  const notice = createNotices(out, { info, handshake, content, isOurs: (id) => id === chat.id });

  function take(json: unknown): void {
    const message = readServerMessage(json);
    switch (message.kind) {
      case 'request': {
        // The gateway declares no capability that a server could send requests for (docs/protocols/eca.md 6.2).
        const { id, method } = message;
        const error = { code: rpcCodes.methodNotFound, message: 'Method not found', data: { method } };
        return out.send({ jsonrpc: '2.0', id, error });
      }
      case 'response':
        return requests.answer(message);
      case 'notification':
        if (reopening?.repeats(message) === true) return;
        return notice(message.method, dictionaryOf(message.params));
      case 'fault':
        return out.note('violation', message.message);
      default:
        return message satisfies never;
    }
  }

  const recogniser = createContentRecogniser({ block: content.streaming, streamed: () => {} });

  return {
    takesContexts: true,
    start() {
      handshake.start();
      return out.take();
    },
    decode(frame) {
      try {
        take(frame.json);
      } catch (thrown) {
        out.note('violation', messageOf(thrown).slice(0, 300));
      }
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
      requests.onTimer(timer) || handshake.onTimer(timer);
      return out.take();
    },
  };
}
