// The blocks of prompts that the Messages API has (docs/protocols/claude.md 3.3), for clients of claude and of rpc-message.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { base64Fault } from '../../check/base64.ts';

const blocks: ReadonlySet<unknown> = new Set([
  ...['text', 'image', 'document', 'search_result', 'thinking', 'redacted_thinking', 'container_upload'],
  ...['tool_use', 'tool_result', 'server_tool_use', 'web_search_tool_result', 'web_fetch_tool_result'],
  ...['code_execution_tool_result', 'bash_code_execution_tool_result', 'text_editor_code_execution_tool_result'],
  ...['mcp_tool_use', 'mcp_tool_result', 'tool_reference'],
]);
const sources: ReadonlySet<unknown> = new Set(['base64', 'url', 'file', 'text', 'content']);
const pictures: ReadonlySet<unknown> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** The part of a block that the Messages API does not know; null if the API knows all of the block. Other rules judge a block without a type. */
export function unknownInBlock(block: unknown): string | null {
  const { type, source } = dictionaryOf(block);
  if (typeof type !== 'string') return null;
  if (!blocks.has(type)) return `nobody knows blocks of type ${JSON.stringify(type)}`;
  if (source === undefined) return null;
  const { type: kind, media_type: media, data } = dictionaryOf(source);
  if (!sources.has(kind)) return `nobody knows sources of type ${JSON.stringify(kind)}`;
  if (kind !== 'base64') return null;
  if (type === 'image' && !pictures.has(media)) return `the picture is ${JSON.stringify(media)}`;
  return typeof data === 'string' ? base64Fault(data) : 'the data are no text';
}
