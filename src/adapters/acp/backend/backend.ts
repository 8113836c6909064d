// The gateway as a client of an ACP agent. Joins the parts, and handles what needs both directions
// (docs/protocols/acp.md 4.48, 9.60). The files in decode read the updates.
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Backend } from '../../../core/contract/adapter/backend.ts';
import { createOutbox } from '../../../core/contract/adapter/outbox.ts';
import type { Resumption } from '../../../core/contract/adapter/stored-conversations.ts';
import type { Command, CommandOf } from '../../../core/model/command.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { messageOf, type Outcome, refused } from '../../../core/model/errors.ts';
import type { BroughtServer } from '../../../core/model/session-info.ts';
import { errorMessage, type RpcMessage, readMessage, rpcCodes } from '../json-rpc.ts';
import { CancelRequestParams, ElicitationParams, PermissionParams, UpdateParams } from '../wire/agent.ts';
import { createInfo } from './agent-info.ts';
import { createUpdateDecoder, wordsOf } from './decode/updates.ts';
import { createChunkRecogniser } from './delta-template.ts';
import { createElicitations } from './elicitations.ts';
import { encodePrompt } from './encode-prompt.ts';
import { createHandshake } from './handshake.ts';
import { createLogin } from './login.ts';
import type { AgentOptions } from './options.ts';
import { createPermissions } from './permissions.ts';
import { createRequests, outcomeOf } from './requests.ts';
import { createSettings } from './settings.ts';

/** What the backend works with besides its options. */
export interface BackendContext {
  /** The folders of the session, as absolute paths. */
  readonly folders?: readonly string[] | undefined;
  /** The stored session to open. */
  readonly resume?: Resumption | undefined;
  /** Secret. */
  readonly toolServers?: readonly BroughtServer[] | undefined;
}

/** Updates of a session that is not known yet (docs/protocols/acp.md 3.20). */
const mostEarly = 100;
const graceTimer = 'cancelled';

