// Checks of the server's exit: when the editor asks for it, and when the editor's process ends (docs/protocols/eca.md
// 8.1, 6.1).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { NotApplicable } from '../check/check.ts';
import { type EcaCheck, greeting } from './context.ts';

/** Checks on the exit. */
export const exitChecks: readonly EcaCheck[] = [
  {
    id: 'eca/exit-ends',
    section: 'Exit',
    level: 'MUST',
    basis: 'specification',
    sentence: 'After shutdown `exit` ends the process, and so the connection.',
    covers: ['notification:exit'],
    input: 'shutdown, exit',
    expected: 'the connection ends',
    needs: { exclusive: true },
    async run(context) {
      if (context.hasOneChat) throw new NotApplicable('a stream of events is not ended by what is posted');
      const editor = await context.editor();
      await context.prepare(() => editor.ask('shutdown'));
      editor.notify('exit');
      await editor.connection.until('end of the connection', () => editor.connection.ended ?? undefined);
    },
  },
  {
    id: 'eca/parent-process',
    section: 'Initialize',
    level: 'SHOULD',
    basis: 'specification',
    sentence: 'When the process that initialize names is no longer alive the server exits.',
    covers: ['request:initialize'],
    input: 'initialize with the processId of a program, which is ended then',
    expected: 'the process ends',
    needs: { transport: 'stdio', exclusive: true },
    async run({ connect, prepare, tools }) {
      const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' });
      const end = once(parent, 'exit');
      tools.atEnd(async () => void parent.kill('SIGKILL'));
      const editor = await connect();
      await prepare(() => editor.ask('initialize', greeting({ processId: parent.pid })));
      parent.kill('SIGKILL');
      await end;
      await tools.exit();
    },
  },
];
