// A made-up pi: answers the commands of RPC mode and says what a prompt orders, from bytes made ready beforehand, so
// that the reader is what is measured. It blocks while the pipe is full, as a program with plain writes does.
import { createInterface } from 'node:readline';
import type { z } from 'zod';
import { closingLines, deltaLine, openingLines, sampledDeltas } from '../workloads.ts';
import { type Order, orderIn } from './order.ts';
import { bytesOf, sleep, write } from './out.ts';
import { answerTo } from './pi-answers.ts';

type Plan = z.output<typeof Order>;

/** Lines of all turns but the first begin without the run, lines of all but the last end without it. */
const isOfRun = (line: string) => /^\{"type":"agent_/u.test(line);

const samples = new Map<string, { said: Buffer; text: string }>();

function sampleFor({ dialect, bytes, sample }: Plan): { said: Buffer; text: string } {
  const key = `${dialect} ${bytes} ${sample}`;
  const known = samples.get(key);
  if (known !== undefined) return known;
  const { lines, deltas } = sampledDeltas(dialect, bytes, sample);
  const made = { said: bytesOf(lines), text: deltas.join('') };
  samples.set(key, made);
  return made;
}

function say(plan: Plan): void {
  const { dialect, plays, messages } = plan;
  for (let message = 0; message < messages; message += 1) {
    const isFirst = message === 0;
    const isLast = message === messages - 1;
    write(bytesOf(openingLines(dialect).filter((line) => isFirst || !isOfRun(line))));
    const text = plan.perSecond === undefined ? burst(plan, plays) : paced(plan, plan.perSecond);
    write(bytesOf(closingLines(dialect, text).filter((line) => isLast || !isOfRun(line))));
  }
}

function burst(plan: Plan, plays: number): string {
  const { said, text } = sampleFor(plan);
  for (let play = 0; play < plays; play += 1) write(said);
  return text.repeat(plays);
}

/** Each line is stamped right before it is written, so a sleep that is too long falsifies nothing. */
function paced({ dialect, sample, padding }: Plan, perSecond: number): string {
  const filler = 'x'.repeat(padding);
  let text = '';
  const start = performance.now();
  for (let number = 0; number < sample; number += 1) {
    const wait = start + (number * 1000) / perSecond - performance.now();
    if (wait > 0) sleep(wait);
    const delta = `${process.hrtime.bigint()} ${filler}`;
    text += delta;
    write(bytesOf([deltaLine(dialect, delta, text)]));
  }
  return text;
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { answer, prompt } = answerTo(line);
    write(bytesOf([answer]));
    const plan = prompt === null ? null : orderIn(prompt);
    if (plan !== null) say(plan);
  })
  .on('close', () => process.exit(0));
