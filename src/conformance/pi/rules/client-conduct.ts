// Rules on the conduct of pi clients: they answer dialogs and nothing else, and survive whatever the agent sends
// (docs/protocols/pi.md 6, 12).
import { each, type Finding, type TraceFrame } from '../../check/rule.ts';
import { probe } from '../fake-agent/shared-behaviours.ts';
import type { ClientRows, ClientView, Dialog } from '../view/client-view.ts';

const dialogActs = ['select', 'confirm', 'input', 'editor'];
const covers = ['command:extension_ui_response'];

/** A reply on its way when the dialog timed out cannot be recalled, ms. */
const graceMs = 100;

/** Whether nobody waits for the reply any more, or the agent went on by itself. */
function isOver({ lines, commands, isComplete }: ClientView, { frame, json }: Dialog): boolean {
  // A dialog with a timeout closes by itself, and pi does not report it.
  if (typeof json.timeout === 'number') return false;
  if (commands.some((one) => one.frame > frame && one.type === 'abort')) return false;
  return isComplete || lines.some((line) => line.frame > frame && line.type === 'agent_end');
}

const dialogRows: ClientRows = {
  'dialog-answered': {
    reads: 'both',
    section: 'Dialog Methods (require response)',
    sentence: 'Each dialog gets an answer with its `id`: until then the extension waits.',
    covers,
    scenarios: dialogActs,
    *judge(view) {
      for (const dialog of view.dialogs) {
        const isAnswered = dialog.replies.length > 0;
        if (isAnswered || isOver(view, dialog))
          yield { frame: dialog.frame, wrong: isAnswered ? null : `no answer came to this ${dialog.method}` };
      }
    },
  },
  'dialog-once': {
    reads: 'both',
    section: 'Extension UI Response Format',
    sentence: 'A dialog gets one answer.',
    covers,
    scenarios: dialogActs,
    *judge({ dialogs }) {
      for (const { replies } of dialogs) {
        const [first, second] = replies;
        if (first !== undefined)
          yield { frame: (second ?? first).frame, wrong: second === undefined ? null : 'it has been answered before' };
      }
    },
  },
  'dialog-known': {
    level: 'SHOULD',
    reads: 'both',
    section: 'Extension UI Response Format',
    sentence: 'An answer carries the `id` of a request that has come before.',
    covers,
    scenarios: dialogActs,
    *judge(view) {
      const requests = view.of('extension_ui_request');
      for (const { frame, json } of view.replies) {
        const isKnown = requests.some((request) => request.frame < frame && request.json.id === json.id);
        if (isKnown) yield { frame, wrong: null };
        // A trace that begins late lacks earlier dialogs.
        else if (view.start.prompted < frame) yield { frame, wrong: `nobody has asked ${JSON.stringify(json.id)}` };
      }
    },
  },
  'cancelled-true': {
    section: 'Dialog Methods (require response)',
    sentence: 'An answer that has `cancelled` says true.',
    covers,
    scenarios: dialogActs,
    judge: (view) =>
      each(view.replies, ({ json }) =>
        json.cancelled === undefined || json.cancelled === true
          ? null
          : `cancelled is ${JSON.stringify(json.cancelled)}`,
      ),
  },
  'select-option': {
    level: 'SHOULD',
    reads: 'both',
    section: 'Dialog Methods (require response)',
    sentence: 'The value of an answer to select is one of its options.',
    covers,
    scenarios: ['select'],
    *judge({ dialogs }) {
      for (const { method, json, replies } of dialogs) {
        const options: readonly unknown[] = Array.isArray(json.options) ? json.options : [];
        for (const { frame, json: reply } of replies)
          if (method === 'select' && typeof reply.value === 'string')
            yield { frame, wrong: options.includes(reply.value) ? null : `${reply.value} is none of them` };
      }
    },
  },
  'informs-unanswered': {
    level: 'MAY',
    // The document says that no answer is needed (docs/protocols/pi.md 12.2, 15.3) and forbids none; pi-acp answers
    // everything.
    reads: 'both',
    section: 'Fire-and-Forget Methods (no response needed)',
    sentence: 'What only informs is not answered.',
    covers,
    scenarios: ['inform'],
    judge: (view) =>
      each(view.informs, ({ frame, json }) => {
        const reply = view.replies.find((one) => one.frame > frame && one.json.id === json.id);
        return reply === undefined ? null : `${String(json.method)} was answered`;
      }),
  },
  'dialog-in-time': {
    isMeasured: true,
    reads: 'both',
    section: 'Extension UI Request Format',
    sentence: 'No answer comes after the `timeout` of its dialog, for it is not heard any more.',
    covers,
    scenarios: ['timeout', 'confirm'],
    *judge({ dialogs, frames, lines }) {
      for (const { frame, json, replies } of dialogs) {
        const [reply] = replies;
        if (reply === undefined || typeof json.timeout !== 'number') continue;
        const took = (frames[reply.frame]?.at ?? 0) - (frames[frame]?.at ?? 0);
        // On a busy machine everything is late, so the agent must visibly have gone on by itself.
        const hasGoneOn = lines.some(
          (line) => line.frame > frame && line.frame < reply.frame && line.type !== 'response',
        );
        const isLate = took > json.timeout + graceMs && hasGoneOn;
        yield { frame: reply.frame, wrong: isLate ? `it came after ${Math.round(took)} ms` : null };
      }
    },
  },
};

