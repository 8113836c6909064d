// The text of a rule that a mark names.
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ruleText } from '../state/gateway.ts';
import { openRule } from '../state/view.ts';
import { Modal } from './modal.tsx';

const none = 'No numbered rule says this. docs/fidelity.md lists what each protocol cannot say.';

export function Rule(): VNode | null {
  const asked = openRule.value;
  const rule = asked?.rule;
  const [text, setText] = useState('…');
  useEffect(() => {
    setText(rule === undefined ? none : '…');
    if (rule !== undefined) void ruleText(rule).then((found) => setText(found ?? none));
  }, [asked]);
  if (asked === null) return null;
  return (
    <Modal label="Rule" onClose={() => (openRule.value = null)}>
      <h2>
        <bdi>{asked.text}</bdi>
      </h2>
      {rule !== undefined && <p class="quiet">{rule}</p>}
      <p>{text}</p>
    </Modal>
  );
}
