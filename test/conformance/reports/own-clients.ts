// Writes the page on our own backends: each is a client of a fake agent in this process.
import type { Result, Verdict } from '../../../src/conformance/check/check.ts';
import { clientSetOf } from '../../../src/conformance/index.ts';
import { levels, type Tally } from '../../../src/conformance/report/report.ts';
import { ownAcpClient } from '../acp/own-client.ts';
import { ownClaudeClient } from '../claude-client/rig.ts';
import { ownEditor } from '../eca/own-editor.ts';
import { ownPiClient } from '../pi-client/client-steps.ts';
import { ownLegacyClient } from '../pi-legacy/client-steps.ts';
import { ownPiServerClient } from '../pi-server-client/rig.ts';
import { explanationOf, levelsOf, madeWith, seconds, tableOf, tallyText, writePage } from './page.ts';

const rigs = {
  pi: ownPiClient,
  'pi-legacy': ownLegacyClient,
  'pi-server': ownPiServerClient,
  claude: ownClaudeClient,
  eca: ownEditor,
  acp: ownAcpClient,
};

/** Runs all behaviours and writes the page. */
export async function makeOwnClients(): Promise<void> {
  const rows: string[][] = [];
  const troubles: string[][] = [];
  const silent: string[] = [];
  const sets = [];
  let [passed, wrong] = [0, 0];
  for (const [protocol, rig] of Object.entries(rigs)) {
    const set = clientSetOf(protocol);
    if (set === undefined) throw new Error(`no checks for clients of ${protocol}`);
    sets.push(set);
    const startedAt = Date.now();
    const results = await rig.run(set, { patienceMs: 15_000 });
    const levelOf = levelsOf(set);
    const tally = (of: readonly Result[]): Tally => {
      const count = (wanted: Verdict) => of.filter(({ verdict }) => verdict === wanted).length;
      return {
        passed: count('passed'),
        failed: count('failed'),
        unclear: count('unclear'),
        'not-applicable': count('not-applicable'),
      };
    };
    const cells = levels.map((level) => tallyText(tally(results.filter(({ id }) => levelOf.get(id) === level))));
    rows.push([protocol, ...cells, seconds(Date.now() - startedAt)]);
    const bad = results.filter(({ verdict }) => verdict === 'failed' || verdict === 'unclear');
    passed += tally(results).passed;
    wrong += bad.length;
    for (const { id, verdict } of bad)
      troubles.push([`\`${id}\``, levelOf.get(id) ?? '', verdict, explanationOf('own-clients', id)]);
    const quiet = results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [`\`${id}\``] : []));
    if (quiet.length > 0) silent.push(`- ${protocol}: ${quiet.join(', ')}`);
  }
  writePage('own-clients.md', [
    '# Our own backends',
    'Patchbay as a client of each protocol, through which its own clients reach such an agent. The agent is the one that `--as client` plays; our side has the words of an ordinary session: prompts, settings, answers to all that is asked.',
    `**${passed} checks passed, ${wrong} did not.**`,
    tableOf(['protocol', 'MUST', 'SHOULD', 'MAY', 'time'], rows),
    ...(troubles.length === 0 ? [] : [tableOf(['check', 'level', 'verdict', 'explanation'], troubles)]),
    'There is no row for `rpc-message`: we have no backend of that dialect.',
    ...(silent.length === 0
      ? []
      : ['“n. a.”, for our backend never does it, or was not led there in these sessions:', silent.join('\n')]),
    madeWith(sets),
  ]);
}
