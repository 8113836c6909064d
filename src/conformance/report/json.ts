// Renders a report as JSON, complete enough to be judged again. A conversation that several checks name is stored once.
import type { Conversation } from '../check/check.ts';
import type { Report } from './report.ts';
import { jsonFormat, type StoredReport } from './stored-report.ts';

/** Characters that JSON leaves unescaped and a terminal obeys: DEL and the C1 controls. */
const obeyed = /[\u007f-\u009f]/gu;
const escaped = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One JSON document of several lines. */
export function renderJson(report: Report): string {
  const { results, ...about } = report;
  const conversations: StoredReport['conversations'] = [];
  const known = new Map<string, number>();

  function place({ connection, scenario, log }: Conversation): number {
    const stored = {
      connection,
      ...(scenario === undefined ? {} : { scenario }),
      log: log.map(({ at, by, text, isFault }) => ({ at, by, text, ...(isFault === true ? { isFault } : {}) })),
    };
    const key = JSON.stringify(stored);
    const index = known.get(key) ?? conversations.push(stored) - 1;
    known.set(key, index);
    return index;
  }

  const entries = results.map(({ conversations, ...entry }) => ({
    ...entry,
    conversations: conversations.map(place),
  }));
  const stored: StoredReport = { format: jsonFormat, ...about, results: entries, conversations };
  return `${JSON.stringify(stored, null, 1).replace(obeyed, escaped)}\n`;
}
