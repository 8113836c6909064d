// The rule on the signatures of what the model thought (docs/protocols/rpc-message.md 1.3; docs/protocols/claude.md 4.5).
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { blocksOf } from '../view/blocks.ts';
import type { LaneName } from '../view/stream.ts';
import { laneOf, type View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

export const signatureRules = claudeRules({
  'signature-streamed': {
    section: '1.3',
    sentence:
      'The signature in the assistant message of a thinking block streamed before, in a signature_delta behind what was thought.',
    scenarios: ['think'],
    covers: ['delta:thinking_delta', 'block:thinking'],
    isMeasured: true,
    judge: signatures,
  },
});

function* signatures({ fromAgent }: View): Generator<Finding> {
  /** Whether the open thinking block has its signature, by lane. */
  const signed = new Map<LaneName, boolean>();
  for (const { frame, json } of fromAgent) {
    const lane = laneOf(json);
    const event = dictionaryOf(json.event);
    if (event.type === 'content_block_start') {
      const head = dictionaryOf(event.content_block);
      if (head.type === 'thinking' && !isText(head.signature)) signed.set(lane, false);
      else signed.delete(lane);
    }
    const isSigned = signed.get(lane);
    if (isSigned === undefined) continue;
    const { type } = dictionaryOf(event.delta);
    if (type === 'signature_delta') signed.set(lane, true);
    if (type === 'thinking_delta') yield { frame, wrong: isSigned ? 'a thinking_delta behind the signature' : null };
    const isCopied = json.type === 'assistant' && blocksOf(json).some(({ signature }) => isText(signature));
    if (isCopied) yield { frame, wrong: isSigned ? null : 'a signature that did not stream' };
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
