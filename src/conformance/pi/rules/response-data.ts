// Rules on the data of responses, by command (docs/protocols/pi.md 5).
import type { Rule } from '../../check/rule.ts';
import { fields, misfit, orNull, type Shape } from '../../check/shape.ts';
import { type PiView, succeeded } from '../view/view.ts';

type PiRule = Rule<PiView>;

const model = fields({ id: 'string', provider: 'string' });
const cancelled = fields({ cancelled: 'boolean' });

interface Data {
  readonly command: string;
  readonly sentence: string;
  readonly scenarios: readonly string[];
  readonly shape: Shape;
}

/** Required fields of each response. A field that ends in `?` is optional: pi omits what it does not have. */
const shapes: readonly Data[] = [
  {
    command: 'get_state',
    sentence: 'get_state tells model, thinking level, modes, session and counts.',
    scenarios: ['state', 'text'],
    shape: fields({
      'model?': model,
      thinkingLevel: 'string',
      isStreaming: 'boolean',
      isCompacting: 'boolean',
      steeringMode: 'string',
      followUpMode: 'string',
      'sessionFile?': 'string',
      sessionId: 'string',
      'sessionName?': 'string',
      autoCompactionEnabled: 'boolean',
      messageCount: 'number',
      pendingMessageCount: 'number',
    }),
  },
  {
    command: 'get_messages',
    sentence: 'get_messages tells a list of messages.',
    scenarios: ['text'],
    shape: fields({ messages: [fields({ role: 'string' })] }),
  },
  {
    command: 'set_model',
    sentence: 'set_model answers with the full model.',
    scenarios: ['state'],
    shape: model,
  },
  {
    command: 'cycle_model',
    sentence: 'cycle_model answers with the model, the thinking level and whether models are scoped, or with null.',
    scenarios: ['state'],
    shape: orNull(fields({ model, thinkingLevel: 'string', isScoped: 'boolean' })),
  },
  {
    command: 'get_available_models',
    sentence: 'get_available_models tells a list of models.',
    scenarios: ['state'],
    shape: fields({ models: [model] }),
  },
  {
    command: 'cycle_thinking_level',
    sentence: 'cycle_thinking_level answers with the level, or with null.',
    scenarios: ['state'],
    shape: orNull(fields({ level: 'string' })),
  },
  {
    command: 'compact',
    sentence: 'compact answers with the summary, the first entry that was kept and the tokens before.',
    scenarios: ['compact'],
    shape: fields({ summary: 'string', firstKeptEntryId: 'string', tokensBefore: 'number' }),
  },
  {
    command: 'get_session_stats',
    sentence: 'get_session_stats tells the session, counts of messages and tools, tokens and cost.',
    scenarios: ['text', 'tool'],
    shape: fields({
      'sessionFile?': 'string',
      sessionId: 'string',
      userMessages: 'number',
      assistantMessages: 'number',
      toolCalls: 'number',
      toolResults: 'number',
      totalMessages: 'number',
      tokens: fields({
        input: orNull('number'),
        output: orNull('number'),
        cacheRead: orNull('number'),
        cacheWrite: orNull('number'),
        total: orNull('number'),
      }),
      // JSON has null for the price of a model without prices.
      cost: orNull('number'),
    }),
  },
  {
    command: 'export_html',
    sentence: 'export_html answers with the path.',
    scenarios: ['sessions'],
    shape: fields({ path: 'string' }),
  },
  {
    command: 'new_session',
    sentence: 'new_session says whether it was cancelled.',
    scenarios: ['sessions'],
    shape: cancelled,
  },
  {
    command: 'switch_session',
    sentence: 'switch_session says whether it was cancelled.',
    scenarios: ['sessions'],
    shape: cancelled,
  },
  {
    command: 'fork',
    sentence: 'fork answers with the text of the message that was cut off, and says whether it was cancelled.',
    scenarios: ['sessions'],
    shape: fields({ text: 'string', cancelled: 'boolean' }),
  },
  {
    command: 'get_fork_messages',
    sentence: 'get_fork_messages tells the user messages, each with its entry.',
    scenarios: ['sessions'],
    shape: fields({ messages: [fields({ entryId: 'string', text: 'string' })] }),
  },
  {
    command: 'get_last_assistant_text',
    sentence: 'get_last_assistant_text tells a text, or none where there is none.',
    scenarios: ['text'],
    shape: fields({ 'text?': orNull('string') }),
  },
  {
    command: 'get_commands',
    sentence: 'get_commands tells a list of commands, each with name and source.',
    scenarios: ['state'],
    shape: fields({ commands: [fields({ name: 'string', 'description?': 'string', source: 'string' })] }),
  },
];

/** One rule for each shape. */
export const dataRules: readonly PiRule[] = [
  ...shapes.map(
    ({ command, sentence, scenarios, shape }): PiRule => ({
      id: `pi/${command.replaceAll('_', '-')}-data`,
      reads: 'both',
      section: command,
      level: 'MUST',
      basis: 'specification',
      sentence,
      covers: [`command:${command}`],
      scenarios,
      *judge(view) {
        for (const { answer } of succeeded(view, command))
          yield { frame: answer.frame, wrong: misfit(answer.json.data, shape) };
      },
    }),
  ),
  {
    id: 'pi/bash-data',
    reads: 'both',
    section: 'bash',
    level: 'MUST',
    basis: 'specification',
    sentence: 'bash answers with the exit code where there is one, and whether it was cancelled or cut short.',
    covers: ['command:bash'],
    scenarios: ['shell'],
    *judge(view) {
      const shape = fields({ 'exitCode?': orNull('number'), cancelled: 'boolean', truncated: 'boolean' });
      for (const { answer } of succeeded(view, 'bash'))
        yield { frame: answer.frame, wrong: misfit(answer.json.data, shape) };
    },
  },
  {
    id: 'pi/bash-output',
    reads: 'both',
    section: 'bash',
    level: 'SHOULD',
    basis: 'measured',
    sentence:
      'bash answers with what the command said, in output (the stdout and stderr of the text were never on the wire).',
    covers: ['command:bash'],
    scenarios: ['shell'],
    *judge(view) {
      for (const { answer } of succeeded(view, 'bash'))
        yield { frame: answer.frame, wrong: misfit(answer.json.data, fields({ output: 'string' })) };
    },
  },
  {
    id: 'pi/bash-streams',
    reads: 'both',
    section: 'bash',
    level: 'MAY',
    basis: 'specification',
    sentence: 'bash answers with stdout, stderr and signal.',
    covers: ['command:bash'],
    scenarios: ['shell'],
    *judge(view) {
      const shape = fields({ stdout: 'string', stderr: 'string', signal: orNull('string') });
      for (const { answer } of succeeded(view, 'bash'))
        yield { frame: answer.frame, wrong: misfit(answer.json.data, shape) };
    },
  },
];
