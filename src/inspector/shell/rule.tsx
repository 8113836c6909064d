// The text of a rule that a mark names.
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ruleText } from '../state/gateway.ts';
import { openRule } from '../state/view.ts';

const none = 'No numbered rule says this. docs/fidelity.md lists what each protocol cannot say.';

export function Rule(): VNode | null {
  const asked = openRule.value;
  const [text, setText] = useState('…');
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (asked === null) return;
    dialog.current?.showModal();
    setText(asked.rule === undefined ? none : '…');
    if (asked.rule !== undefined) void ruleText(asked.rule).then((found) => setText(found ?? none));
  }, [asked]);
  if (asked === null) return null;
  return (
    <dialog ref={dialog} aria-label="Rule" onClose={() => (openRule.value = null)}>
      <h2>
        <bdi>{asked.text}</bdi>
      </h2>
      {asked.rule !== undefined && <p class="quiet">{asked.rule}</p>}
      <p>{text}</p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
