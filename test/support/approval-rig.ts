// The real pi with our extension, behind `patchbay serve`: each tool waits for leave. What ran is seen in the folder of
// the project and in what the model is told next. Knows no client.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Block, Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { type GatewayServer, startServerWith } from './gateway.ts';
import { makePiHome, type PiHome, piCommand } from './pi-rig.ts';

/** The extension as it is shipped. */
export const extension = fileURLToPath(new URL('../../dist/extensions/pi-approvals.js', import.meta.url));

/** Leaves a trace where it runs. */
export const traceCommand = (name: string): string => `echo made > ${name}.txt; echo ${name} was made`;

const bash = (command: string): Block => ({ type: 'tool_use', name: 'bash', deltas: [JSON.stringify({ command })] });
const text = (words: string): Block => ({ type: 'text', deltas: [words] });

/** `[[trace]] one` makes one.txt; `[[traces]] two three` makes two.txt and three.txt, in one message. */
const scenarios: ReadonlyMap<string, Scenario> = new Map<string, Scenario>(
  ['trace', 'traces'].map((name) => [
    name,
    (prompt) => [
      { blocks: [text('May I?'), ...namesIn(prompt.text).map((one) => bash(traceCommand(one)))] },
      { blocks: [text('So much for that.')] },
    ],
  ]),
);

function namesIn(prompt: string): string[] {
  return prompt
    .replace(/^.*\]\]/su, '')
    .trim()
    .split(/\s+/u);
}

const ToolResult = z.looseObject({ type: z.literal('tool_result'), is_error: z.boolean().optional() });

/** What the model was told of a tool. */
export interface Told {
  readonly isError: boolean;
  readonly text: string;
}

/** A pi that asks. */
export interface ApprovalRig {
  readonly home: PiHome;
  readonly fake: FakeAnthropic;
  readonly server: GatewayServer;
  /** The configuration that names this pi as its only agent. */
  readonly config: string;
  /** Whether that tool has run. */
  hasMade(name: string): boolean;
  /** The results that the model got for the tools of that prompt. */
  told(prompt: string): Promise<Told[]>;
  close(): Promise<void>;
}

/** `env`: for pi. */
export async function startApprovalRig(
  options: { questionMs?: number; env?: Record<string, string> } = {},
): Promise<ApprovalRig> {
  const fake = await startFakeAnthropic({ scenarios });
  const home = makePiHome({ baseUrl: fake.url });
  const { argv, env } = piCommand(home, ['-e', extension]);
  const agents = { pi: { protocol: 'pi', command: argv, cwd: home.project, env: { ...env, ...options.env } } };
  const limits = options.questionMs === undefined ? {} : { questionMs: options.questionMs };
  const config = join(home.dir, 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents, limits }));
  const server = await startServerWith(config);
  return {
    home,
    fake,
    server,
    config,
    hasMade: (name) => existsSync(join(home.project, `${name}.txt`)),
    async told(prompt) {
      const asks = (request: { prompt: { text: string }; step: number }) => request.prompt.text.includes(prompt);
      const { body } = await fake.until((request) => asks(request) && request.step === 1, `the results of ${prompt}`);
      const content = body.messages.at(-1)?.content ?? [];
      return (typeof content === 'string' ? [] : content).flatMap((block) => {
        const result = ToolResult.safeParse(block).data;
        return result === undefined
          ? []
          : [{ isError: result.is_error === true, text: JSON.stringify(result.content) }];
      });
    },
    async close() {
      await server.close();
      await fake.close();
      home.remove();
    },
  };
}
