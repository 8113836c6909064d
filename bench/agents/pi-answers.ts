// How a made-up pi answers the commands of RPC mode.
import { z } from 'zod';

const model = {
  id: 'patch-large',
  name: 'Patch Large',
  api: 'acme-messages',
  provider: 'acme',
  reasoning: true,
  contextWindow: 200_000,
  maxTokens: 16_000,
};

/** What each command is answered with; the rest gets no data. */
const answers: ReadonlyMap<string, object> = new Map<string, object>([
  [
    'get_state',
    {
      model,
      thinkingLevel: 'medium',
      isStreaming: false,
      isCompacting: false,
      steeringMode: 'all',
      followUpMode: 'all',
      sessionId: 'bench',
      autoCompactionEnabled: true,
      messageCount: 0,
    },
  ],
  ['get_available_models', { models: [model] }],
  ['get_available_thinking_levels', { levels: ['off', 'medium'] }],
  ['get_commands', { commands: [] }],
  ['get_session_stats', {}],
  ['new_session', { cancelled: false }],
]);

const Command = z.looseObject({ id: z.string().optional(), type: z.string(), message: z.string().optional() });

/** The answer to a command, and the words of a prompt; null for any other command. */
export function answerTo(line: string): { readonly answer: string; readonly prompt: string | null } {
  const { id, type, message = null } = Command.parse(JSON.parse(line));
  const answer = JSON.stringify({ id, type: 'response', command: type, success: true, data: answers.get(type) });
  return { answer, prompt: type === 'prompt' ? message : null };
}
