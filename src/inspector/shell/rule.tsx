// The text of a rule that a mark names.
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ruleText } from '../state/gateway.ts';
import { openRule } from '../state/view.ts';

export function Rule(): VNode | null {
  const asked = openRule.value;
  const [text, setText] = useState<string | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    setText(null);
    if (asked === null) return;
    dialog.current?.showModal();
    if (asked.rule !== undefined) void ruleText(asked.rule).then(setText);
  }, [asked]);
  if (asked === null) return null;
  return (
    <dialog ref={dialog} aria-label="Rule" onClose={() => (openRule.value = null)}>
      <h2>
        <bdi>{asked.text}</bdi>
      </h2>
      {asked.rule !== undefined && <p class="quiet">{asked.rule}</p>}
      <p>
        {text ??
          (asked.rule === undefined
            ? 'No numbered rule says this. docs/fidelity.md lists what each protocol cannot say.'
            : '…')}
      </p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
