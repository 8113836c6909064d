// The body of a request to the API.
import type { Dictionary } from '../../core/model/content.ts';
import type { History } from './history.ts';
import type { AnthropicOptions } from './options.ts';
import type { Settings } from './session-settings.ts';
import { thinkingFields } from './thinking.ts';

/** Requests the next message of the conversation. Offers no tools. */
export function requestBody(
  { cache, system }: AnthropicOptions,
  { model, thinking, maxTokens }: Settings,
  history: History,
): Dictionary {
  return {
    model: model.id,
    max_tokens: maxTokens,
    stream: true,
    ...(cache ? { cache_control: { type: 'ephemeral' } } : {}),
    ...(system === undefined ? {} : { system }),
    ...thinkingFields(thinking, model, maxTokens),
    messages: history.messages(model.id),
  };
}
