// Renders a conversation as one self-contained HTML page without scripts or requests.

import type { MessageFigures } from '../log/messages.ts';
import type { Content, Message, Usage } from '../model/content.ts';
import { codeMarkup, contentMarkup, type Results, resultMarkup } from './html-content.ts';
import { type Child, element, type Markup, pause, together } from './html-markup.ts';
import { policy, style } from './html-style.ts';

/** The content of a page. */
export interface Page {
  readonly title: string;
  /** Wall clock, ms since 1970. */
  readonly exportedAt: number;
  readonly messages: readonly Message[];
  readonly figures: MessageFigures;
}

/** The beginning of every page. A file that begins like this is an export and may be overwritten by a newer one. */
export const pageMark = '<!doctype html>\n<!-- Patchbay session export -->\n';

/**
 * The page behind its {@link pageMark}, without lone surrogates. Everything in the conversation is shown as text. The
 * messages are rendered while the page is written.
 */
export function htmlPage({ title, exportedAt, messages, figures }: Page): Markup {
  const head = element('head', {}, [
    element('meta', { charset: 'utf-8' }, null),
    element('meta', { 'http-equiv': 'content-security-policy', content: policy }, null),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }, null),
    element('meta', { name: 'referrer', content: 'no-referrer' }, null),
    element('title', {}, [title]),
    { markup: `<style>${style}</style>` },
  ]);
  const header = element('header', {}, [
    element('h1', { dir: 'auto' }, [title]),
    element('p', { class: 'facts' }, [factsOf(figures), ' · exported ', timeMarkup(exportedAt)]),
  ]);
  const body = element('body', {}, [header, '\n', element('main', {}, articles(messages))]);
  return together([element('html', { lang: 'en' }, ['\n', head, '\n', body, '\n']), '\n']);
}

/** A line for each message. Pairs each result with the last call of its id before it; other results stay messages. */
function* articles(messages: readonly Message[]): Generator<Child, void> {
  const open = new Map<string, Content>();
  const results = new Map<Content, Message>();
  const matched = new Set<Message>();
  for (const message of messages) {
    for (const part of message.content) if (part.type === 'tool-call') open.set(part.id, part);
    yield pause;
    const call = message.role === 'tool' && message.call !== undefined ? open.get(message.call) : undefined;
    if (call === undefined || message.call === undefined) continue;
    open.delete(message.call);
    results.set(call, message);
    matched.add(message);
  }
  for (const message of messages) {
    if (matched.has(message)) continue;
    yield '\n';
    yield article(message, results);
  }
}

/** The heading for each role. */
const speakers: Readonly<Record<Message['role'], string>> = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool result',
  system: 'System',
  custom: 'Note',
  bash: 'Shell',
  summary: 'Summary',
};

function article(message: Message, results: Results): Markup {
  const { role, parent, timestamp } = message;
  const lane = parent === undefined ? '' : ' lane';
  const header = element('h2', {}, [
    [speakers[role], message.origin === 'steer' || message.origin === 'follow-up' ? message.origin : '', message.name]
      .filter((word) => word !== undefined && word !== '')
      .join(' · '),
    parent === undefined ? '' : ` · sub-agent of ${parent}`,
    ...(timestamp === undefined ? [] : [' · ', timeMarkup(timestamp)]),
  ]);
  return element('article', { class: `${role}${lane}` }, [header, bodyOf(message, results), footer(message)]);
}

function bodyOf(message: Message, results: Results): Markup {
  if (message.role === 'tool') return resultMarkup(message);
  if (message.role !== 'bash') return contentMarkup(message.content, results);
  return together(
    message.content.map((part) => (part.type === 'text' ? codeMarkup(part.text) : contentMarkup([part], results))),
  );
}

function footer({ model, provider, stop, usage, cost, failure }: Message): Markup {
  const isOrdinary = stop === undefined || stop.reason === 'end' || stop.reason === 'tool-use';
  const facts = [
    model === undefined || provider === undefined ? model : `${provider}/${model}`,
    usage === undefined ? undefined : tokensOf(usage),
    cost === undefined ? undefined : dollars(cost.total),
    isOrdinary ? undefined : `stopped: ${stop.raw ?? stop.reason}`,
  ].filter((fact) => fact !== undefined);
  return together([
    ...(failure === undefined ? [] : [element('p', { class: 'failure', role: 'note' }, [failure.message])]),
    ...(facts.length === 0 ? [] : [element('p', { class: 'facts-of-message' }, [facts.join(' · ')])]),
  ]);
}

function factsOf({ totalMessages, toolCalls, usage, cost }: MessageFigures): string {
  const words = [`${totalMessages} messages`, `${toolCalls} tool calls`, tokensOf(usage)];
  return [...words, ...(cost === undefined ? [] : [dollars(cost.total)])].join(' · ');
}

function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): string {
  const cache = cacheRead + cacheWrite === 0 ? '' : `, cache ${cacheRead} read, ${cacheWrite} written`;
  return `${input} tokens in, ${output} out${cache}`;
}

function dollars(total: number): string {
  return `$${total.toFixed(4)}`;
}

/** The latest time that a Date can hold, ms. */
const lastTime = 8.64e15;

function timeMarkup(ms: number): Markup {
  if (!(Math.abs(ms) <= lastTime)) return together([`${ms}`]);
  const time = new Date(ms).toISOString();
  return element('time', { datetime: time }, [`${time.slice(0, 10)} ${time.slice(11, 16)} UTC`]);
}
