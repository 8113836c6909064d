// Conversations for rows of shapes that no other good conversation reaches.
import type { Row } from '../mutation/mutators.ts';
import { acpTalk } from './acp.ts';
import { claudeAgentTalk, claudeClientTalk } from './claude.ts';
import { ecaEditor, ecaServer } from './eca.ts';
import { piAgent } from './pi.ts';
import { piServerTalk } from './pi-server.ts';
import { rpcMessageAgent } from './rpc-message.ts';

/** By protocol and side. */
export const talks: ReadonlyMap<string, readonly (readonly Row[])[]> = new Map([
  ['eca agents', [ecaServer]],
  ['eca clients', [ecaEditor]],
  ['pi agents', [piAgent]],
  ['acp agents', [acpTalk]],
  ['acp clients', [acpTalk]],
  ['pi-server agents', [piServerTalk]],
  ['claude agents', [claudeAgentTalk]],
  ['claude clients', [claudeClientTalk]],
  ['rpc-message agents', [rpcMessageAgent]],
]);
