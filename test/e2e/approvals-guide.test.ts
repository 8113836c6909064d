// docs/guides/approvals.md: its program runs as it stands, but for the paths, its configurations are accepted, and the
// extension lies where it says.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../src/config/config.ts';
import { type ApprovalRig, startApprovalRig, traceCommand } from '../support/approval-rig.ts';

// pi takes seconds to start on a machine that has other work.
vi.setConfig({ testTimeout: 60_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/approvals.md'), 'utf8');
const installed = 'node_modules/agent-patchbay/';

const fences = (language: string) =>
  [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/gu)].flatMap((found) => (found[1] === language ? [found[2] ?? ''] : []));

let rig: ApprovalRig;
let folder: string;
beforeAll(async () => {
  rig = await startApprovalRig();
  // Inside the project, so that the packages are found.
  folder = mkdtempSync(join(root, 'node_modules', '.guide-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await rig?.close();
});

test('its configurations, and where the extension lies', () => {
  const [pi, deadline] = fences('json').map((code) => parseConfig(JSON.parse(code)));
  expect(pi?.defaultAgent).toBe('pi');
  const path = pi?.agents.pi?.command?.at(-1) ?? '';
  expect(path.startsWith(installed)).toBe(true);
  expect(existsSync(join(root, path.slice(installed.length)))).toBe(true);
  expect(
    z.array(z.string()).parse(Reflect.get(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')), 'files')),
  ).toContain('dist');
  expect(deadline?.limits.questionMs).toBe(60_000);
});

test('its program', async () => {
  const [code = '', ...others] = fences('js');
  expect(others).toEqual([]);
  const file = join(folder, 'guide.mjs');
  writeFileSync(file, code.replace(installed, root).replace('leave a trace', '[[trace]] guided'));
  const printed = await new Promise<string>((resolve, reject) => {
    const env = { ...process.env, PATCHBAY_AGENT: '', PATCHBAY_CONFIG: rig.config, XDG_STATE_HOME: folder };
    execFile(process.execPath, [file], { timeout: 50_000, cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
    });
  });
  expect(printed).toBe(`may I bash ${JSON.stringify({ command: traceCommand('guided') })}\nSo much for that.\n`);
  expect(rig.hasMade('guided')).toBe(false);
  expect(await rig.told('guided')).toEqual([
    { isError: true, text: expect.stringContaining('Denied: look, but do not touch') },
  ]);
});
