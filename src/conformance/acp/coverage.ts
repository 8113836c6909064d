// Coverage of the rules of ACP, version 1. The document is a page of this project: each of its rules names its source.
import type { Coverage, CoverageItem } from '../check/inventory.ts';

const named = (...names: readonly string[]): CoverageItem[] => names.map((name) => ({ name }));
/** Rules without a check, and why. */
const because = (reason: string, ...names: readonly string[]): CoverageItem[] =>
  names.map((name) => ({ name, reason }));

/** Coverage of docs/protocols/acp.md. */
export const acpCoverage: Coverage = {
  document: 'acp.md',
  protocols: ['acp'],
  sections: [
    ...named('1.1', '1.2', '1.3', '1.5', '1.6', '1.7', '1.8', '1.9'),
    ...because('What a client passes over does not show on the wire.', '1.4'),
    ...named('2.10', '2.11', '2.12', '2.13'),
    ...named('3.14', '3.15', '3.16', '3.17', '3.18', '3.19', '3.20', '3.21', '3.22', '3.23', '3.26'),
    ...because('A removed draft, which no agent must have.', '3.24'),
    ...because('It lists what single agents offer.', '3.25', '4.36', '4.37', '4.38', '4.41', '4.46', '4.51', '6.54'),
    ...named('4.27', '4.30', '4.31', '4.32', '4.35', '4.39', '4.40', '4.42', '4.43', '4.44', '4.45', '4.47'),
    ...named('4.48', '4.49', '4.50'),
    ...because('It says how real agents break 4.27; call-in-turn and text-in-turn judge that.', '4.28'),
    ...because('It says what a client does by itself, and not what it sends.', '4.29', '4.33', '4.34'),
    ...named('5.52', '6.53', '6.55', '7.56'),
    ...because('The transport carries the checks; it has none of its own.', '8.57'),
    ...because('No program that runs here speaks that draft.', '8.58', '8.59'),
    ...because('It binds this gateway alone.', '9.60', '9.61', '9.62', '9.63', '9.64', '9.65', '9.66', '10.68'),
    ...because('The checks are of version 1.', '10.67'),
  ],
  kinds: [
    ...named('request:initialize', 'request:authenticate', 'request:session/new', 'request:session/load'),
    ...named('request:session/resume', 'request:session/list', 'request:session/close', 'request:session/delete'),
    ...named('request:session/set_mode', 'request:session/set_config_option', 'request:session/prompt'),
    ...because('Only who is logged in can log out, and no agent is here.', 'request:logout'),
    ...because('A draft, which no agent must have (3.24).', 'request:session/fork', 'request:session/set_model'),
    ...named('request:session/request_permission', 'request:elicitation/create'),
    ...named('request:fs/read_text_file', 'request:fs/write_text_file', 'request:terminal/create'),
    ...named('request:terminal/output', 'request:terminal/wait_for_exit', 'request:terminal/kill'),
    ...named('request:terminal/release'),
    ...named('notification:session/update', 'notification:session/cancel', 'notification:$/cancel_request'),
    ...because('Nobody has been seen to send it.', 'notification:elicitation/complete'),
    ...named('update:user_message_chunk', 'update:agent_message_chunk', 'update:agent_thought_chunk'),
    ...named('update:tool_call', 'update:tool_call_update', 'update:plan', 'update:available_commands_update'),
    ...named('update:current_mode_update', 'update:config_option_update', 'update:usage_update'),
    ...named('update:session_info_update', 'update:notice', 'update:compaction_update'),
    ...named('update:compaction_summary_chunk'),
    ...named('content:text', 'content:image', 'content:audio', 'content:resource', 'content:resource_link'),
  ],
  // The page states no requirement besides its rules, and each rule is a section.
  sentences: [],
};
