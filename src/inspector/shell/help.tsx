// The keys.
import type { VNode } from 'preact';
import { hasKeys, isHelpOpen } from '../state/view.ts';
import { keys } from './keys.ts';
import { Modal } from './modal.tsx';

export function Help(): VNode | null {
  if (!isHelpOpen.value) return null;
  return (
    <Modal label="Keys" name="help" onClose={() => (isHelpOpen.value = false)}>
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
    </Modal>
  );
}
