// A9: how soon the client of an ACP agent is told that the agent has died.
import { type AcpSession, madeUpAcp, startAcp } from '../clients.ts';
import { patchbay } from '../processes.ts';
import { atMost, type Family, type Figure, short, WrongResult } from '../report.ts';
import { interleave, median } from '../rounds.ts';

/** Where the agent is killed, and what the client hears then. */
const places = {
  text: '"text":"pid ',
  tool: '"status":"in_progress"',
  question: '"method":"session/request_permission"',
} as const;
type Place = keyof typeof places;
const names = Object.keys(places) as Place[];

export const agentEnds: Family = {
  rows: ['A9'],
  how:
    'A9: `patchbay stdio --frontend acp` in front of a made-up ACP agent. The agent gets SIGKILL in its text, in a tool, or while it ' +
    'asks for permission; from the signal to the bytes of the error that answers the prompt.',
  async *run(progress) {
    const command = [process.execPath, patchbay, 'stdio', '--frontend', 'acp', '--backend', 'acp', '--'];
    const client = await startAcp([...command, ...madeUpAcp.command], process.cwd(), { stderr: 'ignore' });
    progress('agents that are killed');
    try {
      const side = (place: Place) => () => toldAfter(client, place);
      const sides = { text: side('text'), tool: side('tool'), question: side('question') };
      const costs = await interleave(sides, { rounds: 15, warmUp: 3 });
      yield* names.map(
        (place): Figure => ({
          row: 'A9',
          what: `ACP agent killed in its ${place}: until its prompt is answered`,
          value: median(costs[place]),
          unit: 'ms',
          goal: atMost(100, 'the output of the agent is read to its end first, at most 1 MiB of it.'),
          moonshot: atMost(5),
          detail: `least ${short(Math.min(...costs[place]))} ms, most ${short(Math.max(...costs[place]))} ms`,
        }),
      );
    } finally {
      await client.program.stop();
    }
  },
};

/** ms. The next prompt starts another agent. */
async function toldAfter({ program, prompt }: AcpSession, place: Place): Promise<number> {
  const heard = program.until(places[place]);
  const answer = prompt(`hold ${place}`);
  const pid = Number(/"text":"pid (\d+) "/u.exec(Buffer.concat(await heard).toString())?.[1]);
  if (!Number.isInteger(pid)) throw new WrongResult('the agent has not told its process');
  let last = 0n;
  const answered = program.until(`${answer}"error"`, (_, at) => {
    last = at;
  });
  const began = process.hrtime.bigint();
  process.kill(pid, 'SIGKILL');
  await answered;
  return Number(last - began) / 1e6;
}
