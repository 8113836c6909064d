// Rules on the effect of client lines: prompts, attachments, aborts, compactions, and lines that are no command
// (docs/protocols/pi-legacy.md 1.3 to 1.8).
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { contentOf } from '../view/blocks.ts';
import type { Prompt, View } from '../view/parts.ts';
import { messageIn } from '../view/view.ts';
import { type LegacyRows, talks } from './legacy-rows.ts';

/** Each prompt that does not overlap another, with the first user message of its run. */
function* echoes({ prompts }: View) {
  for (const prompt of prompts) {
    const first = prompt.run?.isMixed === false ? prompt.run.turns[0]?.messages[0] : undefined;
    if (first?.role === 'user') yield { prompt, frame: first.start.frame, message: messageIn(first.start) };
  }
}

/** Each such prompt, for each file of one kind. */
function* files(view: View, type: string) {
  for (const echo of echoes(view))
    for (const file of echo.prompt.attachments) if (file.type === type) yield { ...echo, file };
}

function firstText(message: ReturnType<typeof messageIn>): unknown {
  if (typeof message.content === 'string') return message.content;
  return contentOf(message)
    .map(dictionaryOf)
    .find(({ type }) => type === 'text')?.text;
}

function* badLines({ bad, prompts, trace }: View, kind: string): Generator<Finding> {
  for (const { frame, kind: own, error } of bad) {
    if (own !== kind) continue;
    // Lines are read in order: a later prompt has run, so this line was read.
    const isPast = prompts.some(({ line, run }) => line.frame > frame && run !== null);
    if (error !== null || trace.isComplete || isPast)
      yield { frame, wrong: error === null ? 'no `error` came for this line' : null };
  }
}

const stateOf = ({ run, refusal }: Prompt) => (run ?? refusal) !== null;

