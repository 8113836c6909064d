// What is lost between each protocol of agents and each of clients, as the page docs/fidelity.md: found by telling every
// scenario, and by comparing what the protocols declare. Knows no protocol.
import type { Adapter } from '../../src/core/contract/adapter/adapter.ts';
import type { Logged } from '../../src/core/model/event.ts';
import { decodeLines, stillEnv } from './decoding.ts';
import { canonicalEvents, hasScenarioFile, pending, scenarioLines, scenarioLosses, scenarioNames } from './fixtures.ts';
import { createLog, tell } from './telling.ts';

const introduction = `# What crosses, and what does not

Made from the scenarios in \`fixtures/scenarios\` and from what the adapters declare; a test fails when this page is out of
date, and \`UPDATE=1 npx vitest run test/fidelity.test.ts\` writes it anew. Do not edit it.

How to read it: each part is one protocol of agents with one of clients.

- **Lost**: what the client's protocol could not say while the scenarios were told, in the words of its loss notes. An
  agent without a file of its own tells the canonical scenarios of which it declares every event.
- **No shape**: events that such an agent may send and such a client cannot be shown.
- **Refused**: what such a client may ask and such an agent does not do.
- **Out of reach**: what such an agent could do and such a client cannot ask.

Opening, loading, listing, deleting and trusting sessions is the gateway's own work, whoever the agent is, and stands in no
part.

The real programs that the tests run: pi 0.13.2 and 0.54.2 (\`npm test\`), pi 0.73.1, 0.87.1 and 1.6.0, the Agent SDK 0.2.100 and
0.3.332, and pi-acp 0.0.34 (\`npm run test:newest\`), and Claude Code 2.1.332 (\`npm run test:claude-code\`); ECA servers and
pi-server are known from recordings alone.
`;

/** What the gateway does by itself. */
const ownCommands: readonly string[] = [
  'create-session',
  'load-session',
  'list-sessions',
  'list-stored-sessions',
  'delete-session',
  'set-trust',
];

/** What an agent of that protocol says in a scenario; null where it has no file of it. */
function logOf(adapter: Adapter, scenario: string): readonly Logged[] | null {
  if (hasScenarioFile(scenario, adapter.id)) return decodeLines(adapter, scenarioLines(scenario, adapter.id)).logged;
  if (pending[`*/${adapter.id}`] === undefined) return null;
  const events = canonicalEvents(scenario);
  if (!events.every(({ type }) => adapter.can.events.includes(type))) return null;
  const log = createLog();
  for (const event of events) log.admit(event);
  log.close();
  return log.logged;
}

/** Losses by their words, each with the scenarios in which it comes. */
function lossesBetween(agent: Adapter, client: Adapter): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const scenario of scenarioNames) {
    const side = client.client?.frontend(stillEnv(), {});
    const logged = logOf(agent, scenario);
    if (side === undefined || logged === null) continue;
    for (const loss of new Set(tell(side, logged).losses)) found.set(loss, [...(found.get(loss) ?? []), scenario]);
  }
  return found;
}

const code = (name: string): string => ['`', name, '`'].join('');

function without(all: readonly string[], known: readonly string[]): string {
  const missing = all.filter((name) => !known.includes(name)).sort();
  return missing.length === 0 ? 'nothing' : missing.map((name) => code(name)).join(', ');
}

/** Instructions are taken by whoever starts the agent, and are no command to its machine. */
function commandsOf({ can, agent }: Adapter): readonly string[] {
  return agent?.withInstructions === undefined ? can.commands : [...can.commands, 'set-instructions'];
}

function part(agent: Adapter, client: Adapter): string {
  const losses = [...lossesBetween(agent, client)].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = losses.map(([loss, scenarios]) => `| ${loss} | ${scenarios.join(', ')} |`);
  return [
    `## ${agent.id} agent, ${client.id} client`,
    '',
    ...(rows.length === 0 ? ['**Lost**: nothing.'] : ['| lost | in |', '|---|---|', ...rows]),
    '',
    `- **No shape**: ${without(agent.can.events, client.can.events)}`,
    `- **Refused**: ${without(client.can.commands, [...commandsOf(agent), ...ownCommands])}`,
    `- **Out of reach**: ${without(agent.can.commands, [...client.can.commands, ...ownCommands])}`,
    '',
  ].join('\n');
}

/** What an agent's own wire leaves out of the scenarios, as losses.json declares it. */
function leftOut(agent: Adapter): string[] {
  return scenarioNames.flatMap((scenario) =>
    Object.entries(scenarioLosses(scenario)[agent.id]?.decode ?? {}).map(
      ([what, why]) => `| ${agent.id} | ${code(what)} | ${why} | ${scenario} |`,
    ),
  );
}

/** The parts of the page, one for each agent with each client, or those that `isWanted`. */
export function fidelityPairs(
  adapters: readonly Adapter[],
  isWanted: (agent: Adapter, client: Adapter) => boolean = () => true,
): string[] {
  const agents = adapters.filter((adapter) => adapter.agent !== undefined);
  const clients = adapters.filter((adapter) => adapter.client !== undefined);
  return agents.flatMap((agent) =>
    clients.filter((client) => isWanted(agent, client)).map((client) => part(agent, client)),
  );
}

/** The whole page. */
export function fidelityPage(adapters: readonly Adapter[]): string {
  const agents = adapters.filter((adapter) => adapter.agent !== undefined);
  const declared = agents.flatMap(leftOut);
  return [
    introduction,
    ...(declared.length === 0
      ? []
      : [
          '## What agents do not say',
          '',
          '| agent | leaves out | because | in |',
          '|---|---|---|---|',
          ...declared,
          '',
        ]),
    ...fidelityPairs(adapters),
  ].join('\n');
}
