// Renders a report as JSON, complete enough to be judged again. A conversation that several checks name is stored once.
import type { Breach, Conversation, LoggedMessage } from '../check/check.ts';
import type { Report, ReportEntry } from './report.ts';

/** First field of the document; identifies the format. */
export const jsonFormat = 'patchbay-conformance-report/1';

/** A message without its parsed JSON, which a reader parses again from the text. */
type StoredMessage = Omit<LoggedMessage, 'json'>;

/** A conversation as it is stored. */
interface StoredConversation extends Omit<Conversation, 'log'> {
  readonly log: readonly StoredMessage[];
}

/** A check as it is stored. */
interface StoredEntry extends Omit<ReportEntry, 'conversations'> {
  /** Indices in `conversations` of the report. Breaches index into this list. */
  readonly conversations: readonly number[];
  readonly breaches?: readonly Breach[];
}

/** The document. */
export interface StoredReport extends Omit<Report, 'results'> {
  readonly format: typeof jsonFormat;
  readonly results: readonly StoredEntry[];
  readonly conversations: readonly StoredConversation[];
}

/** Characters that JSON leaves unescaped and a terminal obeys: DEL and the C1 controls. */
const obeyed = /[\u007f-\u009f]/gu;
const escaped = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One JSON document of several lines. */
export function renderJson(report: Report): string {
  const { results, ...about } = report;
  const conversations: StoredConversation[] = [];
  const known = new Map<string, number>();

  function place({ connection, scenario, log }: Conversation): number {
    const stored: StoredConversation = {
      connection,
      ...(scenario === undefined ? {} : { scenario }),
      log: log.map(({ at, by, text, isFault }) => ({ at, by, text, ...(isFault === true ? { isFault } : {}) })),
    };
    const key = JSON.stringify(stored);
    const index = known.get(key) ?? conversations.push(stored) - 1;
    known.set(key, index);
    return index;
  }

  const entries = results.map(({ conversations, ...entry }): StoredEntry => {
    return { ...entry, conversations: conversations.map(place) };
  });
  const stored: StoredReport = { format: jsonFormat, ...about, results: entries, conversations };
  return `${JSON.stringify(stored, null, 1).replace(obeyed, escaped)}\n`;
}
