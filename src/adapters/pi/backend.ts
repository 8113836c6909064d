// The gateway as the client of a pi process in RPC mode, all dialects: joins the parts. What a line means is in
// decode-*.ts, what a command is in encode-*.ts; here is what needs both.
import type { Backend, Env } from '../../core/adapter.ts';
import type { Command, CommandOf } from '../../core/command.ts';
import type { Dictionary } from '../../core/content.ts';
import { refused } from '../../core/errors.ts';
import type { SessionInfo } from '../../core/event.ts';
import { outcomeOf } from './decode-answer.ts';
import { createEventDecoder } from './decode-event.ts';
import { createDialogs } from './dialogs.ts';
import { encodeCommand } from './encode-command.ts';
import { type Said, sayContent, sayPrompt } from './encode-prompt.ts';
import { type KnownModels, nameModel } from './models.ts';
import type { PiOptions } from './options.ts';
import { createOrigins } from './origins.ts';
import { createOutbox } from './outbox.ts';
import { type Answer, createPending } from './pending.ts';
import { createPrompts } from './prompts.ts';
import { readLine } from './read-line.ts';
import { changesOf, sessionInfoOf } from './session-info.ts';
import { isRecord, modelOf } from './values.ts';
import type { WireCommand } from './wire/commands.ts';
import { problemOf } from './wire/problem.ts';
import { dataSchemas, Response } from './wire/responses.ts';

/** Lines after which the session is not what it was; up to 0.64 pi tells nobody, so it is asked. */
const changing: ReadonlySet<string> = new Set([
  'set_model',
  'cycle_model',
  'set_thinking_level',
  'cycle_thinking_level',
  'set_steering_mode',
  'set_follow_up_mode',
  'set_auto_compaction',
  'set_session_name',
  'new_session',
  'switch_session',
  'fork',
]);

const done: Answer = { kind: 'data', data: undefined };

