// What a conversation was about, a line each: texts, thoughts, calls with their final arguments and outputs, ends, notices.
import type { Content } from '../../src/core/model/content.ts';
import type { Event, EventOf, Logged } from '../../src/core/model/event.ts';

const longest = 160;
const short = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing');
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length})` : text;
};
const textOf = (content: readonly Content[]): unknown => {
  const texts = content.map((part) => (part.type === 'text' || part.type === 'thinking' ? part.text : part));
  return texts.length === 1 ? texts[0] : texts;
};

function callOf({ name, content, isError, skipped, change }: EventOf<'tool-end'>, input: unknown): string {
  const end = skipped ?? (isError ? 'error' : 'done');
  const changed = change === undefined ? '' : ` changes ${change.path} +${change.linesAdded} -${change.linesRemoved}`;
  return `call ${name} ${short(input)} ${end} ${short(textOf(content))}${changed}`;
}

/** The gist of a log. */
export function gistOf(logged: readonly Logged[]): string[] {
  const lines: string[] = [];
  const inputs = new Map<string, unknown>();
  const kinds = new Map<number, string>();
  const texts = new Map<number, string>();

  function take(event: Event): void {
    switch (event.type) {
      case 'message-added':
        return void lines.push(`${event.role} (${event.origin ?? '-'}) ${short(textOf(event.content))}`);
      case 'block-start':
        kinds.set(event.index, event.block.kind);
        return void texts.set(event.index, '');
      case 'block-delta':
        return void texts.set(event.index, (texts.get(event.index) ?? '') + event.delta);
      case 'block-end': {
        const kind = kinds.get(event.index);
        if (kind === 'text' || kind === 'thinking') lines.push(`${kind} ${short(texts.get(event.index))}`);
        return;
      }
      case 'tool-start':
        return void inputs.set(event.call, event.input);
      case 'tool-end':
        return void lines.push(callOf(event, inputs.get(event.call)));
      case 'approval-request':
        return void lines.push(`asks for ${event.name} ${short(event.input)}`);
      case 'approval-end':
        return void lines.push(event.outcome);
      case 'notice':
        return void lines.push(`notice ${event.level} ${short(event.text)}`);
      case 'run-end':
        return void lines.push(
          `end ${event.outcome}${event.failure === undefined ? '' : ` ${short(event.failure.message)}`}`,
        );
      default:
    }
  }

  for (const { event } of logged) take(event);
  return lines;
}
