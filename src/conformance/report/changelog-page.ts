// Renders the page docs/conformance/changelog.md: what each version of each set of checks changed.
import type { SetChange } from '../check/history.ts';
import type { CheckSet } from '../check/sets.ts';

const introduction = `# The versions of the checks

Made from the histories of the sets in \`src/conformance\`; a test fails when this page is out of date, and
\`UPDATE=1 npx vitest run test/conformance/checks-page.test.ts\` writes it anew. Do not edit it.

A set of checks has a version for each protocol and side, which each report states. \`--set pi@1\` runs the checks of a version: without
those that came later, and with the levels of then. A check whose words changed is always the present one: what it asked before was wrong.`;

/** The page, newest versions first. */
export function renderChangelogPage(sets: readonly CheckSet[]): string {
  const parts = sets.flatMap(({ protocol, side, history = [] }) =>
    history
      .toReversed()
      .flatMap((change) => [`## ${protocol} ${side}s, version ${change.version}`, ...changeParts(change)]),
  );
  return `${[introduction, ...parts].join('\n\n')}\n`;
}

function changeParts({ why, added, were = {}, reworded }: SetChange): string[] {
  const listed = (title: string, ids: readonly string[] | undefined) =>
    ids === undefined ? [] : [`${title}: ${ids.map((id) => `\`${id}\``).join(', ')}.`];
  return [
    `The set ${why}.`,
    ...listed('New', added),
    ...listed('No MUST any more', were.MUST),
    ...listed('No SHOULD any more', were.SHOULD),
    ...listed('Other words', reworded),
  ];
}