/** The state machine of one agent connection. */
export function createBackend(env: Env, options: AgentOptions, context: BackendContext = {}): Backend {
  const { folders = [], resume, toolServers = [] } = context;
  const out = createOutbox();
  const requests = createRequests(out, options.requestTimeoutMs);
  const info = createInfo(out);
  const login = createLogin();
  const updates = createUpdateDecoder(env, out, info, {
    cancelQuestions(call) {
      if (call !== undefined) return permissions.cancelOf(call);
      permissions.cancelAll();
      dialogs.cancelAll();
    },
    loginHint: login.hint,
  });
  const { run } = updates;
  const permissions = createPermissions(env, out, updates.calls, stop);
  const dialogs = createElicitations(env, out);
  /** Updates of sessions that are not known yet. */
  let early: UpdateParams[] = [];
  /** The request of the open prompt. */
  let asking: number | null = null;
  /** The prompt that waits for the session. */
  let waiting: { readonly command: CommandOf<'prompt'>; readonly id: string } | null = null;

  const handshake = createHandshake({
    out,
    requests,
    info,
    login,
    folders,
    toolServers,
    resume,
    told: updates.told,
    begun() {
      const held = early;
      early = [];
      for (const params of held) update(params);
    },
  });
  const set = createSettings({ info, requests, session: () => handshake.session });

  function update(params: UpdateParams): void {
    const { session } = handshake;
    if (session === '') {
      if (early.length < mostEarly) early.push(params);
      else out.note('loss', 'updates of a session that is not known yet');
      return;
    }
    if (params.sessionId !== session) {
      return out.deliver({ type: 'unknown', protocol: 'acp', payload: { method: 'session/update', params } });
    }
    if (handshake.isRepeating) return;
    if (handshake.isTelling) updates.takePast(params.update);
    else updates.take(params.update);
  }

  function prompt(command: CommandOf<'prompt'>, id: string): void {
    if (run.open || waiting !== null) {
      // A second prompt is not in the document (docs/protocols/acp.md 4.31): prompts wait in the session.
      const joins = command.whenBusy === 'steer' || command.whenBusy === 'follow-up';
      return out.settle(id, refused(joins ? 'unsupported' : 'busy', 'the agent is at work'));
    }
    waiting = { command, id };
    handshake.whenReady((problem) => {
      if (waiting?.id !== id) return;
      waiting = null;
      if (problem !== null) return out.settle(id, { ok: false, error: problem });
      choose(command, () => send(command, id));
    });
  }

  /** The model and mode that a prompt names come first. */
  function choose({ model, mode }: CommandOf<'prompt'>, then: () => void): void {
    if (model !== undefined && model !== info.known.model?.id) set({ type: 'set-model', model }, () => {});
    if (mode !== undefined && mode !== info.known.mode) set({ type: 'set-mode', mode }, () => {});
    then();
  }

  function send(command: CommandOf<'prompt'>, id: string): void {
    const { prompt: blocks, losses } = encodePrompt(command, handshake.can.promptCapabilities ?? {});
    for (const loss of losses) out.note('loss', `prompt: the ACP agent does not take ${loss}`);
    updates.prompting(wordsOf(command.content));
    run.begin(command.content);
    out.settle(id, { ok: true });
    const request = requests.ask(
      'session/prompt',
      { sessionId: handshake.session, prompt: blocks },
      (answer) => {
        if (asking !== request) return;
        asking = null;
        out.timer(graceTimer, null);
        run.answered(answer);
      },
      'none',
    );
    asking = request;
  }

  /** Cancels the open prompt. Its questions are answered at once (docs/protocols/acp.md 4.48). */
  function stop(): void {
    if (asking === null) return;
    requests.tell('session/cancel', { sessionId: handshake.session });
    permissions.cancelAll();
    dialogs.cancelAll();
    out.timer(graceTimer, options.cancelTimeoutMs);
  }

  function abort({ target }: CommandOf<'abort'>, id: string): void {
    if (target !== 'run') return out.settle(id, refused('unsupported', `an ACP agent cannot abort a ${target} alone`));
    out.settle(id, { ok: true });
    if (waiting !== null) {
      const { id: prompting } = waiting;
      waiting = null;
      out.settle(prompting, refused('aborted', 'aborted before it began'));
    } else stop();
  }

  function deleteSession(settle: (outcome: Outcome) => void): void {
    if (!handshake.can.sessionCapabilities?.delete || handshake.session === '') return settle({ ok: true });
    requests.ask('session/delete', { sessionId: handshake.session }, (answer) => settle(outcomeOf(answer)));
  }

  function query({ subject }: CommandOf<'query'>, settle: (outcome: Outcome) => void): void {
    const { known } = info;
    const tell = (data: object | undefined) =>
      settle(data === undefined ? refused('unsupported', `the agent told no ${subject}`) : { ok: true, data });
    switch (subject) {
      case 'state':
        return tell({ changes: known, running: run.open });
      case 'models':
        return tell(known.models && { models: known.models });
      case 'thinking-levels':
        return tell(known.thinkingLevels && { levels: known.thinkingLevels });
      case 'commands':
        return tell(known.commands && { commands: known.commands });
      default:
        return settle(refused('unsupported', `an ACP agent cannot be asked for ${subject}`));
    }
  }

  function encode(command: Command, id: string): void {
    const settle = (outcome: Outcome) => out.settle(id, outcome);
    const whenReady = (then: () => void) =>
      handshake.whenReady((problem) => {
        if (problem === null) then();
        else settle({ ok: false, error: problem });
      });
    switch (command.type) {
      case 'prompt':
        return prompt(command, id);
      case 'abort':
        return abort(command, id);
      case 'answer-approval':
        return settle(permissions.answer(command));
      case 'answer-dialog':
        return settle(dialogs.answer(command));
      case 'set-model':
      case 'set-mode':
      case 'set-thinking':
      case 'set-option':
        return whenReady(() => set(command, settle));
      case 'new-session':
        if (run.open || waiting !== null) return settle(refused('busy', 'the agent is at work'));
        return whenReady(() => handshake.renew(settle));
      case 'delete-session':
        return whenReady(() => deleteSession(settle));
      case 'query':
        return whenReady(() => query(command, settle));
      default:
        return settle(refused('unsupported', `an ACP agent has nothing for ${command.type}`));
    }
  }

  function asked({ id, method, params }: Extract<RpcMessage, { kind: 'request' }>): void {
    const refuse = (code: number, message: string) => out.send(errorMessage(id, code, message));
    if (method === 'session/request_permission') {
      const { data } = PermissionParams.safeParse(params);
      if (data === undefined) return refuse(rpcCodes.invalidParams, 'Invalid params');
      if (!run.open || data.sessionId !== handshake.session) {
        // Nobody works on a prompt: no user can be asked (docs/protocols/acp.md 4.28).
        return out.send({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'cancelled' } } });
      }
      updates.release();
      return permissions.ask(id, data);
    }
    if (method === 'elicitation/create') {
      const { data } = ElicitationParams.safeParse(params);
      if (data === undefined) return refuse(rpcCodes.invalidParams, 'Invalid params');
      updates.release();
      return dialogs.ask(id, data);
    }
    // The gateway declares no files and terminals; vendors' methods are unknown (docs/protocols/acp.md 1.7, 6.54).
    refuse(rpcCodes.methodNotFound, 'Method not found');
  }

  function told({ method, params }: Extract<RpcMessage, { kind: 'notification' }>): void {
    if (method === 'session/update') {
      const { data } = UpdateParams.safeParse(params);
      if (data === undefined) return out.note('violation', 'an update that cannot be read');
      return update(data);
    }
    if (method === '$/cancel_request') {
      const { requestId } = CancelRequestParams.catch({ requestId: null }).parse(dictionaryOf(params));
      if (!permissions.withdraw(requestId)) dialogs.withdraw(requestId);
      return;
    }
    out.deliver({ type: 'unknown', protocol: 'acp', payload: { method, params } });
  }

  function take(json: unknown): void {
    const message = readMessage(json);
    switch (message.kind) {
      case 'request':
        return asked(message);
      case 'notification':
        return told(message);
      case 'result':
      case 'error':
        return requests.answered(message.id, message.kind === 'result' ? message : { error: message.error });
      case 'fault':
        return out.note('violation', message.message);
      default:
        return message satisfies never;
    }
  }

  const recogniser = createChunkRecogniser({ block: updates.streaming, streamed: () => {} });

  return {
    takesContexts: true,
    keepsPermissions: true,
    // A form may have a field for words that are no choice.
    takesOtherAnswers: true,
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
      if (timer === graceTimer) {
        asking = null;
        run.abandon();
        // The agent still works on that prompt, and gets no second one (docs/protocols/acp.md 4.31): the next prompt starts
        // another agent.
        return [...out.take(), { do: 'close', code: 'error', reason: 'the agent did not answer a cancelled prompt' }];
      }
      requests.onTimer(timer) || updates.onTimer(timer);
      return out.take();
    },
    leave() {
      stop();
      return out.take();
    },
    end() {
      updates.release();
      return out.take();
    },
  };
}
