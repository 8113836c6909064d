// One check on the HTML page of a report, with its failing conversations message by message. All foreign text is
// escaped.

import { type Child, element, type Markup } from '../../core/export/html-markup.ts';
import type { Verdict } from '../check/check.ts';
import { type Excerpt, excerptsOf, type ShownMessage } from './excerpt.ts';
import { isBad, type ReportEntry } from './report.ts';
import { meanings, reasonOf, type Speakers } from './report-texts.ts';
import { cut, cutAround, durationOf, visible } from './safe-text.ts';

/** Limits for one check. Together they bound the size of the page. */
const shown = { around: 4, most: 80, conversations: 3 };
const mostOfReason = 4000;
const mostOfMessage = 4000;
const mostWrongOfMessage = 5;

const symbols: Readonly<Record<Verdict, string>> = { passed: '✓', failed: '✗', unclear: '?', 'not-applicable': '–' };

/** The verdict as a class of the style sheet. */
export const classOf = (verdict: Verdict): Lowercase<string> => (verdict === 'not-applicable' ? 'silent' : verdict);

/** Foreign text, shortened and with control characters made visible. */
export const foreign = (text: string, most: number): string => visible(cut(text, most));

/** Options for showing one check. */
export interface CheckOptions {
  readonly isOpen: boolean;
  readonly speakers: Speakers;
}

/** A foldable section; `isOpen`: unfolded at first. */
export function checkMarkup(entry: ReportEntry, { isOpen, speakers }: CheckOptions): Markup {
  const { id, verdict, level, sentence, known } = entry;
  const verdictClass = classOf(verdict);
  const summary = element('summary', {}, [
    element('span', { class: `badge ${verdictClass}` }, [`${symbols[verdict]} ${verdict}`]),
    element('code', {}, [id]),
    element('span', { class: 'level' }, [level]),
    known === true ? element('span', { class: 'level' }, ['known']) : '',
    element('span', { class: 'sentence' }, [sentence]),
  ]);
  const open = isOpen ? { open: 'open' } : {};
  return element('details', { class: `check ${verdictClass}`, id, ...open }, [
    summary,
    element('div', { class: 'inside' }, insideOf(entry, speakers)),
  ]);
}

function insideOf(entry: ReportEntry, speakers: Speakers): Child[] {
  const { verdict, section, basis, covers = [], reason, ms } = entry;
  const facts = [
    `section ${section}`,
    basis === 'measured' ? 'measured: the specification is silent' : 'specification',
    ...(covers.length === 0 ? [] : [`covers ${covers.join(', ')}`]),
    durationOf(ms),
  ];
  const detail =
    reason === undefined ? [] : [element('p', { class: 'reason' }, [foreign(reasonOf(entry), mostOfReason)])];
  const about = element('p', { class: 'facts' }, [`${meanings[verdict]} · ${facts.join(' · ')}`]);
  return [...detail, about, ...(isBad(entry) ? failingConversations(entry, speakers) : [])];
}

function failingConversations(entry: ReportEntry, speakers: Speakers): Child[] {
  const { excerpts, skipped } = excerptsOf(entry, shown);
  const note = `${skipped} more ${skipped === 1 ? 'conversation' : 'conversations'} left out`;
  return [
    ...excerpts.flatMap((excerpt) => exchange(excerpt, speakers)),
    ...(skipped === 0 ? [] : [element('p', { class: 'note' }, [note])]),
  ];
}

function exchange({ connection, scenario, messages, skipped }: Excerpt, speakers: Speakers): Child[] {
  const name = `${scenario === undefined ? '' : `scenario ${scenario} · `}${foreign(connection, 200)}`;
  const rows = messages.flatMap((message) => [...leftOut(message.skipped), messageMarkup(message, speakers)]);
  const none = rows.length === 0 ? [element('li', { class: 'skipped' }, ['nothing was said'])] : [];
  return [element('h3', {}, [name]), element('ol', {}, [...rows, ...leftOut(skipped), ...none])];
}

function leftOut(count: number): Markup[] {
  if (count === 0) return [];
  return [element('li', { class: 'skipped' }, [`… ${count} ${count === 1 ? 'message' : 'messages'} left out …`])];
}

function messageMarkup(
  { exchange: { at, by, text, isFault }, index, wrong, focus }: ShownMessage,
  speakers: Speakers,
): Markup {
  const who = by === 'us' ? `${speakers.us} →` : `← ${speakers.peer}`;
  const more = wrong.length - mostWrongOfMessage;
  const says = [...wrong.slice(0, mostWrongOfMessage), ...(more > 0 ? [`and ${more} more`] : [])];
  return element('li', { class: `message ${by}${wrong.length > 0 ? ' breach' : ''}`, value: String(index + 1) }, [
    element('span', { class: 'at' }, [`${Math.round(at)} ms`]),
    element('span', { class: 'who' }, [isFault === true ? `${who} (no frame)` : who]),
    element('pre', {}, [visible(cutAround(text, mostOfMessage, focus))]),
    ...says.map((one) => element('p', { class: 'wrong' }, [`▲ ${foreign(one, mostOfReason)}`])),
  ]);
}
