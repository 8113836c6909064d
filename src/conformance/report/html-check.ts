// One check on the HTML page of a report: a foldable section.

import { element, type Markup } from '../../core/export/html-markup.ts';
import type { Verdict } from '../check/check.ts';
import type { ReportEntry } from './report.ts';

const symbols: Readonly<Record<Verdict, string>> = { passed: '✓', failed: '✗', unclear: '?', 'not-applicable': '–' };

/** The verdict as a class of the style sheet. */
export const classOf = (verdict: Verdict): Lowercase<string> => (verdict === 'not-applicable' ? 'silent' : verdict);

/** Options for showing one check. */
export interface CheckOptions {
  readonly isOpen: boolean;
  /** What is shown when the check is unfolded. */
  readonly inside: Markup;
}

/** A foldable section; `isOpen`: unfolded at first. */
export function checkMarkup(entry: ReportEntry, { isOpen, inside }: CheckOptions): Markup {
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
  return element('details', { class: `check ${verdictClass}`, id, ...open }, [summary, inside]);
}