/**
 * Whether the client was still connected after that frame: our agent sends the end of each run only to a connected
 * client.
 */
function wasThere({ frames, lines }: ClientView, after: number): boolean {
  const hasReply = frames.some(({ by }, frame) => frame > after && by === 'client');
  return hasReply || lines.some(({ frame, type }) => frame > after && type === 'agent_end');
}

const typeOf = ({ json }: TraceFrame) => String(Object(json).type);
/** Length of a long line, characters. */
const long = 100_000;

/** One finding for each place where our agent sent the unusual line; no other agent sends such lines. */
function survives(
  [behaviour, section]: readonly [string, string],
  sentence: string,
  isProbe: (frame: TraceFrame) => boolean,
): ClientRows[string] {
  return {
    reads: 'both',
    section,
    sentence,
    covers: [],
    scenarios: [behaviour],
    *judge(view): Generator<Finding> {
      for (const [frame, line] of view.frames.entries()) {
        if (line.by === 'agent' && line.text.includes(probe) && isProbe(line))
          yield { frame, wrong: wasThere(view, frame) ? null : 'the client has left after this line' };
      }
    },
  };
}

const survivalRows: ClientRows = {
  'survives-events': survives(
    ['unknown-event', 'Event Stream'],
    'An event of an unknown type does not drive the client away.',
    (frame) => typeOf(frame) === probe,
  ),
  'survives-fields': survives(
    ['unknown-fields', 'Event Stream'],
    'Unknown fields in an event do not drive the client away.',
    (frame) => typeOf(frame).startsWith('tool_execution'),
  ),
  'survives-responses': survives(
    ['stray', 'Core Protocol'],
    'Responses that nobody has asked for do not drive the client away.',
    (frame) => typeOf(frame) === 'response',
  ),
  'survives-methods': survives(
    ['inform', 'Extension UI Sub-protocol'],
    'A request of an unknown method does not drive the client away.',
    (frame) => typeOf(frame) === 'extension_ui_request',
  ),
  'survives-separators': survives(
    ['separators', 'Core Protocol'],
    'U+2028 and its kin inside a line do not drive the client away.',
    (frame) => typeOf(frame) === 'message_update' && frame.text.includes('\u2028'),
  ),
  'survives-long-lines': survives(
    ['long', 'Core Protocol'],
    'A line of a megabyte does not drive the client away.',
    (frame) => typeOf(frame) === 'message_update' && frame.text.length > long,
  ),
};

/** All rules on conduct. */
export const conductRows: ClientRows = { ...dialogRows, ...survivalRows };
