// Coverage of the RpcMessage document, for its native form and its rpc-message dialect. The document lacks the control
// protocol and the envelope of requests; their kinds are from docs/protocols/claude.md 3 and rpc-message.md 8.
import type { Coverage, CoverageItem } from '../check/inventory.ts';

const named = (...names: readonly string[]): CoverageItem[] => names.map((name) => ({ name }));
const frame = 'It only holds the sections below it.';
const inside = 'UiStreamEvent never leaves the front end: what becomes of it on the wire is checked by section 4.';

/** Coverage of claude-rpc-message.md. */
export const claudeRpcMessageCoverage: Coverage = {
  document: 'claude-rpc-message.md',
  protocols: ['claude', 'rpc-message'],
  sections: [
    ...named('概述', '1.1', '1.2', '1.3', '1.4', '2.3', '3.2', '3.3', '3.4'),
    ...named('4.1', '4.2', '4.3', '4.4', '5.1', '5.2', '5.3', '6.1', '6.2', '6.3', '6.4', '6.5', '7.1', '7.2'),
    { name: '一、Claude Agent SDK 原生消息格式', reason: frame },
    { name: '二、ai-agent-sdk 中间层：UiStreamEvent', reason: frame },
    { name: '2.1', reason: inside },
    { name: '2.2', reason: inside },
    { name: '三、RPC 消息格式（RpcMessage）', reason: frame },
    { name: '3.1', reason: 'It asks for what 3.2 to 3.4 then spell out: the shapes of the native format.' },
    { name: '四、UiStreamEvent → RpcMessage 转换规则', reason: frame },
    { name: '五、前端处理规范', reason: frame },
    { name: '六、JSON 示例', reason: frame },
    { name: '七、已知问题和待修复项', reason: frame },
    { name: '八、参考资料', reason: 'Links.' },
  ],
  kinds: [
    ...named('message:user', 'message:assistant', 'message:result', 'message:stream_event', 'message:system'),
    ...named('message:error', 'message:tool_progress', 'message:keep_alive'),
    ...named('message:control_request', 'message:control_response', 'message:control_cancel_request'),
    ...named('event:message_start', 'event:content_block_start', 'event:content_block_delta'),
    ...named('event:content_block_stop', 'event:message_delta', 'event:message_stop'),
    ...named('delta:text_delta', 'delta:thinking_delta', 'delta:input_json_delta'),
    ...named('block:text', 'block:thinking', 'block:tool_use', 'block:tool_result', 'block:image', 'block:unknown'),
    ...named('system:init', 'system:status', 'system:api_retry', 'system:compact_boundary'),
    ...named('control:initialize', 'control:interrupt', 'control:set_model', 'control:set_permission_mode'),
    ...named('control:set_max_thinking_tokens', 'control:mcp_status', 'control:can_use_tool'),
    ...named('request:connect', 'request:query', 'request:queryWithContent', 'request:interrupt'),
    ...named('request:setModel', 'request:setPermissionMode', 'request:getHistory', 'request:disconnect'),
    ...named('envelope:reply', 'envelope:stream', 'envelope:complete'),
  ],
  sentences: [
    {
      words: '必须与 Claude Agent SDK 保持一致',
      checks: [
        'rpc-message/message-type',
        'rpc-message/event-kind',
        'rpc-message/delta-known',
        'rpc-message/message-delta-there',
      ],
    },
  ],
};
