// Renders the parts of messages as HTML: text, thinking, tool calls with results, images.
import type { Content, Dictionary, Message } from '../model/content.ts';
import { type Child, element, type Markup, together } from './html-markup.ts';

/** Results of tool calls, by the content part of the call. */
export type Results = ReadonlyMap<Content, Message>;

/** Renders all parts of a message in order. */
export function contentMarkup(content: readonly Content[], results: Results): Markup {
  return together(content.map((part) => partMarkup(part, results)));
}

function partMarkup(part: Content, results: Results): Markup {
  switch (part.type) {
    case 'text':
      return textMarkup(part.text);
    case 'thinking': {
      const words = part.redacted === true ? 'Thinking (hidden by the provider)' : 'Thinking';
      return folded('thinking', [words], [textMarkup(part.text)]);
    }
    case 'tool-call':
      return callMarkup(part, results.get(part));
    case 'image':
      return imageMarkup(part);
    case 'document':
      return part.text === undefined
        ? placeholder(['Document', part.name, part.mediaType, part.url])
        : folded('document', ['Document ', part.name ?? ''], [codeMarkup(part.text)]);
    case 'link':
      return element('p', {}, [part.title === undefined ? '' : `${part.title}: `, linkMarkup(part.url)]);
    case 'opaque':
      return folded('opaque', [`${part.name} (${part.protocol})`], [codeMarkup(jsonOf(part.payload))]);
    default:
      return part satisfies never;
  }
}

function textMarkup(text: string): Markup {
  return text === '' ? together([]) : element('div', { class: 'text', dir: 'auto' }, [text]);
}

/** Renders preformatted text. */
export function codeMarkup(text: string): Markup {
  return element('div', { class: 'code' }, [text]);
}

function folded(name: Lowercase<string>, summary: readonly Child[], content: readonly Child[]): Markup {
  return element('details', { class: name }, [element('summary', {}, summary), ...content]);
}

function callMarkup(call: Extract<Content, { type: 'tool-call' }>, result: Message | undefined): Markup {
  const state = call.incomplete === true ? ' (cut, never ran)' : result?.isError === true ? ' (failed)' : '';
  return folded(
    'call',
    ['Tool ', element('code', {}, [call.name]), state],
    [
      element('h3', {}, ['Input']),
      codeMarkup(jsonOf(call.input)),
      ...(result === undefined ? [] : [element('h3', {}, ['Result']), resultMarkup(result)]),
    ],
  );
}

/** Renders the result of a tool. */
export function resultMarkup({ content, isError }: Message): Markup {
  const parts = content.map((part) =>
    part.type === 'text' ? codeMarkup(part.text) : partMarkup(part, new Map<Content, Message>()),
  );
  return isError === true ? element('div', { class: 'failure' }, parts) : together(parts);
}

/** Image types that a browser draws without running or fetching anything. */
const drawn: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

function imageMarkup({ data, mediaType, name, url }: Extract<Content, { type: 'image' }>): Markup {
  if (data === undefined || mediaType === undefined || !drawn.has(mediaType) || !/^[A-Za-z0-9+/]+={0,2}$/u.test(data)) {
    return placeholder(['Image', name, mediaType, url]);
  }
  return element('p', {}, [
    element('img', { src: `data:${mediaType};base64,${data}`, alt: name ?? 'image in the conversation' }, null),
  ]);
}

/** Stands for content that the page leaves out. */
function placeholder(facts: readonly (string | undefined)[]): Markup {
  const known = facts.filter((fact) => fact !== undefined && fact !== '');
  return element('p', { class: 'facts-of-message' }, [`[${known.join(' · ')}: not shown]`]);
}

function linkMarkup(url: string): Markup {
  if (!/^https?:\/\//iu.test(url)) return element('code', {}, [url]);
  return element('a', { href: url, rel: 'noopener noreferrer nofollow' }, [url]);
}

function jsonOf(value: Dictionary | unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '(cannot be shown)';
  }
}
