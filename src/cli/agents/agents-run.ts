// Carries out `patchbay agents`. agents.ts declares the options, and loads this file when the command runs.
import { protocolOf, protocols } from '../../adapters/protocols.ts';
import { loadConfig } from '../../config/config.ts';

/** The parsed options. */
export interface AgentsOptions {
  readonly config?: string;
  readonly json?: boolean;
}

/** Prints the agents and protocols to stdout, as text or JSON. */
export function listAgents(options: AgentsOptions): void {
  process.stdout.write(options.json === true ? asJson(options) : asText(options));
}

function describe(options: AgentsOptions) {
  const config = loadConfig(options.config);
  const agents = Object.entries(config.agents).map(([name, agent]) => ({
    name,
    protocol: agent.protocol,
    isDefault: name === config.defaultAgent,
    where: agent.url ?? agent.command?.join(' ') ?? agent.file ?? 'built in',
    commands: protocolOf(agent.protocol).can.commands,
  }));
  const spoken = [...protocols.values()].map(({ protocol, client, agent }) => ({
    id: protocol.id,
    title: protocol.title,
    asClient: client !== undefined,
    asAgent: agent !== undefined,
  }));
  return { agents, protocols: spoken };
}

function asJson(options: AgentsOptions): string {
  return `${JSON.stringify(describe(options), null, 2)}\n`;
}

function asText(options: AgentsOptions): string {
  const { agents, protocols } = describe(options);
  const lines = ['Agents'];
  for (const agent of agents) {
    lines.push(
      `  ${agent.name.padEnd(14)} ${agent.protocol.padEnd(12)} ${agent.where}${agent.isDefault ? '  (default)' : ''}`,
    );
    lines.push(`  ${' '.repeat(14)} can ${agent.commands.join(', ')}`);
  }
  lines.push('', 'Protocols');
  for (const { id, title, asClient, asAgent } of protocols) {
    const sides = [asClient ? 'clients' : '', asAgent ? 'agents' : ''].filter((side) => side !== '').join(', ');
    lines.push(`  ${id.padEnd(14)} ${sides.padEnd(16)} ${title}`);
  }
  return `${lines.join('\n')}\n`;
}
