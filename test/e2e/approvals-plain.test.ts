// Our extension in the real pi 0.54.2 without the gateway: whoever speaks to that pi is asked in words that a person can
// read, and where nobody can be asked nothing runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { overStdio } from '../support/approval-clients.ts';
import { type ApprovalRig, extension, startApprovalRig, traceCommand } from '../support/approval-rig.ts';
import type { Client } from '../support/clients.ts';
import { modelId, piCommand } from '../support/pi-rig.ts';

let rig: ApprovalRig;
let client: Client;
beforeAll(async () => {
  rig = await startApprovalRig();
  const { argv, env } = piCommand(rig.home, ['-e', extension]);
  const [program = '', ...words] = argv;
  client = overStdio(program, words, { ...process.env, ...env }, rig.home.project);
});
afterAll(async () => {
  await client?.close();
  await rig?.close();
});

const Dialog = z.looseObject({
  type: z.literal('extension_ui_request'),
  id: z.string(),
  method: z.enum(['select', 'input']),
  title: z.string(),
  options: z.array(z.string()).optional(),
});
const isDialog = (frame: object) => Dialog.safeParse(frame).success;
const isOver = ({ type }: { type: string }) => type === 'agent_end';

type Answer = { value: string } | { cancelled: true };
const made = (name: string) => ({ isError: false, text: expect.stringContaining(`${name} was made`) });
const blocked = (why: string) => () => ({ isError: true, text: expect.stringContaining(why) });

test.each<[name: string, answers: Answer[], told: (name: string) => object]>([
  ['allows', [{ value: 'Allow' }], made],
  ['denies', [{ value: 'Deny' }], blocked('Denied by the user.')],
  ['explains', [{ value: 'Deny and say why' }, { value: 'too late today' }], blocked('Denied: too late today')],
  ['keepsItself', [{ value: 'Deny and say why' }, { cancelled: true }], blocked('Denied by the user.')],
  ['cancels', [{ cancelled: true }], blocked('Denied: the question was cancelled')],
  ['babbles', [{ value: 'Maybe' }], blocked('Denied: the answer was not understood')],
])('a client of pi alone %s', async (name, answers, told) => {
  let from = client.frames.length;
  await client.send({ type: 'prompt', message: `[[trace]] ${name}` });
  for (const answer of answers) {
    const frame = await client.waitFor(isDialog, 'a dialog', from);
    from = client.frames.indexOf(frame) + 1;
    const dialog = Dialog.parse(frame);
    if (dialog.method === 'select') {
      expect(dialog.title).toMatch(/^Allow bash\?\n/u);
      expect(dialog.title).toContain(JSON.stringify({ command: traceCommand(name) }));
      expect(dialog.options).toEqual(['Allow', 'Deny', 'Deny and say why']);
    }
    await client.send({ type: 'extension_ui_response', id: dialog.id, ...answer });
  }
  await client.waitFor(isOver, 'the end of the run', from);
  expect(await rig.told(name)).toEqual([told(name)]);
  expect(rig.hasMade(name)).toBe(name === 'allows');
});

test('without anybody to ask (pi -p) nothing runs', async () => {
  const { argv, env } = piCommand(rig.home);
  const [program = '', ...words] = argv.slice(argv.indexOf('--') + 1, argv.indexOf('--mode'));
  const more = ['--no-session', '--provider', 'fake', '--model', modelId, '-e', extension, '-p', '[[trace]] alone'];
  const child = spawn(program, [...words, ...more], {
    cwd: rig.home.project,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  await once(child, 'exit');
  expect(await rig.told('alone')).toEqual([{ isError: true, text: expect.stringContaining('there is nobody to ask') }]);
  expect(rig.hasMade('alone')).toBe(false);
});
