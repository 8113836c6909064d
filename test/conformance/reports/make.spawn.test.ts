// Makes the kept reports anew: `UPDATE=reports`. Takes some minutes, real programs and the corpus; see
// docs/conformance/reports/README.md.
import { test } from 'vitest';

test.runIf(process.env.UPDATE === 'reports')(
  'the reports are made (with UPDATE=reports alone)',
  { timeout: 1_800_000 },
  async () => {
    // Imported here only: the makers need real programs and the corpus.
    const { makeReports } = await import('./make.ts');
    await makeReports(process.env.PATCHBAY_REPORTS ?? '*');
  },
);