export const inputRows: LegacyRows = {
  'prompt-runs': {
    reads: 'both',
    section: 'Prompt Message',
    sentence: 'Each prompt starts a run, or is answered by an `error`.',
    covers: ['command:prompt', 'event:agent_start'],
    scenarios: talks,
    *judge({ prompts, runs, trace }) {
      for (const prompt of prompts) {
        if (prompt.isMixed) continue;
        const { frame } = prompt.line;
        const isPast = trace.isComplete || runs.some(({ start }) => start.frame > frame);
        const isImplied = prompt.run !== null && prompt.run.start.type !== 'agent_start';
        const isFine = stateOf(prompt) && !isImplied;
        if (isFine || isPast) yield { frame, wrong: isFine ? null : 'no agent_start came for this prompt' };
      }
    },
  },
  'prompt-echoed': {
    reads: 'both',
    section: 'Prompt Message',
    sentence: 'The first message of a run holds the words of its prompt.',
    covers: ['command:prompt'],
    scenarios: talks,
    *judge(view) {
      for (const { prompt, frame, message } of echoes(view)) {
        // A prompt that begins with a slash may expand to another text.
        if (prompt.text.startsWith('/')) continue;
        yield { frame, wrong: firstText(message) === prompt.text ? null : 'it says something else' };
      }
    },
  },
  'busy-prompts-run': {
    reads: 'both',
    section: 'Prompt Message',
    isMeasured: true,
    sentence: 'Prompts that come while another is at work each get a run of their own, or an `error`.',
    covers: ['command:prompt'],
    scenarios: ['busy'],
    *judge({ mixes, trace }) {
      for (const { prompts, starts, ends, wanted } of mixes) {
        const isOver = starts >= wanted && ends >= wanted;
        const frame = prompts.at(-1)?.line.frame ?? 0;
        if (isOver || trace.isComplete)
          yield { frame, wrong: isOver ? null : `${wanted} runs are due, ${starts} began and ${ends} ended` };
      }
    },
  },
  'attachments-kept': {
    reads: 'both',
    section: 'UserMessageWithAttachments',
    sentence: 'Where the message of the user carries attachments, they are those of its prompt.',
    covers: ['command:prompt'],
    scenarios: ['attachments'],
    *judge(view) {
      for (const { prompt, frame, message } of echoes(view)) {
        if (message.attachments === undefined) continue;
        const kept = Array.isArray(message.attachments) ? message.attachments.map(dictionaryOf) : [];
        const isSame =
          kept.length === prompt.attachments.length &&
          prompt.attachments.every(
            ({ type, fileName, content }, at) =>
              kept[at]?.type === type && kept[at]?.fileName === fileName && kept[at]?.content === content,
          );
        yield { frame, wrong: isSame ? null : `${prompt.attachments.length} were sent, others are there` };
      }
    },
  },
  'image-shown': {
    reads: 'both',
    section: 'Attachment',
    sentence: 'An image that is attached is an image in the message of the user.',
    covers: ['command:prompt'],
    scenarios: ['attachments'],
    *judge(view) {
      for (const { file, frame, message } of files(view, 'image')) {
        const isShown = contentOf(message)
          .map(dictionaryOf)
          .some(({ type, data, mimeType }) => type === 'image' && data === file.content && mimeType === file.mimeType);
        yield { frame, wrong: isShown ? null : 'the image is not in its content' };
      }
    },
  },
  'document-shown': {
    reads: 'both',
    section: 'Attachment',
    isMeasured: true,
    sentence: 'The text of a document that is attached is a text in the message of the user.',
    covers: ['command:prompt'],
    scenarios: ['attachments'],
    *judge(view) {
      for (const { file, frame, message } of files(view, 'document')) {
        const { extractedText: text } = file;
        if (typeof text !== 'string' || text === '') continue;
        const isShown = contentOf(message).some((block) => String(dictionaryOf(block).text ?? '').includes(text));
        yield { frame, wrong: isShown ? null : 'its text is not in the content' };
      }
    },
  },
  'abort-ends-run': {
    reads: 'both',
    section: 'Abort Message',
    sentence: 'A run that is aborted ends.',
    covers: ['command:abort'],
    scenarios: ['abort'],
    *judge({ runs, trace }) {
      for (const { aborts, end } of runs) {
        const [abort] = aborts;
        if (abort !== undefined && (end !== null || trace.isComplete))
          yield { frame: abort.frame, wrong: end === null ? 'the run goes on' : null };
      }
    },
  },
  'abort-reason': {
    reads: 'both',
    section: 'Abort Message',
    sentence: 'An answer that is aborted ends with the stop reason `aborted`.',
    covers: ['command:abort'],
    scenarios: ['abort'],
    *judge({ runs }) {
      for (const { aborts, turns } of runs) {
        const [abort] = aborts;
        const last = turns.at(-1)?.messages.findLast(({ role }) => role === 'assistant');
        if (abort === undefined || last?.end == null) continue;
        const { stopReason } = messageIn(last.end);
        if (stopReason === 'aborted') yield { frame: last.end.frame, wrong: null };
        // The run may have ended by itself at that moment, unless a block of its message was cut.
        const isCut = last.end.frame > abort.frame && [...last.blocks.values()].some(({ end }) => end === null);
        if (isCut && (stopReason === 'stop' || stopReason === 'toolUse'))
          yield { frame: last.end.frame, wrong: `a block was cut, and it ended with ${stopReason}` };
      }
    },
  },
  'idle-abort-silent': {
    reads: 'both',
    section: 'Abort Message',
    isMeasured: true,
    sentence: 'An abort while nothing goes on starts nothing.',
    covers: ['command:abort'],
    scenarios: ['abort'],
    *judge({ idleAborts }) {
      for (const { line, next } of idleAborts) {
        const wrong = next === null || next.type === 'error' || next.type === 'compaction' ? null : `${next.type} came`;
        yield { frame: line.frame, wrong };
      }
    },
  },
  'compact-answered': {
    reads: 'both',
    section: 'Compact Message',
    sentence: 'A `compact` is answered by a `compaction` or an `error`.',
    covers: ['command:compact'],
    scenarios: ['compact'],
    *judge({ compacts, trace }) {
      for (const { line, answers } of compacts) {
        if (answers.length > 0 || trace.isComplete)
          yield { frame: line.frame, wrong: answers.length > 0 ? null : 'nothing came for it' };
      }
    },
  },
  'compaction-manual': {
    reads: 'both',
    section: 'compaction',
    sentence: 'A compaction that was asked for is not marked as `auto`.',
    covers: ['event:compaction', 'command:compact'],
    scenarios: ['compact'],
    *judge({ compacts }) {
      for (const { answers } of compacts) {
        const compactionLines = answers.filter(({ type }) => type === 'compaction');
        const [first] = compactionLines;
        if (first === undefined) continue;
        const isFine = compactionLines.some(({ json }) => json.auto === undefined);
        yield { frame: first.frame, wrong: isFine ? null : 'it says auto' };
      }
    },
  },
  'compaction-auto': {
    reads: 'both',
    section: 'compaction',
    sentence: 'A compaction that nobody asked for is marked as `auto`.',
    covers: ['event:compaction'],
    scenarios: ['auto compaction'],
    *judge({ ownCompactions }) {
      for (const { frame, json } of ownCompactions)
        yield { frame, wrong: json.auto === true ? null : 'it does not say auto' };
    },
  },
  'bad-line-error': {
    reads: 'both',
    section: 'error',
    sentence: 'A line that is no JSON is answered by an `error`.',
    covers: ['event:error'],
    scenarios: ['bad input'],
    judge: (view) => badLines(view, 'text'),
  },
  'blank-line-error': {
    reads: 'both',
    section: 'error',
    isMeasured: true,
    sentence: 'A blank line is answered by an `error`.',
    covers: ['event:error'],
    scenarios: ['bad input'],
    judge: (view) => badLines(view, 'blank'),
  },
  'null-line-error': {
    reads: 'both',
    section: 'error',
    isMeasured: true,
    sentence: 'The line `null` is answered by an `error`.',
    covers: ['event:error'],
    scenarios: ['bad input'],
    judge: (view) => badLines(view, 'null'),
  },
};
