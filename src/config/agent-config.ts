// The schema of an agent in patchbay.json.
import { z } from 'zod';
import { noProtocol, protocols, protocolsOf } from '../adapters/protocols.ts';
import { messageOf } from '../core/model/errors.ts';
import { parseFault } from '../faults/grammar.ts';

/** The protocol of an agent that is a tape. Whatever protocol the tape holds takes its place. */
const replay = 'replay';

function isFault(text: string, context: z.RefinementCtx): void {
  try {
    parseFault(text);
  } catch (thrown) {
    context.addIssue({ code: 'custom', message: messageOf(thrown), input: text });
  }
}

/** An agent: its protocol, and a program to start or an address to connect to. */
export const AgentConfig = z
  .strictObject({
    protocol: z
      .string()
      .refine((id) => id === replay || protocols.get(id)?.agent !== undefined, {
        error: ({ input }) => noProtocol(String(input), 'agent'),
      })
      .meta({
        description: 'The protocol that the agent speaks, e.g. pi or claude.',
        enum: [...protocolsOf('agent'), replay],
      }),
    command: z
      .tuple([z.string().min(1)], z.string())
      .optional()
      .describe('The program and its arguments, one word each; no shell reads them.'),
    url: z
      .string()
      .regex(/^(?:ws|http)s?:\/\//u, 'must start with ws://, wss://, http:// or https://')
      .optional()
      .describe(
        'The address of an agent that runs elsewhere: of its WebSocket, or of its stream of server-sent events. An agent has a command or a url.',
      ),
    sendUrl: z
      .string()
      .regex(/^https?:\/\//u, 'must start with http:// or https://')
      .optional()
      .describe('Where frames are posted to an agent whose url is a stream of server-sent events.'),
    tokenVariable: z
      .string()
      .optional()
      .describe('The environment variable that holds the bearer token for url and sendUrl.'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe('The tape of an agent with the protocol replay, which speaks the protocol of its tape.'),
    speed: z
      .union([z.number().positive(), z.literal('max')])
      .optional()
      .describe('How many times faster the tape is played than it was recorded. Default 1.'),
    faults: z
      .array(z.string().superRefine(isFault))
      .optional()
      .describe('What goes wrong between the gateway and the tape, e.g. "drop p0.01": docs/guides/chaos.md.'),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1)
      .optional()
      .describe('What chance in faults depends on. Each session of the agent has chances of its own. Default 0.'),
    cwd: z.string().optional().describe('The working directory of the program.'),
    env: z
      .record(z.string(), z.string())
      .optional()
      .describe("Variables for the program, added to the gateway's own environment."),
    options: z.record(z.string(), z.unknown()).optional().describe('Options of the protocol.'),
    title: z.string().optional().describe('What lists call the agent.'),
  })
  .refine(
    (agent) => agent.command === undefined || agent.url === undefined,
    'an agent has a command or a url, not both',
  )
  .refine(
    ({ protocol, file, command, url }) =>
      (protocol === replay) === (file !== undefined) && (file === undefined || (command ?? url) === undefined),
    'the protocol replay and a file belong together, without a command and a url',
  )
  .refine(
    ({ protocol, faults, seed }) => protocol === replay || (faults === undefined && seed === undefined),
    'faults and seed belong to the protocol replay; for a program, put patchbay chaos in front of its command',
  )
  .refine(
    (agent) => (agent.sendUrl !== undefined) === (agent.url?.startsWith('http') ?? false),
    'an http:// or https:// url and a sendUrl belong together',
  );
export type AgentConfig = z.infer<typeof AgentConfig>;
