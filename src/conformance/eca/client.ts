// The checks of an ECA editor.
import { rulesIn } from '../check/rule-rows.ts';
import { type ClientSet, rulesOver } from '../check/sets.ts';
import { behaviours } from './fake-agent/behaviours.ts';
import { serveEditor } from './fake-agent/fake-agent.ts';
import { clientHistory } from './history.ts';
import { clientChatRows } from './rules/client-chat.ts';
import { clientJsonRpcRows } from './rules/client-json-rpc.ts';
import { clientLifecycleRows } from './rules/client-lifecycle.ts';
import { shapeRulesOfEditors } from './shapes/clients.ts';
import { viewOf } from './view/view.ts';

/** All checks, in the order of the document. */
export const ecaClient: ClientSet = {
  protocol: 'eca',
  version: '3',
  history: clientHistory,
  measuredOn: 'ECA for Emacs, VS Code and Neovim',
  side: 'client',
  rules: rulesOver(viewOf, [
    ...shapeRulesOfEditors,
    ...rulesIn('eca/client', { ...clientJsonRpcRows, ...clientLifecycleRows, ...clientChatRows }),
  ]),
  behaviours,
  serve: serveEditor,
};
