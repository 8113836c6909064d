// What our RpcMessage frontend promises beyond the rules for everybody (docs/protocols/rpc-message.md 8).
import { readView } from '../../../src/conformance/rpc-message/view.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { ownRules } from './own-rule.ts';

export const rpcMessageOwn = ownRules('rpc-message', readView, {
  'asked-for': [
    'What has an id answers a request.',
    function* ({ strays }) {
      for (const { frame } of strays) yield { frame, wrong: 'nobody asked for it' };
    },
  ],
  'refusal-code': [
    'A refusal has the code -1 and says why.',
    function* ({ replies }) {
      for (const { frame, json } of replies) {
        if (json.error === undefined || json.error === null) continue;
        const { code, message } = dictionaryOf(json.error);
        yield { frame, wrong: code === -1 && message !== '' ? null : `code ${String(code)}: ${String(message)}` };
      }
    },
  ],
});
