// Chooses the agent behind `patchbay-pi` and applies pi's command line to it.
import { protocolOf } from '../../../adapters/protocols.ts';
import type { AgentConfig } from '../../../config/agent-config.ts';
import type { Capabilities } from '../../../core/contract/adapter/adapter.ts';
import type { Command } from '../../../core/model/command.ts';
import {
  type Chosen,
  findAgent,
  listOf,
  type StandIn,
  type Surroundings,
  startAgent,
  withAgent,
} from '../chosen-agent.ts';
import { modelWish, type PiArgv } from './argv.ts';

const standIn: StandIn = { program: 'patchbay-pi', instead: 'pi' };

/** Throws `invalid` or `not-found` with advice for the user. */
export function chooseAgent(argv: PiArgv, surroundings: Surroundings): Chosen {
  const { config, name, agent, remarks } = findAgent(standIn, argv.values, surroundings);
  const applied = tellAgent(argv, name, agent);
  return {
    config: withAgent(config, name, applied.agent),
    name,
    opening: agent.command === undefined ? applied.opening : [startAgent, ...applied.opening],
    remarks: [...remarks, ...applied.remarks],
  };
}

interface AppliedFlags {
  readonly agent: AgentConfig;
  readonly opening: readonly Command[];
  readonly remarks: readonly string[];
}

function tellAgent(argv: PiArgv, name: string, agent: AgentConfig): AppliedFlags {
  const { command, protocol } = agent;
  if (command !== undefined && protocol === 'pi') {
    // Appended to the agent's own options: for pi the last one of several counts.
    return { agent: { ...agent, command: [...command, ...inRpcMode(argv, argv.words)] }, opening: [], remarks: [] };
  }
  if (command !== undefined && protocol === 'pi-legacy') {
    const passedOn = argv.given.filter((flag) => flag.legacy).flatMap((flag) => flag.words);
    const unused = argv.given.filter((flag) => !flag.legacy && !flag.idle).map((flag) => flag.name);
    const remarks = unused.length === 0 ? [] : [`a legacy pi does not know ${listOf(unused)}`];
    return { agent: { ...agent, command: [...command, ...inRpcMode(argv, passedOn)] }, opening: [], remarks };
  }
  return { agent, ...ask(argv, name, protocolOf(protocol).can) };
}

function inRpcMode({ values }: PiArgv, words: readonly string[]): readonly string[] {
  return values.has('--mode') ? words : ['--mode', 'rpc', ...words];
}

/** Translates pi's options into commands for an agent of another protocol. */
function ask(argv: PiArgv, name: string, can: Capabilities): Pick<AppliedFlags, 'opening' | 'remarks'> {
  const opening: Command[] = [];
  const used = new Set<string>();
  const offer = (command: Command, ...flags: string[]) => {
    if (!can.commands.includes(command.type)) return;
    opening.push(command);
    for (const flag of flags) used.add(flag);
  };
  const { provider, model, thinking } = modelWish(argv);
  if (model !== undefined)
    offer({ type: 'set-model', model, ...(provider === undefined ? {} : { provider }) }, '--model', '--provider');
  if (thinking !== undefined) offer({ type: 'set-thinking', level: thinking }, '--thinking');
  const session = argv.values.get('--session');
  if (session !== undefined) offer({ type: 'switch-session', path: session }, '--session');
  const unused = argv.given.filter((flag) => !flag.idle && !used.has(flag.name)).map((flag) => flag.name);
  return { opening, remarks: unused.length === 0 ? [] : [`the agent ${name} does not take ${listOf(unused)}`] };
}
