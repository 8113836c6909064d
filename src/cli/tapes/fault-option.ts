// The options of all commands that make faults: `--fault`, `--seed`.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../../core/model/errors.ts';
import { parseFault } from '../../faults/grammar.ts';
import { type FaultRule, kindNames, kinds } from '../../faults/rule.ts';

/** The parsed options. */
export interface FaultOptions {
  readonly fault?: readonly FaultRule[];
  readonly seed?: number;
}

/** Seeds are below this. */
const seeds = 2 ** 32;

/** `--fault` and `--seed`, for `command`. */
export function addFaultOptions(command: Command): Command {
  const fault = new Option('--fault <fault>', 'a fault; may be repeated').argParser(
    (text: string, before: readonly FaultRule[] | undefined) => [...(before ?? []), ruleOf(text)],
  );
  return command
    .addOption(fault)
    .option('--seed <n>', 'what chance depends on; default: a new one, which is told', seedOf);
}

/** The seed that was asked for, or a new one. */
export function chosenSeed({ seed }: FaultOptions): number {
  // No secret, so Node's cryptography need not be loaded at each start for it.
  return seed ?? Math.floor(Math.random() * seeds);
}

function ruleOf(text: string): FaultRule {
  try {
    return parseFault(text);
  } catch (thrown) {
    throw new InvalidArgumentError(messageOf(thrown));
  }
}

function seedOf(text: string): number {
  if (!/^\d{1,10}$/u.test(text) || Number(text) >= seeds) {
    throw new InvalidArgumentError(`must be a whole number below ${seeds}`);
  }
  return Number(text);
}

/** The grammar and all kinds, for the help. */
export const faultHelp = `
A fault is: kind [argument] [@ where] [x count] [p probability] [on in|out]
${kindNames.map((name) => `  ${kinds[name].says}`).join('\n')}
Where, counted for each direction: @12  @12-20  @every 5  @type=T  @after type=T  @byte 4096  @t=3s
x: at most so often. p: with that chance, by --seed. on: in is towards the agent, out (the default) comes from it.`;