/** A machine for one pi process. */
export function createBackend(env: Env, options: PiOptions): Backend {
  const out = createOutbox();
  const pending = createPending(out);
  const origins = createOrigins();
  const dialogs = createDialogs(out, () => pending.pause('prompt', dialogs.open));
  const models: KnownModels = { current: undefined, all: null };
  let info: SessionInfo = {};
  /** Aborts that wait for agent_start: pi loses those that come before it (reference pi, section 9.7). */
  let heldAborts: string[] = [];

  const events = createEventDecoder(env, out, options.graceMs, {
    started() {
      prompts.runStarted();
      releaseAborts(sendAbort);
    },
    ended() {
      // The run is over, so it was aborted: 0.13.2 never says so, later versions say it in their next line.
      for (const id of pending.ids('abort')) pending.finish(id, done);
    },
    originOf: (words) => origins.of(words),
    bashCommandOf(id) {
      const command = pending.find(id ?? pending.ids('bash')[0] ?? '')?.line;
      return isRecord(command) && typeof command.command === 'string' ? command.command : undefined;
    },
    learn,
  });
  const { run } = events;

  const prompts = createPrompts(out, {
    graceMs: options.graceMs,
    startGraceMs: options.startGraceMs,
    busy: () => dialogs.open || events.compacting,
    askState,
    began: (id) => void pending.finish(id, done),
    withoutRun() {
      if (run.open) return;
      out.deliver({ type: 'run-start', synthetic: true });
      out.deliver({ type: 'run-end', outcome: 'completed', synthetic: true });
    },
    drained: () => releaseAborts((id) => out.settle(id, { ok: true })),
  });

  function releaseAborts(release: (id: string) => void): void {
    const held = heldAborts;
    heldAborts = [];
    for (const id of held) release(id);
  }

  function learn(now: SessionInfo): void {
    const changes = changesOf(info, now);
    if (changes === null) return;
    info = { ...info, ...changes };
    out.deliver({ type: 'session-changed', changes });
  }

  /** Sends a line and hands its answer over. */
  function request(id: string, line: { readonly type: string }, then: (answer: Answer) => void): void {
    const isLong = line.type === 'bash' || line.type === 'compact';
    const timeoutMs = isLong ? options.longRequestTimeoutMs || null : options.requestTimeoutMs;
    pending.send({ id, line, timeoutMs, done: then });
    if (dialogs.open) pending.pause('prompt', true);
  }

  /** Sends the line of a command and settles it with the answer. */
  function perform(id: string, line: { readonly type: string }): void {
    request(id, line, (answer) => {
      out.settle(id, outcomeOf(line.type, answer));
      if (answer.kind === 'data') observe(line, answer.data);
    });
  }

  /** What a successful answer tells besides itself. */
  function observe(line: { readonly type: string }, data: unknown): void {
    if (line.type === 'get_state') learnState(data);
    if (line.type === 'get_available_models') learnModels(data);
    if (line.type === 'set_auto_retry' && 'enabled' in line) learn({ autoRetry: line.enabled === true });
    if (changing.has(line.type)) askState();
  }

  function learnState(data: unknown): boolean | null {
    const state = dataSchemas.get_state.safeParse(data);
    if (!state.success) return null;
    const now = sessionInfoOf(state.data);
    models.current = now.model;
    learn(now);
    return state.data.isStreaming || state.data.isCompacting === true;
  }

  function learnModels(data: unknown): void {
    const list = dataSchemas.get_available_models.safeParse(data);
    if (list.success) models.all = list.data.models.map(modelOf);
  }

  function askState(): void {
    const line: WireCommand = { type: 'get_state' };
    request(env.id('query'), line, (answer) => prompts.state(answer.kind === 'data' ? learnState(answer.data) : null));
  }

  function say(command: Command, said: Said, line: { readonly type: string }): Dictionary {
    for (const loss of said.losses) out.note('loss', `${command.type}: pi does not take ${loss}`);
    const images = said.images.length === 0 ? undefined : said.images;
    return { ...extraFields(command), ...line, message: said.message, images };
  }

  function prompt(command: CommandOf<'prompt'>, id: string): void {
    const { whenBusy } = command;
    const busy = run.open || prompts.waiting;
    const joins = busy && (whenBusy === 'steer' || whenBusy === 'follow-up');
    // Two prompts at once would interleave two runs in 0.13.2 (reference pi, section 3).
    if (busy && !joins) return out.settle(id, refused('busy', 'pi is at work'));
    const said = sayPrompt(command, models.current?.id);
    const streamingBehavior = joins ? (whenBusy === 'steer' ? 'steer' : 'followUp') : undefined;
    const line = { ...say(command, said, { type: 'prompt' }), type: 'prompt', streamingBehavior };
    origins.sent(said.message, joins ? whenBusy : 'prompt');
    if (joins) return perform(id, line);
    prompts.sent(id, said.message);
    request(id, line, (answer) => {
      out.settle(id, outcomeOf(line.type, answer));
      if (answer.kind !== 'data') return prompts.gone(id);
      const told = dataSchemas.prompt.safeParse(answer.data);
      prompts.accepted(id, told.success ? told.data.disposition : undefined);
    });
  }

  function queue(command: CommandOf<'steer' | 'follow-up'>, id: string): void {
    const said = sayContent(command.content);
    const type = command.type === 'steer' ? 'steer' : 'follow_up';
    origins.sent(said.message, command.type);
    perform(id, { ...say(command, said, { type }), type });
  }

  function abort({ target }: CommandOf<'abort'>, id: string): void {
    switch (target) {
      case 'run':
        dialogs.cancelAll();
        if (prompts.waiting && !run.open) heldAborts.push(id);
        else sendAbort(id);
        return;
      case 'retry':
        return perform(id, { type: 'abort_retry' });
      case 'bash':
        return perform(id, { type: 'abort_bash' });
      case 'compaction':
        // pi has no other word for it; it hears this one since 0.85.0 (reference pi, section 8, row 15).
        return perform(id, { type: 'abort' });
      default:
        return target satisfies never;
    }
  }

  function sendAbort(id: string): void {
    run.aborting();
    perform(id, { type: 'abort' });
    // Idle 0.13.2 prints nothing at all.
    if (!run.open && !pending.answers) pending.finish(id, done);
  }

  function setModel({ model, provider }: CommandOf<'set-model'>, id: string): void {
    if (provider !== undefined) return perform(id, { type: 'set_model', provider, modelId: model } as WireCommand);
    if (models.all !== null) return setNamedModel(model, id);
    request(env.id('query'), { type: 'get_available_models' }, (answer) => {
      if (answer.kind === 'data') learnModels(answer.data);
      setNamedModel(model, id);
    });
  }

  function setNamedModel(model: string, id: string): void {
    const name = nameModel(model, models);
    if (name === null) return out.settle(id, refused('not-found', `pi does not list a model ${model}`));
    perform(id, { type: 'set_model', ...name } as WireCommand);
  }

  /** A command of a newer pi, from a client of pi. */
  function passOn({ protocol, payload }: CommandOf<'unknown'>, id: string): void {
    if (protocol !== 'pi') return out.settle(id, refused('unsupported', `pi does not speak ${protocol}`));
    // pi 0.73 and later die of a null line (reference pi, section 5).
    if (!isRecord(payload) || typeof payload.type !== 'string') {
      return out.settle(id, refused('invalid', 'a command for pi is an object with a type'));
    }
    if (payload.type !== 'extension_ui_response') return perform(id, { ...payload, type: payload.type });
    out.send(payload);
    out.settle(id, { ok: true });
  }

  function encode(command: Command, id: string): void {
    switch (command.type) {
      case 'prompt':
        return prompt(command, id);
      case 'steer':
      case 'follow-up':
        return queue(command, id);
      case 'abort':
        return abort(command, id);
      case 'answer-dialog':
        return out.settle(id, dialogs.answer(command.id, command.answer));
      case 'set-model':
        return setModel(command, id);
      case 'unknown':
        return passOn(command, id);
      default: {
        const encoded = encodeCommand(command);
        if ('refused' in encoded) return out.settle(id, { ok: false, error: encoded.refused });
        if (encoded.loss !== undefined) out.note('loss', `${command.type}: ${encoded.loss}`);
        perform(id, { ...extraFields(command), ...encoded.line });
      }
    }
  }

  function decode(line: Record<string, unknown>): void {
    if (line.type === 'extension_ui_request') return dialogs.request(line);
    if (line.type !== 'response') {
      events.line(line);
      // 0.13.2 answers `compact` with an event.
      if (line.type === 'compaction')
        for (const id of pending.ids('compact')) pending.finish(id, { kind: 'data', data: line });
      return;
    }
    run.proven();
    const response = Response.safeParse(line);
    if (response.success) pending.response(response.data);
    else out.note('violation', `response: ${problemOf(response.error)}`);
  }

  return {
    start() {
      askState();
      return out.take();
    },
    decode(frame) {
      const { object, problem } = readLine(frame);
      if (problem !== undefined) out.note('violation', problem);
      if (object !== null) decode(object);
      return out.take();
    },
    encode(command, id) {
      encode(command, id);
      return out.take();
    },
    wake(timer) {
      run.wake(timer) || dialogs.wake(timer) || prompts.wake(timer) || pending.wake(timer);
      return out.take();
    },
    end() {
      run.finish();
      return out.take();
    },
  };
}

/** The fields of a pi client's command that only pi knows. */
function extraFields(command: Command): Dictionary {
  const fields = command.extra?.pi;
  return isRecord(fields) ? fields : {};
}
