// Methods of newer versions that no session can serve. Each is answered so that the client goes on and its user learns
// why (docs/protocols/eca.md 2.16).

/** Requests that get an empty result. */
export const emptyAnswers: ReadonlyMap<string, object> = new Map<string, object>([
  ['jobs/list', { jobs: [] }],
  ['jobs/kill', { killed: false }],
  ['providers/list', { providers: [] }],
  // `chat/open` sends the whole chat, so there is no older content.
  ['chat/history', { contents: [], meta: { total: 0, returned: 0 } }],
]);

/** Requests that would change a chat in an unsupported way: answered with `{}`, with a warning to the user. */
export const requestsWithWarning: ReadonlyMap<string, string> = new Map([
  ['chat/addFlag', 'This chat cannot be flagged.'],
  ['chat/removeFlag', 'This chat cannot be flagged.'],
]);

const toolServers = 'The tool servers are the agent’s own: they are set up in its configuration.';
const logins = 'The agent has logins of its own: this is done with its own program.';

/** Requests that are refused with a text that editors show, and code -32601 as for any unknown method. */
export const refusals: ReadonlyMap<string, string> = new Map([
  ['completion/inline', 'There are no inline completions here: agents behind this gateway have none.'],
  ['rewrite/prompt', 'There is no rewriting here: ask for the change in a chat.'],
  ['mcp/addServer', toolServers],
  ['mcp/updateServer', toolServers],
  ['mcp/removeServer', toolServers],
  ['providers/login', logins],
  ['providers/loginInput', logins],
  ['providers/logout', logins],
  ['jobs/readOutput', 'There is no such job.'],
]);

/** Notifications without an effect here. The user gets one warning. */
export const notificationsWithWarning: ReadonlyMap<string, string> = new Map([
  ['mcp/connectServer', toolServers],
  ['mcp/logoutServer', toolServers],
  ['mcp/enableServer', toolServers],
  ['mcp/disableServer', toolServers],
]);

/** Notifications that are ignored. A cancelled request is still answered. */
export const ignoredNotifications: ReadonlySet<string> = new Set(['$/cancelRequest']);
