// The inside of one check on the HTML page of a report: the reason, the facts, and the failing conversations message by
// message. All foreign text is shortened and escaped.

import { type Child, element, type Markup } from '../../core/export/html-markup.ts';
import { type Excerpt, type ExcerptOptions, excerptsOf, type ShownMessage } from './excerpt.ts';
import { isBad, type ReportEntry } from './report.ts';
import { meanings, reasonOf, type Speakers } from './report-texts.ts';
import { cutAround, durationOf, foreign, visible } from './safe-text.ts';

/** How much of a check is shown. Lengths in UTF-16 units. */
export interface Detail {
  /** Which messages are shown; undefined: none. */
  readonly messages?: Required<ExcerptOptions>;
  /** How much of a message with a breach is shown. */
  readonly ofBreach: number;
  /** How much of any other message is shown. */
  readonly ofMessage: number;
  /** How much of a reason is shown. */
  readonly ofReason: number;
  /** Less is shown than usual, and the check says so. */
  readonly isLess: boolean;
}

const mostWrongOfMessage = 5;
const less = 'Shown in brief, because the page is full: the report of --json holds the whole of it.';

/** What is shown when a check is unfolded. */
export function insideMarkup(entry: ReportEntry, speakers: Speakers, detail: Detail): Markup {
  const { verdict, section, basis, covers = [], reason, ms } = entry;
  const facts = [
    `section ${section}`,
    basis === 'measured' ? 'measured: the specification is silent' : 'specification',
    ...(covers.length === 0 ? [] : [`covers ${covers.join(', ')}`]),
    durationOf(ms),
  ];
  const why =
    reason === undefined || detail.ofReason === 0
      ? []
      : [element('p', { class: 'reason' }, [foreign(reasonOf(entry), detail.ofReason)])];
  const about = element('p', { class: 'facts' }, [`${meanings[verdict]} · ${facts.join(' · ')}`]);
  return element('div', { class: 'inside' }, [
    ...why,
    about,
    ...(isBad(entry) ? failingConversations(entry, speakers, detail) : []),
    ...(detail.isLess ? [element('p', { class: 'note' }, [less])] : []),
  ]);
}

function failingConversations(entry: ReportEntry, speakers: Speakers, detail: Detail): Child[] {
  if (detail.messages === undefined) return [];
  const { excerpts, skipped } = excerptsOf(entry, detail.messages);
  const note = `${skipped} more ${skipped === 1 ? 'conversation' : 'conversations'} left out`;
  return [
    ...excerpts.flatMap((excerpt) => exchange(excerpt, speakers, detail)),
    ...(skipped === 0 ? [] : [element('p', { class: 'note' }, [note])]),
  ];
}

function exchange(
  { connection, scenario, messages, skipped }: Excerpt,
  speakers: Speakers,
  detail: Detail,
): readonly Child[] {
  const name = `${scenario === undefined ? '' : `scenario ${scenario} · `}${foreign(connection, 200)}`;
  // Made while they are written: a page that is full asks for the first ones only.
  const rows = { [Symbol.iterator]: () => rowsOf(messages, speakers, detail) };
  const none = messages.length === 0 ? [element('li', { class: 'skipped' }, ['nothing was said'])] : [];
  return [element('h3', {}, [name]), element('ol', {}, [{ pieces: rows }, ...leftOut(skipped), ...none])];
}

function* rowsOf(messages: readonly ShownMessage[], speakers: Speakers, detail: Detail): Generator<Child, void> {
  for (const message of messages) {
    yield* leftOut(message.skipped);
    yield messageMarkup(message, speakers, detail);
  }
}

function leftOut(count: number): Markup[] {
  if (count === 0) return [];
  return [element('li', { class: 'skipped' }, [`… ${count} ${count === 1 ? 'message' : 'messages'} left out …`])];
}

function messageMarkup(
  { exchange: { at, by, text, isFault }, index, wrong, focus }: ShownMessage,
  speakers: Speakers,
  { ofBreach, ofMessage, ofReason }: Detail,
): Markup {
  const who = by === 'us' ? `${speakers.us} →` : `← ${speakers.peer}`;
  const more = wrong.length - mostWrongOfMessage;
  const says = [...wrong.slice(0, mostWrongOfMessage), ...(more > 0 ? [`and ${more} more`] : [])];
  const most = wrong.length > 0 ? ofBreach : ofMessage;
  return element('li', { class: `message ${by}${wrong.length > 0 ? ' breach' : ''}`, value: String(index + 1) }, [
    element('span', { class: 'at' }, [`${Math.round(at)} ms`]),
    element('span', { class: 'who' }, [isFault === true ? `${who} (no frame)` : who]),
    element('pre', {}, [visible(cutAround(text, most, focus))]),
    ...says.map((one) => element('p', { class: 'wrong' }, [`▲ ${foreign(one, ofReason)}`])),
  ]);
}
