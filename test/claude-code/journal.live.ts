// The real Claude Code behind `patchbay serve` with a journal that is killed in a text, in a tool and in a permission: clients go
// on where they were, and the agent goes on with its own session (decision 0027).
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { type ClaudeHome, claudeCommand, makeClaudeHome } from '../support/claude-code-rig.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { goOn, isOver, killIn, listen, type OpenRun, post } from '../support/restarted-gateway.ts';
import { claudeScenarios } from './scenarios.ts';

const found = inject('claudeCode');

/** `more`: arguments of Claude Code. */
const moments: Record<string, Pick<OpenRun, 'prompt' | 'shownBy'> & { readonly more?: readonly string[] }> = {
  'a text': { prompt: '[[abort-text]] and on', shownBy: /"text_delta"/u },
  'a tool': {
    prompt: '[[cc-abort-tool]] and on',
    shownBy: /"tool_execution_start"/u,
    more: ['--allowedTools', 'Bash'],
  },
  'a permission': { prompt: '[[cc-write]] may I?', shownBy: /"extension_ui_request"/u },
};

describe.skipIf('reason' in found)('killed with Claude Code in', () => {
  let fake: FakeAnthropic;
  let home: ClaudeHome;
  const servers: GatewayServer[] = [];
  beforeAll(async () => {
    fake = await startFakeAnthropic({ scenarios: claudeScenarios });
    home = makeClaudeHome({ binary: 'binary' in found ? found.binary : '', baseUrl: fake.url });
  });
  afterEach(() => {
    for (const { child } of servers.splice(0)) child.kill('SIGKILL');
  });
  afterAll(async () => {
    await fake.close();
    home.remove();
  });

  test.each(Object.entries(moments))('%s', { timeout: 90_000 }, async (name, { more = [], ...moment }) => {
    const config = join(home.dir, 'patchbay.json');
    const claude = { protocol: 'claude', command: claudeCommand(home, { more }), cwd: home.project };
    writeFileSync(
      config,
      JSON.stringify({ agents: { claude }, defaultAgent: 'claude', journal: join(home.dir, `journal of ${name}`) }),
    );
    const restart = async () => {
      const server = await startServerWith(config);
      servers.push(server);
      return server;
    };
    const first = await restart();
    const session = await first.createSession();
    const teller = listen(first, session, 'sse', 'pi');
    await post(first, session, 'pi', { type: 'prompt', message: '[[text]] my number is 4711' });
    await teller.until((heard) => heard.some(isOver), 'the first run');
    teller.connection.end();

    const { next, clients } = await killIn([{ ...moment, session, isNew: false }], first, restart);
    for (const one of clients) await goOn(next, one);

    const client = listen(next, session, 'sse', 'pi');
    await client.until((heard) => heard.some(({ cursor }) => cursor !== null), 'the conversation');
    const from = client.heard.length;
    const question = `[[text]] which was it after ${name}?`;
    await post(next, session, 'pi', { type: 'prompt', message: question });
    await client.until((heard) => heard.slice(from).some(isOver), 'the end of the next run');
    client.connection.end();
    const asked = fake.requests.find(({ body }) => JSON.stringify(body.messages.at(-1)).includes(question));
    expect(JSON.stringify(asked?.body.messages)).toContain('4711');
    expect(existsSync(join(home.project, 'out.txt'))).toBe(false);
    await next.close();
  });
});
