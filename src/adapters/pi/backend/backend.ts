// The gateway as the client of a pi process in RPC mode, for all dialects. Connects the parts: the files in decode interpret
// lines, encode-*.ts writes commands, and this file does what needs both.
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Backend } from '../../../core/contract/adapter/backend.ts';
import { createOutbox } from '../../../core/contract/adapter/outbox.ts';
import { beginsAnew, type Resumption } from '../../../core/contract/adapter/stored-conversations.ts';
import type { Command, CommandOf } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { refused } from '../../../core/model/errors.ts';
import { piFields } from '../encode-values.ts';
import { problemOf } from '../wire/problem.ts';
import { dataSchemas, Response } from '../wire/responses.ts';
import { outcomeOf } from './decode/answer.ts';
import { readLine } from './decode/read-line.ts';
import { encodeCommand } from './encode-command.ts';
import { findModel } from './model-names.ts';
import type { PiOptions } from './options.ts';
import { type Answer, createPendingRequests } from './pending-requests.ts';
import { createSessionTracker } from './session-tracker.ts';
import { createTurns, type Line, type Turns } from './turns.ts';
import { writeLine } from './write-line.ts';

const levelsLine = 'get_available_thinking_levels';

/** Creates the backend of one pi process. `resume`: the session file that pi was started with. */
export function createBackend(env: Env, options: PiOptions, resume?: Resumption): Backend {
  const out = createOutbox(writeLine);
  const pending = createPendingRequests(out);
  let made: Turns | null = null;

  function turns(): Turns {
    made ??= createTurns({ env, out, options, pending, tracker, request, perform, response });
    return made;
  }

  const tracker = createSessionTracker(out, (type, then) => {
    request(env.id('query'), { type }, (answer) => then(answer.kind === 'data' ? answer.data : null));
  });

  /** Sends a line and passes the answer to `then`. */
  function request(id: string, line: Line, then: (answer: Answer) => void): void {
    const isLong = line.type === 'bash' || line.type === 'compact';
    const timeoutMs = isLong ? options.longRequestTimeoutMs || null : options.requestTimeoutMs;
    pending.send({ id, line, timeoutMs, done: then });
    if (made?.isAsking() === true) pending.pause('prompt', true);
  }

  /** Answers with thinking levels for a pi before 0.81, which can set levels but has no command that lists them. */
  function settleLevels(id: string, refusal: Answer): void {
    tracker.refresh(() => {
      const levels = tracker.levels();
      out.settle(id, levels === null ? outcomeOf(levelsLine, refusal) : { ok: true, data: { levels } });
    });
  }

  /** Sends the line of a command and settles the command with the answer. */
  function perform(id: string, line: Line, reading?: string): void {
    request(id, line, (answer) => {
      if (line.type === levelsLine && answer.kind === 'refused' && answer.unknownCommand) {
        return settleLevels(id, answer);
      }
      out.settle(id, outcomeOf(line.type, answer, reading));
      if (answer.kind === 'data') tracker.observe(line, answer.data);
    });
  }

  function setModel({ model, provider }: CommandOf<'set-model'>, id: string): void {
    if (model === undefined) return out.settle(id, refused('unsupported', 'pi has no default model to go back to'));
    findModel({ model, provider }, tracker, (named) => {
      if (named === null) out.settle(id, refused('not-found', `pi does not list a model ${model}`));
      else perform(id, { type: 'set_model', ...named });
    });
  }

  /** Forwards a command of a newer pi that a pi client sent. */
  function passOn({ protocol, payload }: CommandOf<'unknown'>, id: string): void {
    if (protocol !== 'pi') return out.settle(id, refused('unsupported', `pi does not speak ${protocol}`));
    // pi 0.73 and later crash on a null line (docs/protocols/pi.md 2.8).
    if (!isDictionary(payload) || typeof payload.type !== 'string') {
      return out.settle(id, refused('invalid', 'a command for pi is an object with a type'));
    }
    if (payload.type !== 'extension_ui_response') return perform(id, { ...payload, type: payload.type });
    out.send(payload);
    out.settle(id, { ok: true });
  }

  function encode(command: Command, id: string): void {
    switch (command.type) {
      case 'prompt':
      case 'steer':
      case 'follow-up':
      case 'abort':
      case 'answer-approval':
      case 'answer-dialog':
        return turns().encode(command, id);
      case 'set-model':
        return setModel(command, id);
      case 'unknown':
        return passOn(command, id);
      default: {
        const encoded = encodeCommand(command);
        if ('refused' in encoded) return out.settle(id, { ok: false, error: encoded.refused });
        if (encoded.loss !== undefined) out.note('loss', `${command.type}: ${encoded.loss}`);
        perform(id, { ...piFields(command.extra), ...encoded.line }, encoded.reading);
      }
    }
  }

  function response(line: Dictionary): void {
    made?.answered();
    const read = Response.safeParse(line);
    if (read.success && dataSchemas.prompt.safeParse(read.data.data).data?.disposition !== undefined) {
      turns().disposes();
    }
    if (read.success) pending.response(read.data);
    else out.note('violation', `response: ${problemOf(read.error)}`);
  }

  return {
    start() {
      tracker.refresh((_, messages) => {
        // pi makes a session file with the first answer of the model, and a file that is not there when it is opened.
        if (resume?.isKnown === false && messages !== 0) tracker.tellPast();
        if (resume?.isKnown === true && messages === 0)
          out.deliver({ type: 'notice', level: 'warning', source: 'gateway', text: beginsAnew });
      });
      tracker.listCommands();
      return out.take();
    },
    decode(frame) {
      const { object, problem } = readLine(frame);
      if (problem !== undefined) out.note('violation', problem);
      if (object !== null && made === null && object.type === 'response') response(object);
      else if (object !== null) turns().decode(object);
      const actions = out.take();
      made?.recogniser.learn(frame, actions);
      return actions;
    },
    recognise: (peek, start, end) => made?.recogniser.read(peek, start, end) ?? null,
    recogniseBurst: (peek, start, end, most) => made?.recogniser.readBurst(peek, start, end, most) ?? null,
    encode(command, id) {
      encode(command, id);
      return out.take();
    },
    onTimer(timer) {
      if (made?.onTimer(timer) !== true) pending.onTimer(timer);
      return out.take();
    },
    end() {
      made?.end();
      return out.take();
    },
  };
}
