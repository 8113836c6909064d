// Renders a report as one self-contained HTML page without scripts: totals, a filter by verdict, every check, each
// failing conversation.

import { element, type Markup, together, written } from '../../core/export/html-markup.ts';
import type { Verdict } from '../check/check.ts';
import { checkMarkup, classOf } from './html-check.ts';
import { insidesOf } from './html-room.ts';
import { policy, style } from './html-style.ts';
import { countsOf, isBad, levels, type Report, type ReportEntry, type Tally, verdicts } from './report.ts';
import {
  byReason,
  bySection,
  factsOf,
  hasRoot,
  meanings,
  reasonOf,
  staleTitle,
  titleOf,
  totalsOf,
  untriedWords,
} from './report-texts.ts';
import { foreign } from './safe-text.ts';

/** How many checks are unfolded at first. */
const openAtOnce = 20;
/** How many lines on a stale list of known failures are shown. */
const mostStale = 50;

/** The page in UTF-8, without lone surrogates. All text of the peers is escaped. */
export function renderHtml(report: Report): string {
  const title = titleOf(report);
  const head = element('head', {}, [
    element('meta', { charset: 'utf-8' }, null),
    element('meta', { 'http-equiv': 'content-security-policy', content: policy }, null),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }, null),
    element('meta', { name: 'referrer', content: 'no-referrer' }, null),
    element('title', {}, [`${title} · conformance`]),
    { markup: `<style>${style}</style>` },
  ]);
  const body = element('body', {}, [
    element('a', { class: 'skip', href: '#checks' }, ['Skip to the checks']),
    header(report, title),
    '\n',
    filter(report),
    '\n',
    element('main', { id: 'checks' }, sections(report)),
  ]);
  const page = element('html', { lang: 'en' }, ['\n', head, '\n', body, '\n']);
  return `<!doctype html>\n${[...written(page)].join('')}\n`;
}

function header(report: Report, title: string): Markup {
  const { results, counts, stale } = report;
  return element('header', {}, [
    element('p', { class: 'facts' }, ['Conformance report']),
    element('h1', {}, [title]),
    element('p', { class: 'facts' }, [factsOf(report)]),
    bar(counts.verdicts, totalsOf(counts)),
    element('p', {}, [totalsOf(counts)]),
    table(report),
    ...staleMarkup(stale),
    ...troubles(results),
  ]);
}

/** HTML also reads SVG attributes in lower case. */
function bar(tally: Tally, label: string): Markup {
  const total = Math.max(
    1,
    verdicts.reduce((sum, verdict) => sum + tally[verdict], 0),
  );
  let x = 0;
  const parts = verdicts.map((verdict) => {
    const width = (tally[verdict] * 1000) / total;
    const rect = { class: classOf(verdict), x: x.toFixed(2), y: '0', width: width.toFixed(2), height: '10' };
    x += width;
    return element('rect', rect, []);
  });
  const size = { viewbox: '0 0 1000 10', preserveaspectratio: 'none' };
  return element('svg', { class: 'bar', role: 'img', 'aria-label': label, ...size }, parts);
}

function table({ counts }: Report): Markup {
  const row = (name: string, tally: Tally) =>
    element('tr', {}, [
      element('th', { scope: 'row' }, [name]),
      ...verdicts.map((verdict) =>
        element('td', tally[verdict] === 0 ? {} : { class: classOf(verdict) }, [String(tally[verdict])]),
      ),
    ]);
  const names = verdicts.map((verdict) => element('th', { scope: 'col', title: meanings[verdict] }, [verdict]));
  return element('table', {}, [
    element('thead', {}, [element('tr', {}, [element('th', { scope: 'col' }, ['level']), ...names])]),
    element('tbody', {}, [...levels.map((level) => row(level, counts.levels[level])), row('all', counts.verdicts)]),
  ]);
}

function staleMarkup(stale: readonly string[]): Markup[] {
  if (stale.length === 0) return [];
  const more = stale.length - mostStale;
  const shown = [...stale.slice(0, mostStale), ...(more > 0 ? [`and ${more} more`] : [])];
  const lines = shown.map((line) => element('li', {}, [foreign(line, 200)]));
  const badge = element('strong', { class: 'badge failed' }, ['✗ failed']);
  return [element('h2', {}, [badge, ` ${staleTitle}`]), element('ul', { class: 'stale' }, lines)];
}

/** Tells that the page is an excerpt. */
const brief =
  'This page shows the messages that a failure is about, and shortens long ones. The report of --json holds every message whole.';

/**
 * The problems first: each failed check with those that could not be tried because of it; other unclear checks with the
 * same reason form one entry.
 */
function troubles(results: readonly ReportEntry[]): Markup[] {
  const bad = results.filter(isBad);
  if (bad.length === 0) return [];
  const failed = bad.filter(({ verdict }) => verdict === 'failed').map((entry) => [entry]);
  const unclear = bad.filter((entry) => entry.verdict === 'unclear' && !hasRoot(entry, results));
  const links = [...failed, ...byReason(unclear).values()].map((entries) => {
    const [first] = entries;
    const summary = first === undefined ? '' : `${first.verdict}: ${foreign(reasonOf(first), 160)}`;
    const untried = bad.filter(({ because }) => because !== undefined && because === first?.id);
    const words = `${untriedWords(untried.length)} `;
    const hidden = untried.length === 0 ? [] : [element('p', { class: 'note' }, [words, ...linksTo(untried)])];
    return element('li', {}, [...linksTo(entries), summary, ...hidden]);
  });
  return [element('h2', {}, ['What did not pass']), element('ul', {}, links), element('p', { class: 'note' }, [brief])];
}

const linksTo = (entries: readonly ReportEntry[]): (Markup | string)[] =>
  entries.flatMap(({ id }) => [element('a', { href: `#${id}` }, [id]), ' ']);

/** The page opens with the checks that did not pass alone, if there are any. */
function filter({ counts }: Report): Markup {
  const { failed, unclear } = counts.verdicts;
  const bad = failed + unclear;
  const choice = (name: string, label: string, count: number, meaning: string, isChosen: boolean) =>
    element('label', { title: meaning }, [
      element(
        'input',
        { type: 'radio', name: 'show', id: `show-${name}`, ...(isChosen ? { checked: 'checked' } : {}) },
        null,
      ),
      ` ${label} ${count}`,
    ]);
  const those = (verdict: Verdict) =>
    choice(classOf(verdict), verdict, counts.verdicts[verdict], meanings[verdict], false);
  return element('fieldset', {}, [
    element('legend', {}, ['Show']),
    ...(bad === 0 ? [] : [choice('bad', 'did not pass', bad, 'failed and unclear', true)]),
    choice('all', 'all', counts.total, 'every check', bad === 0),
    ...verdicts.map(those),
  ]);
}

function sections(report: Report): Markup[] {
  const insides = insidesOf(report);
  let open = 0;
  return [...bySection(report.results)].map(([section, entries]) => {
    const { verdicts: tally } = countsOf(entries);
    const counts = verdicts.filter((verdict) => tally[verdict] > 0).map((verdict) => `${tally[verdict]} ${verdict}`);
    const checks = entries.map((entry) => {
      const isOpen = isBad(entry) && open < openAtOnce;
      if (isOpen) open += 1;
      return checkMarkup(entry, { isOpen, inside: insides.get(entry) ?? together([]) });
    });
    return element('section', {}, [element('h2', {}, [section, element('span', {}, [counts.join(', ')])]), ...checks]);
  });
}
