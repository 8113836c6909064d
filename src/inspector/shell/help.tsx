// The keys.
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasKeys, isHelpOpen } from '../state/view.ts';
import { keys } from './keys.ts';

export function Help(): VNode | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog ref={dialog} class="help" aria-label="Keys" onClose={() => (isHelpOpen.value = false)}>
      <h2>Keys</h2>
      <dl>
        {keys.map(({ shown, does }) => (
          <div key={shown}>
            <dt>
              <kbd>{shown}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input
          type="checkbox"
          checked={hasKeys.value}
          onChange={({ currentTarget }) => (hasKeys.value = currentTarget.checked)}
        />{' '}
        Single keys work outside of fields
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
