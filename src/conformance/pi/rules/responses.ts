// Rules on lines and responses (docs/protocols/pi.md 4).
import { isDeepStrictEqual } from 'node:util';
import { each, type Finding } from '../../check/rule.ts';
import type { Command } from '../view/lines.ts';
import { answerOf, type PiRows, type PiView } from '../view/view.ts';

const core = { section: 'Core Protocol', covers: ['line:response'] } as const;
const errors = { ...core, section: 'Error Responses' } as const;

/** Rules on every line of the agent. */
export const lineRows: PiRows = {
  'line-is-object': {
    ...core,
    sentence: 'Each line of the agent is one JSON object.',
    scenarios: ['text', 'unicode'],
    *judge({ lines, unreadable }) {
      yield* each(unreadable, ({ says }) => says);
      yield* each(lines, () => null);
    },
  },
};

/** Required fields by command; without them the command cannot be carried out (docs/protocols/pi.md 4.9). */
const needed: ReadonlyMap<string, readonly string[]> = new Map([
  ['prompt', ['message']],
  ['set_model', ['provider', 'modelId']],
  ['fork', ['entryId']],
  ['set_session_name', ['name']],
]);

/** Rules on responses. */
export const responseRows: PiRows = {
  answered: {
    ...core,
    reads: 'both',
    sentence: 'Each command has a response.',
    scenarios: ['state', 'text', 'odd', 'odd lines'],
    *judge({ commands, isComplete }) {
      for (const one of commands) {
        const { frame, json, type } = one;
        // Another rule covers lines that are no command.
        if (json === null || type === null) continue;
        if (answerOf(one) !== undefined) yield { frame, wrong: null };
        else if (isComplete) yield { frame, wrong: `no response to ${type}` };
      }
    },
  },
  'answered-once': {
    ...core,
    reads: 'both',
    sentence: 'A command has one response.',
    scenarios: ['state', 'busy', 'odd', 'odd lines'],
    *judge({ commands }) {
      for (const { answers } of commands) {
        const [first, second] = answers;
        if (second !== undefined) yield { frame: second.frame, wrong: 'a second response to the same command' };
        else if (first !== undefined) yield { frame: first.frame, wrong: null };
      }
    },
  },
  'response-asked': {
    ...core,
    reads: 'both',
    sentence: 'A response with an id has that of a command.',
    scenarios: ['state', 'text'],
    *judge({ answers, commands, replies, isComplete, start }) {
      const first = Math.min(start.firstEvent, answers[0]?.frame ?? Number.POSITIVE_INFINITY);
      const isFromStart = (commands[0]?.frame ?? first) < first;
      for (const { frame, json, command: by } of answers) {
        if (json.id === undefined || json.id === null) continue;
        // Another rule covers responses to dialog replies.
        const isReply = replies.some((one) => one.frame < frame && isDeepStrictEqual(one.json.id, json.id));
        if (by !== null || isReply) yield { frame, wrong: null };
        // A trace that begins late lacks earlier commands.
        else if ((isComplete && isFromStart) || commands.some((one) => isForgotten(one, json.command, frame)))
          yield { frame, wrong: `nobody asked with the id ${JSON.stringify(json.id)}` };
      }
    },
  },
  'response-command': {
    ...core,
    reads: 'both',
    sentence: 'A response that succeeds names its command.',
    scenarios: ['state', 'text'],
    *judge({ answers }) {
      for (const { frame, json, command, isSuccess } of answers) {
        if (!isSuccess || command === null || command.type === null) continue;
        const isSame = json.command === command.type;
        yield {
          frame,
          wrong: isSame ? null : `command must be ${command.type}, and is ${JSON.stringify(json.command)}`,
        };
      }
    },
  },
  'success-id': {
    ...core,
    reads: 'both',
    sentence: 'The response to a command that succeeds has the id of the command.',
    scenarios: ['state', 'odd', 'odd lines'],
    judge: (view) => idFindings(view, true),
  },
  'failure-id': {
    ...errors,
    reads: 'both',
    sentence: 'The response to a command that fails has the id of the command (pi itself loses some until 0.79.6).',
    scenarios: ['odd', 'odd lines', 'sessions'],
    judge: (view) => idFindings(view, false),
  },
  'id-absent': {
    ...core,
    isMeasured: true,
    reads: 'both',
    sentence: 'The response to a command without id has none.',
    scenarios: ['odd', 'odd lines'],
    *judge({ answers }) {
      for (const { frame, json, command } of answers) {
        if (command === null || command.json === null || command.type === null || 'id' in command.json) continue;
        yield { frame, wrong: 'id' in json ? 'there is an id, and nobody sent one' : null };
      }
    },
  },
  'success-without-error': {
    ...errors,
    isMeasured: true,
    sentence: 'A response that succeeds has no "error".',
    scenarios: ['state', 'text'],
    *judge({ answers }) {
      for (const { frame, json, isSuccess } of answers)
        if (isSuccess) yield { frame, wrong: 'error' in json ? 'success, and an error' : null };
    },
  },
  'failure-without-data': {
    ...errors,
    isMeasured: true,
    level: 'MAY',
    sentence: 'A response that fails has no "data".',
    scenarios: ['odd', 'odd lines'],
    *judge({ answers }) {
      for (const { frame, json } of answers)
        if (json.success === false) yield { frame, wrong: 'data' in json ? 'a failure, and data' : null };
    },
  },
  'unreadable-line': {
    ...errors,
    isMeasured: true,
    reads: 'both',
    sentence: 'A line that is no JSON gets a response that fails, and its command is "parse".',
    scenarios: ['odd', 'odd lines'],
    *judge({ commands, isComplete }) {
      for (const one of commands) {
        // `null` is JSON, and kills pi since 0.73 (docs/protocols/pi.md 2.8).
        if (one.json !== null || one.isJson) continue;
        const answer = answerOf(one);
        if (answer === undefined && !isComplete) continue;
        const isRefused = answer?.json.success === false && answer.json.command === 'parse';
        yield { frame: one.frame, wrong: isRefused ? null : 'no response to it that fails with the command "parse"' };
      }
    },
  },
  'nameless-command': {
    ...errors,
    isMeasured: true,
    reads: 'both',
    sentence: 'A line without a string "type" gets a response that fails.',
    scenarios: ['odd', 'odd lines'],
    *judge({ commands, isComplete }) {
      for (const one of commands) {
        const { frame, json, type, isJson, text } = one;
        if (type !== null || (json === null && !isJson) || text.trim() === 'null') continue;
        const answer = answerOf(one);
        if (answer === undefined && !isComplete) continue;
        yield { frame, wrong: answer?.json.success === false ? null : 'no response to it that fails' };
      }
    },
  },
  'missing-field': {
    ...errors,
    isMeasured: true,
    reads: 'both',
    sentence: 'A prompt without message, a model without name, a fork without entry and a name without words fail.',
    covers: ['command:prompt', 'command:set_model', 'command:fork', 'command:set_session_name'],
    scenarios: ['odd', 'odd lines'],
    *judge({ commands }) {
      for (const one of commands) {
        const answer = answerOf(one);
        const missing = needed.get(one.type ?? '')?.find((name) => (one.json?.[name] ?? null) === null);
        if (answer === undefined || missing === undefined) continue;
        yield { frame: answer.frame, wrong: answer.isSuccess ? `${one.type} without ${missing} succeeds` : null };
      }
    },
  },
  'unknown-command': {
    ...errors,
    isMeasured: true,
    reads: 'both',
    sentence: 'A command that nobody knows fails.',
    scenarios: ['odd', 'odd lines'],
    *judge({ commands }) {
      for (const one of commands) {
        const answer = answerOf(one);
        if (answer === undefined || one.type === null || !nobodyKnows(one.type)) continue;
        yield { frame: answer.frame, wrong: answer.isSuccess ? `${one.type} succeeds` : null };
      }
    },
  },
};

/** Whether an earlier command of this type is still without a response. */
const isForgotten = ({ type, frame, answers }: Command, command: unknown, before: number): boolean =>
  type !== null && type === command && frame < before && answers.length === 0;

/** Made-up names, which no version will implement. */
function nobodyKnows(type: string): boolean {
  return /^no[_-]?such/u.test(type);
}

function* idFindings({ answers }: PiView, ofSuccess: boolean): Generator<Finding> {
  for (const { frame, json, command, isSuccess } of answers) {
    if (command === null || command.json === null || !('id' in command.json) || command.type === null) continue;
    if (isSuccess !== ofSuccess) continue;
    const isSame = isDeepStrictEqual(json.id, command.json.id);
    yield { frame, wrong: isSame ? null : `id must be ${JSON.stringify(command.json.id)}` };
  }
}
